package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import io.trainyard.Slow;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Real workers of two versions side by side in simulated worlds: what only one of them understands waits for it.
@ExtendWith(SilentWorkers.class)
class SimUpgradeTest {
    /// Those of `./trainyard test`.
    private static final int FEW = 2;

    private static final int SEEDS = 12;

    private static SimSeeds worlds(SimSeams seams) {
        return new SimSeeds(seed -> new SimUpgrade(seed, seams).run());
    }

    @Test
    void whatIsNewerWaitsForAWorkerThatUnderstandsIt() {
        assertThat(worlds(SimSeams.NONE).wrong(0, FEW)).isEmpty();
    }

    @Slow
    @Test
    void moreSeeds() {
        assertThat(worlds(SimSeams.NONE).wrong(FEW, SEEDS - FEW)).isEmpty();
    }

    /// Mistakes, each of which a few worlds show.
    enum Mistake implements SimSeams {
        /// A command that was left to newer workers is told to wait no more, and nobody takes it.
        TAKEN_BY_NOBODY {
            @Override
            public Outbox outbox(Outbox real, SimProcess process) {
                return (topic, key, value, headers) -> real.send(topic, key, isDeferral(key) ? null : value, headers);
            }
        },
        /// Workers do not say that they understand more than the first contract.
        SAYS_NOTHING {
            @Override
            public Outbox outbox(Outbox real, SimProcess process) {
                return (topic, key, value, headers) -> real.send(
                        topic,
                        key,
                        value == null || !topic.equals("workers")
                                ? value
                                : text(value)
                                        .replaceAll("\"contract\":\\d+", "\"contract\":1")
                                        .getBytes(UTF_8),
                        headers);
            }
        },
        /// What says for which contract a command was written is lost when it is handed out.
        CONTRACT_IS_LOST {
            @Override
            public CommandQueue queue(CommandQueue real, SimKafka kafka, SimProcess process, SimStore store) {
                return new SimQueueSeam(real) {
                    @Override
                    public Optional<ConsumerRecord<byte[], byte[]>> next() {
                        var next = super.next();
                        next.ifPresent(command -> command.headers().remove("trainyard-contract"));
                        return next;
                    }
                };
            }
        };

        private static final Charset UTF_8 = StandardCharsets.UTF_8;

        private static String text(byte[] bytes) {
            return new String(bytes, UTF_8);
        }

        private static boolean isDeferral(byte @Nullable [] key) {
            return key != null && text(key).matches("[^/]+/commands\\..*@.*");
        }
    }

    @Slow
    @ParameterizedTest
    @EnumSource(Mistake.class)
    void aSeedFindsTheMistake(Mistake mistake) {
        long first = mistake == Mistake.SAYS_NOTHING ? 760 : 0; // a little before the world that last showed it
        assertThat(worlds(mistake).finds(first, 100)).isPresent();
    }

    /// As many seeds as `-Dseeds` says, from `-Dseed` on.
    @Test
    @Campaign
    void manySeeds() {
        assertThat(worlds(SimSeams.NONE).wrongOfCampaign(2000)).isEmpty();
    }
}
