package io.trainyard.forecast;

import io.trainyard.event.JobState.Status;
import io.trainyard.event.WorkerStatus;
import io.trainyard.forecast.WaitingQueue.Place;
import io.trainyard.share.ProjectWaitReason;
import io.trainyard.spec.DeviceSpec;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The reasons why jobs wait, from the state of the live workers.
final class WhyWaiting {
    private static final long HEARTBEAT_MILLIS = 5_000; // maximum age of a heartbeat; claims may be newer
    private static final long ALONE_MILLIS =
            10 * 60_000; // how long a worker leaves a job that it could not run to other workers
    private static final long CLAIM_MILLIS =
            5_000; // a free worker that has not claimed a job after this time will not claim it
    /// The reasons for which preemption is an alternative.
    private static final Set<String> FOR_OTHERS = Set.of("allBusy", "behindHighPriority", "notItsTurn");

    private static final Reason BEING_TAKEN = new Reason("beingClaimed", "a worker is about to claim it", true);

    private final Fleet fleet;
    private final Map<String, Set<String>> kinds = new HashMap<>(); // of device, by worker
    private final Map<String, Set<String>> held = new HashMap<>(); // jobs, by worker
    private final Map<LaneAndVersion, Group> groups = new HashMap<>();

    /// @param word the name in JSON, for example `allBusy`
    /// @param sentence for users, to follow "waits: "
    /// @param ends whether a worker will claim the job
    record Reason(String word, String sentence, boolean ends) {}

    /// The common state of all jobs of one device kind and schema version.
    ///
    /// @param well the workers that claim jobs
    /// @param free the number of their free slots
    /// @param otherwise why jobs after the first `free` ones wait
    private record Group(List<WorkerStatus> well, int free, Reason otherwise) {}

    private record LaneAndVersion(String lane, int schemaVersion) {}

    WhyWaiting(Fleet fleet) {
        this.fleet = fleet;
        for (WorkerStatus worker : fleet.workers()) {
            kinds.put(worker.worker(), new HashSet<>(Set.of(kind(worker))));
            Set<String> its = new TreeSet<>();
            worker.jobs().forEach(job -> its.add(job.job()));
            held.put(worker.worker(), its);
        }
        for (JobFacts job : fleet.jobs()) {
            String worker = Objects.requireNonNullElse(job.worker(), "");
            Set<String> its = held.getOrDefault(worker, new TreeSet<>());
            // A worker with `--device auto` supports more kinds than its heartbeat shows; its jobs show them.
            if (job.device() != null && kinds.containsKey(worker)) {
                kinds.get(worker).add(DeviceSpec.kindOf(job.device()));
            }
            // The jobs in heartbeats, corrected by events that are newer.
            if (job.status().isFinal()) {
                held.values().forEach(jobs -> jobs.remove(job.job()));
            } else if (job.status() != Status.RUNNING) {
                its.remove(job.job());
            } else if (fleet.nowMillis() - job.claimMillis() < HEARTBEAT_MILLIS) {
                its.add(job.job());
            }
        }
    }

    Set<String> held(WorkerStatus worker) {
        return held.getOrDefault(worker.worker(), Set.of());
    }

    int free(WorkerStatus worker) {
        return worker.problem() == null
                ? Math.max(0, worker.slots() - held(worker).size())
                : 0;
    }

    static String kind(WorkerStatus worker) {
        return DeviceSpec.kindOf(worker.device());
    }

    boolean looksAt(String lane, WorkerStatus worker) {
        return lane.isEmpty() || kinds.getOrDefault(worker.worker(), Set.of()).contains(lane);
    }

    /// The device kinds polled by workers that also poll this one.
    Set<String> rivals(String lane) {
        Set<String> rivals = new HashSet<>(List.of("", lane));
        if (lane.isEmpty()) {
            kinds.values().forEach(rivals::addAll);
        }
        return rivals;
    }

    /// @param victim the job that it preempts; null without one
    Reason of(Place place, @Nullable String victim) {
        Reason reason = of(place);
        return victim != null && FOR_OTHERS.contains(reason.word())
                ? new Reason("preempts", "job %s is preempted for it".formatted(victim), true)
                : reason;
    }

    private Reason of(Place place) {
        JobFacts job = place.job();
        Group group = groups.computeIfAbsent(new LaneAndVersion(job.lane(), job.schemaVersion()), this::group);
        if (group.well().isEmpty()) {
            return group.otherwise();
        }
        if (place.held() != null) {
            return new Reason("atQuota", place.held().sentence(), place.held().most() > 0);
        }
        WorkerStatus alone = leavesAlone(group, place);
        if (alone != null && group.well().size() == 1) {
            String sentence = "%s released it, and does not claim it for ten minutes: %s";
            return new Reason("leftAlone", sentence.formatted(alone.worker(), job.reason()), false);
        }
        if (group.free() - (alone == null ? 0 : free(alone)) >= place.place()) {
            return BEING_TAKEN;
        }
        if (place.highPriorityBefore() > 0) {
            String sentence = place.highPriorityBefore() == 1
                    ? "one job with a higher priority comes first"
                    : "%d jobs with a higher priority come first".formatted(place.highPriorityBefore());
            return new Reason("behindHighPriority", sentence, true);
        }
        return place.turn() != null
                ? new Reason("notItsTurn", new ProjectWaitReason.Turn(place.turn()).sentence(), true)
                : group.otherwise();
    }

    /// Why the next job of a device kind waits, if all workers support its schema version.
    Reason ofNext(String lane) {
        Group group = groups.computeIfAbsent(new LaneAndVersion(lane, 0), this::group);
        return group.free() > 0 ? BEING_TAKEN : group.otherwise();
    }

    private Group group(LaneAndVersion jobs) {
        if (fleet.workers().isEmpty()) {
            return noWorker("noWorker", "there is no worker");
        }
        List<WorkerStatus> able = those(fleet.workers(), worker -> looksAt(jobs.lane(), worker));
        if (able.isEmpty()) {
            return noWorker("noWorkerOfKind", "no worker has the device kind " + jobs.lane());
        }
        List<WorkerStatus> understanding = those(able, worker -> worker.schemaVersion() >= jobs.schemaVersion());
        if (understanding.isEmpty()) {
            int most = able.stream().mapToInt(WorkerStatus::schemaVersion).max().orElse(0);
            return noWorker(
                    "needsNewerWorker",
                    jobs.schemaVersion() == JobFacts.UNREADABLE
                            ? "its command cannot be read by this version; a newer worker may support it"
                            : "its command needs a worker that supports schema version %d; the workers support %d"
                                    .formatted(jobs.schemaVersion(), most));
        }
        int all = understanding.size();
        List<WorkerStatus> well = those(understanding, worker -> worker.problem() == null);
        if (well.isEmpty()) {
            WorkerStatus one = understanding.getFirst();
            return noWorker(
                    "allInTrouble",
                    all == 1
                            ? "the one worker, %s, claims no jobs: %s".formatted(one.worker(), one.problem())
                            : "none of %d workers claims jobs; %s: %s".formatted(all, one.worker(), one.problem()));
        }
        List<WorkerStatus> busy = those(understanding, worker -> !held(worker).isEmpty());
        List<WorkerStatus> troubled = those(
                understanding,
                worker -> worker.problem() != null && held(worker).isEmpty());
        String sentence = all == 1 ? "the one worker is busy" : "all %d workers are busy".formatted(all);
        if (!troubled.isEmpty()) {
            WorkerStatus one = troubled.getFirst();
            sentence = "%d of %d workers are busy, and %s claims no jobs: %s"
                    .formatted(busy.size(), all, one.worker(), one.problem());
        }
        int free = well.stream().mapToInt(this::free).sum();
        return new Group(well, free, new Reason("allBusy", sentence, true));
    }

    private static Group noWorker(String word, String sentence) {
        return new Group(List.of(), 0, new Reason(word, sentence, false));
    }

    /// The worker that released the job, is free and has not claimed it since; null if it does not exist.
    private @Nullable WorkerStatus leavesAlone(Group group, Place place) {
        JobFacts job = place.job();
        long sinceMillis = fleet.nowMillis() - job.lastRecordMillis();
        if (job.reason() == null || sinceMillis < CLAIM_MILLIS || sinceMillis >= ALONE_MILLIS) {
            return null;
        }
        return group.well().stream()
                .filter(worker -> worker.worker().equals(job.worker()) && free(worker) >= place.place())
                .findFirst()
                .orElse(null);
    }

    private static List<WorkerStatus> those(List<WorkerStatus> workers, Predicate<WorkerStatus> which) {
        return workers.stream().filter(which).toList();
    }
}
