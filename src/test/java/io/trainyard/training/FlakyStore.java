package io.trainyard.training;

import io.trainyard.checkpoint.CheckpointRef;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// A store whose disk is full at times.
///
/// @param full asked with the key of each object to be written, or looked for
record FlakyStore(CheckpointStore store, Predicate<String> full) implements CheckpointStore {
    static final String PROBLEM = "No space left on device";

    private void requireRoom(String key) {
        if (full.test(key)) {
            throw new StoreException("%s cannot be written: %s".formatted(key, PROBLEM), new IOException(PROBLEM));
        }
    }

    @Override
    public boolean createIfAbsent(String key, byte[] content) {
        requireRoom(key);
        return store.createIfAbsent(key, content);
    }

    @Override
    public CheckpointRef write(String key, Content content) {
        requireRoom(key);
        return store.write(key, content);
    }

    @Override
    public String identity() {
        return store.identity();
    }

    @Override
    public URI uri(String key) {
        return store.uri(key);
    }

    @Override
    public Optional<InputStream> open(String key) {
        return store.open(key);
    }

    @Override
    public boolean has(String key) {
        requireRoom(key);
        return store.has(key);
    }

    @Override
    public void delete(String key) {
        store.delete(key);
    }

    @Override
    public void sweep(String folder) {
        store.sweep(folder);
    }

    @Override
    public List<String> list(String folder) {
        return store.list(folder);
    }
}
