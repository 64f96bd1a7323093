package io.trainyard.ownership;

import io.trainyard.spec.JobSchemaVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Commands that are newer than the worker that received them, and wait for a worker that understands them.
/// Every worker knows all of them and the schema version of every other worker. A worker that understands a command
/// claims it; if no worker does for long, one worker dead-letters it.
///
/// Time is counted in this worker's own heartbeats, as in [OwnershipMonitor]. Not thread-safe.
public final class DeferredByVersion<C> {
    /// @param schemaVersion the newest that this worker supports
    /// @param beats of this worker after which a command is dead-lettered that no live worker supports
    public record Rules(int schemaVersion, int beats) {}

    /// A deferred command.
    ///
    /// @param key of its record in the topic `ownership`
    public record Deferral<C>(String key, int schemaVersion, int bytes, C command) {}

    /// Limits in number and bytes beyond which no worker defers more. Several workers may defer at the same
    /// time, so up to [#SPARE] times as much is kept.
    static final int MAX_COMMANDS = 1000;

    static final long MAX_BYTES = 16 << 20;
    private static final int SPARE = 4;

    /// Heartbeats by which each further worker in the order waits longer, up to a limit.
    private static final int BEATS_APART = 2;

    private static final int MAX_APART = 5;

    private static final class Waiting<C> {
        final Deferral<C> deferral;
        final long since; // the beat at which it arrived
        long unsupported; // the beat since which no live worker supports it
        long given = Long.MIN_VALUE; // the beat at which it was dead-lettered

        Waiting(Deferral<C> deferral, long now) {
            this.deferral = deferral;
            since = now;
            unsupported = now;
        }
    }

    private final OwnershipMonitor monitor;
    private final Rules rules;
    private final Map<String, Waiting<C>> waiting = new LinkedHashMap<>(); // the oldest first
    private final Map<String, Integer> schemaVersions = new HashMap<>(); // by worker
    private long bytes;

    public DeferredByVersion(OwnershipMonitor monitor, Rules rules) {
        this.monitor = monitor;
        this.rules = rules;
    }

    /// Processes a heartbeat.
    public void received(String worker, int schemaVersion) {
        schemaVersions.put(worker, schemaVersion);
    }

    public void add(Deferral<C> deferral) {
        remove(deferral.key());
        if (waiting.size() < SPARE * MAX_COMMANDS && bytes + deferral.bytes() <= SPARE * MAX_BYTES) {
            waiting.put(deferral.key(), new Waiting<>(deferral, monitor.beats()));
            bytes += deferral.bytes();
        }
    }

    public void remove(String key) {
        Waiting<C> known = waiting.remove(key);
        if (known != null) {
            bytes -= known.deferral.bytes();
        }
    }

    public boolean isFull() {
        return waiting.size() >= MAX_COMMANDS || bytes >= MAX_BYTES;
    }

    /// The commands that this worker may claim now, the oldest first. The first worker in a command's order may
    /// claim it at once, the others later, in case the first is busy.
    public List<Deferral<C>> due() {
        Map<String, Integer> live = live();
        List<Deferral<C>> due = new ArrayList<>();
        for (Waiting<C> one : waiting.values()) {
            Deferral<C> deferral = one.deferral;
            if (deferral.schemaVersion() <= rules.schemaVersion()) {
                int rank = monitor.rank(deferral.key(), able(deferral.schemaVersion(), live));
                if (monitor.beats() - one.since >= (long) BEATS_APART * Math.min(rank, MAX_APART)) {
                    due.add(deferral);
                }
            }
        }
        return due;
    }

    /// The commands that this worker dead-letters now: no live worker has supported them for long. Each is
    /// returned once.
    public List<Deferral<C>> unsupported() {
        Map<String, Integer> live = live();
        long now = monitor.beats();
        List<Deferral<C>> unsupported = new ArrayList<>();
        for (Waiting<C> one : waiting.values()) {
            if (!able(one.deferral.schemaVersion(), live).isEmpty()) {
                one.unsupported = now;
                continue;
            }
            long patience = rules.beats() + (long) BEATS_APART * monitor.rank(one.deferral.key(), live.keySet());
            boolean acted = one.given != Long.MIN_VALUE && now - one.given < rules.beats();
            if (now - one.unsupported >= patience && !acted) {
                one.given = now;
                unsupported.add(one.deferral);
            }
        }
        return unsupported;
    }

    public Map<String, Integer> live() {
        Set<String> received = monitor.live();
        schemaVersions.keySet().retainAll(received);
        Map<String, Integer> live = new HashMap<>();
        received.forEach(worker -> live.put(worker, schemaVersions.getOrDefault(worker, JobSchemaVersion.FIRST)));
        live.put(monitor.self(), rules.schemaVersion());
        return live;
    }

    public static Set<String> able(int schemaVersion, Map<String, Integer> workers) {
        Map<String, Integer> able = new HashMap<>(workers);
        able.values().removeIf(understood -> understood < schemaVersion);
        return able.keySet();
    }
}
