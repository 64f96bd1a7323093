package io.trainyard.training;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Progress;
import io.trainyard.checkpoint.SavedModel;
import io.trainyard.data.DataRoots;
import io.trainyard.data.DatasetException;
import io.trainyard.data.FetchProgress;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceChoices;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import io.trainyard.training.Supervisor.Halt;
import java.util.Objects;
import java.util.Optional;

/// Runs jobs from their specification to their end, each on the thread that asks for it. Thread-safe.
public final class JobTraining {
    private static final System.Logger LOG = System.getLogger(JobTraining.class.getName());

    private final Workloads workloads;
    private final JobDevices devices;
    private final String worker;
    private final Limits limits;
    private final Company company;

    /// @param roots where data sets are read from
    /// @param ownDevice for jobs that leave the choice open; see [JobDevices]
    /// @param threads CPU threads; 0 lets the device choose. An attempt that goes on from a checkpoint keeps the
    ///     checkpoint's number
    /// @param worker who runs them, as events tell it
    public JobTraining(DataRoots roots, DeviceSpec ownDevice, int threads, String worker) {
        this(roots, JobDevices.of(ownDevice), threads, worker);
    }

    /// @param devices opens what a job runs on, anew for each attempt
    JobTraining(DataRoots roots, JobDevices devices, int threads, String worker) {
        this(new Workloads(roots, devices, threads), devices, worker, Limits.DEFAULT);
    }

    private JobTraining(Workloads workloads, JobDevices devices, String worker, Limits limits) {
        this.company = new Company();
        this.workloads = workloads;
        this.devices = devices;
        this.worker = worker;
        this.limits = limits;
    }

    /// The same with other limits, in the place of this one.
    public JobTraining with(Limits other) {
        return new JobTraining(workloads, devices, worker, other);
    }

    /// For so many jobs at once, in the place of this one: where the device chooses, each has its part of the threads.
    public JobTraining sharing(int jobs) {
        return new JobTraining(workloads.sharing(jobs), devices, worker, limits);
    }

    /// What can be known of a job without looking at the data root or at a device.
    ///
    /// @throws io.trainyard.spec.InvalidJobException if nobody can run the job as it is written
    public static void requireRunnable(JobSpec job) {
        Workloads.check(job);
    }

    /// Reads the data set that `job` names, unless it is elsewhere, and gets the device ready, so that an attempt
    /// at it, or at one like it, begins at once. An attempt that begins meanwhile, on another thread, waits for
    /// this.
    public void getReady(JobSpec job) {
        if (!workloads.isNear(job)) {
            return; // it may be large, and never be needed
        }
        try {
            var _ = workloads.of(job, FetchProgress.UNHEARD, () -> {});
        } catch (InvalidJobException | DatasetException e) { // told when an attempt needs it
            LOG.log(System.Logger.Level.DEBUG, "job=%s not ready".formatted(job.id()), e);
        }
    }

    /// Runs one attempt at `job` outside a fleet, going on from its newest checkpoint if it has one. What is
    /// thrown is from before the attempt, as by a store that cannot be used, or from the supervisor.
    ///
    /// @param folder the job's own
    public Outcome run(JobSpec job, JobFolder folder, Supervisor supervisor) {
        if (!folder.keepSpec(JobJson.command(job).json().toString())) {
            return new Outcome.Rejected(
                    "the id \"%s\" belongs to another job already; give this one an id of its own".formatted(job.id()));
        }
        Optional<ChainLink.End> end = folder.chain().end();
        return end.isPresent()
                ? Outcome.publish(end.get().event(), supervisor)
                : attempt(job, folder, folder.beginAttempt(worker), supervisor);
    }

    /// Runs attempts outside a fleet until one ends otherwise than by a fault that came while it trained and
    /// that this process may get over, or a stop is requested. That comes to an end: each attempt saves a
    /// checkpoint, or is one of few that may not.
    public Outcome runToEnd(JobSpec job, JobFolder folder, Supervisor supervisor) {
        Outcome outcome = run(job, folder, supervisor);
        while (outcome instanceof Outcome.WorkerFault fault
                && folder.chain().brokeOff(fault.event().attempt())
                && supervisor.halt().isEmpty()) {
            outcome = run(job, folder, supervisor);
        }
        return outcome;
    }

    /// Runs an attempt that the job's chain has already. Whatever goes wrong is told by an event; what is thrown
    /// is from the supervisor, or because the thread was interrupted: then the attempt has been given up, and
    /// keeps and tells nothing more.
    ///
    /// @param folder the job's own
    /// @param number the attempt's
    public Outcome attempt(JobSpec job, JobFolder folder, int number, Supervisor supervisor) {
        try (Attempt attempt = new Attempt(job, number, folder, supervisor)) {
            try {
                return run(attempt);
            } catch (RuntimeException | Error e) { // an error too is the attempt's end, not the worker's
                if (Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                return attempt.end(e);
            }
        } catch (SupervisorException e) {
            throw e.thrown();
        }
    }

    private Outcome run(Attempt attempt) {
        JobSpec job = attempt.job();
        attempt.alive(StepWatch.UNKNOWN);
        Workloads.Prepared prepared = workloads.of(job, attempt::fetched, () -> attempt.alive(StepWatch.UNKNOWN));
        Workload workload = prepared.workload();
        limits.jobs().require(job, workload.network(), workload.stepsPerEpoch());
        Device device;
        try {
            HeapRoom.require(workload.network());
            device = devices.open(job);
        } catch (DeviceException e) {
            return attempt.giveBack(e);
        }
        DeviceInfo info = device.info();
        attempt.tell(new Claimed(job.id(), attempt.number(), worker, info.name()));
        attempt.begin();
        Optional<Checkpoint> newest = attempt.resume(limits.maxAttempts());
        Workload asBefore = newest.map(saved -> workload.withThreads(saved.threads()))
                .orElse(workload)
                .withChoices(attempt.choices());
        Workload asked = job.kind() == JobKind.EVALUATE ? asBefore.forTests() : asBefore;
        try (Company.Place place = company.join(device, asked);
                LearningSession session = open(attempt, place, device, asked)) {
            StartingPoint start = StartingPoint.of(attempt, workload.network(), newest);
            session.load(start.state());
            logNewChoices(attempt, asked.choices(), session.choices());
            attempt.tell(start.event(attempt, prepared, session, info));
            return switch (job.kind()) {
                case TRAIN -> train(attempt, trainer(attempt, workload, session), start.progress());
                case EVALUATE -> evaluate(attempt, session, start);
            };
        }
    }

    /// What its device chooses is kept before anything that depends on it is told: an attempt that is lost before
    /// its first checkpoint is gone on with by the same. Where another attempt was faster, that one's is taken.
    private static LearningSession open(Attempt attempt, Company.Place place, Device device, Workload asked) {
        LearningSession session = place.open(() -> device.open(asked));
        DeviceChoices chosen = session.choices();
        DeviceChoices kept = attempt.folder().keep(chosen);
        if (chosen.with(kept).equals(chosen)) {
            return session;
        }
        session.close();
        return place.open(() -> device.open(asked.withChoices(asked.choices().with(kept))));
    }

    /// Where the last bits may differ from here on from what they would have been.
    private static void logNewChoices(Attempt attempt, DeviceChoices before, DeviceChoices now) {
        if (before.isEmpty()) {
            return;
        }
        for (String kind : now.byKind().keySet()) {
            if (!before.byKind().containsKey(kind)) {
                LOG.log(
                        System.Logger.Level.INFO,
                        "job=%s attempt=%d goes on with algorithms that were chosen anew, for \"%s\"; those before were for %s, so the last bits of its numbers may differ from here on"
                                .formatted(
                                        attempt.job().id(),
                                        attempt.number(),
                                        kind,
                                        before.byKind().keySet()));
            }
        }
    }

    private Trainer trainer(Attempt attempt, Workload workload, LearningSession session) {
        return new Trainer(attempt, workload, session, new StepWatch(limits.hangFactor()));
    }

    private Outcome train(Attempt attempt, Trainer trainer, Progress from) {
        Trainer.End end = trainer.train(from);
        return end.halt().isPresent()
                ? stop(attempt, end.halt().get(), end.at().step())
                : attempt.finish(trainer.finished(end.at()));
    }

    private Outcome evaluate(Attempt attempt, LearningSession session, StartingPoint start) {
        Optional<Halt> halt = attempt.halt();
        if (halt.isPresent()) {
            return stop(attempt, halt.get(), 0);
        }
        SavedModel model = Objects.requireNonNull(start.source(), "a job that evaluates has a checkpoint to load");
        attempt.start();
        return attempt.finish(Evaluator.evaluate(attempt, model, session));
    }

    private Outcome stop(Attempt attempt, Halt halt, long step) {
        return attempt.stop(halt, step, worker);
    }
}
