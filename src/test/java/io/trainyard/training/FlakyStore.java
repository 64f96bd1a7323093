package io.trainyard.training;

import io.trainyard.checkpoint.CheckpointRef;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.ForwardingStore;
import io.trainyard.checkpoint.StoreException;
import java.io.IOException;
import java.util.function.Predicate;

/// A store with a disk that is full at times.
final class FlakyStore extends ForwardingStore {
    static final String PROBLEM = "No space left on device";

    private final Predicate<String> full;

    /// @param full decides by the key of each object to be written or looked for
    FlakyStore(CheckpointStore store, Predicate<String> full) {
        super(store);
        this.full = full;
    }

    private void requireSpace(String key) {
        if (full.test(key)) {
            throw new StoreException("%s cannot be written: %s".formatted(key, PROBLEM), new IOException(PROBLEM));
        }
    }

    @Override
    public boolean createIfAbsent(String key, byte[] content) {
        requireSpace(key);
        return super.createIfAbsent(key, content);
    }

    @Override
    public CheckpointRef write(String key, Content content) {
        requireSpace(key);
        return super.write(key, content);
    }

    @Override
    public boolean has(String key) {
        requireSpace(key);
        return super.has(key);
    }
}
