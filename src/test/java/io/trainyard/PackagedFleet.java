package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.broker.SecureBroker;
import io.trainyard.broker.TestBroker;
import io.trainyard.event.EventJson;
import io.trainyard.event.TimestampedEvent;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.CommandSender;
import io.trainyard.topics.KafkaRole;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ShareMemberDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// A fleet on this machine: a broker, and workers in separate processes with a shared checkpoint folder.
public final class PackagedFleet implements AutoCloseable {
    /// A stopping worker and its last events may take as long as any wait here.
    private static final String PATIENT = "TRAINYARD_WORKER_GRACE=%ds".formatted(Patience.LIMIT.toSeconds());

    private final Path folder;
    private @Nullable TrainyardProcess broker;
    private final @Nullable SecureBroker secure;
    private final String kafka;
    private final String prefix;
    private final Map<String, TrainyardProcess> workers = new LinkedHashMap<>();

    private PackagedFleet(Path folder, @Nullable TrainyardProcess broker, String kafka, String prefix) {
        this.folder = folder;
        this.broker = broker;
        this.secure = null;
        this.kafka = kafka;
        this.prefix = prefix;
    }

    private PackagedFleet(Path folder, SecureBroker secure) {
        this.folder = folder;
        this.broker = null;
        this.secure = secure;
        this.kafka = secure.address();
        this.prefix = Topic.DEFAULT_PREFIX;
    }

    /// Starts the packaged broker, as the README does.
    ///
    /// @param folder for all files
    public static PackagedFleet withBroker(Path folder) {
        TrainyardProcess broker = TrainyardProcess.start(folder, "broker", "--port", "0", "--dir", "kafka");
        return new PackagedFleet(folder, broker, broker.await("Kafka: ([^,]+),"), Topic.DEFAULT_PREFIX);
    }

    /// For tests of workers: on [TestBroker].
    ///
    /// @param prefix of its own topics' names
    public static PackagedFleet of(Path folder, String prefix) {
        TopicAdmin.createMissing(TestBroker.brokers(), prefix, Patience.LIMIT);
        return new PackagedFleet(folder, null, TestBroker.address(), prefix);
    }

    /// On an existing broker.
    ///
    /// @param kafka `host:port`
    public static PackagedFleet on(Path folder, String kafka) {
        return new PackagedFleet(folder, null, kafka, Topic.DEFAULT_PREFIX);
    }

    /// On a separate broker in this process with TLS and passwords. Each command has the minimal permissions of
    /// its role.
    public static PackagedFleet secured(Path folder) throws Exception {
        SecureBroker secure = SecureBroker.startAsShipped(folder);
        secure.admit(Topic.DEFAULT_PREFIX, KafkaRole::word);
        PackagedFleet fleet = new PackagedFleet(folder, secure);
        TrainyardProcess topics = fleet.start("topics");
        assertThat(topics.exitStatus()).as(topics.toString()).isZero();
        return fleet;
    }

    /// The connection for readers, with the dashboard's permissions on a secured fleet.
    public Brokers readerConnection() {
        return secure == null ? Brokers.at(kafka) : secure.as(secure.scram(KafkaRole.DASHBOARD));
    }

    /// This process's unrestricted connection.
    private Brokers anyDoor() {
        return secure == null ? Brokers.at(kafka) : secure.anyDoor();
    }

    /// The broker of a [secured][#secured] fleet.
    public SecureBroker secureBroker() {
        return Objects.requireNonNull(secure, "the broker has no users");
    }

    private static KafkaRole role(String command) {
        return switch (command) {
            case "worker" -> KafkaRole.WORKER;
            case "submit" -> KafkaRole.SUBMITTER;
            case "events" -> KafkaRole.READER;
            case "topics" -> KafkaRole.ADMINISTRATOR;
            default -> throw new IllegalArgumentException("unknown role of " + command);
        };
    }

    /// The process of its own broker.
    public TrainyardProcess broker() {
        return Objects.requireNonNull(broker, "this fleet has no broker of its own");
    }

    /// Restarts its own broker at the same address after it ended.
    public void restartBroker() {
        String port = kafka.substring(kafka.lastIndexOf(':') + 1);
        broker = TrainyardProcess.start(folder, "broker", "--port", port, "--dir", "kafka");
        var _ = broker.await("Kafka: ([^,]+),");
    }

    public String name(Topic topic) {
        return topic.name(prefix);
    }

    /// `host:port`
    public String kafka() {
        return kafka;
    }

    /// Starts a command of `./trainyard` on this fleet.
    public TrainyardProcess start(String command, String... arguments) {
        return start(List.of(), command, arguments);
    }

    /// @param environment as `NAME=value`
    private TrainyardProcess start(List<String> environment, String command, String... arguments) {
        return start(TrainyardProcess.LAUNCHER, environment, command, arguments);
    }

    private TrainyardProcess start(Path launcher, List<String> environment, String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of("/usr/bin/env"));
        if (secure != null) {
            all.add("TRAINYARD_KAFKA_CONFIG=" + secure.scram(role(command)));
        }
        all.addAll(environment);
        all.addAll(List.of(launcher.toString(), command, "--kafka", kafka, "--prefix", prefix));
        all.addAll(List.of(arguments));
        return TrainyardProcess.start(folder, all);
    }

    /// Starts a worker; see [#awaitMembers].
    public void startWorker(String id, String... more) {
        startWorker(id, List.of(), more);
    }

    /// @param environment as `NAME=value`
    public void startWorker(String id, List<String> environment, String... more) {
        startWorker(TrainyardProcess.LAUNCHER, id, environment, more);
    }

    /// Starts a worker of another build.
    void startWorker(Path launcher, String id, List<String> environment, String... more) {
        workers.put(
                id,
                start(
                        launcher,
                        Stream.concat(Stream.of(PATIENT), environment.stream()).toList(),
                        "worker",
                        Stream.concat(Stream.of("--id", id), withStore(List.of(more)).stream())
                                .toArray(String[]::new)));
    }

    /// Adds the fleet's checkpoint folder, unless the options name another store.
    private static List<String> withStore(List<String> options) {
        return options.contains("--checkpoints")
                ? options
                : Stream.concat(Stream.of("--checkpoints", "checkpoints"), options.stream())
                        .toList();
    }

    public TrainyardProcess worker(String id) {
        return Objects.requireNonNull(workers.get(id), id);
    }

    /// The ids of the running workers.
    public List<String> running() {
        return workers.keySet().stream().filter(id -> worker(id).isAlive()).toList();
    }

    /// Waits until every running worker has joined the share group, so that each can get commands. Killed
    /// workers stay members for a while.
    public void awaitMembers() {
        String group = Topic.COMMANDS_NORMAL.claimGroup(prefix);
        try (Admin admin = anyDoor().admin(Patience.LIMIT)) {
            Patience.await("%d workers to join: %s".formatted(running().size(), workers))
                    .ignoreExceptions() // no group before the first member
                    .until(() -> membersWithTopics(admin, group)
                            .containsAll(running().stream()
                                    .map(id -> id + "-" + name(Topic.COMMANDS_NORMAL))
                                    .toList()));
        }
    }

    /// Client ids of the members.
    private static List<String> membersWithTopics(Admin admin, String group) throws Exception {
        var groups = Patience.get(admin.describeShareGroups(List.of(group)).all());
        return Objects.requireNonNull(groups.get(group)).members().stream()
                .filter(member -> !member.assignment().topicPartitions().isEmpty())
                .map(ShareMemberDescription::clientId)
                .toList();
    }

    /// Writes a file of jobs, and submits it.
    ///
    /// @return the process, which continues with `--watch`
    public TrainyardProcess submit(String jobs, String... options) {
        try {
            Path file = Files.createTempFile(folder, "jobs", ".json");
            Files.writeString(file, jobs);
            return start(
                    "submit",
                    Stream.concat(Stream.of(file.toString()), Stream.of(options))
                            .toArray(String[]::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Publishes a job like `./trainyard submit`, without the second that the process takes.
    public void send(String job, Priority priority) {
        send(List.of(JobJson.read(job.getBytes(StandardCharsets.UTF_8))), priority);
    }

    public void send(List<JobSpec> jobs, Priority priority) {
        new CommandSender(new Cluster(anyDoor(), prefix, Patience.LIMIT), CloudEvents.CLI)
                .send(jobs, priority, _ -> {});
    }

    /// All events so far, in the order of `./trainyard events`, without republished ones.
    List<TrainingEvent> events() {
        TrainyardProcess events = start("events");
        assertThat(events.exitStatus()).as(events.toString()).isZero();
        return events.lines().stream().distinct().map(PackagedFleet::event).toList();
    }

    /// Checks the history of all jobs after their end.
    public void checkAll(int jobs) {
        TrainyardProcess check = start("events", "--check", "--complete");
        assertThat(check.exitStatus()).as(check + toString()).isZero();
        assertThat(check.lines())
                .containsExactly("checked %d job%s: nothing is wrong".formatted(jobs, jobs == 1 ? "" : "s"));
    }

    /// Checks the history of a job after its end.
    public void check(String job) {
        TrainyardProcess check = start("events", "--check", "--complete", "--job", job);
        assertThat(check.exitStatus()).as(check.toString()).isZero();
        assertThat(check.lines()).containsExactly("checked 1 job: nothing is wrong");
    }

    public static TrainingEvent event(String json) {
        return published(json).event();
    }

    static TimestampedEvent published(String json) {
        try {
            return EventJson.readEvent(json.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(json, e);
        }
    }

    /// Reads a topic from its beginning until the records satisfy `enough`.
    List<ConsumerRecord<String, byte[]>> read(Topic topic, Predicate<List<ConsumerRecord<String, byte[]>>> enough) {
        List<ConsumerRecord<String, byte[]>> read = new ArrayList<>();
        try (var consumer = anyDoor().consumer(Map.of())) {
            List<TopicPartition> partitions = List.of(new TopicPartition(name(topic), 0));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Patience.awaitJobs("enough records of " + topic + ": " + workers).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(read::add);
                return enough.test(read);
            });
        }
        return read;
    }

    /// Waits for an event of a type.
    public <T extends TrainingEvent> T await(Topic topic, String job, Class<T> type) {
        List<T> found = new ArrayList<>();
        var _ = read(topic, records -> {
            records.stream()
                    .map(record -> event(new String(record.value(), StandardCharsets.UTF_8)))
                    .filter(event -> type.isInstance(event) && event.job().equals(job))
                    .forEach(event -> found.add(type.cast(event)));
            return !found.isEmpty();
        });
        return found.getFirst();
    }

    @Override
    public void close() {
        workers.values().forEach(TrainyardProcess::close);
        if (broker != null) {
            broker.close();
        }
        if (secure != null) {
            secure.close();
        }
    }

    /// The workers' output, for assertion messages.
    @Override
    public String toString() {
        return workers.toString();
    }
}
