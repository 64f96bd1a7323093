package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonIgnore;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Where a job stands: the fold of its events. Its topics are read side by side, so an epoch may be seen before
/// the start of its attempt, or a job's end before its last losses; the fold comes out the same.
///
/// Events of an older attempt change nothing. A newer attempt keeps the epochs before the step it goes on from.
/// Not thread-safe. As JSON: all fields.
@JsonAutoDetect(
        fieldVisibility = JsonAutoDetect.Visibility.ANY,
        getterVisibility = JsonAutoDetect.Visibility.NONE,
        isGetterVisibility = JsonAutoDetect.Visibility.NONE)
public final class JobState {
    public enum Status {
        WAITING,
        CLAIMED,
        RUNNING,
        FINISHED,
        FAILED;

        /// True when nothing more will happen.
        public boolean isFinal() {
            return this == FINISHED || this == FAILED;
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
            double imagesPerSecond) {}

    /// How long the steps of the attempt that finished took; the fields are those of [Finished].
    public record StepTimes(double medianMicros, double p95Micros, double p99Micros) {}

    private final String job;
    private final List<Epoch> epochs = new ArrayList<>();
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

    @JsonIgnore
    private @Nullable EpochTested lastTest;

    private long firstStep = 1;
    private long step;
    private long steps;
    private long elapsedMicros;

    /// A job of which nothing is known but its id.
    public JobState(String job) {
        this.job = job;
    }

    /// Takes in one event.
    ///
    /// @throws IllegalArgumentException if it is another job's
    public void apply(TrainingEvent event) {
        if (!event.job().equals(job)) {
            throw new IllegalArgumentException(
                    "an event of job %s for the state of job %s".formatted(event.job(), job));
        }
        if (event.attempt() < attempt) {
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
            case EpochTested tested -> add(tested);
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
        epochs.removeIf(epoch -> epoch.attempt() < started.attempt() && epoch.step() >= started.firstStep());
    }

    private void progress(StepLosses losses) {
        become(Status.RUNNING);
        if (losses.losses().length > 0 && losses.lastStep() >= step) {
            step = losses.lastStep();
            loss = losses.losses()[losses.losses().length - 1];
            elapsedMicros = losses.elapsedMicros();
        }
    }

    private void add(EpochTested tested) {
        epochs.removeIf(epoch -> epoch.epoch() == tested.epoch());
        epochs.add(new Epoch(
                tested.epoch(),
                tested.attempt(),
                tested.step(),
                tested.testLoss(),
                tested.testAccuracy(),
                tested.accuracyLow(),
                tested.accuracyHigh(),
                tested.imagesPerSecond()));
        epochs.sort(Comparator.comparingInt(Epoch::epoch));
        if (epochs.getLast().epoch() == tested.epoch()) {
            lastTest = tested;
        }
    }

    public String job() {
        return job;
    }

    /// 0 until the job is claimed.
    public int attempt() {
        return attempt;
    }

    public Status status() {
        return status;
    }

    public @Nullable String worker() {
        return worker;
    }

    public @Nullable String device() {
        return device;
    }

    /// Null until the job has started.
    public @Nullable JobSpec spec() {
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
        return List.copyOf(epochs);
    }

    /// The test of the last epoch, with its numbers by class; null before the first.
    public @Nullable EpochTested lastTest() {
        return lastTest;
    }

    /// The last tested epoch's, 0..1; null before the first test.
    public @Nullable Double testAccuracy() {
        return epochs.isEmpty() ? null : epochs.getLast().testAccuracy();
    }

    /// Null until the job has finished.
    public @Nullable StepTimes stepTimes() {
        return stepTimes;
    }

    /// Training samples a second: the last tested epoch's, before that an estimate from the steps so far, 0
    /// before the first.
    public double imagesPerSecond() {
        if (!epochs.isEmpty()) {
            return epochs.getLast().imagesPerSecond();
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

    /// Why it failed, was given back, or finished before its last epoch.
    public @Nullable String reason() {
        return reason;
    }
}
