package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Campaign;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// What a simulated world is worth: it finds a fault that was put in, and finds it again.
class SimFleetTest {
    private static SimFleet run(long seed, boolean hasty) {
        SimFleet fleet = new SimFleet(seed, hasty);
        fleet.run();
        return fleet;
    }

    @Test
    void aSeedFindsAWorkerThatTrainsAllThatItIsHanded() {
        List<Long> found = LongStream.range(0, 100)
                .filter(seed -> {
                    try {
                        run(seed, true);
                        return false;
                    } catch (SimFailure e) {
                        assertThat(e).hasMessageContaining("is trained by");
                        return true;
                    }
                })
                .boxed()
                .toList();
        assertThat(found).isNotEmpty();
        long seed = found.getFirst();
        assertThatThrownBy(() -> run(seed, true)).as("again").hasMessageContaining("seed %d,".formatted(seed));
    }

    @Test
    void workersThatAskTheStoreTrainNoJobTwiceAtATime() {
        int jobs = 0;
        int finished = 0;
        for (long seed = 0; seed < 100; seed++) {
            SimFleet fleet = run(seed, false);
            jobs += fleet.jobs();
            finished += fleet.finished();
        }
        assertThat(finished).as("of %d jobs", jobs).isGreaterThan(jobs / 2);
    }

    @Test
    void aFleetsTraceFollowsFromItsSeed() {
        List<Long> seeds = new ArrayList<>(LongStream.range(0, 30).boxed().toList());
        List<Long> traces =
                seeds.stream().map(seed -> run(seed, false).world().trace()).toList();
        assertThat(traces).doesNotHaveDuplicates();
        Collections.shuffle(seeds, new Random(1));
        for (long seed : seeds) {
            assertThat(run(seed, false).world().trace()).isEqualTo(traces.get((int) seed));
        }
    }

    /// As many seeds as `-Dseeds` says, on all processors, and how fast that is.
    @Test
    @Campaign
    void manySeeds() throws Exception {
        int seeds = Integer.getInteger("seeds", 2000);
        int threads = Runtime.getRuntime().availableProcessors();
        long beginNanos = System.nanoTime();
        List<Future<long[]>> parts = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int t = 0; t < threads; t++) {
                int first = t;
                parts.add(pool.submit(() -> {
                    long[] sum = new long[2];
                    for (long seed = first; seed < seeds; seed += threads) {
                        SimWorld world = run(seed, false).world();
                        sum[0] += world.nanos();
                        sum[1] += world.steps();
                    }
                    return sum;
                }));
            }
        }
        Duration took = Duration.ofNanos(System.nanoTime() - beginNanos);
        long steps = 0;
        long simulated = 0;
        for (Future<long[]> part : parts) {
            simulated += part.get()[0];
            steps += part.get()[1];
        }
        System.out.printf(
                "%d seeds in %d ms on %d threads: %.0f seeds/s, %.0f simulated s/s, %.2f million steps/s%n",
                seeds,
                took.toMillis(),
                threads,
                seeds * 1e9 / took.toNanos(),
                (double) simulated / took.toNanos(),
                steps * 1e3 / took.toNanos());
        assertThat(steps).isPositive();
    }
}
