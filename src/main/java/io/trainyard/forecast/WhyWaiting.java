package io.trainyard.forecast;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Why jobs wait, of the workers that are there.
final class WhyWaiting {
    /// A worker that lacks something for a job leaves it to others for so long.
    private static final long ALONE_MILLIS = 10 * 60_000;

    /// A worker that is free and has not taken the next job for so long does not mean to.
    private static final long CLAIM_MILLIS = 5_000;

    private final Fleet fleet;
    private final Map<String, Set<String>> kinds = new HashMap<>();
    private final Map<Alike, Group> groups = new HashMap<>();

    WhyWaiting(Fleet fleet) {
        this.fleet = fleet;
        for (WorkerFacts worker : fleet.workers()) {
            kinds.put(worker.worker(), new HashSet<>(Set.of(worker.kind())));
        }
        // A worker whose device is chosen for it has more kinds than that of its own: it has shown them.
        for (JobFacts job : fleet.jobs()) {
            Set<String> its = kinds.get(Objects.requireNonNullElse(job.worker(), ""));
            String ranOn = job.ranOn();
            if (its != null && ranOn != null) {
                its.add(ranOn);
            }
        }
    }

    /// The kinds of device that a worker has.
    Set<String> kinds(WorkerFacts worker) {
        return kinds.getOrDefault(worker.worker(), Set.of());
    }

    /// The kinds of device that any of them has.
    Set<String> allKinds() {
        Set<String> all = new HashSet<>();
        kinds.values().forEach(all::addAll);
        return all;
    }

    /// What all jobs of one lane and contract share.
    ///
    /// @param well those that take jobs
    /// @param free how many jobs these would take now
    /// @param otherwise why a job waits that is none of the first so many
    private record Group(List<WorkerFacts> well, int free, WaitReason otherwise) {}

    private record Alike(Lane lane, int contract, boolean readable) {}

    WaitReason of(WaitingLine.Place place) {
        JobFacts job = place.job();
        Alike alike = new Alike(place.lane(), job.contract(), job.work() != null);
        Group group = groups.computeIfAbsent(alike, this::group);
        if (group.well().isEmpty()) {
            return group.otherwise();
        }
        if (place.held() != null) {
            return place.held();
        }
        WorkerFacts alone = leavesAlone(group, place);
        if (alone != null && group.well().size() == 1) {
            return WaitReason.leftAlone(alone.worker(), job.reason());
        }
        if (group.free() - (alone == null ? 0 : alone.free()) >= place.place()) {
            return WaitReason.BEING_TAKEN;
        }
        if (place.urgentBefore() > 0) {
            return WaitReason.behindUrgent(place.urgentBefore());
        }
        return place.turn() != null ? WaitReason.notItsTurn(place.turn()) : group.otherwise();
    }

    /// Why the next job of a lane waits, one that all workers understand.
    WaitReason ofNext(Lane lane) {
        Group group = groups.computeIfAbsent(new Alike(lane, 0, true), this::group);
        return group.free() > 0 ? WaitReason.BEING_TAKEN : group.otherwise();
    }

    private Group group(Alike jobs) {
        if (fleet.workers().isEmpty()) {
            return nobody(WaitReason.NO_WORKER);
        }
        List<WorkerFacts> able = those(fleet.workers(), worker -> WorkerFacts.looksAt(jobs.lane(), kinds(worker)));
        if (able.isEmpty()) {
            return nobody(WaitReason.noWorkerOfKind(jobs.lane().kind()));
        }
        List<WorkerFacts> understanding =
                those(able, worker -> jobs.readable() && worker.contract() >= jobs.contract());
        if (understanding.isEmpty()) {
            int most = able.stream().mapToInt(WorkerFacts::contract).max().orElse(0);
            return nobody(WaitReason.needsNewerWorker(jobs.contract(), most));
        }
        List<WorkerFacts> well = those(understanding, worker -> worker.trouble() == null);
        if (well.isEmpty()) {
            return nobody(WaitReason.allInTrouble(understanding.size(), first(understanding)));
        }
        int free = well.stream().mapToInt(WorkerFacts::free).sum();
        return new Group(well, free, busy(understanding));
    }

    private static Group nobody(WaitReason reason) {
        return new Group(List.of(), 0, reason);
    }

    private static WaitReason busy(List<WorkerFacts> workers) {
        List<WorkerFacts> troubled = those(
                workers, worker -> worker.trouble() != null && worker.jobs().isEmpty());
        int busy = (int)
                workers.stream().filter(worker -> !worker.jobs().isEmpty()).count();
        return WaitReason.allBusy(busy, workers.size(), troubled.isEmpty() ? null : first(troubled));
    }

    /// The worker that gave the job back, is free, and has not taken it since; null: there is none.
    private @Nullable WorkerFacts leavesAlone(Group group, WaitingLine.Place place) {
        JobFacts job = place.job();
        long sinceMillis = fleet.nowMillis() - job.heardMillis();
        if (job.reason() == null || sinceMillis < CLAIM_MILLIS || sinceMillis >= ALONE_MILLIS) {
            return null;
        }
        return group.well().stream()
                .filter(worker -> worker.worker().equals(job.worker()) && worker.free() >= place.place())
                .findFirst()
                .orElse(null);
    }

    private static List<WorkerFacts> those(List<WorkerFacts> workers, Predicate<WorkerFacts> which) {
        return workers.stream().filter(which).toList();
    }

    private static WorkerFacts first(List<WorkerFacts> workers) {
        return workers.stream().min(Comparator.comparing(WorkerFacts::worker)).orElseThrow();
    }
}
