package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.event.WorkerStatus;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Checks that all workers of a fleet share one store. With two stores a job would begin twice, each time as
/// the first attempt. A worker that comes later with another store claims nothing until those with the first
/// store have left.
final class StoreWatch {
    private final String self;
    private final String store;
    private final Map<String, WorkerStatus> workers = new HashMap<>();

    StoreWatch(String self, CheckpointStore store) {
        this.self = self;
        this.store = store.identity();
    }

    void received(WorkerStatus status) {
        if (status.stopping()) {
            workers.remove(status.worker());
        } else {
            workers.put(status.worker(), status);
        }
    }

    /// Why this worker must not claim; empty if it may.
    Optional<String> objection(Set<String> live) {
        workers.keySet().retainAll(live);
        WorkerStatus mine = workers.get(self);
        if (mine == null) {
            return Optional.empty();
        }
        Instant since = mine.since();
        return workers.values().stream()
                .filter(other -> other.store() != null && !other.store().equals(store))
                .filter(other ->
                        other.since() != null && (since == null || other.since().isBefore(since)))
                .findFirst()
                .map(other ->
                        "its checkpoint store (%s) differs from that of worker %s (%s), which started earlier; use the same store for all workers of a fleet (--checkpoints)"
                                .formatted(store, other.worker(), other.store()));
    }
}
