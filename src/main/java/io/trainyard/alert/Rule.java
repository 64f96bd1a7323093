package io.trainyard.alert;

/// The rules for alerts.
public enum Rule {
    /// A job has failed, or its command was rejected.
    FAILED("job.failed"),
    FINISHED("job.finished"),

    /// A running job has published no steps for much longer than before.
    STALLED("job.stalled"),

    /// A worker sends no heartbeats and did not announce its stop.
    LOST("worker.lost"),

    /// A loss is far above the preceding ones.
    SPIKE("job.loss_spike"),

    /// A metric is above or below a value.
    THRESHOLD("job.threshold");

    private final String type;

    Rule(String type) {
        this.type = type;
    }

    /// The type in the JSON body.
    String type() {
        return type;
    }
}
