package io.trainyard.worker;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/// Limits the heartbeats that a worker keeps, in number and in bytes: anyone with write access to the topic can
/// forge workers. The worker's own heartbeat is always accepted because it is the worker's time.
final class HeartbeatBounds {
    /// Ten times the largest fleet.
    static final int MAX_WORKERS = 5_000;

    static final int MAX_BYTES = 256 << 10;

    /// Limit for the newest heartbeats of all workers together.
    static final long MAX_TOTAL_BYTES = 8L << 20;

    private final String self;
    private final Map<String, Integer> sizes = new HashMap<>(); // of each worker's newest heartbeat
    private long total;

    HeartbeatBounds(String self) {
        this.self = self;
    }

    boolean admits(String worker, int bytes) {
        if (worker.equals(self)) {
            return true;
        }
        Integer before = sizes.get(worker);
        long next = total - (before == null ? 0 : before) + bytes;
        boolean hasCapacity = before != null || sizes.size() < MAX_WORKERS;
        if (!hasCapacity || bytes > MAX_BYTES || next > MAX_TOTAL_BYTES) {
            return false;
        }
        sizes.put(worker, bytes);
        total = next;
        return true;
    }

    void keep(Set<String> live) {
        if (sizes.keySet().retainAll(live)) {
            total = sizes.values().stream().mapToLong(Integer::longValue).sum();
        }
    }
}
