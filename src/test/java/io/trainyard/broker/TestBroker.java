package io.trainyard.broker;

import io.trainyard.Patience;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/// One real broker for all tests of this JVM; each test class has its own topic prefix. Locks and sessions do
/// not expire while a test waits, because on a machine that stalls for seconds a job would rightly run twice.
/// Tests of expiring locks set their own duration.
public final class TestBroker {
    /// Longer than any test locks a command.
    public static final Duration NEVER = Duration.ofMinutes(20);

    private static final EmbeddedBroker BROKER = start();

    private TestBroker() {}

    public static String address() {
        return BROKER.address();
    }

    public static Brokers brokers() {
        return Brokers.at(BROKER.address());
    }

    /// A test broker's settings: new members join at once, and locks may be short.
    ///
    /// @param lock the lock duration of groups without their own setting
    public static Map<String, String> settings(Duration lock) {
        return Map.of(
                "group.share.min.record.lock.duration.ms", "1000",
                "group.share.max.record.lock.duration.ms", "3600000",
                "group.share.record.lock.duration.ms", Long.toString(lock.toMillis()),
                "group.share.max.session.timeout.ms", "3600000",
                "group.share.session.timeout.ms", Long.toString(NEVER.toMillis()),
                "group.share.min.heartbeat.interval.ms", "200",
                "group.share.heartbeat.interval.ms", "200");
    }

    /// Sets the lock duration for the claims of one fleet.
    ///
    /// @param kafka any broker
    /// @param prefix of the fleet's topics
    public static void lockClaimsFor(Duration lock, Brokers kafka, String prefix) {
        AlterConfigOp set = new AlterConfigOp(
                new ConfigEntry("share.record.lock.duration.ms", Long.toString(lock.toMillis())),
                AlterConfigOp.OpType.SET);
        Map<ConfigResource, Collection<AlterConfigOp>> groups = new HashMap<>();
        for (Topic topic : Topic.COMMANDS) {
            groups.put(new ConfigResource(ConfigResource.Type.GROUP, topic.claimGroup(prefix)), List.of(set));
        }
        try (Admin admin = kafka.admin(Patience.LIMIT)) {
            TopicAdmin.await(kafka, admin.incrementalAlterConfigs(groups).all(), Patience.LIMIT);
        }
    }

    private static EmbeddedBroker start() {
        try {
            Path directory = Files.createTempDirectory("trainyard-test-kafka");
            EmbeddedBroker broker = EmbeddedBroker.start(directory, 0, "unused.", settings(NEVER));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                broker.close();
                delete(directory);
            }));
            return broker;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
