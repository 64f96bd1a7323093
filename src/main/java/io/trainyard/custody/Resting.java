package io.trainyard.custody;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// When this worker looks whether jobs that rest at a rung may go on, which the store alone knows. One that has kept a
/// result looks at once. Else of the workers that are heard the first for a group looks when there is news of its
/// jobs; and each of them now and then, at longer and longer intervals, for whoever kept a result may be gone.
///
/// Time is this worker's own heartbeats, as for the [Keeper]. Not thread-safe.
public final class Resting {
    /// The longest interval is so many times doubled.
    private static final int MAX_DOUBLINGS = 6;

    private static final class Group {
        boolean news = true;
        long looked = Long.MIN_VALUE;
        int looks;
    }

    private final Keeper keeper;
    private final int beats;
    private final Map<String, Group> groups = new HashMap<>();
    private final Map<String, Long> resumed = new HashMap<>();
    private long asked = Long.MIN_VALUE;

    /// @param beats between the first two looks; and as long nothing more is done of a job that was resumed
    public Resting(Keeper keeper, int beats) {
        this.keeper = keeper;
        this.beats = beats;
    }

    /// Something has become of a job of a group.
    public void changed(String group) {
        Group known = groups.get(group);
        if (known != null) {
            known.news = true;
            known.looks = 0;
        }
    }

    /// The jobs that rest and are to be looked at now, by their groups.
    ///
    /// @param told groups in which this worker has kept a result since
    public Map<String, List<Request>> due(Set<String> told) {
        long now = keeper.beats();
        if (now == asked && told.isEmpty()) {
            return Map.of(); // time is heartbeats
        }
        asked = now;
        resumed.values().removeIf(beat -> now - beat >= beats);
        Map<String, List<String>> resting = keeper.resting();
        resting.values().forEach(jobs -> jobs.removeIf(resumed::containsKey));
        resting.values().removeIf(List::isEmpty);
        groups.keySet().retainAll(resting.keySet());
        Set<String> quiet = new HashSet<>();
        resting.keySet().forEach(name -> {
            if (!isDue(name, told.contains(name), now)) {
                quiet.add(name);
            }
        });
        resting.keySet().removeAll(quiet);
        Map<String, List<Request>> due = new HashMap<>();
        resting.forEach((group, jobs) ->
                due.put(group, jobs.stream().map(keeper::request).toList()));
        return due;
    }

    private boolean isDue(String name, boolean told, long now) {
        Group group = groups.computeIfAbsent(name, _ -> new Group());
        int rank = keeper.rank(name, keeper.live());
        long interval = (long) beats * (1 + rank) << Math.min(group.looks, MAX_DOUBLINGS);
        boolean isTime = group.looked != Long.MIN_VALUE && now - group.looked >= interval;
        if (group.looked == Long.MIN_VALUE) {
            group.looked = now; // from here on its intervals count
        }
        if (!told && !(group.news && rank == 0) && !isTime) {
            return false;
        }
        group.looks = group.news ? 0 : group.looks + 1;
        group.news = false;
        group.looked = now;
        return true;
    }

    /// A job's command is published: until that is heard back nothing more is to be done.
    public void resumed(String job) {
        resumed.put(job, keeper.beats());
    }
}
