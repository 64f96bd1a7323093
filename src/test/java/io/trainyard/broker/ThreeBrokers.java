package io.trainyard.broker;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.Patience;
import io.trainyard.Ports;
import io.trainyard.TrainyardProcess;
import io.trainyard.kubernetes.Kustomize;
import io.trainyard.metrics.YamlFiles;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.TopicAdmin;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/// Three brokers in separate processes, with the settings of the Strimzi component; each is also a controller.
public final class ThreeBrokers implements AutoCloseable {
    private static final List<Integer> IDS = List.of(1, 2, 3);
    private static final Duration POLL = Duration.ofMillis(100);

    /// The packaged application, whose archive of classes halves the time of a start.
    private static final Path APP = Path.of("target/quarkus-app").toAbsolutePath();

    private final Path folder;
    private final Uuid cluster = Uuid.randomUuid();
    private final List<Integer> ports = IDS.stream().map(_ -> Ports.take()).toList();
    private final List<Integer> controllers =
            IDS.stream().map(_ -> Ports.take()).toList();
    private final Map<String, String> settings = new HashMap<>();
    private final Map<Integer, TrainyardProcess> processes = new HashMap<>();
    private final Admin admin;

    private ThreeBrokers(Path folder) throws IOException {
        this.folder = folder;
        settings.putAll(shipped());
        settings.put(
                "controller.quorum.voters",
                IDS.stream()
                        .map(id -> id + "@localhost:" + controllers.get(id - 1))
                        .collect(Collectors.joining(",")));
        IDS.forEach(this::start);
        IDS.forEach(this::awaitStarted);
        admin = Brokers.at(address()).admin(Patience.LIMIT);
    }

    public static ThreeBrokers start(Path folder) throws IOException {
        return new ThreeBrokers(folder);
    }

    private static Map<String, String> shipped() throws IOException {
        JsonNode config = YamlFiles.readAll(Files.readString(Kustomize.FOLDER.resolve("components/strimzi/kafka.yaml")))
                .getLast()
                .at("/spec/kafka/config");
        return config.properties().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, setting -> setting.getValue().asText()));
    }

    /// A broker's process.
    ///
    /// @param arguments node id, port, cluster, directory, and settings as `name=value`
    public static void main(String[] arguments) throws InterruptedException {
        Map<String, String> settings = Stream.of(arguments)
                .skip(4)
                .map(setting -> setting.split("=", 2))
                .collect(Collectors.toMap(setting -> setting[0], setting -> setting[1]));
        EmbeddedBroker broker = EmbeddedBroker.startMember(
                Path.of(arguments[3]),
                Integer.parseInt(arguments[1]),
                Integer.parseInt(arguments[0]),
                Uuid.fromString(arguments[2]),
                settings);
        Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
        System.out.println("started " + broker.address());
        Thread.currentThread().join();
    }

    /// Starts a broker that is new or has ended.
    public void start(int id) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + Path.of("src/main/jvm/flags").toAbsolutePath(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:SharedArchiveFile=" + APP.resolve("classes.jsa"),
                "-Xlog:cds=off,aot=off",
                "-cp",
                APP.resolve("quarkus-run.jar")
                        + File.pathSeparator
                        + Path.of("target/test-classes").toAbsolutePath(),
                ThreeBrokers.class.getName(),
                Integer.toString(id),
                Integer.toString(ports.get(id - 1)),
                cluster.toString(),
                folder(id)));
        Map<String, String> all = new HashMap<>(settings);
        all.put("node.id", Integer.toString(id));
        all.put(
                "listeners",
                "PLAINTEXT://localhost:%d,CONTROLLER://localhost:%d"
                        .formatted(ports.get(id - 1), controllers.get(id - 1)));
        all.forEach((name, value) -> command.add(name + "=" + value));
        processes.put(id, TrainyardProcess.start(folder, command));
    }

    public void awaitStarted(int id) {
        var _ = process(id).await("started");
    }

    public TrainyardProcess process(int id) {
        return Objects.requireNonNull(processes.get(id));
    }

    /// The name of the folder with a broker's data.
    public static String folder(int id) {
        return "kafka-" + id;
    }

    /// The addresses of all.
    public String address() {
        return ports.stream().map(port -> "localhost:" + port).collect(Collectors.joining(","));
    }

    /// The broker whose controller is the active one.
    public int controller() {
        return TopicAdmin.await(
                        Brokers.at(address()), admin.describeMetadataQuorum().quorumInfo(), Patience.LIMIT)
                .leaderId();
    }

    private List<TopicDescription> topics(Collection<String> names) {
        return List.copyOf(TopicAdmin.await(
                        Brokers.at(address()), admin.describeTopics(names).allTopicNames(), Patience.LIMIT)
                .values());
    }

    private List<TopicDescription> topics() {
        return topics(TopicAdmin.await(
                Brokers.at(address()),
                admin.listTopics(new ListTopicsOptions().listInternal(true)).names(),
                Patience.LIMIT));
    }

    /// Waits until each partition, also those of Kafka's own topics, has three replicas in sync.
    public void awaitInSync() {
        Patience.await("all replicas to be in sync: " + processes)
                .pollInterval(POLL)
                .ignoreExceptions()
                .until(() -> topics().stream()
                        .flatMap(topic -> topic.partitions().stream())
                        .allMatch(partition -> partition.isr().size() == IDS.size()));
    }

    private boolean isFollower(int id) {
        return topics().stream()
                .flatMap(topic -> topic.partitions().stream())
                .allMatch(partition ->
                        partition.leader() != null && partition.leader().id() != id);
    }

    /// Waits until others lead all partitions.
    public void awaitFollower(int id) {
        Patience.await("other leaders than %d: %s".formatted(id, processes))
                .pollInterval(POLL)
                .ignoreExceptions()
                .until(() -> isFollower(id));
    }

    /// Makes a broker the leader of all partitions, and the coordinator of all groups.
    public void lead(int id) {
        List<Integer> order = Stream.concat(Stream.of(id), IDS.stream().filter(other -> other != id))
                .toList();
        Map<TopicPartition, Optional<NewPartitionReassignment>> moves = topics().stream()
                .flatMap(topic -> topic.partitions().stream()
                        .map(partition -> new TopicPartition(topic.name(), partition.partition())))
                .collect(Collectors.toMap(
                        partition -> partition, _ -> Optional.of(new NewPartitionReassignment(order))));
        Brokers brokers = Brokers.at(address());
        var _ = TopicAdmin.await(
                brokers, admin.alterPartitionReassignments(moves).all(), Patience.LIMIT);
        admin.electLeaders(ElectionType.PREFERRED, moves.keySet()); // an error if it is the leader already
        IDS.stream().filter(other -> other != id).forEach(this::awaitFollower);
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
        processes.values().forEach(TrainyardProcess::close);
    }

    @Override
    public String toString() {
        return processes.toString();
    }
}
