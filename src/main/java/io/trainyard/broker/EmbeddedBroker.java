package io.trainyard.broker;

import io.trainyard.topics.Brokers;
import io.trainyard.topics.TopicAdmin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;

/// A real Kafka broker in this process, for localhost only, with the topics of a fleet. Its data stays in its
/// directory and is there again after a restart.
public final class EmbeddedBroker implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(EmbeddedBroker.class.getName());

    /// The time limit for the start and the creation of topics: usually two seconds, over a minute on busy
    /// machines.
    public static final Duration START_TIMEOUT = Duration.ofMinutes(5);

    /// The bound on stopping: past it the broker is left alone.
    public static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

    private static final int NODE_ID = 1;
    private static final String HOST = "localhost";
    private static final String CONTROLLER = "CONTROLLER";
    private static final int MAX_PORT = 65_535;

    private final BrokerDirectory directory;
    private final int port;
    private final KafkaRaftServer server;

    private EmbeddedBroker(BrokerDirectory directory, int port, KafkaRaftServer server) {
        this.directory = directory;
        this.port = port;
        this.server = server;
    }

    /// Starts a broker and creates the topics that are missing.
    ///
    /// @param directory for its data; created when missing
    /// @param port to listen on; 0 takes a free one
    /// @param prefix of the topics' names
    /// @throws BrokerException if the port is taken, the directory cannot be used, or Kafka does not start in time
    public static EmbeddedBroker start(Path directory, int port, String prefix) {
        return start(directory, port, prefix, Map.of());
    }

    /// As [#start(Path, int, String)].
    ///
    /// @param settings on top of the broker's own, under Kafka's names
    public static EmbeddedBroker start(Path directory, int port, String prefix, Map<String, String> settings) {
        EmbeddedBroker broker = startMember(directory, port, NODE_ID, Uuid.randomUuid(), settings);
        try {
            TopicAdmin.createMissing(Brokers.at(broker.address()), prefix, START_TIMEOUT);
            return broker;
        } catch (RuntimeException e) {
            broker.close();
            throw e;
        }
    }

    /// Starts one of several brokers, without topics: those need all brokers.
    ///
    /// @param cluster the id that all brokers share, for a new directory
    /// @param settings also those of the quorum, instead of a single broker's
    static EmbeddedBroker startMember(
            Path directory, int port, int nodeId, Uuid cluster, Map<String, String> settings) {
        int chosen = requireFree(port);
        BrokerDirectory taken = BrokerDirectory.take(directory, nodeId, cluster, CONTROLLER);
        EmbeddedBroker broker = null;
        try {
            broker = new EmbeddedBroker(taken, chosen, create(taken, chosen, settings));
            broker.startUp();
            return broker;
        } catch (RuntimeException e) {
            abandon(broker, taken, e);
            throw e;
        }
    }

    private static KafkaRaftServer create(BrokerDirectory directory, int port, Map<String, String> settings) {
        Properties properties = properties(directory.path(), port, requireFree(0));
        properties.putAll(settings);
        try {
            return new KafkaRaftServer(new KafkaConfig(properties), Time.SYSTEM);
        } catch (RuntimeException e) {
            throw broken(directory, e);
        }
    }

    private void startUp() {
        try {
            within(START_TIMEOUT, "broker-start", server::startup);
        } catch (ExecutionException e) {
            throw broken(directory, e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            throw new BrokerException(
                    "Kafka on port %d with its data in %s has not started within %d s; see its log, or give another directory with --dir"
                            .formatted(port, directory.path(), START_TIMEOUT.toSeconds()),
                    e);
        }
    }

    private static BrokerException broken(BrokerDirectory directory, Throwable cause) {
        return new BrokerException(
                "Kafka does not start with its data in %s: %s; move that directory away, or give another one with --dir"
                        .formatted(directory.path(), cause.getMessage() == null ? cause : cause.getMessage()),
                cause);
    }

    /// `host:port`, for clients.
    public String address() {
        return HOST + ":" + port;
    }

    public int port() {
        return port;
    }

    /// Where its data is; absolute.
    public Path directory() {
        return directory.path();
    }

    /// Stops the broker, within [#STOP_TIMEOUT].
    @Override
    public void close() {
        try {
            within(STOP_TIMEOUT, "broker-stop", () -> {
                server.shutdown();
                server.awaitShutdown();
            });
            directory.close();
        } catch (ExecutionException | TimeoutException | IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Kafka with its data in " + directory.path() + " did not stop cleanly",
                    e);
        }
    }

    private static void abandon(@Nullable EmbeddedBroker broker, BrokerDirectory directory, Exception because) {
        if (broker != null) {
            broker.close();
        } else {
            try {
                directory.close();
            } catch (IOException e) {
                because.addSuppressed(e);
            }
        }
    }

    /// @return `port`, or a free one where it is 0
    private static int requireFree(int port) {
        if (port < 0 || port > MAX_PORT) {
            throw new BrokerException("--port is %d; allowed is 0 (a free one) to %d".formatted(port, MAX_PORT));
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName(HOST), port));
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new BrokerException(
                    "port %d of %s cannot be listened on: %s; stop what uses it, or give another one with --port (0 takes a free one)"
                            .formatted(port, HOST, e.getMessage()),
                    e);
        }
    }

    /// One replica of everything, because there is one broker; small buffers, because it shares its machine.
    private static Properties properties(Path directory, int port, int controllerPort) {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "process.roles", "broker,controller",
                "node.id", Integer.toString(NODE_ID),
                "controller.quorum.voters", NODE_ID + "@" + HOST + ":" + controllerPort,
                "listeners", "PLAINTEXT://%s:%d,%s://%s:%d".formatted(HOST, port, CONTROLLER, HOST, controllerPort),
                "advertised.listeners", "PLAINTEXT://%s:%d".formatted(HOST, port),
                "controller.listener.names", CONTROLLER,
                "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,%s:PLAINTEXT".formatted(CONTROLLER),
                "log.dirs", directory.toString(),
                "log.segment.bytes", Integer.toString(16 << 20),
                "log.cleaner.dedupe.buffer.size", Integer.toString(2 << 20)));
        for (String internal : new String[] {
            "offsets.topic.replication.factor",
            "offsets.topic.num.partitions",
            "transaction.state.log.replication.factor",
            "transaction.state.log.min.isr",
            "transaction.state.log.num.partitions",
            "share.coordinator.state.topic.replication.factor",
            "share.coordinator.state.topic.min.isr",
            "share.coordinator.state.topic.num.partitions"
        }) {
            properties.put(internal, "1");
        }
        properties.put("group.initial.rebalance.delay.ms", "0");
        properties.put("auto.create.topics.enable", "false"); // a misspelt name is an error, not a topic
        // A worker is given its topics at its second heartbeat: five seconds by default, which a person would wait.
        properties.put("group.share.heartbeat.interval.ms", "1000");
        properties.put("group.share.min.heartbeat.interval.ms", "1000");
        properties.put("group.share.max.size", "1000"); // the most Kafka allows; its default is 200 workers
        properties.put("group.share.max.share.sessions", "10000"); // nine for each of them; Kafka's default is 2000
        return properties;
    }

    /// Runs something that has no bound of its own.
    private static void within(Duration bound, String thread, Runnable work)
            throws ExecutionException, TimeoutException {
        FutureTask<Void> task = new FutureTask<>(work, null);
        Thread.ofPlatform().name(thread).daemon().start(task);
        try {
            task.get(bound.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ExecutionException(e);
        }
    }
}
