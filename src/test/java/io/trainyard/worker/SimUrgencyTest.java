package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import io.trainyard.Slow;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Real workers in simulated worlds to which urgent jobs come.
@Slow
@ExtendWith(SilentWorkers.class)
class SimUrgencyTest {
    private static final int SEEDS = 100;

    private static List<String> wrong(long seed, SimSeams seams) {
        try {
            return new SimUrgency(seed, seams).run();
        } catch (SimFailure e) {
            return List.of(e.toString());
        }
    }

    private static List<String> wrong(long first, long seeds) {
        List<String> wrong = new ArrayList<>();
        LongStream.range(first, first + seeds)
                .forEach(seed -> wrong(seed, SimSeams.NONE)
                        .forEach(sentence -> wrong.add("seed %d: %s".formatted(seed, sentence))));
        return wrong;
    }

    @Test
    void urgentJobsBeginSoonAndNobodyLosesAStep() {
        assertThat(wrong(0, SEEDS)).isEmpty();
    }

    /// As many seeds as `-Dseeds` says, from `-Dseed` on.
    @Test
    @Campaign
    void manySeeds() {
        assertThat(wrong(Long.getLong("seed", 0), Long.getLong("seeds", 2000))).isEmpty();
    }
}
