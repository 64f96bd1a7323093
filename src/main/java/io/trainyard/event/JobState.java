package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.trainyard.event.AttemptState.Claim;
import io.trainyard.event.AttemptState.Progress;
import io.trainyard.event.AttemptState.Start;
import io.trainyard.event.AttemptState.Turn;
import io.trainyard.event.Attempts.Counted;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.EpochTime;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Metric;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The state of a job, computed from its records. The topics are read concurrently. An epoch may arrive before
/// the start of its attempt, the end of a job before its last losses, and a rejection before its command. The
/// result is the same in any order, with repetitions and after compaction.
///
/// An end is final, for all attempts. Events of an older attempt do not override a newer attempt, except tests
/// before the step at which the newer one starts. A rejection is ignored if the job has started, because it
/// belongs to a later command with the same id.
///
/// The dashboard and the command line show this model. Not thread-safe.
@JsonAutoDetect(
        fieldVisibility = JsonAutoDetect.Visibility.NONE,
        getterVisibility = JsonAutoDetect.Visibility.NONE,
        isGetterVisibility = JsonAutoDetect.Visibility.NONE)
@JsonPropertyOrder({
    "job",
    "epochs",
    "test",
    "attempt",
    "state",
    "start",
    "durationMillis",
    "worker",
    "device",
    "spec",
    "initFrom",
    "checkpoint",
    "reason",
    "rung",
    "loss",
    "stepTimes",
    "firstStep",
    "step",
    "steps",
    "elapsedMicros"
})
public final class JobState {
    public enum Status {
        /// Waits for a worker: not begun yet, or requeued.
        @JsonProperty("queued")
        QUEUED,
        @JsonProperty("running")
        RUNNING,

        /// Stopped until it is resumed.
        @JsonProperty("paused")
        PAUSED,
        @JsonProperty("finished")
        FINISHED,
        @JsonProperty("failed")
        FAILED,
        @JsonProperty("cancelled")
        CANCELLED,

        /// Rejected before it started.
        @JsonProperty("rejected")
        REJECTED,

        @JsonProperty("expanded")
        EXPANDED;

        /// The name in JSON and messages.
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        public boolean isFinal() {
            return this == FINISHED || this == FAILED || this == CANCELLED || this == REJECTED || this == EXPANDED;
        }
    }

    /// A tested epoch with fields of [EpochTested]. The metrics per class are kept for the last test only
    /// ([JobState#lastTest]), because a job may have many epochs.
    public record Epoch(
            int epoch,
            int attempt,
            long step,
            double testLoss,
            @Nullable Double testAccuracy,
            double accuracyLow,
            double accuracyHigh,
            double samplesPerSecond,
            @Nullable EpochTime epochTime,
            @Nullable Double testMeanAbsoluteError,
            @Nullable Part part,
            @Nullable Double metricValue)
            implements Metric.Tested {
        static Epoch of(EpochTested tested) {
            return new Epoch(
                    tested.epoch(),
                    tested.attempt(),
                    tested.step(),
                    tested.testLoss(),
                    tested.testAccuracy(),
                    tested.accuracyLow(),
                    tested.accuracyHigh(),
                    tested.samplesPerSecond(),
                    tested.epochTime(),
                    tested.testMeanAbsoluteError(),
                    tested.part(),
                    tested.metricValue());
        }
    }

    /// Step durations of the attempt that finished, with fields of [Finished].
    public record StepTimes(double medianMicros, double p95Micros, double p99Micros) {}

    private static final Progress NO_PROGRESS = new Progress(0, null, 0);

    private final String job;
    private final NewestCommand commands = new NewestCommand();
    private final Attempts attempts = new Attempts();
    private @Nullable JobEnd end;
    private long firstRecordMillis = Long.MAX_VALUE;
    private long lastRecordMillis = Long.MIN_VALUE;
    private long lastEventMillis;

    public JobState(String job) {
        this.job = job;
    }

    /// Applies a record.
    ///
    /// @throws IllegalArgumentException if the record belongs to another job
    public void apply(JobRecord record) {
        if (!record.job().equals(job)) {
            throw new IllegalArgumentException("record of job %s for the state of job %s".formatted(record.job(), job));
        }
        firstRecordMillis = Math.min(firstRecordMillis, record.millis());
        lastRecordMillis = Math.max(lastRecordMillis, record.millis());
        switch (record) {
            case Requested command -> commands.add(command);
            case EventRecord event -> apply(event);
            case Rejected refusal -> commands.add(refusal);
        }
    }

    /// Applies an event that happens now and does not come from a topic.
    public void apply(TrainingEvent event) {
        apply((JobRecord) new EventRecord(event, System.currentTimeMillis()));
    }

    private void apply(EventRecord record) {
        lastEventMillis = Math.max(lastEventMillis, record.millis());
        JobEnd newEnd = JobEnd.of(record);
        if (newEnd == null) {
            attempts.take(record);
        } else {
            end = end == null ? newEnd : JobEnd.ORDER.compare(end, newEnd) <= 0 ? end : newEnd;
            attempts.endWith(end.event().attempt());
        }
    }

    /// Whether the worker that published an event may publish it; see [Attempts].
    public boolean accepts(EventRecord record) {
        return attempts.isAccepted(record);
    }

    /// The attempts that count, in order, each with its first step that does not count because a newer attempt
    /// starts there.
    public SortedMap<Integer, Long> attemptsToSteps() {
        SortedMap<Integer, Long> ends = new TreeMap<>();
        attempts.counted().forEach(attempt -> ends.put(attempt.number(), attempt.endStep()));
        return ends;
    }

    public List<DeviceUse> deviceUses() {
        return attempts.uses(end);
    }

    public int preemptions() {
        return attempts.preemptions();
    }

    @JsonProperty("job")
    public String job() {
        return job;
    }

    /// 0 until the job is claimed.
    @JsonProperty("attempt")
    public int attempt() {
        return attempts.newest();
    }

    @JsonProperty("state")
    public Status status() {
        if (end != null) {
            return end.status();
        }
        Turn turn = attempts.newest(AttemptState::turn);
        boolean refused = commands.rejection() != null && startedSpec() == null;
        return refused ? Status.REJECTED : turn == null ? Status.QUEUED : turn.status();
    }

    /// When the first attempt was claimed, ISO 8601 in UTC; null before.
    @JsonProperty("start")
    public @Nullable String start() {
        long millis = startMillis();
        return millis == 0 ? null : JsonTime.text(Instant.ofEpochMilli(millis));
    }

    /// When the first attempt was claimed, Unix time in ms; 0 before.
    public long startMillis() {
        return attempts.firstClaimMillis();
    }

    /// When the newest attempt was claimed, Unix time in ms; 0 before.
    public long claimMillis() {
        Claim claim = attempts.newest(AttemptState::claim);
        return claim == null ? 0 : claim.millis();
    }

    /// When the newest attempt started training or evaluating, Unix time in ms; 0 before.
    public long attemptStartMillis() {
        List<Counted> counted = attempts.counted();
        Start start = counted.isEmpty() ? null : counted.getLast().state().start();
        return start == null ? 0 : start.millis();
    }

    /// When the job ended, Unix time in ms; 0 before.
    public long endMillis() {
        return end == null ? 0 : end.millis();
    }

    /// From the start of the first attempt to the end or the newest event; 0 before the start.
    @JsonProperty("durationMillis")
    public long durationMillis() {
        return Math.max(0, (end == null ? lastEventMillis : end.millis()) - attempts.firstStartMillis());
    }

    @JsonProperty("worker")
    public @Nullable String worker() {
        Claim claim = attempts.newest(AttemptState::claim);
        return claim == null ? null : claim.worker();
    }

    @JsonProperty("device")
    public @Nullable String device() {
        return attempts.newest(attempt -> attempt.start() != null
                ? attempt.start().device()
                : attempt.claim() != null ? attempt.claim().device() : null);
    }

    /// The job as it runs, or else as requested; null if both are unknown.
    @JsonProperty("spec")
    public @Nullable JobSpec spec() {
        JobSpec started = startedSpec();
        return started == null ? commands.spec() : started;
    }

    /// The position of the newest command: topic, partition and offset; null if no command is known.
    public @Nullable String commandPlace() {
        return commands.place();
    }

    /// When the newest command was published, Unix time in ms; 0 if no command is known.
    public long commandMillis() {
        return commands.millis();
    }

    /// The job as it runs; null until it has started.
    public @Nullable JobSpec startedSpec() {
        Start start = attempts.newest(AttemptState::start);
        return start == null ? null : start.spec();
    }

    /// The checkpoint from which it started or which it evaluates. Null before the start and if it drew initial
    /// weights.
    @JsonProperty("initFrom")
    public @Nullable CheckpointName initFrom() {
        Start start = attempts.newest(AttemptState::start);
        return start == null ? null : start.initFrom();
    }

    /// Properties of the dataset; null before the start or if unknown.
    public TrainingEvent.@Nullable Dataset dataset() {
        Start start = attempts.newest(AttemptState::start);
        return start == null ? null : start.dataset();
    }

    /// The number of classes or of predicted values; 0 before the start.
    public int classes() {
        Start start = attempts.newest(AttemptState::start);
        return start == null ? 0 : start.classes();
    }

    @JsonProperty("step")
    public long step() {
        return switch (end == null ? null : end.event()) {
            case Finished finished -> finished.steps();
            case Cancelled cancelled -> cancelled.step();
            case null, default -> Math.max(Math.max(progress().step(), firstStep() - 1), releasedStep());
        };
    }

    /// The losses up to a pause may have been deleted from their topic.
    private long releasedStep() {
        Turn turn = attempts.newest(AttemptState::turn);
        return turn == null ? 0 : turn.step();
    }

    @JsonProperty("firstStep")
    public long firstStep() {
        List<Counted> counted = attempts.counted();
        Start start = counted.isEmpty() ? null : counted.getLast().state().start();
        return start == null ? 1 : start.firstStep();
    }

    /// The steps of the whole job; 0 before the start and for an evaluation.
    @JsonProperty("steps")
    public long steps() {
        return end != null && end.event() instanceof Finished finished ? finished.steps() : plannedSteps();
    }

    /// The planned number of steps, even if the job finished before its last epoch.
    public long plannedSteps() {
        Start start = attempts.newest(AttemptState::start);
        return start == null ? 0 : start.steps();
    }

    /// The newest loss of the newest attempt; null before the first.
    @JsonProperty("loss")
    public @Nullable Float loss() {
        return progress().loss();
    }

    /// Time from the start of the newest attempt to its newest step.
    @JsonProperty("elapsedMicros")
    public long elapsedMicros() {
        return progress().elapsedMicros();
    }

    private Progress progress() {
        List<Counted> counted = attempts.counted();
        return counted.isEmpty() ? NO_PROGRESS : counted.getLast().state().progress();
    }

    /// The tested epochs in order. The test of the newest attempt counts.
    @JsonProperty("epochs")
    public List<Epoch> epochs() {
        return attempts.epochs();
    }

    /// The test of the last epoch with its metrics per class, or that of the test part, if it is tested once. Null
    /// before the first test and if a newer attempt continues before it.
    public @Nullable EpochTested lastTest() {
        if (finalTest() != null) {
            return finalTest();
        }
        EpochTested last = attempts.newest(AttemptState::lastTest);
        Epoch shown = newestEpoch();
        return last != null && shown != null && last.epoch() == shown.epoch() && last.attempt() == shown.attempt()
                ? last
                : null;
    }

    /// The only test of the test part of a dataset with a validation part; null before it and without that part.
    @JsonProperty("test")
    public @Nullable Epoch test() {
        EpochTested test = finalTest();
        return test == null ? null : Epoch.of(test);
    }

    private @Nullable EpochTested finalTest() {
        return end != null && end.event() instanceof Finished finished ? finished.test() : null;
    }

    private @Nullable Epoch newestEpoch() {
        List<Epoch> epochs = epochs();
        return epochs.isEmpty() ? null : epochs.getLast();
    }

    /// The accuracy of the last tested epoch, 0..1; null before the first test and for regression.
    public @Nullable Double testAccuracy() {
        Epoch tested = newestEpoch();
        return tested == null ? null : tested.testAccuracy();
    }

    /// The loss of the last tested epoch; null before the first test.
    public @Nullable Double testLoss() {
        Epoch tested = newestEpoch();
        return tested == null ? null : tested.testLoss();
    }

    @JsonProperty("stepTimes")
    public @Nullable StepTimes stepTimes() {
        return end != null && end.event() instanceof Finished finished
                ? new StepTimes(finished.medianStepMicros(), finished.p95StepMicros(), finished.p99StepMicros())
                : null;
    }

    /// Training samples per second of the last tested epoch. Before the first test, an estimate from the steps
    /// so far; 0 before the first step.
    public double samplesPerSecond() {
        Epoch tested = newestEpoch();
        if (tested != null) {
            return tested.samplesPerSecond();
        }
        JobSpec known = startedSpec();
        return known == null || elapsedMicros() == 0
                ? 0
                : (step() - firstStep() + 1) * known.batchSize() * 1e6 / elapsedMicros();
    }

    /// Remaining time, estimated from the attempt's speed so far; 0 if unknown or if nothing remains.
    public long remainingMicros() {
        long done = step() - firstStep() + 1;
        return done <= 0 || status().isFinal() ? 0 : elapsedMicros() / done * Math.max(0, steps() - step());
    }

    /// The URI of the last checkpoint. It may come from an older attempt if the newer ones have none and
    /// continue after it.
    @JsonProperty("checkpoint")
    public @Nullable String checkpoint() {
        return attempts.checkpoint();
    }

    /// The number of epochs after which it is paused because others of its group are better. Null if it is not
    /// paused or was paused by a user.
    @JsonProperty("rung")
    public @Nullable Integer rung() {
        Turn turn = attempts.newest(AttemptState::turn);
        return end != null || turn == null ? null : turn.rung();
    }

    /// Why it failed, was requeued, was rejected, is paused at a rung, or finished before its last epoch.
    @JsonProperty("reason")
    public @Nullable String reason() {
        if (end != null) {
            return end.reason();
        }
        Turn turn = attempts.newest(AttemptState::turn);
        return status() == Status.REJECTED ? commands.rejection() : turn == null ? null : turn.reason();
    }

    /// Why the newest command with this id was rejected; null if it was not. The job may have run before.
    public @Nullable String rejection() {
        return commands.rejection();
    }

    /// The time of the first record, Unix time in ms; [Long#MAX_VALUE] before.
    public long firstRecordMillis() {
        return firstRecordMillis;
    }

    /// The time of the newest record, Unix time in ms; [Long#MIN_VALUE] before.
    public long lastRecordMillis() {
        return lastRecordMillis;
    }
}
