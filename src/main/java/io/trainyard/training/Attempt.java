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

/// One attempt at a job, as long as there is no later one. It ends once: by a method here that tells the last
/// event and gives the outcome with that event. Used by one thread.
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
    private @Nullable String urgent; // the job for which it makes room
    private long savedStep; // of the checkpoint to go on from; 0 without one

    /// @param number larger than that of every earlier attempt, and nobody else's
    /// @param folder the job's own, where the number is from
    /// @param supervisor hears what happens
    Attempt(JobSpec job, int number, JobFolder folder, Supervisor supervisor) {
        this(new Claim(job, number, folder), supervisor, AttemptHost.MACHINE);
    }

    record Claim(JobSpec job, int number, JobFolder folder) {}

    /// The same, on another host than this machine.
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

    /// The step of the checkpoint to go on from; 0 without one.
    long savedStep() {
        return savedStep;
    }

    /// Tells what has happened: after a while in which the machine may have stood still only if the attempt still
    /// counts.
    ///
    /// @throws SupersededException if there is a later attempt
    void tell(TrainingEvent event) {
        fence.lookNowAndThen();
        supervisor.tell(event);
    }

    /// Its data set is being brought here; a next piece of it should not take longer than is ever allowed.
    void fetched(String dataset, long bytes, long ofBytes) {
        alive(StepWatch.UNKNOWN);
        supervisor.fetched(dataset, bytes, ofBytes);
    }

    /// Work begins that should not take longer.
    void alive(Duration limit) {
        supervisor.alive(limit);
    }

    /// The checkpoint to go on from. What it keeps of events is told again, what attempts before this one
    /// left unfinished is removed.
    ///
    /// @throws BrokeOffException if too many attempts in a row came to none; a job that kills whoever runs
    ///     it would be tried for ever
    Optional<Checkpoint> resume(int maxAttempts) {
        JobChain chain = folder.chain();
        Optional<Checkpoint> newest = folder.checkpoints().resume(chain, number);
        requireProgress(chain, newest.map(Checkpoint::attempt).orElse(0), maxAttempts);
        folder.noteFrom(number, newest);
        rungs.resume(newest.map(checkpoint -> checkpoint.progress().epoch()).orElse(0));
        newest.ifPresent(checkpoint -> {
            savedStep = checkpoint.progress().step();
            checkpoint.pending().forEach(supervisor::tellAgain);
        });
        return newest;
    }

    /// What sessions of the job have chosen before this attempt.
    DeviceChoices choices() {
        return number == 1 ? DeviceChoices.NONE : folder.choices();
    }

    private void requireProgress(JobChain chain, int savedBy, int maxAttempts) {
        int brokeOff = chain.brokeOffInARow(number, savedBy, maxAttempts);
        if (brokeOff == maxAttempts) {
            throw new BrokeOffException(
                    "%d attempts in a row ended without a checkpoint: whoever runs this job seems to be killed, for want of memory perhaps, or to lose its device; the workers' logs say more. To try again, submit it under another id"
                            .formatted(brokeOff));
        }
    }

    /// Notes that memory is taken for the job from now on: it may be what ends the process, and the attempt
    /// with it.
    void begin() {
        folder.noteStarted(number);
        begun = true;
    }

    /// The first step is taken now: from here on the job may be what ends the attempt.
    void start() {
        started = true;
    }

    /// At a step boundary: tells of checkpoints that have become safe, and asks whether to stop.
    ///
    /// @throws SupersededException if there is a later attempt
    Optional<Halt> halt() {
        fence.lookNowAndThen();
        if (!writer.isBusy()) {
            takeWritten(true);
        }
        return supervisor.halt().filter(halt -> halt != Halt.PREEMPT || makesRoom());
    }

    /// Notes that the job makes room for an urgent one, before it does. Where the store cannot be used the job goes on:
    /// it could not save where it stands.
    private boolean makesRoom() {
        urgent = supervisor.preemptor().orElse(null);
        if (urgent == null) { // by now
            return false;
        }
        try {
            folder.notePreempted(number, urgent);
        } catch (CheckpointException e) {
            LOG.log(System.Logger.Level.DEBUG, "job={0} makes no room: {1}", job.id(), e.getMessage());
            return false;
        }
        LOG.log(
                System.Logger.Level.INFO,
                "job={0} attempt={1} makes room for the urgent job {2}",
                job.id(),
                number,
                urgent);
        return true;
    }

    /// Whether the job rests where it stands because others of its group are better: asked once an epoch is
    /// tested, and again by whoever goes on from there. Its result is kept before.
    Optional<Halt> rests(Progress at) {
        if (!rungs.mayBeAt(at)) {
            return Optional.empty();
        }
        alive(StepWatch.UNKNOWN);
        return rungs.restsAt(at) ? Optional.of(Halt.PAUSE) : Optional.empty();
    }

    /// Whether a checkpoint is on its way to the store.
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

    /// Begins to keep where the job stands; it is told at a step boundary once it is safe.
    void save(Checkpoint checkpoint) {
        supervisor.saves(checkpoint.progress().step());
        writer.begin(checkpoint);
    }

    /// Events that a checkpoint has to keep.
    List<String> unacknowledged() {
        return supervisor.unacknowledged();
    }

    /// Waits for the checkpoint on its way.
    ///
    /// @param mayFail whether the one before will do
    void awaitSaved(boolean mayFail) {
        alive(StepWatch.UNKNOWN);
        takeWritten(mayFail);
    }

    /// Waits for the checkpoint on its way, if it gets there: the attempt ends in any case.
    private void settle() {
        try {
            awaitSaved(true);
        } catch (StoreException e) {
            LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d".formatted(job.id(), number), e);
        }
    }

    private void takeWritten(boolean mayFail) {
        writer.take(mayFail && savedStep > 0).ifPresent(written -> {
            Progress at = written.at();
            savedStep = at.step();
            tell(new CheckpointSaved(
                    job.id(),
                    number,
                    written.model().uri().toString(),
                    written.model().sha256(),
                    written.model().bytes(),
                    at.epochOfLastStep(),
                    at.step()));
        });
    }

    /// The job is done; its last checkpoint is waited for.
    Outcome finish(Finished event) {
        awaitSaved(false);
        return append(event, End::new);
    }

    /// The end that was asked for, at a step boundary.
    ///
    /// @param step steps done
    /// @param worker whose this attempt is
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
        String preemptor = halt == Halt.PREEMPT ? urgent : null;
        String reason = preemptor == null
                ? "worker %s stops".formatted(worker)
                : "worker %s makes room for the urgent job %s".formatted(worker, preemptor);
        Released event = new Released(job.id(), number, savedStep, reason, preemptor);
        tell(event);
        return new Outcome.Released(event);
    }

    /// Ends the attempt by the next link of the job's chain. The link comes before the event: an event that is
    /// published twice is better than one that never is.
    private Outcome append(TrainingEvent event, Function<String, ChainLink> kind) {
        String json = new String(EventJson.write(event, host.now()), StandardCharsets.UTF_8);
        return follow(folder.append(number, kind.apply(json)));
    }

    /// Ends as the next link of the chain says, whoever appended it.
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
        } catch (StoreException e) { // a keeper has the end published once the store can be used
            LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d".formatted(job.id(), number), e);
            return new Outcome.Superseded(number);
        } catch (CheckpointException e) { // the worker's to see to: the job has ended
            throw new SupervisorException(String.valueOf(e.getMessage()), e);
        }
    }

    /// Ends with what was thrown.
    ///
    /// @throws SupervisorException if it is one
    Outcome end(Throwable cause) {
        try {
            return switch (cause) {
                case SupervisorException e -> throw e;
                case SupersededException _ -> superseded();
                default -> Faults.isWorkers(cause) ? giveBack(cause) : fail(cause);
            };
        } catch (StoreException | SupersededException e) {
            return end(e); // which throws neither of them
        }
    }

    /// Ends for a reason that is this worker's.
    Outcome giveBack(Throwable cause) {
        if (fence.isKnownSuperseded()) {
            return superseded();
        }
        LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d cannot go on here".formatted(job.id(), number), cause);
        settle();
        if (cause instanceof StoreException || !started) {
            noteStopped();
        }
        Released event = new Released(job.id(), number, savedStep, Faults.reason(cause), null);
        supervisor.tell(event);
        return switch (cause) {
            case DeviceLostException _ -> new Outcome.DeviceLost(event);
            case DeviceBusyException _ -> new Outcome.Crowded(event);
            default -> new Outcome.WorkerFault(event, Faults.isLacking(cause));
        };
    }

    private Outcome fail(Throwable cause) {
        settle();
        Failed event = new Failed(
                job.id(), number, Faults.reason(cause), Faults.failure(cause).word());
        Outcome outcome = append(event, End::new);
        if (!Faults.saysAll(cause)) {
            LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d failed".formatted(job.id(), number), cause);
        }
        return outcome;
    }

    /// Ends because the chain goes on after this attempt. The next link may be this attempt's own, if the store's
    /// answer was lost when it was appended.
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

    /// Ends because there is a later attempt, and publishes nothing.
    private Outcome giveWay() {
        LOG.log(System.Logger.Level.WARNING, "job={0} attempt={1} gives way to a later one", job.id(), number);
        noteStopped();
        return new Outcome.Superseded(number);
    }

    private void noteStopped() {
        if (begun) {
            try {
                folder.noteStopped(number);
            } catch (StoreException e) { // then it counts as one that broke off
                LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d".formatted(job.id(), number), e);
            }
        }
    }

    /// Waits for what is being written; after that the attempt saves nothing more.
    @Override
    public void close() {
        writer.close();
    }
}
