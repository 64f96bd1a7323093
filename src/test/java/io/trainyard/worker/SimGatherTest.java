package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import io.trainyard.Slow;
import io.trainyard.worker.SimTraining.Habit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Real workers in simulated worlds, with jobs for several of them at once.
@Slow
@ExtendWith(SilentWorkers.class)
class SimGatherTest {
    private static final int SEEDS = 30;

    private static List<String> wrong(long seed, SimSeams seams) {
        try {
            return new SimGather(seed, seams).run();
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
    void nobodyWaitsForOneAnotherAndAllJobsEnd() {
        assertThat(wrong(0, SEEDS)).isEmpty();
    }

    /// Habits, each of which a few worlds show.
    @ParameterizedTest
    @EnumSource(names = {"GIVES_WAY_TO_NOBODY", "MISSES_NOBODY"})
    void aSeedFindsTheMistake(Habit habit) {
        SimSeams seams = new SimSeams() {
            @Override
            public Set<Habit> habits() {
                return Set.of(habit);
            }
        };
        assertThat(LongStream.range(0, 100)
                        .filter(seed -> !wrong(seed, seams).isEmpty())
                        .findFirst())
                .isPresent();
    }

    /// As many seeds as `-Dseeds` says, from `-Dseed` on.
    @Test
    @Campaign
    void manySeeds() {
        assertThat(wrong(Long.getLong("seed", 0), Long.getLong("seeds", 2000))).isEmpty();
    }
}
