package io.trainyard.training;

import io.trainyard.event.TrainingEvent;

/// How a job's run ended. Where an attempt was begun, it carries the event that told so, with the attempt's number:
/// nobody has to tell it again.
public sealed interface Outcome {
    /// The job is done, now or by an earlier attempt.
    record Finished(TrainingEvent.Finished event) implements Outcome {}

    /// The job cannot be done; it will not be tried again.
    record Failed(TrainingEvent.Failed event) implements Outcome {}

    /// Stopped at a step boundary, with a checkpoint; another attempt goes on from there.
    record Released(TrainingEvent.Released event) implements Outcome {}

    /// The device was lost, with what was done since the newest checkpoint; another attempt goes on from there.
    record DeviceLost(TrainingEvent.Released event) implements Outcome {}

    /// Nobody can run this command as it is written, or as the job's folder is. No attempt was begun, no event told.
    record Rejected(String reason) implements Outcome {}
}
