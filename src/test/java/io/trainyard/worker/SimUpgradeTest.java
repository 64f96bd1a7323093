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

/// Real workers of two versions in simulated worlds: a command that only one version understands waits for it.
@ExtendWith(SilentWorkers.class)
class SimUpgradeTest {
    /// Part of `./trainyard test`.
    private static final int FEW = 2;

    private static final int SEEDS = 12;

    private static SimSeeds worlds(SimSeams seams) {
        return new SimSeeds(seed -> new SimUpgrade(seed, seams).run());
    }

    @Test
    void newerCommandsWaitForNewerWorkers() {
        assertThat(worlds(SimSeams.NONE).wrong(0, FEW)).isEmpty();
    }

    @Slow
    @Test
    void moreSeeds() {
        assertThat(worlds(SimSeams.NONE).wrong(FEW, SEEDS - FEW)).isEmpty();
    }

    /// Mistakes that few worlds show.
    enum Mistake implements SimSeams {
        /// A worker publishes the end of a deferral but takes no command.
        CLAIMED_BY_NO_WORKER {
            @Override
            public Outbox outbox(Outbox real, SimProcess process) {
                return (topic, key, value, headers) -> real.send(topic, key, isDeferral(key) ? null : value, headers);
            }
        },
        /// Workers report only the first schema version.
        SAYS_NOTHING {
            @Override
            public Outbox outbox(Outbox real, SimProcess process) {
                return (topic, key, value, headers) -> real.send(
                        topic,
                        key,
                        value == null || !topic.equals("workers")
                                ? value
                                : text(value)
                                        .replaceAll("\"schemaVersion\":\\d+", "\"schemaVersion\":1")
                                        .getBytes(UTF_8),
                        headers);
            }
        },
        /// The header with the command's schema version is lost on delivery.
        CONTRACT_IS_LOST {
            @Override
            public CommandQueue queue(CommandQueue real, SimKafka kafka, SimProcess process, SimStore store) {
                return new SimQueueSeam(real) {
                    @Override
                    public Optional<ConsumerRecord<byte[], byte[]>> next() {
                        var next = super.next();
                        next.ifPresent(command -> command.headers().remove("trainyard-schema-version"));
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
        long first = mistake == Mistake.SAYS_NOTHING ? 760 : 0; // shortly before the world that last showed it
        assertThat(worlds(mistake).finds(first, 100)).isPresent();
    }

    /// Runs `-Dseeds` seeds from `-Dseed` on.
    @Test
    @Campaign
    void manySeeds() {
        assertThat(worlds(SimSeams.NONE).wrongOfCampaign(2000)).isEmpty();
    }
}
