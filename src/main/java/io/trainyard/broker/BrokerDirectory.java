package io.trainyard.broker;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.jspecify.annotations.Nullable;

/// The directory a broker keeps its data in, held by one broker at a time.
final class BrokerDirectory implements AutoCloseable {
    /// Kafka locks a file of its own too, but only after it has begun to change the directory.
    private static final String LOCK_FILE = ".trainyard-broker.lock";

    /// What Kafka recognises a directory of its own by.
    private static final String META_FILE = "meta.properties";

    private final Path path;
    private final FileChannel lockFile;

    private BrokerDirectory(Path path, FileChannel lockFile) {
        this.path = path;
        this.lockFile = lockFile;
    }

    /// Creates the directory where it is missing, takes it, and formats it where it is empty.
    ///
    /// @throws BrokerException if it cannot be written, belongs to a running broker, or holds something else
    static BrokerDirectory take(Path directory, int nodeId, Uuid cluster, String controllerListener) {
        Path path = directory.toAbsolutePath().normalize();
        FileChannel lockFile = lock(path);
        try {
            BrokerDirectory taken = new BrokerDirectory(path, lockFile);
            if (!Files.exists(path.resolve(META_FILE))) {
                taken.format(nodeId, cluster, controllerListener);
            }
            return taken;
        } catch (RuntimeException e) {
            closeQuietly(lockFile, e);
            throw e;
        }
    }

    private static FileChannel lock(Path path) {
        FileChannel file = null;
        try {
            Files.createDirectories(path);
            if (!Files.exists(path.resolve(META_FILE)) && !isEmpty(path)) {
                throw new BrokerException(
                        "directory %s has other things in it than Kafka's; give an empty or a new one with --dir"
                                .formatted(path));
            }
            file = FileChannel.open(path.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = file.tryLock();
            if (lock == null) {
                throw inUse(path);
            }
            return file;
        } catch (OverlappingFileLockException _) { // held by this very process
            BrokerException inUse = inUse(path);
            closeQuietly(file, inUse);
            throw inUse;
        } catch (BrokerException e) {
            closeQuietly(file, e);
            throw e;
        } catch (IOException e) {
            BrokerException unusable = new BrokerException(
                    "directory %s cannot be used for Kafka's data: %s; give one that can be written with --dir"
                            .formatted(path, e),
                    e);
            closeQuietly(file, unusable);
            throw unusable;
        }
    }

    private static boolean isEmpty(Path path) throws IOException {
        try (Stream<Path> content = Files.list(path)) {
            return content.allMatch(file -> file.endsWith(LOCK_FILE));
        }
    }

    private static BrokerException inUse(Path path) {
        return new BrokerException(
                "directory %s belongs to a broker that is running; use that one, or give another directory with --dir"
                        .formatted(path));
    }

    private void format(int nodeId, Uuid cluster, String controllerListener) {
        try (PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
            new Formatter()
                    .setNodeId(nodeId)
                    .setClusterId(cluster.toString())
                    .addDirectory(path.toString())
                    .setMetadataLogDirectory(path.toString())
                    .setControllerListenerName(controllerListener)
                    .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
                    .setIgnoreFormatted(true)
                    .setPrintStream(nowhere)
                    .run();
        } catch (Exception e) { // Formatter.run declares nothing narrower
            throw new BrokerException(
                    "directory %s cannot be made ready for Kafka: %s; give another one with --dir".formatted(path, e),
                    e);
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        lockFile.close();
    }

    private static void closeQuietly(@Nullable FileChannel file, Exception because) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            because.addSuppressed(e);
        }
    }
}
