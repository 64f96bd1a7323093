package io.trainyard.ownership;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// When this worker checks the store for paused jobs that may continue beyond their rungs. A worker that has
/// stored a result checks at once. Otherwise the first live worker for a group checks when a job of the group
/// has a new record, and every worker checks at growing intervals, because the worker with the result may have
/// died.
///
/// Time is counted in this worker's own heartbeats, as in [OwnershipMonitor]. Not thread-safe.
public final class RungSchedule {
    private static final int MAX_DOUBLINGS = 6;

    private static final class Group {
        boolean hasNewRecord = true;
        long checked = Long.MIN_VALUE;
        int checks;
    }

    private final OwnershipMonitor monitor;
    private final int beats;
    private final Map<String, Group> groups = new HashMap<>();
    private final Map<String, Long> resumed = new HashMap<>();
    private long checkedBeat = Long.MIN_VALUE;

    /// @param beats between the first two checks, and the pause after a job was resumed
    public RungSchedule(OwnershipMonitor monitor, int beats) {
        this.monitor = monitor;
        this.beats = beats;
    }

    public void changed(String group) {
        Group known = groups.get(group);
        if (known != null) {
            known.hasNewRecord = true;
            known.checks = 0;
        }
    }

    /// The paused jobs that must be checked now, by group.
    ///
    /// @param withResults groups in which this worker has stored a result since the last call
    public Map<String, List<CommandContent>> due(Set<String> withResults) {
        long now = monitor.beats();
        if (now == checkedBeat && withResults.isEmpty()) {
            return Map.of(); // time is heartbeats
        }
        checkedBeat = now;
        resumed.values().removeIf(beat -> now - beat >= beats);
        Map<String, List<String>> paused = monitor.pausedAtRung();
        paused.values().forEach(jobs -> jobs.removeIf(resumed::containsKey));
        paused.values().removeIf(List::isEmpty);
        groups.keySet().retainAll(paused.keySet());
        Set<String> quiet = new HashSet<>();
        paused.keySet().forEach(name -> {
            if (!isDue(name, withResults.contains(name), now)) {
                quiet.add(name);
            }
        });
        paused.keySet().removeAll(quiet);
        Map<String, List<CommandContent>> due = new HashMap<>();
        paused.forEach((group, jobs) ->
                due.put(group, jobs.stream().map(monitor::request).toList()));
        return due;
    }

    private boolean isDue(String name, boolean withResults, long now) {
        Group group = groups.computeIfAbsent(name, _ -> new Group());
        int rank = monitor.rank(name, monitor.live());
        long interval = (long) beats * (1 + rank) << Math.min(group.checks, MAX_DOUBLINGS);
        boolean isTime = group.checked != Long.MIN_VALUE && now - group.checked >= interval;
        if (group.checked == Long.MIN_VALUE) {
            group.checked = now; // the next intervals start here
        }
        if (!withResults && !(group.hasNewRecord && rank == 0) && !isTime) {
            return false;
        }
        group.checks = group.hasNewRecord ? 0 : group.checks + 1;
        group.hasNewRecord = false;
        group.checked = now;
        return true;
    }

    /// A job's command was published: nothing more is due until that is read back.
    public void resumed(String job) {
        resumed.put(job, monitor.beats());
    }
}
