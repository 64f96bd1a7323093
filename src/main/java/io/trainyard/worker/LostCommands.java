package io.trainyard.worker;

import io.trainyard.checkpoint.JobFolder;
import io.trainyard.ownership.CommandContent;
import io.trainyard.ownership.Ownership;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.CommandHeaders;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Priority;
import io.trainyard.topics.RecordKey;
import io.trainyard.topics.Topic;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/// Finds commands that a share group no longer delivers without any result, and publishes them again. Brokers
/// silently drop a command after the maximum number of deliveries.
///
/// A command has a result if its job has ended, is owned, is deferred on `ownership`, or has another command that
/// is still to be delivered, or if the command is a dead letter. All of these are written before a command is
/// accepted, so a reader that starts after the group's start offset sees them. Publishing a command that is not
/// lost is harmless: the store voids it.
final class LostCommands {
    private static final System.Logger LOG = System.getLogger(LostCommands.class.getName());

    /// The number of newest dead letters that are read, in each partition.
    private static final long MAX_DEAD_LETTERS = 100_000;

    private static final Duration POLL = Duration.ofMillis(500);

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final WorkerContext context;
    private final KafkaConsumer<String, byte[]> consumer;
    private final Map<TopicPartition, Long> starts;
    private final StopSignal stop;
    private final String prefix;

    /// @param consumer reads the partitions that it is assigned
    /// @param starts the start offsets of the share groups, for all command topics
    LostCommands(
            WorkerContext context,
            KafkaConsumer<String, byte[]> consumer,
            Map<TopicPartition, Long> starts,
            StopSignal stop) {
        this.context = context;
        this.consumer = consumer;
        this.starts = starts;
        this.stop = stop;
        this.prefix = context.rules().routes().prefix();
    }

    /// Publishes the lost ones of some commands again.
    ///
    /// @throws io.trainyard.checkpoint.CheckpointException if the store cannot be used
    /// @throws KafkaException if the brokers refuse, or do not answer in time
    int publishAgain(List<ConsumerRecord<String, byte[]>> commands)
            throws InterruptedException, ExecutionException, TimeoutException {
        Map<String, ConsumerRecord<String, byte[]>> open = new HashMap<>();
        commands.forEach(command -> open.put(job(command), command));
        open.keySet().removeIf(this::hasEnded);
        removeOwned(open);
        removeDeadLetters(open);
        removeUndelivered(open);
        open.keySet().removeIf(this::hasEnded); // since the first check
        for (var command : open.entrySet()) {
            publishAgain(command.getKey(), command.getValue());
        }
        return open.size();
    }

    /// The job of a command, or a placeholder if the command names none.
    private static String job(ConsumerRecord<String, byte[]> command) {
        return JobJson.id(CommandRecord.body(command)).orElseGet(() -> RecordKey.SLASH + CommandRecord.place(command));
    }

    private static boolean isJob(String name) {
        return name.charAt(0) != RecordKey.SLASH;
    }

    private boolean hasEnded(String job) {
        return isJob(job) && new JobFolder(context.store(), job).chain().end().isPresent();
    }

    private void removeOwned(Map<String, ConsumerRecord<String, byte[]>> open) {
        if (open.isEmpty()) {
            return;
        }
        Map<String, Boolean> owned = new HashMap<>(); // by key: of a job or of a deferred command
        scan(all(Topic.OWNERSHIP), _ -> 0L, entry -> {
            String key = entry.key();
            if (key != null && open.containsKey(RecordKey.job(key))) {
                owned.put(key, entry.value() != null);
            }
        });
        owned.forEach((key, is) -> {
            if (is) {
                open.remove(RecordKey.job(key));
            }
        });
    }

    private void removeDeadLetters(Map<String, ConsumerRecord<String, byte[]>> open) {
        if (open.isEmpty()) {
            return;
        }
        Map<String, String> jobs = open.entrySet().stream()
                .collect(Collectors.toMap(command -> CommandRecord.place(command.getValue()), Map.Entry::getKey));
        scan(all(Topic.DEAD_LETTER), end -> Math.max(0, end - MAX_DEAD_LETTERS), letter -> {
            String job = jobs.get("%s-%s@%s"
                    .formatted(
                            CommandHeaders.text(letter.headers(), DeadLetter.SOURCE_TOPIC),
                            CommandHeaders.text(letter.headers(), DeadLetter.SOURCE_PARTITION),
                            CommandHeaders.text(letter.headers(), DeadLetter.SOURCE_OFFSET)));
            if (job != null) {
                open.remove(job);
            }
        });
    }

    private void removeUndelivered(Map<String, ConsumerRecord<String, byte[]>> open) {
        if (open.isEmpty()) {
            return;
        }
        Set<TopicPartition> commands = new HashSet<>();
        Topic.COMMANDS.forEach(topic -> commands.addAll(all(topic)));
        Map<TopicPartition, Long> from = new HashMap<>();
        commands.forEach(partition -> from.put(partition, starts.getOrDefault(partition, 0L)));
        scan(from, entry -> open.remove(job(entry)));
    }

    private Set<TopicPartition> all(Topic topic) {
        return consumer.partitionsFor(topic.name(prefix), TIMEOUT).stream()
                .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                .collect(Collectors.toSet());
    }

    private interface From {
        long offset(long end);
    }

    private void scan(Set<TopicPartition> partitions, From first, Consumer<ConsumerRecord<String, byte[]>> each) {
        Map<TopicPartition, Long> from = new HashMap<>();
        consumer.endOffsets(partitions, TIMEOUT).forEach((partition, end) -> from.put(partition, first.offset(end)));
        scan(from, each);
    }

    private void scan(Map<TopicPartition, Long> from, Consumer<ConsumerRecord<String, byte[]>> each) {
        read(from, consumer.endOffsets(from.keySet(), TIMEOUT), each);
    }

    void read(
            Map<TopicPartition, Long> from,
            Map<TopicPartition, Long> to,
            Consumer<ConsumerRecord<String, byte[]>> each) {
        consumer.assign(from.keySet());
        from.forEach(consumer::seek);
        long progressNanos = System.nanoTime();
        while (from.keySet().stream()
                .anyMatch(partition -> consumer.position(partition, TIMEOUT)
                        < Objects.requireNonNull(to.get(partition), partition.topic()))) {
            var records = consumer.poll(POLL);
            records.forEach(each);
            if (!records.isEmpty()) {
                progressNanos = System.nanoTime();
            } else if (stop.isRequested() || System.nanoTime() - progressNanos > TIMEOUT.toNanos()) {
                throw new KafkaException("%s cannot be read to the end in time".formatted(from.keySet()));
            }
        }
    }

    private void publishAgain(String job, ConsumerRecord<String, byte[]> command)
            throws InterruptedException, ExecutionException, TimeoutException {
        LOG.log(
                System.Logger.Level.WARNING,
                "job={0} worker={1} the command {2} is lost: the share group no longer delivers it, and it has no result. It is published again",
                isJob(job) ? job : "?",
                context.rules().worker(),
                CommandRecord.place(command));
        try {
            JobSpec spec =
                    CommandRecord.job(command, context.rules().deferring().schemaVersion());
            CommandContent request = CommandRecord.request(command, spec, Priority.of(command.topic(), prefix))
                    .attempt(new JobFolder(context.store(), job).chain().last() + 1)
                    .in(context.store().identity());
            await(context.publisher().publish(request));
            await(context.publisher()
                    .publish(Ownership.waiting(request, context.rules().worker(), 1)));
        } catch (InvalidJobException _) { // the worker that gets it reports the error
            await(context.publisher().againOf(command));
        }
        context.activity().commandLost();
    }

    private void await(CompletableFuture<Void> published)
            throws InterruptedException, ExecutionException, TimeoutException {
        var _ = context.host().await(published, TIMEOUT);
    }
}
