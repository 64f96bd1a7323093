package io.trainyard.worker;

import io.trainyard.topics.Brokers;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/// Deletes commands that have been dealt with. A command waits for as long as it takes, so its topic has no time
/// after which records go; and one that is below its group's start is never handed out again.
///
/// One worker of a fleet does it: the first by name of those that are heard.
final class CommandSweep implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(CommandSweep.class.getName());

    /// The bound on each answer of the brokers.
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Brokers kafka;
    private final Surroundings around;
    private final StopSignal stop;

    CommandSweep(Brokers kafka, Surroundings around) {
        this.kafka = kafka;
        this.around = around;
        this.stop = new StopSignal(around.host());
    }

    /// @param every time between two sweeps
    void start(Duration every) {
        var _ = around.host().start("sweep", () -> {
            try {
                stop.await(every);
                while (!stop.isRequested()) {
                    sweepIfFirst();
                    stop.await(every);
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void sweepIfFirst() {
        String self = around.rules().worker();
        if (around.fleet().live().stream().anyMatch(worker -> worker.compareTo(self) < 0)) {
            return;
        }
        try {
            sweep();
        } catch (KafkaUnreachableException | KafkaException e) { // the next time will do
            LOG.log(System.Logger.Level.DEBUG, "worker={0} cannot delete old commands: {1}", self, e.getMessage());
        }
    }

    /// @throws KafkaUnreachableException if the brokers do not answer in time or refuse
    void sweep() {
        String prefix = around.rules().routes().prefix();
        try (Admin admin = kafka.admin(TIMEOUT)) {
            Map<TopicPartition, RecordsToDelete> dealtWith = new HashMap<>();
            for (Topic topic : Topic.COMMANDS) {
                String group = topic.claimGroup(prefix);
                var offsets = TopicAdmin.await(
                        kafka,
                        admin.listShareGroupOffsets(Map.of(group, new ListShareGroupOffsetsSpec()))
                                .partitionsToOffsetInfo(group),
                        TIMEOUT);
                offsets.forEach((partition, info) -> {
                    if (info != null && info.startOffset() > 0) {
                        dealtWith.put(partition, RecordsToDelete.beforeOffset(info.startOffset()));
                    }
                });
            }
            if (!dealtWith.isEmpty()) {
                TopicAdmin.await(kafka, admin.deleteRecords(dealtWith).all(), TIMEOUT);
            }
        }
    }

    @Override
    public void close() {
        stop.request();
    }
}
