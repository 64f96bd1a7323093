package io.trainyard.kubernetes;

import io.trainyard.event.JobState.Status;
import java.util.Collection;
import java.util.Map;

/// How many jobs want a worker, by the kind of device that they ask for.
public record Demand(Map<String, Long> byKind) {
    public Demand {
        byKind = Map.copyOf(byKind);
    }

    /// Whether a job needs a worker: waiting and running jobs. Scaling by waiting jobs alone would remove
    /// workers as soon as they have claimed jobs.
    public static boolean isWanted(Status status) {
        return switch (status) {
            case QUEUED, RUNNING -> true;
            case PAUSED, FINISHED, FAILED, CANCELLED, REJECTED, EXPANDED -> false;
        };
    }

    public long of(Collection<String> kinds) {
        return kinds.stream().mapToLong(kind -> byKind.getOrDefault(kind, 0L)).sum();
    }
}
