package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobNews.Rejected;
import io.trainyard.event.JobNews.Requested;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Where a job stands: the fold of its news. The topics are read side by side, so an epoch may be seen before the start
/// of its attempt, a job's end before its last losses, or its rejection before its command; the fold comes out the
/// same.
///
/// Events of an older attempt change nothing, but for the tests before the step that the newer one goes on from. A
/// rejection changes nothing for a job that has started: it is about a later command with the same id.
///
/// This is the one model that people are shown, on the page as on the command line. Not thread-safe. As JSON: all
/// fields, but for when the news came.
@JsonAutoDetect(
        fieldVisibility = JsonAutoDetect.Visibility.ANY,
        getterVisibility = JsonAutoDetect.Visibility.NONE,
        isGetterVisibility = JsonAutoDetect.Visibility.NONE)
@JsonPropertyOrder({"job", "epochs", "attempt", "status", "worker", "device", "spec", "initFrom", "checkpoint", "reason"
})
public final class JobState {
    public enum Status {
        WAITING,
        CLAIMED,
        RUNNING,
        FINISHED,
        FAILED,

        /// Refused before it ever started.
        REJECTED;

        /// True when nothing more will happen.
        public boolean isFinal() {
            return this == FINISHED || this == FAILED || this == REJECTED;
        }
    }

    /// One tested epoch; the fields are those of [EpochTested]. Its numbers by class are kept of the last test
    /// only ([JobState#lastTest]): a job may have many epochs.
    public record Epoch(
            int epoch,
            int attempt,
            long step,
            double testLoss,
            double testAccuracy,
            double accuracyLow,
            double accuracyHigh,
            double imagesPerSecond) {
        static Epoch of(EpochTested tested) {
            return new Epoch(
                    tested.epoch(),
                    tested.attempt(),
                    tested.step(),
                    tested.testLoss(),
                    tested.testAccuracy(),
                    tested.accuracyLow(),
                    tested.accuracyHigh(),
                    tested.imagesPerSecond());
        }
    }

    /// How long the steps of the attempt that finished took; the fields are those of [Finished].
    public record StepTimes(double medianMicros, double p95Micros, double p99Micros) {}

    private final String job;
    private final TestedEpochs epochs = new TestedEpochs();

    @JsonIgnore
    private final Commands commands = new Commands();

    @JsonIgnore
    private long firstHeardMillis = Long.MAX_VALUE;

    @JsonIgnore
    private long lastHeardMillis = Long.MIN_VALUE;

    private int attempt;

    @JsonIgnore
    private boolean attemptOver;

    private Status status = Status.WAITING;
    private @Nullable String worker;
    private @Nullable String device;
    private @Nullable JobSpec spec;
    private @Nullable CheckpointName initFrom;
    private @Nullable String checkpoint;
    private @Nullable String reason;
    private @Nullable Float loss;
    private @Nullable StepTimes stepTimes;

    private long firstStep = 1;
    private long step;
    private long steps;
    private long elapsedMicros;

    /// A job of which nothing is known but its id.
    public JobState(String job) {
        this.job = job;
    }

    /// Takes in one piece of news.
    ///
    /// @throws IllegalArgumentException if it is another job's
    public void apply(JobNews news) {
        requireMine(news.job());
        firstHeardMillis = Math.min(firstHeardMillis, news.millis());
        lastHeardMillis = Math.max(lastHeardMillis, news.millis());
        switch (news) {
            case Requested command -> commands.add(command);
            case Happened(TrainingEvent event, long _) -> apply(event);
            case Rejected refusal -> commands.add(refusal);
        }
    }

    private void requireMine(String other) {
        if (!other.equals(job)) {
            throw new IllegalArgumentException("news of job %s for the state of job %s".formatted(other, job));
        }
    }

    /// Takes in one event that is at hand, with no topic between.
    ///
    /// @throws IllegalArgumentException if it is another job's
    public void apply(TrainingEvent event) {
        requireMine(event.job());
        if (event.attempt() < attempt) {
            if (event instanceof EpochTested tested) {
                epochs.add(tested);
            }
            return;
        }
        if (event.attempt() > attempt) {
            beginAttempt(event.attempt());
        }
        switch (event) {
            case Claimed claimed -> {
                become(status == Status.RUNNING ? Status.RUNNING : Status.CLAIMED);
                worker = claimed.worker();
                device = claimed.device();
            }
            case Started started -> start(started);
            case StepLosses losses -> progress(losses);
            case EpochTested tested -> epochs.add(tested);
            case CheckpointSaved saved -> checkpoint = saved.uri();
            case Finished finished -> {
                end(Status.FINISHED, finished.stoppedEarly());
                step = finished.steps();
                steps = finished.steps();
                stepTimes =
                        new StepTimes(finished.medianStepMicros(), finished.p95StepMicros(), finished.p99StepMicros());
            }
            case Failed failed -> end(Status.FAILED, failed.reason());
            case Released released -> end(Status.WAITING, released.reason());
        }
    }

    private void beginAttempt(int next) {
        attempt = next;
        attemptOver = false;
        status = Status.WAITING;
        reason = null;
        stepTimes = null;
        step = 0;
        elapsedMicros = 0;
    }

    private void become(Status next) {
        if (!attemptOver) {
            status = next;
        }
    }

    private void end(Status next, @Nullable String why) {
        status = next;
        reason = why;
        attemptOver = true;
    }

    private void start(Started started) {
        become(Status.RUNNING);
        spec = started.spec();
        initFrom = started.initFrom();
        device = started.device();
        firstStep = started.firstStep();
        step = Math.max(step, firstStep - 1);
        steps = (long) started.stepsPerEpoch() * started.spec().epochs();
        epochs.begin(started);
    }

    private void progress(StepLosses losses) {
        become(Status.RUNNING);
        if (losses.losses().length > 0 && losses.lastStep() >= step) {
            step = losses.lastStep();
            loss = losses.losses()[losses.losses().length - 1];
            elapsedMicros = losses.elapsedMicros();
        }
    }

    public String job() {
        return job;
    }

    /// 0 until the job is claimed.
    public int attempt() {
        return attempt;
    }

    @JsonProperty("status")
    public Status status() {
        boolean refused = commands.rejection() != null && spec == null && !status.isFinal();
        return refused ? Status.REJECTED : status;
    }

    public @Nullable String worker() {
        return worker;
    }

    public @Nullable String device() {
        return device;
    }

    /// The job as it runs, or else as it was asked for; null where neither is known.
    @JsonProperty("spec")
    public @Nullable JobSpec spec() {
        return spec == null ? commands.spec() : spec;
    }

    /// The job as it runs; null until it has started.
    public @Nullable JobSpec startedSpec() {
        return spec;
    }

    /// The checkpoint it started from or evaluates; null until it has started, and where it drew its weights.
    public @Nullable CheckpointName initFrom() {
        return initFrom;
    }

    /// Steps done so far.
    public long step() {
        return step;
    }

    /// Steps of the whole job; 0 until it has started, and where it only evaluates.
    public long steps() {
        return steps;
    }

    /// The newest step's loss; null before the first.
    public @Nullable Float loss() {
        return loss;
    }

    /// Since the attempt started, at the newest step.
    public long elapsedMicros() {
        return elapsedMicros;
    }

    /// The tested epochs, in order.
    public List<Epoch> epochs() {
        return epochs.all();
    }

    /// The test of the last epoch, with its numbers by class; null before the first.
    public @Nullable EpochTested lastTest() {
        return epochs.lastTest();
    }

    /// The last tested epoch's, 0..1; null before the first test.
    public @Nullable Double testAccuracy() {
        Epoch tested = epochs.newest();
        return tested == null ? null : tested.testAccuracy();
    }

    /// Null until the job has finished.
    public @Nullable StepTimes stepTimes() {
        return stepTimes;
    }

    /// Training samples a second: the last tested epoch's, before that an estimate from the steps so far, 0
    /// before the first.
    public double imagesPerSecond() {
        Epoch tested = epochs.newest();
        if (tested != null) {
            return tested.imagesPerSecond();
        }
        JobSpec known = spec;
        return known == null || elapsedMicros == 0
                ? 0
                : (step - firstStep + 1) * known.batchSize() * 1e6 / elapsedMicros;
    }

    /// Time to the end at the attempt's pace so far; 0 where nothing is known yet or nothing is left.
    public long remainingMicros() {
        long done = step - firstStep + 1;
        return done <= 0 || status.isFinal() ? 0 : elapsedMicros / done * Math.max(0, steps - step);
    }

    /// The last checkpoint's URI.
    public @Nullable String checkpoint() {
        return checkpoint;
    }

    /// Why it failed, was given back, was rejected, or finished before its last epoch.
    @JsonProperty("reason")
    public @Nullable String reason() {
        return status() == Status.REJECTED ? commands.rejection() : reason;
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
