package io.trainyard.training;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.ChainLink.Owner;
import io.trainyard.checkpoint.ChainLink.Pause;
import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.JobChain;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Progress;
import io.trainyard.checkpoint.Retention;
import io.trainyard.checkpoint.StoreException;
import io.trainyard.data.DatasetException;
import io.trainyard.device.DeviceBusyException;
import io.trainyard.device.DeviceChoices;
import io.trainyard.device.DeviceLostException;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.spec.JobSpec;
import io.trainyard.training.Supervisor.Halt;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One attempt at a job, valid until a later attempt exists. It ends once, by a method here that publishes the
/// last event and returns the outcome. For one thread.
final class Attempt implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Attempt.class.getName());

    private final JobSpec job;
    private final int number;
    private final JobFolder folder;
    private final Supervisor supervisor;
    private final CheckpointWriter writer;
    private final Rungs rungs;
    private final Fence fence;
    private final AttemptHost host;
    private boolean begun;
    private boolean started;
    private @Nullable String highPriority; // the job for which it is preempted
    private long savedStep; // of the checkpoint to continue from; 0 without one
    private boolean validates;
    private boolean required; // whether the checkpoint that is being written is needed for the test at the end

    /// @param number larger than that of every earlier attempt, and unique
    /// @param folder the job's folder
    /// @param supervisor receives the events
    Attempt(JobSpec job, int number, JobFolder folder, Supervisor supervisor) {
        this(new Claim(job, number, folder), supervisor, AttemptHost.MACHINE);
    }

    record Claim(JobSpec job, int number, JobFolder folder) {}

    /// The same with other threads and clocks.
    Attempt(Claim claim, Supervisor supervisor, AttemptHost host) {
        this.job = claim.job();
        this.number = claim.number();
        this.folder = claim.folder();
        this.host = host;
        this.supervisor = supervisor;
        this.fence = new Fence(folder, number, host);
        this.rungs = new Rungs(job, number, folder, supervisor);
        this.writer = new CheckpointWriter(folder, Retention.of(job), supervisor::checkpointFailed, host);
    }

    JobSpec job() {
        return job;
    }

    int number() {
        return number;
    }

    JobFolder folder() {
        return folder;
    }

    /// The step of the checkpoint to continue from; 0 without one.
    long savedStep() {
        return savedStep;
    }

    /// Publishes an event. After a while in which the machine may have been frozen, it first checks that the
    /// attempt is still valid.
    ///
    /// @throws SupersededException if there is a later attempt
    void publish(TrainingEvent event) {
        fence.lookNowAndThen();
        supervisor.publish(event);
    }

    /// The job's dataset is being downloaded; the next piece of it must arrive within the usual time limit.
    void fetched(String dataset, long bytes, long totalBytes) {
        alive(HangLimit.UNKNOWN);
        supervisor.fetched(dataset, bytes, totalBytes);
    }

    /// The job selects its best epoch by a validation part: that epoch's checkpoint is saved, and kept for the test
    /// at the end.
    void validates() {
        validates = true;
        writer.keepBest();
    }

    /// Whether the epoch that has just ended is the best so far of a job that [#validates].
    boolean isBestValidated(Progress at) {
        return validates && at.stepOfEpoch() == 0 && at.epoch() > 0 && at.bestEpoch() == at.epoch() - 1;
    }

    /// Work begins that must not take longer than this.
    void alive(Duration limit) {
        supervisor.alive(limit);
    }

    /// The checkpoint to continue from. Its unacknowledged events are published again, and unfinished files of
    /// earlier attempts are removed.
    ///
    /// @throws BrokeOffException if too many attempts in a row ended abnormally: a job that kills its workers
    ///     must not be tried forever
    Optional<Checkpoint> resume(int maxAttempts) {
        JobChain chain = folder.chain();
        Optional<Checkpoint> newest = folder.checkpoints().resume(chain, number);
        requireProgress(chain, newest.map(Checkpoint::attempt).orElse(0), maxAttempts);
        folder.noteFrom(number, newest);
        rungs.resume(newest.map(checkpoint -> checkpoint.progress().epoch()).orElse(0));
        newest.ifPresent(checkpoint -> {
            savedStep = checkpoint.progress().step();
            checkpoint.pending().forEach(supervisor::republish);
        });
        return newest;
    }

    /// The device choices of the job's earlier sessions.
    DeviceChoices choices() {
        return number == 1 ? DeviceChoices.NONE : folder.choices();
    }

    private void requireProgress(JobChain chain, int savedBy, int maxAttempts) {
        int brokeOff = chain.brokeOffInARow(number, savedBy, maxAttempts);
        if (brokeOff == maxAttempts) {
            throw new TooManyAttemptsException(
                    "%d attempts in a row ended without a checkpoint: the workers that run this job seem to be killed, possibly for lack of memory, or to lose their device; see the workers' logs. To try again, submit it under another id"
                            .formatted(brokeOff));
        }
    }

    /// Notes that the job takes memory from now on, which may kill the process and so the attempt.
    void begin() {
        folder.noteStarted(number);
        begun = true;
    }

    /// The first step begins: from now on the job may be the cause if the attempt dies.
    void start() {
        started = true;
    }

    /// At a step boundary: publishes checkpoints that are safe by now, and asks whether to stop.
    ///
    /// @throws SupersededException if there is a later attempt
    Optional<Halt> halt() {
        fence.lookNowAndThen();
        if (!writer.isBusy()) {
            takeWritten(true);
        }
        return supervisor.halt().filter(halt -> halt != Halt.PREEMPT || isPreemptible());
    }

    /// Notes the preemption before the job stops. If the store cannot be used, the job goes on, because it
    /// could not save a checkpoint.
    private boolean isPreemptible() {
        highPriority = supervisor.preemptor().orElse(null);
        if (highPriority == null) { // no longer
            return false;
        }
        try {
            folder.notePreempted(number, highPriority);
        } catch (CheckpointException e) {
            LOG.log(System.Logger.Level.DEBUG, "job={0} is not preempted: {1}", job.id(), e.getMessage());
            return false;
        }
        LOG.log(
                System.Logger.Level.INFO,
                "job={0} attempt={1} is preempted by the high-priority job {2}",
                job.id(),
                number,
                highPriority);
        return true;
    }

    /// Whether the job pauses at a rung because others of its group are better. Asked after an epoch's test,
    /// and again by an attempt that resumes there. Its result is stored first.
    Optional<Halt> isPaused(Progress at) {
        if (!rungs.mayBeAt(at)) {
            return Optional.empty();
        }
        alive(HangLimit.UNKNOWN);
        return rungs.pausesAt(at) ? Optional.of(Halt.PAUSE) : Optional.empty();
    }

    /// Whether a checkpoint is being written.
    boolean isSaving() {
        return writer.isBusy();
    }

    /// Waits until another checkpoint may be begun.
    ///
    /// @throws SupersededException if there is a later attempt
    void beforeSave() {
        fence.requireLast();
        awaitSaved(true);
    }

    /// Starts to write a checkpoint; its event is published at a step boundary once it is safe.
    void save(Checkpoint checkpoint) {
        supervisor.saves(checkpoint.progress().step());
        required = isBestValidated(checkpoint.progress());
        writer.begin(checkpoint);
    }

    /// Events that a checkpoint must contain.
    List<String> unacknowledged() {
        return supervisor.unacknowledged();
    }

    /// Waits for the checkpoint that is being written.
    ///
    /// @param mayFail whether the one before is sufficient
    void awaitSaved(boolean mayFail) {
        alive(HangLimit.UNKNOWN);
        takeWritten(mayFail);
    }

    /// Waits for the checkpoint that is being written, if it succeeds: the attempt ends in any case.
    private void settle() {
        try {
            awaitSaved(true);
        } catch (StoreException e) {
            LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d".formatted(job.id(), number), e);
        }
    }

    private void takeWritten(boolean mayFail) {
        writer.take(mayFail && savedStep > 0 && !required).ifPresent(written -> {
            Progress at = written.at();
            savedStep = at.step();
            publish(new CheckpointSaved(
                    job.id(),
                    number,
                    written.model().uri().toString(),
                    written.model().sha256(),
                    written.model().bytes(),
                    at.epochOfLastStep(),
                    at.step()));
        });
    }

    /// The job is finished; waits for its last checkpoint.
    Outcome finish(Finished event) {
        awaitSaved(false);
        return append(event, End::new);
    }

    /// Stops at a step boundary, as requested.
    ///
    /// @param step the last finished step
    /// @param worker of this attempt
    Outcome stop(Halt halt, long step, String worker) {
        if (halt == Halt.CANCEL) {
            settle();
            return append(new Cancelled(job.id(), number, step), End::new);
        }
        awaitSaved(true);
        noteStopped();
        if (halt == Halt.PAUSE) {
            return append(new Paused(job.id(), number, savedStep, rungs.rung(), rungs.reason()), Pause::new);
        }
        fence.requireLast();
        String preemptor = halt == Halt.PREEMPT ? highPriority : null;
        String reason = preemptor == null
                ? "worker %s stops".formatted(worker)
                : "preempted on worker %s by the high-priority job %s".formatted(worker, preemptor);
        Released event = new Released(job.id(), number, savedStep, reason, preemptor);
        publish(event);
        return new Outcome.Released(event);
    }

    /// Ends the attempt with the next link of the job's chain. The link comes before the event: a duplicate
    /// event is better than a missing one.
    private Outcome append(TrainingEvent event, Function<String, ChainLink> kind) {
        String json = new String(EventJson.write(event, host.now()), StandardCharsets.UTF_8);
        return follow(folder.append(number, kind.apply(json)));
    }

    /// Ends according to the next link of the chain, whichever process appended it.
    private Outcome follow(ChainLink next) {
        try {
            return switch (next) {
                case Owner _ -> giveWay();
                case Pause(String event) -> Outcome.publish(event, supervisor);
                case End(String event) -> {
                    rungs.ended(Outcome.read(event).event(), number + 1);
                    yield Outcome.publish(event, supervisor);
                }
            };
        } catch (StoreException e) { // an ownership monitor publishes the end once the store can be used
            LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d".formatted(job.id(), number), e);
            return new Outcome.Superseded(number);
        } catch (CheckpointException e) { // the worker's problem: the job has ended
            throw new SupervisorException(String.valueOf(e.getMessage()), e);
        }
    }

    /// Ends with an exception.
    ///
    /// @throws SupervisorException if it is one
    Outcome end(Throwable cause) {
        try {
            return switch (cause) {
                case SupervisorException e -> throw e;
                case SupersededException _ -> superseded();
                default -> FailureClassifier.isWorkers(cause) ? release(cause) : fail(cause);
            };
        } catch (StoreException | SupersededException e) {
            return end(e); // it throws neither of them
        }
    }

    /// Ends for a reason of this worker's.
    Outcome release(Throwable cause) {
        if (fence.isKnownSuperseded()) {
            return superseded();
        }
        System.Logger.Level level = cause instanceof DatasetException && cause.getCause() == null
                ? System.Logger.Level.DEBUG // the worker logs its message, which says all
                : System.Logger.Level.WARNING;
        LOG.log(level, "job=%s attempt=%d cannot go on here".formatted(job.id(), number), cause);
        settle();
        if (cause instanceof StoreException || !started) {
            noteStopped();
        }
        Released event = new Released(job.id(), number, savedStep, FailureClassifier.reason(cause), null);
        supervisor.publish(event);
        return switch (cause) {
            case DeviceLostException _ -> new Outcome.DeviceLost(event);
            case DeviceBusyException _ -> new Outcome.DeviceBusy(event);
            default -> new Outcome.WorkerFault(event, FailureClassifier.isLacking(cause));
        };
    }

    private Outcome fail(Throwable cause) {
        settle();
        Failed event = new Failed(
                job.id(),
                number,
                FailureClassifier.reason(cause),
                FailureClassifier.failure(cause).word());
        Outcome outcome = append(event, End::new);
        if (!FailureClassifier.saysAll(cause)) {
            LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d failed".formatted(job.id(), number), cause);
        }
        return outcome;
    }

    /// Ends because the chain continues after this attempt. The next link may be this attempt's own if the
    /// store's answer to the append was lost.
    private Outcome superseded() {
        Optional<ChainLink> next;
        try {
            next = folder.link(number + 1);
        } catch (CheckpointException e) {
            LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d".formatted(job.id(), number), e);
            next = Optional.empty();
        }
        return next.isPresent() ? follow(next.get()) : giveWay();
    }

    /// Ends because there is a later attempt, without an event.
    private Outcome giveWay() {
        LOG.log(System.Logger.Level.WARNING, "job={0} attempt={1} gives way to a later one", job.id(), number);
        noteStopped();
        return new Outcome.Superseded(number);
    }

    private void noteStopped() {
        if (begun) {
            try {
                folder.noteStopped(number);
            } catch (StoreException e) { // it then counts as an abnormal end
                LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d".formatted(job.id(), number), e);
            }
        }
    }

    /// Waits for a write in progress; after that the attempt saves nothing more.
    @Override
    public void close() {
        writer.close();
    }
}
