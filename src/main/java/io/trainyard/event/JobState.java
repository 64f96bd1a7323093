package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.trainyard.event.AttemptNews.Claim;
import io.trainyard.event.AttemptNews.Progress;
import io.trainyard.event.AttemptNews.Start;
import io.trainyard.event.AttemptNews.Turn;
import io.trainyard.event.Attempts.Counted;
import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobNews.Rejected;
import io.trainyard.event.JobNews.Requested;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.EpochTime;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobSpec;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Where a job stands: the fold of its news. The topics are read side by side, so an epoch may be seen before the
/// start of its attempt, a job's end before its last losses, or its rejection before its command; the fold comes
/// out the same, in any order, with repetitions, and after compaction.
///
/// An end is the end, whichever attempt tells it. Events of an older attempt change nothing that a newer one said,
/// but for the tests before the step that the newer one goes on from. A rejection changes nothing for a job that
/// has started: it is about a later command with the same id.
///
/// This is the one model that people are shown, on the page as on the command line. Not thread-safe.
@JsonAutoDetect(
        fieldVisibility = JsonAutoDetect.Visibility.NONE,
        getterVisibility = JsonAutoDetect.Visibility.NONE,
        isGetterVisibility = JsonAutoDetect.Visibility.NONE)
@JsonPropertyOrder({
    "job",
    "epochs",
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
        /// Waits for a worker: not begun yet, or given back.
        @JsonProperty("queued")
        QUEUED,
        @JsonProperty("running")
        RUNNING,

        /// Rests until somebody resumes it.
        @JsonProperty("paused")
        PAUSED,
        @JsonProperty("finished")
        FINISHED,
        @JsonProperty("failed")
        FAILED,
        @JsonProperty("cancelled")
        CANCELLED,

        /// Refused before it ever started.
        @JsonProperty("rejected")
        REJECTED,

        /// It was a sweep, and its trials are jobs now.
        @JsonProperty("expanded")
        EXPANDED;

        /// As people and programs are told it.
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// True when nothing more will happen.
        public boolean isFinal() {
            return this == FINISHED || this == FAILED || this == CANCELLED || this == REJECTED || this == EXPANDED;
        }
    }

    /// One tested epoch; the fields are those of [EpochTested]. Its numbers by class are kept of the last test
    /// only ([JobState#lastTest]): a job may have many epochs.
    public record Epoch(
            int epoch,
            int attempt,
            long step,
            double testLoss,
            @Nullable Double testAccuracy,
            double accuracyLow,
            double accuracyHigh,
            double imagesPerSecond,
            @Nullable EpochTime epochTime,
            @Nullable Double testMeanAbsoluteError) {
        static Epoch of(EpochTested tested) {
            return new Epoch(
                    tested.epoch(),
                    tested.attempt(),
                    tested.step(),
                    tested.testLoss(),
                    tested.testAccuracy(),
                    tested.accuracyLow(),
                    tested.accuracyHigh(),
                    tested.imagesPerSecond(),
                    tested.epochTime(),
                    tested.testMeanAbsoluteError());
        }
    }

    /// How long the steps of the attempt that finished took; the fields are those of [Finished].
    public record StepTimes(double medianMicros, double p95Micros, double p99Micros) {}

    private static final Progress NO_PROGRESS = new Progress(0, null, 0);

    private final String job;
    private final Commands commands = new Commands();
    private final Attempts attempts = new Attempts();
    private @Nullable JobEnd end;
    private long firstHeardMillis = Long.MAX_VALUE;
    private long lastHeardMillis = Long.MIN_VALUE;
    private long lastEventMillis;

    /// A job of which nothing is known but its id.
    public JobState(String job) {
        this.job = job;
    }

    /// Takes in one piece of news.
    ///
    /// @throws IllegalArgumentException if it is another job's
    public void apply(JobNews news) {
        if (!news.job().equals(job)) {
            throw new IllegalArgumentException("news of job %s for the state of job %s".formatted(news.job(), job));
        }
        firstHeardMillis = Math.min(firstHeardMillis, news.millis());
        lastHeardMillis = Math.max(lastHeardMillis, news.millis());
        switch (news) {
            case Requested command -> commands.add(command);
            case Happened event -> apply(event);
            case Rejected refusal -> commands.add(refusal);
        }
    }

    /// Takes in one event that is at hand and happens now.
    public void apply(TrainingEvent event) {
        apply((JobNews) new Happened(event, System.currentTimeMillis()));
    }

    private void apply(Happened news) {
        lastEventMillis = Math.max(lastEventMillis, news.millis());
        JobEnd told = JobEnd.of(news);
        if (told == null) {
            attempts.take(news);
        } else {
            end = end == null ? told : JobEnd.ORDER.compare(end, told) <= 0 ? end : told;
            attempts.endWith(end.event().attempt());
        }
    }

    /// Whether an event of it is told by a worker that may; see [Attempts].
    public boolean believes(Happened news) {
        return attempts.isBelieved(news);
    }

    /// The attempts whose steps count, in order, each with the step from which on they do not: there a newer
    /// attempt goes on.
    public SortedMap<Integer, Long> attemptsToSteps() {
        SortedMap<Integer, Long> ends = new TreeMap<>();
        attempts.counted().forEach(attempt -> ends.put(attempt.number(), attempt.endStep()));
        return ends;
    }

    /// The time that workers had devices for it, by attempt.
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
        Turn turn = attempts.newest(AttemptNews::turn);
        boolean refused = commands.rejection() != null && startedSpec() == null;
        return refused ? Status.REJECTED : turn == null ? Status.QUEUED : turn.status();
    }

    /// When its first attempt was claimed, as ISO 8601 in UTC; null before.
    @JsonProperty("start")
    public @Nullable String start() {
        long millis = startMillis();
        return millis == 0 ? null : JsonTime.text(Instant.ofEpochMilli(millis));
    }

    /// When its first attempt was claimed, since 1970; 0 before.
    public long startMillis() {
        return attempts.firstClaimMillis();
    }

    /// When its newest attempt was claimed, since 1970; 0 before.
    public long claimMillis() {
        Claim claim = attempts.newest(AttemptNews::claim);
        return claim == null ? 0 : claim.millis();
    }

    /// When its newest attempt began to train or to test, since 1970; 0 before.
    public long attemptStartMillis() {
        List<Counted> counted = attempts.counted();
        Start start = counted.isEmpty() ? null : counted.getLast().news().start();
        return start == null ? 0 : start.millis();
    }

    /// When it ended, since 1970; 0 before.
    public long endMillis() {
        return end == null ? 0 : end.millis();
    }

    /// From the start of its first attempt to its end, or to the newest event; 0 until it has started.
    @JsonProperty("durationMillis")
    public long durationMillis() {
        return Math.max(0, (end == null ? lastEventMillis : end.millis()) - attempts.firstStartMillis());
    }

    @JsonProperty("worker")
    public @Nullable String worker() {
        Claim claim = attempts.newest(AttemptNews::claim);
        return claim == null ? null : claim.worker();
    }

    @JsonProperty("device")
    public @Nullable String device() {
        return attempts.newest(news -> news.start() != null
                ? news.start().device()
                : news.claim() != null ? news.claim().device() : null);
    }

    /// The job as it runs, or else as it was asked for; null where neither is known.
    @JsonProperty("spec")
    public @Nullable JobSpec spec() {
        JobSpec started = startedSpec();
        return started == null ? commands.spec() : started;
    }

    /// Where its newest command is: its topic, partition and offset; null where none is known.
    public @Nullable String commandPlace() {
        return commands.place();
    }

    /// When its newest command was sent, since 1970; 0 where none is known.
    public long commandMillis() {
        return commands.millis();
    }

    /// The job as it runs; null until it has started.
    public @Nullable JobSpec startedSpec() {
        Start start = attempts.newest(AttemptNews::start);
        return start == null ? null : start.spec();
    }

    /// The checkpoint it started from or evaluates; null until it has started, and where it drew its weights.
    @JsonProperty("initFrom")
    public @Nullable CheckpointName initFrom() {
        Start start = attempts.newest(AttemptNews::start);
        return start == null ? null : start.initFrom();
    }

    /// What its data set is like; null until it has started, and where that was not told.
    public TrainingEvent.@Nullable Dataset dataset() {
        Start start = attempts.newest(AttemptNews::start);
        return start == null ? null : start.dataset();
    }

    /// The classes of its data set, or the numbers to predict; 0 until it has started.
    public int classes() {
        Start start = attempts.newest(AttemptNews::start);
        return start == null ? 0 : start.classes();
    }

    /// Steps done so far.
    @JsonProperty("step")
    public long step() {
        return switch (end == null ? null : end.event()) {
            case Finished finished -> finished.steps();
            case Cancelled cancelled -> cancelled.step();
            case null, default -> Math.max(Math.max(progress().step(), firstStep() - 1), stepOfRest());
        };
    }

    /// Its losses may be gone from their topic.
    private long stepOfRest() {
        Turn turn = attempts.newest(AttemptNews::turn);
        return turn == null ? 0 : turn.step();
    }

    /// The step that its newest attempt began with.
    @JsonProperty("firstStep")
    public long firstStep() {
        List<Counted> counted = attempts.counted();
        Start start = counted.isEmpty() ? null : counted.getLast().news().start();
        return start == null ? 1 : start.firstStep();
    }

    /// Steps of the whole job; 0 until it has started, and where it only evaluates.
    @JsonProperty("steps")
    public long steps() {
        return end != null && end.event() instanceof Finished finished ? finished.steps() : plannedSteps();
    }

    /// The same; of a job that ended before its last epoch, as many as it was to have.
    public long plannedSteps() {
        Start start = attempts.newest(AttemptNews::start);
        return start == null ? 0 : start.steps();
    }

    /// The loss of its newest attempt's newest step; null before the first.
    @JsonProperty("loss")
    public @Nullable Float loss() {
        return progress().loss();
    }

    /// Since the newest attempt started, at its newest step.
    @JsonProperty("elapsedMicros")
    public long elapsedMicros() {
        return progress().elapsedMicros();
    }

    private Progress progress() {
        List<Counted> counted = attempts.counted();
        return counted.isEmpty() ? NO_PROGRESS : counted.getLast().news().progress();
    }

    /// The tested epochs, in order: of each the test of the newest attempt.
    @JsonProperty("epochs")
    public List<Epoch> epochs() {
        return attempts.epochs();
    }

    /// The test of the last epoch, with its numbers by class; null before the first, and where a newer attempt goes
    /// on before it.
    public @Nullable EpochTested lastTest() {
        EpochTested last = attempts.newest(AttemptNews::lastTest);
        Epoch shown = newestEpoch();
        return last != null && shown != null && last.epoch() == shown.epoch() && last.attempt() == shown.attempt()
                ? last
                : null;
    }

    private @Nullable Epoch newestEpoch() {
        List<Epoch> epochs = epochs();
        return epochs.isEmpty() ? null : epochs.getLast();
    }

    /// The last tested epoch's, 0..1; null before the first test, and where numbers are predicted.
    public @Nullable Double testAccuracy() {
        Epoch tested = newestEpoch();
        return tested == null ? null : tested.testAccuracy();
    }

    /// The last tested epoch's; null before the first test.
    public @Nullable Double testLoss() {
        Epoch tested = newestEpoch();
        return tested == null ? null : tested.testLoss();
    }

    /// Null until the job has finished.
    @JsonProperty("stepTimes")
    public @Nullable StepTimes stepTimes() {
        return end != null && end.event() instanceof Finished finished
                ? new StepTimes(finished.medianStepMicros(), finished.p95StepMicros(), finished.p99StepMicros())
                : null;
    }

    /// Training samples a second: the last tested epoch's, before that an estimate from the steps so far, 0
    /// before the first.
    public double imagesPerSecond() {
        Epoch tested = newestEpoch();
        if (tested != null) {
            return tested.imagesPerSecond();
        }
        JobSpec known = startedSpec();
        return known == null || elapsedMicros() == 0
                ? 0
                : (step() - firstStep() + 1) * known.batchSize() * 1e6 / elapsedMicros();
    }

    /// Time to the end at the attempt's pace so far; 0 where nothing is known yet or nothing is left.
    public long remainingMicros() {
        long done = step() - firstStep() + 1;
        return done <= 0 || status().isFinal() ? 0 : elapsedMicros() / done * Math.max(0, steps() - step());
    }

    /// The last checkpoint's URI; of an older attempt where the newer ones have none and go on after it.
    @JsonProperty("checkpoint")
    public @Nullable String checkpoint() {
        return attempts.checkpoint();
    }

    /// After how many epochs it rests because others of its group are better; null where it does not rest, or does as
    /// somebody asked.
    @JsonProperty("rung")
    public @Nullable Integer rung() {
        Turn turn = attempts.newest(AttemptNews::turn);
        return end != null || turn == null ? null : turn.rung();
    }

    /// Why it failed, was given back, was rejected, rests at a rung, or finished before its last epoch.
    @JsonProperty("reason")
    public @Nullable String reason() {
        if (end != null) {
            return end.reason();
        }
        Turn turn = attempts.newest(AttemptNews::turn);
        return status() == Status.REJECTED ? commands.rejection() : turn == null ? null : turn.reason();
    }

    /// Why the newest command under this id was refused; null if it was not. The job may have run before.
    public @Nullable String rejection() {
        return commands.rejection();
    }

    /// When its first news was sent, since 1970; [Long#MAX_VALUE] before.
    public long firstHeardMillis() {
        return firstHeardMillis;
    }

    /// When its newest news was sent, since 1970; [Long#MIN_VALUE] before.
    public long lastHeardMillis() {
        return lastHeardMillis;
    }
}
