package io.trainyard.training;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.JobFolder;
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
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import io.trainyard.training.Supervisor.Halt;
import java.util.Objects;
import java.util.Optional;

/// Runs jobs from their specification to their end, each on the calling thread. Thread-safe.
public final class JobTraining {
    private static final System.Logger LOG = System.getLogger(JobTraining.class.getName());

    private final Workloads workloads;
    private final JobDevices devices;
    private final String worker;
    private final AttemptLimits limits;
    private final SessionAdmission others;

    /// @param roots where datasets are read
    /// @param ownDevice for jobs that leave the choice open; see [JobDevices]
    /// @param threads CPU threads; 0 lets the device choose. An attempt that resumes keeps the checkpoint's
    ///     number.
    /// @param worker the id in events
    public JobTraining(DataRoots roots, DeviceSpec ownDevice, int threads, String worker) {
        this(roots, JobDevices.of(ownDevice), threads, worker);
    }

    /// @param devices opens the device of each attempt
    JobTraining(DataRoots roots, JobDevices devices, int threads, String worker) {
        this(new Workloads(roots, devices, threads), devices, worker, AttemptLimits.DEFAULT);
    }

    private JobTraining(Workloads workloads, JobDevices devices, String worker, AttemptLimits limits) {
        this.others = new SessionAdmission();
        this.workloads = workloads;
        this.devices = devices;
        this.worker = worker;
        this.limits = limits;
    }

    /// The same with other limits; replaces this one.
    public JobTraining with(AttemptLimits other) {
        return new JobTraining(workloads, devices, worker, other);
    }

    /// The same for this number of jobs at once; replaces this one. If the device chooses its threads, each job
    /// gets its part of them.
    public JobTraining sharing(int jobs) {
        return new JobTraining(workloads.sharing(jobs), devices, worker, limits);
    }

    /// Checks a job without the data root and the device.
    ///
    /// @throws io.trainyard.spec.InvalidJobException if the job is invalid
    public static void requireRunnable(JobSpec job) {
        Workloads.check(job);
    }

    /// Reads the job's dataset, unless it is remote, and prepares the device, so that an attempt at this job or
    /// a similar one begins at once. An attempt that begins meanwhile, on another thread, waits for this.
    public void getReady(JobSpec job) {
        if (!workloads.isNear(job)) {
            return; // it may be large, and never be needed
        }
        try {
            var _ = workloads.of(job, FetchProgress.IGNORED, () -> {});
        } catch (InvalidJobException | DatasetException e) { // reported when an attempt needs it
            LOG.log(System.Logger.Level.DEBUG, "job=%s not ready".formatted(job.id()), e);
        }
    }

    /// Runs one attempt outside a fleet, from the job's newest checkpoint, if any. Exceptions come from before
    /// the attempt, for example from the store, or from the supervisor.
    ///
    /// @param folder the job's folder
    public Outcome run(JobSpec job, JobFolder folder, Supervisor supervisor) {
        if (!folder.keepSpec(JobJson.command(job).json().toString())) {
            return new Outcome.Rejected(
                    "the id \"%s\" belongs to another job already; use another id".formatted(job.id()));
        }
        Optional<ChainLink.End> end = folder.chain().end();
        return end.isPresent()
                ? Outcome.publish(end.get().event(), supervisor)
                : attempt(job, folder, folder.beginAttempt(worker), supervisor);
    }

    /// Runs attempts outside a fleet until one ends for another reason than a fault of this process during
    /// training, or a stop is requested. This terminates, because each attempt saves a checkpoint or is one of
    /// the few that may fail without one.
    public Outcome runToEnd(JobSpec job, JobFolder folder, Supervisor supervisor) {
        Outcome outcome = run(job, folder, supervisor);
        while (outcome instanceof Outcome.WorkerFault fault
                && folder.chain().brokeOff(fault.event().attempt())
                && supervisor.halt().isEmpty()) {
            outcome = run(job, folder, supervisor);
        }
        return outcome;
    }

    /// Runs an attempt that the job's chain already contains. Failures are reported as events. Exceptions come
    /// from the supervisor, or from an interrupt: then the attempt was given up, and saves and publishes
    /// nothing more.
    ///
    /// @param folder the job's folder
    /// @param number of the attempt
    public Outcome attempt(JobSpec job, JobFolder folder, int number, Supervisor supervisor) {
        try (Attempt attempt = new Attempt(job, number, folder, supervisor)) {
            try {
                return run(attempt);
            } catch (RuntimeException | Error e) { // even an error ends the attempt, not the worker
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
        attempt.alive(HangLimit.UNKNOWN);
        Workloads.Prepared prepared = workloads.of(job, attempt::fetched, () -> attempt.alive(HangLimit.UNKNOWN));
        Workload workload = prepared.workload();
        limits.jobs().require(job, workload.network(), workload.stepsPerEpoch());
        Device device;
        try {
            HeapCheck.require(workload.network());
            device = devices.open(job);
        } catch (DeviceException e) {
            return attempt.release(e);
        }
        DeviceInfo info = device.info();
        attempt.publish(new Claimed(job.id(), attempt.number(), worker, info.name()));
        attempt.begin();
        Optional<Checkpoint> newest = attempt.resume(limits.maxAttempts());
        Workload asBefore = newest.map(saved -> workload.withThreads(saved.threads()))
                .orElse(workload)
                .withChoices(attempt.choices());
        Workload asked = job.kind() == JobKind.EVALUATE ? asBefore.forTests() : asBefore;
        if (prepared.validates()) {
            attempt.validates();
        }
        try (SessionAdmission.Place place = others.join(device, asked)) {
            Trainer.End end;
            Finished finished;
            try (LearningSession session = open(attempt, place, device, asked)) {
                StartingPoint start = StartingPoint.of(attempt, prepared, newest);
                session.load(start.state());
                logNewChoices(attempt, asked.choices(), session.choices());
                attempt.publish(start.event(attempt, prepared, session, info));
                if (job.kind() == JobKind.EVALUATE) {
                    return evaluate(attempt, session, start, new TestResults(attempt, prepared, session));
                }
                Trainer trainer = trainer(attempt, prepared, session);
                end = trainer.train(start.progress());
                if (end.halt().isPresent()) {
                    return stop(attempt, end.halt().get(), end.at().step());
                }
                finished = trainer.finished(end.at());
                if (!prepared.validates()) {
                    new TestResults(attempt, prepared, session).keep();
                    return attempt.finish(finished);
                }
            }
            attempt.awaitSaved(false);
            try (LearningSession session = open(
                    attempt,
                    place,
                    device,
                    asked.withDataset(prepared.samples().standardized(prepared.targets()))
                            .forTests())) {
                long step = (end.at().bestEpoch() + 1L) * workload.stepsPerEpoch();
                SavedModel best = attempt.folder().model(step, job.continueFrom() != null);
                Finished tested = Evaluator.test(attempt, best, session, finished);
                new TestResults(attempt, prepared, session).keep();
                return attempt.finish(tested);
            }
        }
    }

    /// The device's choices are stored before any event that depends on them: an attempt that dies before its
    /// first checkpoint is continued with the same choices. If another attempt was faster, its choices are
    /// used.
    private static LearningSession open(Attempt attempt, SessionAdmission.Place place, Device device, Workload asked) {
        LearningSession session = place.open(() -> device.open(asked));
        DeviceChoices chosen = session.choices();
        DeviceChoices kept = attempt.folder().keep(chosen);
        if (chosen.with(kept).equals(chosen)) {
            return session;
        }
        session.close();
        return place.open(() -> device.open(asked.withChoices(asked.choices().with(kept))));
    }

    /// The last bits may differ from here on.
    private static void logNewChoices(Attempt attempt, DeviceChoices before, DeviceChoices now) {
        if (before.isEmpty()) {
            return;
        }
        for (String kind : now.byKind().keySet()) {
            if (!before.byKind().containsKey(kind)) {
                LOG.log(
                        System.Logger.Level.INFO,
                        "job=%s attempt=%d continues with newly chosen algorithms for \"%s\"; the earlier ones were for %s, so the last bits of its numbers may differ from here on"
                                .formatted(
                                        attempt.job().id(),
                                        attempt.number(),
                                        kind,
                                        before.byKind().keySet()));
            }
        }
    }

    private Trainer trainer(Attempt attempt, Workloads.Prepared prepared, LearningSession session) {
        return new Trainer(attempt, prepared, session, new HangLimit(limits.hangFactor()));
    }

    private Outcome evaluate(Attempt attempt, LearningSession session, StartingPoint start, TestResults results) {
        Optional<Halt> halt = attempt.halt();
        if (halt.isPresent()) {
            return stop(attempt, halt.get(), 0);
        }
        SavedModel model = Objects.requireNonNull(start.source(), "a job that evaluates has a checkpoint to load");
        attempt.start();
        Finished finished = Evaluator.evaluate(attempt, model, session);
        results.keep();
        return attempt.finish(finished);
    }

    private Outcome stop(Attempt attempt, Halt halt, long step) {
        return attempt.stop(halt, step, worker);
    }
}
