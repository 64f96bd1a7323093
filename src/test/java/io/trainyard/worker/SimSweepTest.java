package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import io.trainyard.Slow;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.StoreException;
import io.trainyard.topics.CommandHeaders;
import io.trainyard.worker.SimTraining.Habit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Sweeps with workers that die at any moment: no trial among the best stays paused, and no other trial
/// continues.
@ExtendWith(SilentWorkers.class)
class SimSweepTest {
    /// Part of `./trainyard test`.
    private static final int FEW = 8;

    private static final int SEEDS = 30;

    /// The number of worlds in which a mistake is searched for.
    private static final int FINDS = 150;

    /// Mistakes to inject on purpose.
    enum Mistake implements SimSeams {
        NO_WORKER_CHECKS_RUNGS {
            @Override
            public CheckpointStore store(CheckpointStore real) {
                return new SimStoreSeam(real) {
                    @Override
                    public List<String> list(String folder) {
                        if (folder.contains("/rungs/")
                                && Thread.currentThread().getName().equals("ownership-monitor")) {
                            throw new StoreException("unreachable", new IOException());
                        }
                        return super.list(folder);
                    }
                };
            }
        },
        /// A command for the attempt after the next is also published; its claim supersedes the right attempt.
        PROMOTES_TWICE {
            @Override
            public Outbox outbox(Outbox real, SimProcess process) {
                return again(real, 2); // the command carries the number of the pause
            }
        },
        TWICE_AS_MANY_GO_ON {
            @Override
            public CheckpointStore store(CheckpointStore real) {
                return new SimStoreSeam(real) {
                    @Override
                    public List<String> list(String folder) {
                        List<String> all = new ArrayList<>(super.list(folder));
                        if (folder.contains("/rungs/")) {
                            IntStream.range(0, all.size())
                                    .forEach(i -> all.add("%s/other-%d~1~failed".formatted(folder, i)));
                        }
                        return all;
                    }
                };
            }
        },
        /// A trial that has failed leaves no result.
        FAILURE_IS_NO_RESULT {
            @Override
            public CheckpointStore store(CheckpointStore real) {
                return new SimStoreSeam(real) {
                    @Override
                    public boolean createIfAbsent(String key, byte[] content) {
                        return key.endsWith("~failed") || super.createIfAbsent(key, content);
                    }
                };
            }
        },
        ASKS_ONCE(Habit.ASKS_ONCE);

        private final Set<Habit> habits;

        Mistake(Habit... habits) {
            this.habits = Set.of(habits);
        }

        @Override
        public Set<Habit> habits() {
            return habits;
        }
    }

    /// Sends each command of the ownership monitor once more.
    ///
    /// @param later added to the attempt that the command asks for
    private static Outbox again(Outbox real, int later) {
        return (topic, key, value, headers) -> {
            CompletableFuture<Void> sent = real.send(topic, key, value, headers);
            Header attempt = headers.lastHeader(CommandHeaders.ATTEMPT);
            if (attempt != null && Thread.currentThread().getName().equals("ownership-monitor")) {
                int number = Integer.parseInt(new String(attempt.value(), StandardCharsets.UTF_8)) + later;
                Headers copy = new RecordHeaders(headers);
                copy.remove(CommandHeaders.ATTEMPT);
                copy.add(CommandHeaders.ATTEMPT, Integer.toString(number).getBytes(StandardCharsets.UTF_8));
                var _ = real.send(topic, key, value, copy);
            }
            return sent;
        };
    }

    private static SimSeeds worlds(SimSeams seams) {
        return new SimSeeds(seed -> new SimSweep(seed, seams).run());
    }

    @Test
    void theBestTrialsContinueAndTheOthersArePaused() {
        assertThat(worlds(SimSeams.NONE).wrong(0, FEW)).isEmpty();
    }

    @Slow
    @Test
    void moreSeeds() {
        assertThat(worlds(SimSeams.NONE).wrong(FEW, SEEDS - FEW)).isEmpty();
    }

    /// The user pauses a trial at the moment of its pause at a rung, and resumes it: the history must not show it
    /// as paused by the user. Found by a campaign.
    @Test
    void aTrialIsPausedByItsUserAndAtARung() {
        assertThat(new SimSweep(419, SimSeams.NONE).run()).isEmpty();
    }

    /// Two ownership monitors that look at the same time both promote a trial.
    @Slow
    @Test
    void aSecondCopyOfARepublishedCommandIsVoid() {
        SimSeams copies = new SimSeams() {
            @Override
            public Outbox outbox(Outbox real, SimProcess process) {
                return again(real, 0);
            }
        };
        assertThat(worlds(copies).wrong(0, SEEDS / 2)).isEmpty();
    }

    @Slow
    @ParameterizedTest
    @EnumSource(Mistake.class)
    void aSeedFindsTheMistake(Mistake mistake) {
        OptionalLong found = worlds(mistake).finds(0, FINDS);
        assertThat(found).isPresent();
        System.out.printf("| %s | %d |%n", mistake, found.getAsLong());
    }

    @Test
    @Campaign
    void manySeeds() {
        assertThat(worlds(SimSeams.NONE).wrongOfCampaign(2000)).isEmpty();
    }
}
