package io.trainyard.training;

/// How an attempt at a job ended.
public sealed interface Outcome {
    /// All epochs are trained, now or by an earlier attempt.
    record Finished() implements Outcome {}

    /// The job cannot be done; it will not be tried again.
    record Failed(String reason) implements Outcome {}

    /// Stopped at a step boundary, with a checkpoint; another attempt goes on from there.
    record Released() implements Outcome {}

    /// The device was lost, with what was done since the newest checkpoint; another attempt goes on from there.
    record DeviceLost(String reason) implements Outcome {}

    /// Nobody can run this command as it is written. No attempt was begun.
    record Rejected(String reason) implements Outcome {}
}
