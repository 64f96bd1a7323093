package io.trainyard.training;

import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.CheckpointRef;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Progress;
import io.trainyard.data.DatasetException;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceLostException;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.spec.JobSpec;
import java.util.Optional;

/// One attempt at a job. It ends once: by a method here that tells the last event and gives the outcome with that
/// event.
///
/// @param number larger than that of every earlier attempt, and nobody else's
/// @param folder the job's own, where the number is from
/// @param supervisor hears what happens
record Attempt(JobSpec job, int number, JobFolder folder, Supervisor supervisor) {
    /// Attempts in a row that may end without a checkpoint, killed or their device lost, before a job counts as the
    /// cause.
    static final int MAX_FRUITLESS = 5;

    private static final System.Logger LOG = System.getLogger(Attempt.class.getName());

    void tell(TrainingEvent event) {
        supervisor.tell(event);
    }

    boolean stopRequested() {
        return supervisor.stopRequested();
    }

    /// The checkpoint to go on from.
    ///
    /// @throws IllegalStateException if too many attempts in a row came to none; a job that kills whoever
    ///     runs it would be tried for ever
    Optional<Checkpoint> newest() {
        Optional<Checkpoint> newest = folder.newest();
        int fruitless = number - 1 - newest.map(Checkpoint::attempt).orElse(0);
        if (fruitless >= MAX_FRUITLESS) {
            throw new IllegalStateException(
                    "%d attempts in a row ended without a checkpoint: whoever runs this job seems to be killed, for want of memory perhaps, or to lose its device; the workers' logs say more. To try again, submit it under another id"
                            .formatted(fruitless));
        }
        return newest;
    }

    /// Keeps where the job stands, then tells it.
    void save(Checkpoint checkpoint) {
        CheckpointRef ref = folder.save(checkpoint);
        Progress at = checkpoint.progress();
        tell(new CheckpointSaved(
                job.id(), number, ref.uri().toString(), ref.sha256(), ref.bytes(), at.epochOfLastStep(), at.step()));
    }

    /// Keeps the outcome, before it is told: told twice is better than never.
    Outcome finish(Finished event) {
        folder.keepOutcome(EventJson.write(event));
        tell(event);
        return new Outcome.Finished(event);
    }

    /// @param step of the checkpoint to go on from
    Outcome release(long step, String reason) {
        return new Outcome.Released(giveBack(step, reason));
    }

    Outcome loseDevice(DeviceLostException loss) {
        LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d lost its device".formatted(job.id(), number), loss);
        long step = folder.newest().map(saved -> saved.progress().step()).orElse(0L);
        return new Outcome.DeviceLost(giveBack(step, reason(loss)));
    }

    private Released giveBack(long step, String reason) {
        Released event = new Released(job.id(), number, step, reason);
        tell(event);
        return event;
    }

    Outcome fail(Throwable cause) {
        boolean saysAll = cause instanceof DatasetException
                || cause instanceof DeviceException
                || cause instanceof DivergedException
                || (cause instanceof CheckpointException && cause.getCause() == null);
        Failed event = new Failed(job.id(), number, reason(cause));
        tell(event); // throws where the cause is that nothing can be told
        if (!saysAll) {
            LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d failed".formatted(job.id(), number), cause);
        }
        return new Outcome.Failed(event);
    }

    /// What a person is told: an exception's message. Of an error, unless memory is short, it says little without the
    /// error's name.
    static String reason(Throwable cause) {
        if (cause instanceof Error && !(cause instanceof OutOfMemoryError)) {
            return cause.toString();
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
