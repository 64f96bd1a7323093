package io.trainyard.metrics;

import java.util.List;
import java.util.Locale;

/// All Prometheus metrics; names are `trainyard_` and the constant's name.
public enum Metric {
    JOBS_QUEUED(Type.GAUGE, "jobs", "Queued jobs", Label.KIND, Label.PRIORITY),
    JOBS_RUNNING(Type.GAUGE, "jobs", "Running jobs", Label.KIND),
    JOBS_PAUSED(Type.GAUGE, "jobs", "Paused jobs", Label.KIND),
    JOBS_DEMAND(Type.GAUGE, "jobs", "Queued and running jobs, for autoscalers", Label.KIND),
    JOBS_FINISHED_TOTAL(Type.COUNTER, "jobs", "Jobs that finished"),
    JOBS_FAILED_TOTAL(Type.COUNTER, "jobs", "Jobs that failed", Label.CAUSE),
    JOBS_CANCELLED_TOTAL(Type.COUNTER, "jobs", "Jobs that were cancelled"),
    ATTEMPTS_TOTAL(Type.COUNTER, "attempts", "Attempts that workers claimed", Label.AFTER),
    PREEMPTIONS_TOTAL(Type.COUNTER, "attempts", "Attempts that were preempted"),
    DEAD_LETTERS_TOTAL(Type.COUNTER, "commands", "Rejected commands"),
    RECORDS_SKIPPED_TOTAL(Type.COUNTER, "records", "Records that were skipped because they cannot be read or stored"),
    CHECKPOINT_FAILURES_TOTAL(Type.COUNTER, "checkpoints", "Checkpoints that workers could not write"),
    WORKERS(Type.GAUGE, "workers", "Workers", Label.KIND, Label.STATE),
    SAMPLES_PER_SECOND(Type.GAUGE, "samples/s", "Training samples per second of all workers", Label.KIND),
    PROJECT_SHARE_RATIO(Type.GAUGE, "0 to 1", "Target share by weight; 0: the project has no jobs", Label.PROJECT),
    PROJECT_USED_RATIO(Type.GAUGE, "0 to 1", "Share of the device time in the last window", Label.PROJECT),
    PROJECT_JOBS_RUNNING(Type.GAUGE, "jobs", "Running jobs of the project", Label.PROJECT),
    PROJECT_JOBS_WAITING(Type.GAUGE, "jobs", "Queued jobs of the project", Label.PROJECT),
    EVENT_LAG_RECORDS(Type.GAUGE, "records", "Records on the topics that are not in the tracking store yet"),
    EVENT_LAG_SECONDS(Type.GAUGE, "s", "Time since there have been such records"),
    SOURCE_UP(Type.GAUGE, "0, 1", "1: reachable; 0: not reachable", Label.SOURCE),
    PODS_UNMARKED(Type.GAUGE, "pods", "Worker pods without the correct busy or idle mark"),
    CLAIM_TO_FIRST_STEP_SECONDS(Type.HISTOGRAM, "s", "Time from the claim of an attempt to its first losses"),
    STEP_TO_EVENT_SECONDS(
            Type.HISTOGRAM, "s", "Time from the publication of losses to their storage in the tracking store"),

    WORKER_BUSY(Type.GAUGE, "0, 1", "1: busy; 0: idle", Label.KIND),
    WORKER_JOBS(Type.GAUGE, "jobs", "Running jobs"),
    WORKER_SLOTS(Type.GAUGE, "jobs", "Slots"),
    WORKER_SAMPLES_PER_SECOND(Type.GAUGE, "samples/s", "Training samples per second"),
    WORKER_STEPS_TOTAL(Type.COUNTER, "steps", "Steps that were published"),
    WORKER_CHECKPOINTS_TOTAL(Type.COUNTER, "checkpoints", "Checkpoints that were saved"),
    WORKER_CHECKPOINT_FAILURES_TOTAL(Type.COUNTER, "checkpoints", "Checkpoints that could not be written"),
    WORKER_LOST_COMMANDS_TOTAL(
            Type.COUNTER, "commands", "Commands that brokers dropped unprocessed and that were published again"),
    WORKER_CLOCK_OFFSET_SECONDS(Type.GAUGE, "s", "Brokers' clock minus the worker's clock, measured with heartbeats"),
    WORKER_EVENTS_WAITING(Type.GAUGE, "events", "Events of running jobs that the brokers have not acknowledged"),
    WORKER_DEVICE_MEMORY_BYTES(Type.GAUGE, "bytes", "Device memory used for training; 0 when idle"),
    WORKER_RESIDENT_MEMORY_BYTES(Type.GAUGE, "bytes", "Resident memory of the process"),
    WORKER_CLAIM_TO_FIRST_STEP_SECONDS(Type.HISTOGRAM, "s", "Time from the claim of an attempt to its first losses");

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

    /// Whether workers publish it; the dashboard publishes the others.
    public boolean isWorkers() {
        return name().startsWith("WORKER_");
    }
}
