package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/// Deletes processed commands. A command may wait for any time, so its topic has no retention time. Records
/// before the group's start offset are never delivered again.
///
/// One worker of a fleet does it: the first live worker by name.
final class CommandSweep implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(CommandSweep.class.getName());

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /// How many commands are examined and deleted at a time, and their size in bytes. A larger command is
    /// examined alone.
    private static final int BATCH = 500;

    private static final long BATCH_BYTES = 8 << 20;

    private final Brokers kafka;
    private final WorkerContext context;
    private final StopSignal stop;

    CommandSweep(Brokers kafka, WorkerContext context) {
        this.kafka = kafka;
        this.context = context;
        this.stop = new StopSignal(context.host());
    }

    void start(Duration every) {
        var _ = context.host().start("sweep", () -> {
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

    private void sweepIfFirst() throws InterruptedException {
        String self = context.rules().worker();
        boolean isFirst = context.fleet().live().stream().noneMatch(worker -> worker.compareTo(self) < 0);
        if (!isFirst || context.fleet().objection().isPresent()) { // in another store every job would look lost
            return;
        }
        try {
            sweep();
        } catch (KafkaUnreachableException
                | KafkaException
                | CheckpointException
                | ExecutionException
                | TimeoutException e) { // the next sweep tries again
            LOG.log(
                    System.Logger.Level.WARNING,
                    "worker={0} cannot delete old commands and will retry: {1}",
                    self,
                    e.getMessage());
        }
    }

    /// Deletes only commands that are accounted for: see [LostCommands].
    ///
    /// @throws KafkaUnreachableException if the brokers do not answer in time or refuse
    /// @throws CheckpointException if the store cannot be used
    void sweep() throws InterruptedException, ExecutionException, TimeoutException {
        try (Admin admin = kafka.admin(TIMEOUT);
                KafkaConsumer<String, byte[]> consumer = kafka.consumer(Map.of(
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        context.rules().worker() + "-sweep",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                        BATCH,
                        ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                        2 * Topic.MAX_RECORD_BYTES))) {
            Map<TopicPartition, Long> starts = starts(admin);
            LostCommands lost = new LostCommands(context, consumer, starts, stop);
            Map<TopicPartition, Long> begins = consumer.beginningOffsets(starts.keySet(), TIMEOUT);
            for (var start : starts.entrySet()) {
                long from = Objects.requireNonNull(begins.get(start.getKey()));
                while (from < start.getValue() && !stop.isRequested()) {
                    from = sweep(admin, lost, start, from);
                }
            }
        }
    }

    /// The start offsets of the share groups, for all command topics.
    private Map<TopicPartition, Long> starts(Admin admin) {
        String prefix = context.rules().routes().prefix();
        Map<TopicPartition, Long> starts = new HashMap<>();
        for (Topic topic : Topic.COMMANDS) {
            String group = topic.claimGroup(prefix);
            var offsets = TopicAdmin.await(
                    kafka,
                    admin.listShareGroupOffsets(Map.of(group, new ListShareGroupOffsetsSpec()))
                            .partitionsToOffsetInfo(group),
                    TIMEOUT);
            offsets.forEach((partition, info) -> {
                if (info != null && info.startOffset() > 0) {
                    starts.put(partition, info.startOffset());
                }
            });
        }
        return starts;
    }

    /// @return where to continue
    private long sweep(Admin admin, LostCommands lost, Map.Entry<TopicPartition, Long> start, long from)
            throws InterruptedException, ExecutionException, TimeoutException {
        TopicPartition partition = start.getKey();
        long end = Math.min(start.getValue(), from + BATCH);
        List<ConsumerRecord<String, byte[]>> batch = new ArrayList<>();
        AtomicLong bytes = new AtomicLong();
        lost.read(Map.of(partition, from), Map.of(partition, end), command -> {
            if (command.offset() < end
                    && (bytes.addAndGet(command.serializedValueSize()) <= BATCH_BYTES || batch.isEmpty())) {
                batch.add(command);
            }
        });
        long until = bytes.get() > BATCH_BYTES ? batch.getLast().offset() + 1 : end;
        int published = lost.publishAgain(batch);
        TopicAdmin.await(
                kafka,
                admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(until)))
                        .all(),
                TIMEOUT);
        LOG.log(
                System.Logger.Level.DEBUG,
                "worker={0} deleted {1} commands of {2} before offset {3}; {4} were lost",
                context.rules().worker(),
                batch.size(),
                partition,
                until,
                published);
        return until;
    }

    @Override
    public void close() {
        stop.request();
    }
}
