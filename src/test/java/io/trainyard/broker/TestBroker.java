package io.trainyard.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/// One real broker for all tests of this JVM; a test class takes a topic prefix of its own. Claims are locked for
/// [#LOCK_MILLIS] only, so that a lock that lapses can be seen.
public final class TestBroker {
    public static final int LOCK_MILLIS = 2000;

    private static final EmbeddedBroker BROKER = start();

    private TestBroker() {}

    /// `host:port`.
    public static String address() {
        return BROKER.address();
    }

    /// The settings that allow short locks.
    public static Map<String, String> settings() {
        return Map.of(
                "group.share.min.record.lock.duration.ms", "1000",
                "group.share.record.lock.duration.ms", Integer.toString(LOCK_MILLIS),
                "group.share.min.heartbeat.interval.ms", "500",
                "group.share.heartbeat.interval.ms", "500");
    }

    private static EmbeddedBroker start() {
        try {
            Path directory = Files.createTempDirectory("trainyard-test-kafka");
            EmbeddedBroker broker = EmbeddedBroker.start(directory, 0, "unused.", settings());
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                broker.close();
                delete(directory);
            }));
            return broker;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
