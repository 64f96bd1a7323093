package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointRef;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.StoreException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.LockSupport;

/// An in-memory store that counts the requests that a bucket would get, and takes as long for each.
final class CountingStore implements CheckpointStore {
    /// Keys in one response of a bucket.
    private static final int PAGE = 1000;

    private final ConcurrentSkipListMap<String, byte[]> objects = new ConcurrentSkipListMap<>();
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private volatile Duration latency = Duration.ZERO;
    private volatile long firstNanos; // start of the first counted request

    /// From now on requests are counted and take this long.
    void begin(Duration each) {
        latency = each;
        calls.clear();
    }

    List<String> calls() {
        return List.copyOf(calls);
    }

    void put(String key, byte[] content) {
        objects.put(key, content);
    }

    /// Time since the first counted request began.
    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - firstNanos);
    }

    private void call(String what, String key) {
        if (calls.isEmpty()) {
            firstNanos = System.nanoTime();
        }
        calls.add(what + " " + key);
        if (latency.isPositive()) {
            LockSupport.parkNanos(latency.toNanos());
        }
    }

    @Override
    public String identity() {
        return "5b8f7e0e-7a3c-4b8e-9a58-6c1f0f3f6d11"; // not counted: a bucket's identity is read only once
    }

    @Override
    public URI uri(String key) {
        return URI.create("memory:/" + key);
    }

    @Override
    public boolean createIfAbsent(String key, byte[] content) {
        call("create", key);
        boolean created = objects.putIfAbsent(key, content) == null;
        if (!created) {
            call("who wrote", key); // a refused request to a bucket is followed by this one
        }
        return created;
    }

    @Override
    public CheckpointRef write(String key, Content content) {
        call("write", key);
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            content.writeTo(out);
            objects.put(key, out.toByteArray());
            String sha256 = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(out.toByteArray()));
            return new CheckpointRef(uri(key), sha256, out.size());
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new StoreException(key, new IOException(e));
        }
    }

    @Override
    public Optional<InputStream> open(String key) {
        call("open", key);
        return Optional.ofNullable(objects.get(key)).map(ByteArrayInputStream::new);
    }

    @Override
    public boolean has(String key) {
        call("has", key);
        return objects.containsKey(key);
    }

    @Override
    public void delete(String key) {
        call("delete", key);
        objects.remove(key);
    }

    @Override
    public void sweep(String folder) {
        call("sweep", folder);
    }

    @Override
    public List<String> list(String folder) {
        List<String> found = objects.keySet().stream()
                .filter(key -> key.startsWith(folder + "/"))
                .map(key -> key.replaceFirst("^(" + folder + "/[^/]*)/.*", "$1"))
                .distinct()
                .toList();
        for (int page = 0; page <= Math.max(0, found.size() - 1) / PAGE; page++) {
            call("list", folder);
        }
        return found;
    }
}
