package io.trainyard.metrics;

import java.util.List;
import java.util.Locale;

/// All that Trainyard tells Prometheus; the constant's name is the metric's, after `trainyard_`.
public enum Metric {
    JOBS_QUEUED(Type.GAUGE, "jobs", "Jobs that wait for a worker", Label.KIND, Label.PRIORITY),
    JOBS_RUNNING(Type.GAUGE, "jobs", "Jobs that a worker has", Label.KIND),
    JOBS_PAUSED(Type.GAUGE, "jobs", "Jobs that rest until somebody resumes them", Label.KIND),
    JOBS_DEMAND(Type.GAUGE, "jobs", "Jobs that want a worker: queued and running; for autoscalers", Label.KIND),
    JOBS_FINISHED_TOTAL(Type.COUNTER, "jobs", "Jobs that finished"),
    JOBS_FAILED_TOTAL(Type.COUNTER, "jobs", "Jobs that failed", Label.CAUSE),
    JOBS_CANCELLED_TOTAL(Type.COUNTER, "jobs", "Jobs that were cancelled"),
    ATTEMPTS_TOTAL(Type.COUNTER, "attempts", "Attempts that workers claimed", Label.AFTER),
    PREEMPTIONS_TOTAL(Type.COUNTER, "attempts", "Attempts that made room for urgent jobs"),
    DEAD_LETTERS_TOTAL(Type.COUNTER, "commands", "Commands that nobody will run"),
    RECORDS_SKIPPED_TOTAL(Type.COUNTER, "records", "Records that cannot be read or kept, and are skipped"),
    CHECKPOINT_FAILURES_TOTAL(Type.COUNTER, "checkpoints", "Checkpoints that workers could not write"),
    WORKERS(Type.GAUGE, "workers", "Workers", Label.KIND, Label.STATE),
    IMAGES_PER_SECOND(Type.GAUGE, "images/s", "Training images a second, of all workers together", Label.KIND),
    PROJECT_SHARE_RATIO(Type.GAUGE, "0 to 1", "What it should have by weight; 0: it has nothing to do", Label.PROJECT),
    PROJECT_USED_RATIO(Type.GAUGE, "0 to 1", "Its part of the last window's device time", Label.PROJECT),
    PROJECT_JOBS_RUNNING(Type.GAUGE, "jobs", "Jobs of it that a worker has", Label.PROJECT),
    PROJECT_JOBS_WAITING(Type.GAUGE, "jobs", "Jobs of it that wait", Label.PROJECT),
    EVENT_LAG_RECORDS(Type.GAUGE, "records", "Records on the topics that are not in the tracking store yet"),
    EVENT_LAG_SECONDS(Type.GAUGE, "s", "For how long there have been such records"),
    SOURCE_UP(Type.GAUGE, "0, 1", "1: it is there; 0: it does not answer", Label.SOURCE),
    PODS_UNMARKED(Type.GAUGE, "pods", "Pods of workers that are not marked busy or idle as they should be"),
    CLAIM_TO_FIRST_STEP_SECONDS(Type.HISTOGRAM, "s", "From the claim of an attempt to its first losses"),
    STEP_TO_EVENT_SECONDS(Type.HISTOGRAM, "s", "From when losses were told to when they are in the tracking store"),

    WORKER_BUSY(Type.GAUGE, "0, 1", "1: it has a job; 0: it has none", Label.KIND),
    WORKER_JOBS(Type.GAUGE, "jobs", "Jobs that it has"),
    WORKER_SLOTS(Type.GAUGE, "jobs", "Jobs that it has room for"),
    WORKER_IMAGES_PER_SECOND(Type.GAUGE, "images/s", "Training images a second"),
    WORKER_STEPS_TOTAL(Type.COUNTER, "steps", "Steps that were told"),
    WORKER_CHECKPOINTS_TOTAL(Type.COUNTER, "checkpoints", "Checkpoints that were saved"),
    WORKER_CHECKPOINT_FAILURES_TOTAL(Type.COUNTER, "checkpoints", "Checkpoints that could not be written"),
    WORKER_LOST_COMMANDS_TOTAL(
            Type.COUNTER, "commands", "Commands that brokers dropped with nothing done, and that it published again"),
    WORKER_CLOCK_OFFSET_SECONDS(Type.GAUGE, "s", "The brokers' time less that of its clock, as its heartbeats show it"),
    WORKER_EVENTS_WAITING(Type.GAUGE, "events", "Events of the jobs at hand that the brokers have not acknowledged"),
    WORKER_DEVICE_MEMORY_BYTES(Type.GAUGE, "bytes", "Memory of its device that is taken while it trains; 0 when idle"),
    WORKER_RESIDENT_MEMORY_BYTES(Type.GAUGE, "bytes", "Resident memory of its process"),
    WORKER_CLAIM_TO_FIRST_STEP_SECONDS(Type.HISTOGRAM, "s", "From the claim of an attempt to its first losses");

    private static final String PREFIX = "trainyard_";

    private final Type type;
    private final String unit;
    private final String meaning;
    private final List<Label> labels;

    /// As Prometheus knows them.
    public enum Type {
        COUNTER,
        GAUGE,
        HISTOGRAM;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    Metric(Type type, String unit, String meaning, Label... labels) {
        this.type = type;
        this.unit = unit;
        this.meaning = meaning;
        this.labels = List.of(labels);
    }

    /// As Prometheus knows it.
    public String word() {
        return PREFIX + name().toLowerCase(Locale.ROOT);
    }

    public Type type() {
        return type;
    }

    public String unit() {
        return unit;
    }

    /// In words, after which Prometheus shows nothing more.
    public String meaning() {
        return meaning;
    }

    public List<Label> labels() {
        return labels;
    }

    /// Told by each worker of itself; the others by the dashboard of the fleet.
    public boolean isWorkers() {
        return name().startsWith("WORKER_");
    }
}
