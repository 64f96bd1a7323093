package io.trainyard.training;

import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Progress;
import io.trainyard.checkpoint.SavedModel;
import io.trainyard.data.Dataset;
import io.trainyard.data.DatasetException;
import io.trainyard.data.Datasets;
import io.trainyard.data.PixelScale;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceLostException;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Runs jobs, one after another, from their specification to their end.
///
/// Not thread-safe: one job at a time, though each may be run on another thread.
public final class JobTraining {
    private static final System.Logger LOG = System.getLogger(JobTraining.class.getName());

    /// Attempts in a row that may end without a checkpoint, killed or their device lost, before a job counts as the
    /// cause.
    static final int MAX_FRUITLESS_ATTEMPTS = 5;

    private final Path dataRoot;
    private final JobDevices devices;
    private final int threads;
    private final String worker;
    private @Nullable Dataset lastDataset; // jobs in a row often use the same one

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
        this.dataRoot = dataRoot;
        this.devices = devices;
        this.threads = threads;
        this.worker = worker;
    }

    /// Runs one attempt at `job`, going on from its newest checkpoint if it has one. Whatever goes wrong is
    /// told in the outcome, and by an event once the attempt has begun; nothing is thrown but errors of
    /// `events` itself.
    ///
    /// @param folder the job's own
    /// @param events takes what happens, in order, on the calling thread
    /// @param stopRequested asked at every step boundary
    public Outcome run(JobSpec job, JobFolder folder, Consumer<TrainingEvent> events, BooleanSupplier stopRequested) {
        try {
            Workload workload = workload(job, check(job));
            if (!folder.keepSpec(JobJson.write(job))) {
                return new Outcome.Rejected(
                        "the id \"%s\" belongs to another job already; give this one an id of its own"
                                .formatted(job.id()));
            }
            Optional<byte[]> outcome = folder.outcome();
            if (outcome.isPresent()) {
                events.accept(EventJson.readEvent(outcome.get()));
                return new Outcome.Finished();
            }
            return attempt(job, workload, folder, events, stopRequested);
        } catch (InvalidJobException e) {
            return new Outcome.Rejected(message(e));
        } catch (IOException e) {
            return new Outcome.Failed("the outcome kept for job %s cannot be read: %s".formatted(job.id(), message(e)));
        } catch (DatasetException e) {
            return fail(job, folder.beginAttempt(worker), e, events);
        }
    }

    /// Runs attempts until one ends otherwise than with the loss of its device, or a stop is requested. That comes
    /// to an end: each attempt saves a checkpoint, or is one of few that may not.
    public Outcome runToEnd(
            JobSpec job, JobFolder folder, Consumer<TrainingEvent> events, BooleanSupplier stopRequested) {
        Outcome outcome = run(job, folder, events, stopRequested);
        while (outcome instanceof Outcome.DeviceLost && !stopRequested.getAsBoolean()) {
            outcome = run(job, folder, events, stopRequested);
        }
        return outcome;
    }

    /// What can be known without reading a file.
    private static Network check(JobSpec job) {
        Datasets.requireKnown(job.dataset().name());
        var described = Datasets.describe(job.dataset().name());
        PixelScale.of(described.shape().size(0), job.dataset().normalize());
        return Network.fit(job.network(), described.shape(), described.classes());
    }

    private Outcome attempt(
            JobSpec job,
            Workload workload,
            JobFolder folder,
            Consumer<TrainingEvent> events,
            BooleanSupplier stopRequested) {
        int attempt = folder.beginAttempt(worker);
        try {
            Device device = devices.open(job);
            events.accept(new Claimed(job.id(), attempt, worker, device.info().name()));
            Optional<Checkpoint> newest = folder.newest();
            requireProgress(attempt, newest);
            Workload asBefore =
                    newest.isPresent() ? workload.withThreads(newest.get().threads()) : workload;
            Workload asked = job.kind() == JobKind.EVALUATE ? asBefore.forTests() : asBefore;
            try (LearningSession session = device.open(asked)) {
                StartingPoint start = StartingPoint.of(job, workload.network(), folder, newest);
                session.load(start.state());
                events.accept(started(job, attempt, device, workload, session, start.progress(), folder));
                return switch (job.kind()) {
                    case TRAIN ->
                        train(job, attempt, start.progress(), workload, session, folder, events, stopRequested);
                    case EVALUATE -> evaluate(job, attempt, start, session, folder, events, stopRequested);
                };
            }
        } catch (DeviceLostException e) {
            return lose(job, attempt, folder, e, events);
        } catch (RuntimeException | OutOfMemoryError e) {
            return fail(job, attempt, e, events);
        }
    }

    /// A job that kills whoever runs it would otherwise be tried for ever.
    private static void requireProgress(int attempt, Optional<Checkpoint> newest) {
        int fruitless = attempt - 1 - newest.map(Checkpoint::attempt).orElse(0);
        if (fruitless >= MAX_FRUITLESS_ATTEMPTS) {
            throw new IllegalStateException(
                    "%d attempts in a row ended without a checkpoint: whoever runs this job seems to be killed, for want of memory perhaps, or to lose its device; the workers' logs say more. To try again, submit it under another id"
                            .formatted(fruitless));
        }
    }

    private static Outcome lose(
            JobSpec job, int attempt, JobFolder folder, DeviceLostException loss, Consumer<TrainingEvent> events) {
        LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d lost its device".formatted(job.id(), attempt), loss);
        long step = folder.newest().map(saved -> saved.progress().step()).orElse(0L);
        events.accept(new Released(job.id(), attempt, step, message(loss)));
        return new Outcome.DeviceLost(message(loss));
    }

    private static Outcome fail(JobSpec job, int attempt, Throwable cause, Consumer<TrainingEvent> events) {
        boolean saysAll = cause instanceof DatasetException
                || cause instanceof DeviceException
                || cause instanceof DivergedException
                || (cause instanceof CheckpointException && cause.getCause() == null);
        events.accept(
                new Failed(job.id(), attempt, message(cause))); // throws where the cause is that nothing can be told
        if (!saysAll) {
            LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d failed".formatted(job.id(), attempt), cause);
        }
        return new Outcome.Failed(message(cause));
    }

    private Outcome train(
            JobSpec job,
            int attempt,
            Progress from,
            Workload workload,
            LearningSession session,
            JobFolder folder,
            Consumer<TrainingEvent> events,
            BooleanSupplier stopRequested) {
        Trainer trainer = new Trainer(job, attempt, workload, session, folder, events, stopRequested);
        Progress end = trainer.train(from);
        if (!trainer.isEnd(end)) {
            return release(job, attempt, end.step(), events);
        }
        return finish(trainer.finished(end), folder, events);
    }

    private Outcome evaluate(
            JobSpec job,
            int attempt,
            StartingPoint start,
            LearningSession session,
            JobFolder folder,
            Consumer<TrainingEvent> events,
            BooleanSupplier stopRequested) {
        if (stopRequested.getAsBoolean()) {
            return release(job, attempt, 0, events);
        }
        SavedModel model = Objects.requireNonNull(start.source(), "a job that evaluates has a checkpoint to load");
        return finish(Evaluator.evaluate(job, attempt, model, session, events), folder, events);
    }

    private Outcome release(JobSpec job, int attempt, long step, Consumer<TrainingEvent> events) {
        events.accept(new Released(job.id(), attempt, step, "worker %s stops".formatted(worker)));
        return new Outcome.Released();
    }

    private static Outcome finish(Finished finished, JobFolder folder, Consumer<TrainingEvent> events) {
        folder.keepOutcome(EventJson.write(finished)); // before it is told: told twice is better than never
        events.accept(finished);
        return new Outcome.Finished();
    }

    private Workload workload(JobSpec job, Network network) {
        Dataset dataset = lastDataset;
        if (dataset == null || !dataset.name().equals(job.dataset().name())) {
            lastDataset = null; // room for the next one
            beginWarmUp(job, network);
            dataset = Datasets.open(dataRoot, job.dataset().name());
            lastDataset = dataset;
        }
        PixelScale scale = PixelScale.of(dataset.shape().size(0), job.dataset().normalize());
        AugmentSpec augment = Objects.requireNonNullElse(job.dataset().augment(), AugmentSpec.NONE);
        return new Workload(
                network, job.optimizer(), job.batchSize(), dataset, scale, augment, job.precision(), threads);
    }

    /// Beside the reading of the data; opening the session waits for what is left of it.
    private void beginWarmUp(JobSpec job, Network network) {
        Thread thread = new Thread(
                () -> {
                    try {
                        devices.warmUp(job, network);
                    } catch (DeviceException e) { // told when the attempt opens the device
                        LOG.log(System.Logger.Level.DEBUG, "job=%s no warm-up".formatted(job.id()), e);
                    }
                },
                "warm-up");
        thread.setDaemon(true);
        thread.start();
    }

    private static Started started(
            JobSpec job,
            int attempt,
            Device device,
            Workload workload,
            LearningSession session,
            Progress from,
            JobFolder folder) {
        String name = device.info().name();
        List<TrainingEvent.Parameter> parameters = workload.network().parameters().stream()
                .map(p -> new TrainingEvent.Parameter(p.name(), p.shape(), name))
                .toList();
        return new Started(
                job.id(),
                attempt,
                job,
                name,
                session.threads(),
                workload.dataset().train().size(),
                workload.dataset().test().size(),
                workload.dataset().classes(),
                from.step() + 1,
                job.kind() == JobKind.TRAIN ? workload.stepsPerEpoch() : 0,
                parameters,
                folder.source().orElse(null));
    }

    private static String message(Throwable e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
