package io.trainyard.forecast;

import io.trainyard.forecast.WaitReason.AllBusy;
import io.trainyard.forecast.WaitReason.AllInTrouble;
import io.trainyard.forecast.WaitReason.BehindUrgent;
import io.trainyard.forecast.WaitReason.BeingTaken;
import io.trainyard.forecast.WaitReason.LeftAlone;
import io.trainyard.forecast.WaitReason.NeedsNewerWorker;
import io.trainyard.forecast.WaitReason.NoWorker;
import io.trainyard.forecast.WaitReason.NoWorkerOfKind;
import io.trainyard.forecast.WaitReason.NotItsTurn;
import io.trainyard.share.Hold;
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
            return new LeftAlone(alone.worker(), Objects.requireNonNull(job.reason()));
        }
        if (group.free() - (alone == null ? 0 : alone.free()) >= place.place()) {
            return new BeingTaken();
        }
        if (place.urgentBefore() > 0) {
            return new BehindUrgent(place.urgentBefore());
        }
        return place.turn() != null ? new NotItsTurn(new Hold.Turn(place.turn())) : group.otherwise();
    }

    /// Why the next job of a lane waits, one that all workers understand.
    WaitReason ofNext(Lane lane) {
        Group group = groups.computeIfAbsent(new Alike(lane, 0, true), this::group);
        return group.free() > 0 ? new BeingTaken() : group.otherwise();
    }

    private Group group(Alike jobs) {
        if (fleet.workers().isEmpty()) {
            return nobody(new NoWorker());
        }
        List<WorkerFacts> able = those(fleet.workers(), worker -> WorkerFacts.looksAt(jobs.lane(), kinds(worker)));
        if (able.isEmpty()) {
            return nobody(new NoWorkerOfKind(jobs.lane().kind()));
        }
        List<WorkerFacts> understanding =
                those(able, worker -> jobs.readable() && worker.contract() >= jobs.contract());
        if (understanding.isEmpty()) {
            int most = able.stream().mapToInt(WorkerFacts::contract).max().orElse(0);
            return nobody(new NeedsNewerWorker(jobs.contract(), most));
        }
        List<WorkerFacts> well = those(understanding, worker -> worker.trouble() == null);
        if (well.isEmpty()) {
            WorkerFacts first = first(understanding);
            return nobody(
                    new AllInTrouble(understanding.size(), first.worker(), Objects.requireNonNull(first.trouble())));
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
        if (troubled.isEmpty()) {
            return new AllBusy(busy, workers.size(), null, null);
        }
        WorkerFacts first = first(troubled);
        return new AllBusy(busy, workers.size(), first.worker(), first.trouble());
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
