package io.trainyard.training;

import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Progress;
import io.trainyard.checkpoint.SavedModel;
import io.trainyard.data.DatasetException;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceLostException;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/// Runs jobs, one after another, from their specification to their end.
///
/// Not thread-safe: one job at a time, though each may be run on another thread.
public final class JobTraining {
    private final Workloads workloads;
    private final JobDevices devices;
    private final String worker;

    /// @param dataRoot the folder data sets are read from
    /// @param ownDevice for jobs that leave the choice open; see [JobDevices]
    /// @param threads CPU threads; 0 lets the device choose. An attempt that goes on from a checkpoint keeps the
    ///     checkpoint's number
    /// @param worker who runs them, as events tell it
    public JobTraining(Path dataRoot, DeviceSpec ownDevice, int threads, String worker) {
        this(dataRoot, JobDevices.of(ownDevice), threads, worker);
    }

    /// @param devices opens what a job runs on, anew for each attempt
    JobTraining(Path dataRoot, JobDevices devices, int threads, String worker) {
        this.workloads = new Workloads(dataRoot, devices, threads);
        this.devices = devices;
        this.worker = worker;
    }

    /// Runs one attempt at `job`, going on from its newest checkpoint if it has one. Whatever goes wrong once the
    /// attempt has begun is told by an event; what is thrown is from before, as by a store that cannot be used, or
    /// from the supervisor.
    ///
    /// @param folder the job's own
    public Outcome run(JobSpec job, JobFolder folder, Supervisor supervisor) {
        try {
            Workload workload = workloads.of(job);
            if (!folder.keepSpec(JobJson.write(job))) {
                return new Outcome.Rejected(
                        "the id \"%s\" belongs to another job already; give this one an id of its own"
                                .formatted(job.id()));
            }
            Optional<byte[]> kept = folder.outcome();
            if (kept.isPresent()) {
                return tellAgain(kept.get(), supervisor);
            }
            return run(begin(job, folder, supervisor), workload);
        } catch (InvalidJobException e) {
            return new Outcome.Rejected(Attempt.reason(e));
        } catch (IOException e) {
            return new Outcome.Rejected(
                    "the outcome kept for job %s cannot be read: %s".formatted(job.id(), Attempt.reason(e)));
        } catch (DatasetException e) {
            return begin(job, folder, supervisor).fail(e);
        }
    }

    /// Runs attempts until one ends otherwise than with the loss of its device, or a stop is requested. That comes to
    /// an end: each attempt saves a checkpoint, or is one of few that may not.
    public Outcome runToEnd(JobSpec job, JobFolder folder, Supervisor supervisor) {
        Outcome outcome = run(job, folder, supervisor);
        while (outcome instanceof Outcome.DeviceLost && !supervisor.stopRequested()) {
            outcome = run(job, folder, supervisor);
        }
        return outcome;
    }

    private static Outcome tellAgain(byte[] kept, Supervisor supervisor) throws IOException {
        if (EventJson.readEvent(kept) instanceof Finished event) {
            supervisor.tell(event);
            return new Outcome.Finished(event);
        }
        throw new IOException("it does not say that the job has finished");
    }

    private Attempt begin(JobSpec job, JobFolder folder, Supervisor supervisor) {
        return new Attempt(job, folder.beginAttempt(worker), folder, supervisor);
    }

    private Outcome run(Attempt attempt, Workload workload) {
        JobSpec job = attempt.job();
        try {
            Device device = devices.open(job);
            String name = device.info().name();
            attempt.tell(new Claimed(job.id(), attempt.number(), worker, name));
            Optional<Checkpoint> newest = attempt.newest();
            Workload asBefore =
                    newest.isPresent() ? workload.withThreads(newest.get().threads()) : workload;
            Workload asked = job.kind() == JobKind.EVALUATE ? asBefore.forTests() : asBefore;
            try (LearningSession session = device.open(asked)) {
                StartingPoint start = StartingPoint.of(attempt, workload.network(), newest);
                session.load(start.state());
                attempt.tell(start.event(attempt, workload, session, name));
                return switch (job.kind()) {
                    case TRAIN -> train(attempt, new Trainer(attempt, workload, session), start.progress());
                    case EVALUATE -> evaluate(attempt, session, start);
                };
            }
        } catch (DeviceLostException e) {
            return attempt.loseDevice(e);
        } catch (RuntimeException | Error e) { // an error too is the attempt's failure, not the worker's
            return attempt.fail(e);
        }
    }

    private Outcome train(Attempt attempt, Trainer trainer, Progress from) {
        Progress end = trainer.train(from);
        return trainer.isEnd(end) ? attempt.finish(trainer.finished(end)) : release(attempt, end.step());
    }

    private Outcome evaluate(Attempt attempt, LearningSession session, StartingPoint start) {
        if (attempt.stopRequested()) {
            return release(attempt, 0);
        }
        SavedModel model = Objects.requireNonNull(start.source(), "a job that evaluates has a checkpoint to load");
        return attempt.finish(Evaluator.evaluate(attempt, model, session));
    }

    private Outcome release(Attempt attempt, long step) {
        return attempt.release(step, "worker %s stops".formatted(worker));
    }
}
