package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import io.trainyard.Slow;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.event.EventJson;
import io.trainyard.event.WorkerStatus;
import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.worker.SimTraining.Habit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Real workers in simulated worlds that receive high-priority jobs.
@ExtendWith(SilentWorkers.class)
class SimPriorityTest {
    /// Part of `./trainyard test`.
    private static final int FEW = 3;

    private static final int SEEDS = 25;

    private static SimSeeds worlds(SimSeams seams) {
        return new SimSeeds(seed -> new SimPriority(seed, seams).run());
    }

    @Test
    void highPriorityJobsBeginSoonAndNoStepIsLost() {
        assertThat(worlds(SimSeams.NONE).wrong(0, FEW)).isEmpty();
    }

    @Slow
    @Test
    void moreSeeds() {
        assertThat(worlds(SimSeams.NONE).wrong(FEW, SEEDS - FEW)).isEmpty();
    }

    /// Mistakes that few worlds show.
    enum Mistake implements SimSeams {
        /// The number of a job's preemptions is not read.
        FORGETS_HOW_OFTEN {
            @Override
            public CheckpointStore store(CheckpointStore real) {
                return new SimStoreSeam(real) {
                    @Override
                    public List<String> list(String folder) {
                        return super.list(folder).stream()
                                .filter(key -> !key.endsWith(".preempted"))
                                .toList();
                    }
                };
            }
        },
        /// A preempted job saves no checkpoint.
        SAVES_NOTHING {
            @Override
            public Set<Habit> habits() {
                return Set.of(Habit.PREEMPTED_WITHOUT_CHECKPOINT);
            }
        },
        /// Each worker considers only its own jobs for preemption.
        EVERY_WORKER_PREEMPTS {
            @Override
            public FleetLog log(FleetLog real, SimProcess process) {
                return inTrouble(real, (worker, _) -> !worker.equals(process.name()));
            }
        },
        /// No worker checks whether another one has a free slot.
        NO_WORKER_IS_FREE {
            @Override
            public FleetLog log(FleetLog real, SimProcess process) {
                return inTrouble(real, (_, status) -> status.jobs().isEmpty());
            }
        },
        /// The highest priority always comes first.
        NO_SHARES {
            @Override
            public ClaimPriorities order(ClaimPriorities real) {
                return new ClaimPriorities(); // this order never learns that a job was claimed
            }
        };

        /// Changes heartbeats so that their workers seem to claim no jobs.
        private static FleetLog inTrouble(FleetLog real, BiPredicate<String, WorkerStatus> who) {
            return SimLogSeam.heartbeats(real, (worker, json) -> {
                try {
                    return who.test(worker, EventJson.readStatus(json.getBytes(StandardCharsets.UTF_8)))
                            ? json.replaceFirst("\\{", "{\"problem\": \"none\", ")
                            : json;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    @Slow
    @ParameterizedTest
    @EnumSource(Mistake.class)
    void aSeedFindsTheMistake(Mistake mistake) {
        assertThat(worlds(mistake).finds(0, 100)).isPresent();
    }

    /// Runs `-Dseeds` seeds from `-Dseed` on.
    @Test
    @Campaign
    void manySeeds() {
        assertThat(worlds(SimSeams.NONE).wrongOfCampaign(2000)).isEmpty();
    }
}
