package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import io.trainyard.Slow;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.StoreException;
import io.trainyard.worker.SimTraining.Habit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Sweeps whose workers die at any moment: no trial that is among the best is left to rest, and none goes on that never
/// was.
@Slow
@ExtendWith(SilentWorkers.class)
class SimSweepTest {
    private static final int SEEDS = 80;

    /// Mistakes, put in on purpose.
    enum Mistake implements SimSeams {
        NOBODY_LOOKS {
            @Override
            public CheckpointStore store(CheckpointStore real) {
                return new SimStoreSeam(real) {
                    @Override
                    public List<String> list(String folder) {
                        if (folder.contains("/rungs/")
                                && Thread.currentThread().getName().equals("keeper")) {
                            throw new StoreException("nobody looks", new IOException());
                        }
                        return super.list(folder);
                    }
                };
            }
        },
        DECIDES_BEFORE_IT_KEEPS(Habit.DECIDES_BEFORE_IT_KEEPS),
        FAILURE_IS_NO_RESULT(Habit.FAILURE_IS_NO_RESULT);

        private final Set<Habit> habits;

        Mistake(Habit... habits) {
            this.habits = Set.of(habits);
        }

        @Override
        public Set<Habit> habits() {
            return habits;
        }
    }

    private static List<String> wrong(long first, long seeds) {
        List<String> wrong = new ArrayList<>();
        for (long seed = first; seed < first + seeds; seed++) {
            for (String sentence : new SimSweep(seed, SimSeams.NONE).run()) {
                wrong.add("seed %d: %s".formatted(seed, sentence));
            }
        }
        return wrong;
    }

    @Test
    void theBestGoOnAndTheOthersRest() {
        assertThat(wrong(0, SEEDS)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Mistake.class)
    void aSeedFindsTheMistake(Mistake mistake) {
        assertThat(LongStream.range(0, SEEDS)
                        .filter(seed -> finds(seed, mistake))
                        .findFirst())
                .isPresent();
    }

    private static boolean finds(long seed, SimSeams seams) {
        try {
            return !new SimSweep(seed, seams).run().isEmpty();
        } catch (SimFailure e) {
            return true;
        }
    }

    /// As many seeds as `-Dseeds` says, from `-Dseed` on.
    @Test
    @Campaign
    void manySeeds() {
        assertThat(wrong(Long.getLong("seed", 0), Long.getLong("seeds", 2000))).isEmpty();
    }
}
