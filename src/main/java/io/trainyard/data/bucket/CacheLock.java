package io.trainyard.data.bucket;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// A file lock among the processes of a machine and the threads of this one. The operating system releases it
/// when a process dies.
final class CacheLock implements AutoCloseable {
    /// The locks of this process, which the operating system does not distinguish. Guarded by itself.
    private static final Map<Path, Held> HELD = new HashMap<>();

    private static final class Held {
        private final FileChannel channel;
        private final boolean shared;
        private int users = 1;

        Held(FileChannel channel, boolean shared) {
            this.channel = channel;
            this.shared = shared;
        }
    }

    private final Path file;

    private CacheLock(Path file) {
        this.file = file;
    }

    /// Acquires a shared lock; empty if another holder has it exclusively.
    static Optional<CacheLock> tryShared(Path file) throws IOException {
        return tryLock(file, true);
    }

    /// Acquires an exclusive lock; empty if it is held at all.
    static Optional<CacheLock> tryAlone(Path file) throws IOException {
        return tryLock(file, false);
    }

    private static Optional<CacheLock> tryLock(Path file, boolean shared) throws IOException {
        synchronized (HELD) {
            Held held = HELD.get(file);
            if (held != null) {
                if (!shared || !held.shared) {
                    return Optional.empty();
                }
                held.users++;
                return Optional.of(new CacheLock(file));
            }
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            try {
                FileLock lock = channel.tryLock(0, Long.MAX_VALUE, shared);
                if (lock != null) {
                    HELD.put(file, new Held(channel, shared));
                    return Optional.of(new CacheLock(file));
                }
            } catch (IOException e) {
                channel.close();
                throw e;
            }
            channel.close();
            return Optional.empty();
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (HELD) {
            Held held = HELD.get(file);
            if (held != null && --held.users == 0) {
                HELD.remove(file);
                held.channel.close();
            }
        }
    }
}
