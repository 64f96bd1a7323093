package io.trainyard.checkpoint;

import java.io.InputStream;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/// Forwards to another store; tests override parts of it.
public class ForwardingStore implements CheckpointStore {
    private final CheckpointStore real;

    public ForwardingStore(CheckpointStore real) {
        this.real = real;
    }

    @Override
    public String identity() {
        return real.identity();
    }

    @Override
    public URI uri(String key) {
        return real.uri(key);
    }

    @Override
    public boolean createIfAbsent(String key, byte[] content) {
        return real.createIfAbsent(key, content);
    }

    @Override
    public CheckpointRef write(String key, Content content) {
        return real.write(key, content);
    }

    @Override
    public Optional<InputStream> open(String key) {
        return real.open(key);
    }

    @Override
    public boolean has(String key) {
        return real.has(key);
    }

    @Override
    public void delete(String key) {
        real.delete(key);
    }

    @Override
    public void sweep(String folder) {
        real.sweep(folder);
    }

    @Override
    public List<String> list(String folder) {
        return real.list(folder);
    }
}
