package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink.Owner;
import io.trainyard.checkpoint.JobFolder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The owners of a job's attempts. Each is read from the store once.
final class AttemptOwners {
    private final JobFolder folder;
    private final Map<Integer, String> workers = new ConcurrentHashMap<>();

    AttemptOwners(JobFolder folder) {
        this.folder = folder;
    }

    /// @return `unknown` if no worker owns the attempt
    String of(int attempt) {
        return workers.computeIfAbsent(
                attempt,
                number -> folder.link(number).orElse(null) instanceof Owner owner ? owner.worker() : "unknown");
    }
}
