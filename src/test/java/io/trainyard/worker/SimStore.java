package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.CheckpointRef;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.StoreException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The disk of a fleet in a [SimWorld]. Each process has its own view of it ([#of]), so that a write during a
/// crash is either complete or absent.
final class SimStore {
    /// The current fault.
    enum Trouble {
        NONE,
        READ_ONLY,
        FULL,
        UNREACHABLE,
        /// Random calls fail.
        FLAKY
    }

    /// @param by the process; null for a request of a dead process
    /// @param existed whether the object existed before
    private record Change(long nanos, @Nullable SimProcess by, boolean existed) {
        boolean isSeenBy(SimProcess process, long now, long lagNanos) {
            return by == process || now - nanos >= lagNanos;
        }
    }

    private final SimWorld world;
    private final String name;
    private final TreeMap<String, byte[]> objects = new TreeMap<>();
    private final Map<String, Long> createdNanos = new HashMap<>();
    private final Map<String, Runnable> watchers = new HashMap<>();
    private final Map<String, Change> changes = new HashMap<>(); // the last change of each key
    private Duration slowness = Duration.ofMillis(5);
    private Duration listLag = Duration.ZERO;
    private Trouble trouble = Trouble.NONE;

    /// @param name determines the store's identity
    SimStore(SimWorld world, String name) {
        this.world = world;
        this.name = name;
    }

    /// The store as a process sees it.
    CheckpointStore of(SimProcess process) {
        return new View(process);
    }

    /// From now on each operation takes a random time up to twice `most`, partly before and partly after its
    /// effect.
    void slow(Duration most) {
        slowness = most;
    }

    /// From now on lists may be stale by a random time up to `most`, except for changes by the same process,
    /// like an NFS client that caches directory entries.
    void staleLists(Duration most) {
        listLag = most;
    }

    void trouble(Trouble now) {
        world.note("store " + now, name, 0);
        trouble = now;
    }

    /// The current content; null if there is no such object.
    byte @Nullable [] object(String key) {
        return objects.get(key);
    }

    /// Calls `watcher` when a write-once object is created.
    void atCreated(String key, Runnable watcher) {
        watchers.put(key, watcher);
    }

    /// When a write-once object was created; null if it was not.
    @Nullable
    Long createdNanos(String key) {
        return createdNanos.get(key);
    }

    /// The links of a job's chain by number.
    SortedMap<Integer, ChainLink> chain(String job) {
        String prefix = job + "/attempts/";
        SortedMap<Integer, ChainLink> chain = new TreeMap<>();
        objects.tailMap(prefix, false).entrySet().stream()
                .takeWhile(entry -> entry.getKey().startsWith(prefix))
                .filter(entry -> entry.getKey().substring(prefix.length()).matches("[0-9]+"))
                .forEach(entry ->
                        chain.put(Integer.parseInt(entry.getKey().substring(prefix.length())), link(entry.getValue())));
        return chain;
    }

    private static ChainLink link(byte[] json) {
        try {
            return ChainLink.read(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The end of a job; null if it has not ended.
    ChainLink.@Nullable End end(String job) {
        SortedMap<Integer, ChainLink> chain = chain(job);
        return !chain.isEmpty() && chain.lastEntry().getValue() instanceof ChainLink.End end ? end : null;
    }

    /// When the job ended; null if it has not.
    @Nullable
    Long endedNanos(String job) {
        return end(job) == null
                ? null
                : createdNanos("%s/attempts/%d".formatted(job, chain(job).lastKey()));
    }

    /// The number of attempts at a job.
    int attempts(String job) {
        return (int) chain(job).values().stream()
                .filter(ChainLink.Owner.class::isInstance)
                .count();
    }

    /// Writes an object without delay.
    void put(String key, byte[] content) {
        world.note("arrives", key, content.length);
        changed(key, null);
        objects.put(key, content);
    }

    private void changed(String key, @Nullable SimProcess by) {
        changes.put(key, new Change(world.nanos(), by, objects.containsKey(key)));
    }

    /// All keys in alphabetical order.
    List<String> keys() {
        return List.copyOf(objects.keySet());
    }

    String identity() {
        return new UUID(world.seed(), name.hashCode()).toString();
    }

    private static StoreException failed(String key, String how) {
        return new StoreException("%s cannot be used: %s".formatted(key, how), new IOException(how));
    }

    static byte[] bytes(String key, CheckpointStore.Content content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            content.writeTo(out);
        } catch (IOException e) {
            throw new StoreException("%s cannot be written: %s".formatted(key, e), e);
        }
        return out.toByteArray();
    }

    private final class View implements CheckpointStore {
        private final SimProcess process;

        private View(SimProcess process) {
            this.process = process;
        }

        /// The part of an operation before its effect.
        private void begin(String key, boolean writing) {
            process.sleep(process.upTo(slowness));
            switch (trouble) {
                case NONE -> {
                    // no fault
                }
                case UNREACHABLE -> throw failed(key, "the store is away");
                case READ_ONLY -> require(!writing, key, "read-only file system");
                case FULL -> require(!writing, key, "no space left on device");
                case FLAKY -> require(process.upTo(Duration.ofNanos(4)).isPositive(), key, "input/output error");
            }
        }

        private void require(boolean allowed, String key, String how) {
            if (!allowed) {
                throw failed(key, how);
            }
        }

        private void end() {
            process.sleep(process.upTo(slowness));
        }

        // of the store's interface as it will be
        public String identity() {
            return SimStore.this.identity();
        }

        @Override
        public URI uri(String key) {
            return URI.create("sim://" + name + "/" + key);
        }

        @Override
        public boolean createIfAbsent(String key, byte[] content) {
            begin(key, true);
            boolean created = !objects.containsKey(key);
            if (created) {
                changed(key, process);
                objects.put(key, content.clone());
                createdNanos.put(key, world.nanos());
                Runnable watcher = watchers.remove(key);
                if (watcher != null) {
                    watcher.run();
                }
            }
            world.note(created ? "created" : "is there", key, content.length);
            end();
            return created;
        }

        @Override
        public CheckpointRef write(String key, Content content) {
            begin(key, true);
            byte[] bytes = bytes(key, content);
            begin(key, true); // most of the time passes during the write
            changed(key, process);
            objects.put(key, bytes);
            world.note("wrote", key, bytes.length);
            end();
            return new CheckpointRef(uri(key), sha256(bytes), bytes.length);
        }

        @Override
        public Optional<InputStream> open(String key) {
            begin(key, false);
            byte[] bytes = objects.get(key);
            end();
            return bytes == null ? Optional.empty() : Optional.of(new ByteArrayInputStream(bytes));
        }

        public boolean has(String key) {
            begin(key, false);
            boolean found = objects.containsKey(key);
            end();
            return found;
        }

        public void delete(String key) {
            begin(key, true);
            if (objects.containsKey(key)) {
                changed(key, process);
                objects.remove(key);
            }
            world.note("deleted", key, 0);
            end();
        }

        public void sweep(String folder) {
            begin(folder, true); // this store never has unfinished writes
        }

        @Override
        public List<String> list(String folder) {
            begin(folder, false);
            String prefix = folder + "/";
            List<String> found = listed().tailSet(prefix, false).stream()
                    .takeWhile(key -> key.startsWith(prefix))
                    .map(key -> child(key, prefix))
                    .distinct()
                    .toList();
            end();
            return found;
        }

        /// The keys as lists show them.
        private NavigableSet<String> listed() {
            if (listLag.isZero()) {
                return objects.navigableKeySet();
            }
            long lag = process.upTo(listLag).toNanos();
            TreeSet<String> keys = new TreeSet<>(objects.keySet());
            changes.forEach((key, change) -> {
                if (!change.isSeenBy(process, world.nanos(), lag)) {
                    if (change.existed()) {
                        keys.add(key);
                    } else {
                        keys.remove(key);
                    }
                }
            });
            return keys;
        }

        private static String child(String key, String prefix) {
            int slash = key.indexOf('/', prefix.length());
            return slash < 0 ? key : key.substring(0, slash);
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
