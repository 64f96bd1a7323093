package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink.Owner;
import io.trainyard.checkpoint.JobFolder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The workers that own a job's attempts. Each is read once: a checkpoint may have many events of one attempt.
final class Owners {
    private final JobFolder folder;
    private final Map<Integer, String> workers = new ConcurrentHashMap<>();

    Owners(JobFolder folder) {
        this.folder = folder;
    }

    /// @return `unknown` if it is no worker's attempt
    String of(int attempt) {
        return workers.computeIfAbsent(
                attempt,
                number -> folder.link(number).orElse(null) instanceof Owner owner ? owner.worker() : "unknown");
    }
}
