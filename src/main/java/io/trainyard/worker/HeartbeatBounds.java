package io.trainyard.worker;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/// Which heartbeats a worker takes in. Anyone who may write to the topic can write heartbeats of workers that are not
/// there; so those that are kept are bounded in number and in bytes. The worker's own is always taken in: it is the
/// worker's time.
final class HeartbeatBounds {
    /// Ten times what a fleet may have.
    static final int MAX_WORKERS = 5_000;

    static final int MAX_BYTES = 256 << 10;

    /// Of the newest heartbeats of all workers together.
    static final long MAX_TOTAL_BYTES = 8L << 20;

    private final String self;
    private final Map<String, Integer> sizes = new HashMap<>(); // of the newest heartbeat of each worker
    private long total;

    /// @param self the worker that this one is
    HeartbeatBounds(String self) {
        this.self = self;
    }

    boolean admits(String worker, int bytes) {
        if (worker.equals(self)) {
            return true;
        }
        Integer before = sizes.get(worker);
        long next = total - (before == null ? 0 : before) + bytes;
        boolean isRoom = before != null || sizes.size() < MAX_WORKERS;
        if (!isRoom || bytes > MAX_BYTES || next > MAX_TOTAL_BYTES) {
            return false;
        }
        sizes.put(worker, bytes);
        total = next;
        return true;
    }

    /// Forgets the workers that are no longer heard.
    void keep(Set<String> live) {
        if (sizes.keySet().retainAll(live)) {
            total = sizes.values().stream().mapToLong(Integer::longValue).sum();
        }
    }
}
