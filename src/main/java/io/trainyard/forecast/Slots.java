package io.trainyard.forecast;

import io.trainyard.event.JobState.Status;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The places for jobs on the workers of a fleet that take any, and what is left of the jobs that they have.
final class Slots {
    /// How far the rest of a job is off that is told by its beginning: what is thought before any has finished, as if
    /// so
    /// many had.
    private static final double DRIFT = 0.05;

    private static final double BELIEF = 1;

    private final Fleet fleet;
    private final PaceModel pace;
    private final Projects projects;
    private final double drift;
    private final Map<String, JobFacts> running = new HashMap<>();

    Slots(Fleet fleet, PaceModel pace, Projects projects) {
        this.fleet = fleet;
        this.pace = pace;
        this.projects = projects;
        double squares = BELIEF * DRIFT * DRIFT;
        double seen = BELIEF;
        for (JobFacts job : fleet.jobs()) {
            if (job.drift() != null) {
                squares += job.drift() * job.drift();
                seen++;
            }
            if (job.status() == Status.RUNNING) {
                running.put(job.job(), job);
            }
        }
        drift = Math.sqrt(squares / seen);
    }

    List<Slot> of(WhyWaiting why) {
        List<Slot> slots = new ArrayList<>();
        for (WorkerFacts worker : fleet.workers()) {
            if (worker.trouble() == null) {
                Set<Lane> lanes = EnumSet.allOf(Lane.class);
                lanes.removeIf(lane -> !WorkerFacts.looksAt(lane, why.kinds(worker)));
                worker.jobs().forEach(job -> slots.add(slot(worker, lanes, job)));
                for (int i = worker.jobs().size(); i < worker.slots(); i++) {
                    slots.add(slot(worker, lanes, null));
                }
            }
        }
        return slots;
    }

    private Slot slot(WorkerFacts worker, Set<Lane> lanes, @Nullable String job) {
        String name = worker.worker();
        Slot free =
                new Slot(name, worker.kind(), lanes, true, pace.effect(name), pace.effectDeviation(name), null, null);
        if (job == null) {
            return free;
        }
        JobFacts its = running.get(job);
        return its == null
                ? free.with(Rest.unknown(job, pace), null)
                : free.with(Rest.of(its, free, pace, drift, fleet.nowMillis()), Task.of(its, fleet.prefix(), projects));
    }
}
