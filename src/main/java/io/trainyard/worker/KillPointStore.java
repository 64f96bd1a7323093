package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.CheckpointRef;
import io.trainyard.checkpoint.CheckpointStore;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/// A store with kill points after its writes; the key decides which. It wraps a worker's store only if a kill
/// point is set, so that neither the store nor the training code knows of them.
final class KillPointStore implements CheckpointStore {
    private final CheckpointStore store;

    private KillPointStore(CheckpointStore store) {
        this.store = store;
    }

    /// The store itself if no kill point is set.
    static CheckpointStore context(CheckpointStore store) {
        return KillPoint.areSet() ? new KillPointStore(store) : store;
    }

    @Override
    public boolean createIfAbsent(String key, byte[] content) {
        boolean created = store.createIfAbsent(key, content);
        if (created && key.contains("/attempts/") && isEnd(content)) {
            KillPoint.OUTCOME_STORED.reach();
        }
        if (created && key.contains("/rungs/")) {
            KillPoint.RESULT_STORED.reach();
        }
        return created;
    }

    private static boolean isEnd(byte[] content) {
        try {
            return ChainLink.read(content) instanceof ChainLink.End;
        } catch (IOException _) { // a note
            return false;
        }
    }

    @Override
    public void note(String key) {
        store.note(key);
    }

    @Override
    public CheckpointRef write(String key, Content content) {
        CheckpointRef written = store.write(key, content);
        if (key.endsWith(".json")) {
            KillPoint.MANIFEST_WRITTEN.reach();
        } else if (!key.endsWith(".training.safetensors")) { // the model, the second of the two files
            KillPoint.FILES_WRITTEN.reach();
        }
        return written;
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
