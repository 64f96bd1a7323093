package io.trainyard.training;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.event.EventJson;
import io.trainyard.event.Told;
import io.trainyard.event.TrainingEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/// How a job's run ended. Where it carries an event, that is told already: nobody has to tell it again.
public sealed interface Outcome {
    /// The job is done, now or by an earlier attempt.
    record Finished(TrainingEvent.Finished event) implements Outcome {}

    /// The job cannot be done; it will not be tried again.
    record Failed(TrainingEvent.Failed event) implements Outcome {}

    /// The job was ended, as somebody asked; it will not be tried again.
    record Cancelled(TrainingEvent.Cancelled event) implements Outcome {}

    /// The job is a sweep, and its trials are published.
    record Expanded(TrainingEvent.Expanded event) implements Outcome {}

    /// Stopped at a step boundary, with a checkpoint, as somebody asked; another attempt may go on from there.
    record Paused(TrainingEvent.Paused event) implements Outcome {}

    /// Stopped at a step boundary, with a checkpoint, because the worker stops; another attempt goes on from
    /// there.
    record Released(TrainingEvent.Released event) implements Outcome {}

    /// The device stopped working, and does for as long as the process lives. Another attempt goes on from
    /// the newest checkpoint, in another process.
    record DeviceLost(TrainingEvent.Released event) implements Outcome {}

    /// This worker cannot do it: data, a library or the device is missing here, memory is short, the store cannot
    /// be used. Another attempt goes on from the newest checkpoint, best with another worker.
    ///
    /// @param lacking whether that is what the worker has not, and will not have the next time: a data set or a
    ///     library
    record WorkerFault(TrainingEvent.Released event, boolean lacking) implements Outcome {}

    /// There is no room for it beside the other jobs that this worker has on the device. Another attempt goes on
    /// from the newest checkpoint, with another worker or when one of those has ended.
    record Crowded(TrainingEvent.Released event) implements Outcome {}

    /// There is a later attempt: this one stopped where it noticed, and told nothing of that.
    record Superseded(int attempt) implements Outcome {}

    /// The id belongs to another job. No attempt was begun, no event told.
    record Rejected(String reason) implements Outcome {}

    /// Publishes the event of a link that ended or paused a job.
    ///
    /// @param json the event
    /// @throws CheckpointException if it is no such event
    static Outcome publish(String json, Supervisor supervisor) {
        Told told = read(json);
        Outcome outcome = switch (told.event()) {
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
                                .formatted(told.event().type()));
        };
        supervisor.tell(told.event(), told.time() == null ? Instant.now() : told.time());
        return outcome;
    }

    /// @throws CheckpointException if it is no event
    static Told read(String json) {
        try {
            return EventJson.readEvent(json.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new CheckpointException("a stored event of the job cannot be read: " + e.getMessage(), e);
        }
    }
}
