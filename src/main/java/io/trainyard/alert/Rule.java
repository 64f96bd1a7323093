package io.trainyard.alert;

/// What may be alerted.
public enum Rule {
    /// A job has failed, or its command was rejected.
    FAILED("job.failed"),
    FINISHED("job.finished"),

    /// A job that runs tells no step for much longer than it ever did.
    STALLED("job.stalled"),

    /// A worker is silent that has not said that it stops.
    LOST("worker.lost"),

    /// A loss is far above those before it.
    SPIKE("job.loss_spike"),

    /// A metric is above or below a value.
    THRESHOLD("job.threshold");

    private final String type;

    Rule(String type) {
        this.type = type;
    }

    /// As it is told in the body.
    String type() {
        return type;
    }
}
