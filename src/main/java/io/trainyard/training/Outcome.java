package io.trainyard.training;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.event.EventJson;
import io.trainyard.event.TimestampedEvent;
import io.trainyard.event.TrainingEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/// How an attempt ended. If an outcome has an event, that event is already published.
public sealed interface Outcome {
    /// The job has finished, now or in an earlier attempt.
    record Finished(TrainingEvent.Finished event) implements Outcome {}

    /// The job has failed and will not be tried again.
    record Failed(TrainingEvent.Failed event) implements Outcome {}

    /// The job was cancelled and will not be tried again.
    record Cancelled(TrainingEvent.Cancelled event) implements Outcome {}

    /// The job is a sweep, and its trials are published.
    record Expanded(TrainingEvent.Expanded event) implements Outcome {}

    /// Paused at a step boundary, with a checkpoint; another attempt may continue from there.
    record Paused(TrainingEvent.Paused event) implements Outcome {}

    /// Stopped at a step boundary, with a checkpoint, because the worker stops; another attempt continues from
    /// there.
    record Released(TrainingEvent.Released event) implements Outcome {}

    /// The device failed and stays unusable in this process. Another attempt continues from the newest
    /// checkpoint, in another process.
    record DeviceLost(TrainingEvent.Released event) implements Outcome {}

    /// This worker cannot run the job: data, a library or the device is missing, memory is short, or the store
    /// cannot be used. Another attempt continues from the newest checkpoint, preferably on another worker.
    ///
    /// @param lacking whether the cause will still be missing at the next try: a dataset or a library
    ///     library
    record WorkerFault(TrainingEvent.Released event, boolean lacking) implements Outcome {}

    /// The job does not fit next to the worker's other jobs on the device. Another attempt continues from the
    /// newest checkpoint, on another worker or after one of those jobs has ended.
    record DeviceBusy(TrainingEvent.Released event) implements Outcome {}

    /// There is a later attempt: this one stopped without an event.
    record Superseded(int attempt) implements Outcome {}

    /// The id belongs to another job. No attempt was begun, and no event published.
    record Rejected(String reason) implements Outcome {}

    /// Publishes the event of a link that ended or paused a job.
    ///
    /// @param json the event
    /// @throws CheckpointException if it is not such an event
    static Outcome publish(String json, Supervisor supervisor) {
        TimestampedEvent stored = read(json);
        Outcome outcome = switch (stored.event()) {
            case TrainingEvent.Finished finished -> new Finished(finished);
            case TrainingEvent.Failed failed -> new Failed(failed);
            case TrainingEvent.Cancelled cancelled -> new Cancelled(cancelled);
            case TrainingEvent.Expanded expanded -> new Expanded(expanded);
            case TrainingEvent.Paused paused -> new Paused(paused);
            case TrainingEvent.Claimed _,
                    TrainingEvent.Started _,
                    TrainingEvent.StepLosses _,
                    TrainingEvent.EpochTested _,
                    TrainingEvent.CheckpointSaved _,
                    TrainingEvent.Released _,
                    TrainingEvent.Resumed _ ->
                throw new CheckpointException(
                        "a stored event of the job cannot be read: %s neither ends nor pauses an attempt"
                                .formatted(stored.event().type()));
        };
        supervisor.publish(stored.event(), stored.time() == null ? Instant.now() : stored.time());
        return outcome;
    }

    /// @throws CheckpointException if it is not an event
    static TimestampedEvent read(String json) {
        try {
            return EventJson.readEvent(json.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new CheckpointException("a stored event of the job cannot be read: " + e.getMessage(), e);
        }
    }
}
