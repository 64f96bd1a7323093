package io.trainyard.event;

import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.EpochTime;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Parameter;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Shape;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Sample events as a worker would publish them. Only this class of the tests knows all their fields. The
/// datasets have ten classes, and steps take 100 ms.
public final class SampleEvents {
    /// The time of all sample events.
    public static final Instant TIME = Instant.parse("2026-11-22T03:04:05.678Z");

    private static final int CLASSES = 10;
    private static final long STEP_MICROS = 100_000;

    private SampleEvents() {}

    /// The event's record value.
    public static byte[] json(TrainingEvent event) {
        return EventJson.write(event, TIME);
    }

    /// A job of two epochs that logs every five steps.
    public static JobSpec spec(String job) {
        return JobJson.read("""
                {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 2, "batchSize": 8,
                 "reportEverySteps": 5}""".formatted(job).getBytes(StandardCharsets.UTF_8));
    }

    /// The same with a field of the newest schema version.
    public static JobSpec newer(String job) {
        return JobJson.read("""
                {"id": "%s", "network": "lenet", "dataset": {"name": "mine", "split": {"test": 0.2}}, "epochs": 2,
                 "batchSize": 8, "reportEverySteps": 5}""".formatted(job).getBytes(StandardCharsets.UTF_8));
    }

    /// The same, but not preemptible.
    public static JobSpec firm(String job) {
        return JobJson.read("""
                {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 2, "batchSize": 8,
                 "reportEverySteps": 5, "preemptible": false}""".formatted(job).getBytes(StandardCharsets.UTF_8));
    }

    /// An evaluation of a checkpoint.
    public static JobSpec evaluation(String job, CheckpointName initFrom) {
        return JobJson.read("""
                {"id": "%s", "kind": "evaluate", "network": "fashion", "dataset": "fashion-mnist", "initFrom": "%s"}""".formatted(job, initFrom).getBytes(StandardCharsets.UTF_8));
    }

    /// All events of a job that finishes, with ten steps per epoch.
    public static List<TrainingEvent> whole(String job) {
        return List.of(
                claimed(job),
                started(job, 1, 1),
                losses(job, 1, 0, 1, 10),
                tested(job, 1, 0, 10, 0.5),
                losses(job, 1, 1, 11, 10),
                tested(job, 1, 1, 20, 0.75),
                finished(job, 1, 20));
    }

    public static Claimed claimed(String job) {
        return claimed(job, 1);
    }

    /// Each attempt has a different worker: `w1`, `w2`.
    public static Claimed claimed(String job, int attempt) {
        return claimed(job, attempt, "w" + attempt);
    }

    public static Claimed claimed(String job, int attempt, String worker) {
        return new Claimed(job, attempt, worker, "cpu");
    }

    /// The start of [#spec(String)] with ten steps per epoch.
    public static Started started(String job, int attempt, long firstStep) {
        return started(spec(job), attempt, firstStep, 10, null);
    }

    public static Started started(
            JobSpec spec, int attempt, long firstStep, int stepsPerEpoch, @Nullable CheckpointName initFrom) {
        return new Started(
                spec.id(),
                attempt,
                spec,
                "cpu",
                "Some Processor",
                2,
                60_000,
                null,
                10_000,
                CLASSES,
                firstStep,
                stepsPerEpoch,
                List.of(new Parameter("out.bias", Shape.of(10), "cpu")),
                initFrom,
                null);
    }

    /// The same start with another dataset and its classes.
    public static Started on(TrainingEvent.Dataset dataset, Started started) {
        return new Started(
                started.job(),
                started.attempt(),
                started.spec(),
                started.device(),
                started.deviceModel(),
                started.threads(),
                started.trainSamples(),
                started.validationSamples(),
                started.testSamples(),
                dataset.classNames().size(),
                started.firstStep(),
                started.stepsPerEpoch(),
                started.parameters(),
                started.initFrom(),
                dataset);
    }

    /// The same start on another device.
    ///
    /// @param model the vendor's name; null if unknown
    public static Started on(String device, @Nullable String model, Started started) {
        return new Started(
                started.job(),
                started.attempt(),
                started.spec(),
                device,
                model,
                1,
                started.trainSamples(),
                started.validationSamples(),
                started.testSamples(),
                started.classes(),
                started.firstStep(),
                started.stepsPerEpoch(),
                started.parameters(),
                started.initFrom(),
                started.dataset());
    }

    /// Losses that fall by 0.1 per step from 3, so that each loss identifies its step.
    public static StepLosses losses(String job, int attempt, int epoch, long firstStep, int steps) {
        float[] losses = new float[steps];
        for (int i = 0; i < steps; i++) {
            losses[i] = 3 - 0.1f * (firstStep + i);
        }
        return losses(job, attempt, epoch, firstStep, losses);
    }

    public static StepLosses losses(String job, int attempt, int epoch, long firstStep, float[] losses) {
        return new StepLosses(
                job, attempt, epoch, firstStep, losses, STEP_MICROS * (firstStep + losses.length - 1), 0.05);
    }

    /// The test after a trained epoch.
    public static EpochTested tested(String job, int attempt, int epoch, long step, double accuracy) {
        EpochTime time = new EpochTime(8_500_000, 640_000L, 310_000, 800_000, 190_000);
        return tested(job, attempt, epoch, step, accuracy, 9_000, 6_543.2, time, null);
    }

    /// The test of the validation part after a trained epoch.
    public static EpochTested validated(String job, int epoch, long step, double accuracy) {
        return tested(job, 1, epoch, step, accuracy, 9_000, 6_543.2, null, Part.VALIDATION);
    }

    /// The end with the only test of the test part, with the weights of an epoch.
    public static Finished finishedWithTest(String job, long steps, int epoch, long step, double accuracy) {
        EpochTested test = tested(job, 1, epoch, step, accuracy, 0, 0, null, Part.TEST);
        return new Finished(
                job, 1, steps, accuracy, 812, 950, 1024, 2000, "cd34", null, test.testLoss(), test, null, null);
    }

    /// The test of a checkpoint, without training time and samples.
    public static EpochTested evaluated(String job, int epoch, long step, double accuracy) {
        return tested(job, 1, epoch, step, accuracy, 0, 0, null, null);
    }

    /// Derives the other fields from the accuracy.
    private static EpochTested tested(
            String job,
            int attempt,
            int epoch,
            long step,
            double accuracy,
            long trainMillis,
            double samplesPerSecond,
            @Nullable EpochTime epochTime,
            @Nullable Part part) {
        int right = (int) Math.round(1000 * accuracy);
        int[][] confusion = new int[CLASSES][CLASSES];
        double[] classAccuracy = new double[CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            int mine = Math.min(1000, right + 7 * i - 30);
            confusion[i][i] = mine;
            confusion[i][(i + 3) % CLASSES] = (1000 - mine) / 3;
            confusion[i][(i + 1) % CLASSES] = 1000 - mine - (1000 - mine) / 3;
            classAccuracy[i] = mine / 1000.0;
        }
        return new EpochTested(
                job,
                attempt,
                epoch,
                step,
                2.3 - 2 * accuracy,
                157 * (2.3 - 2 * accuracy),
                accuracy,
                accuracy - 0.008,
                accuracy + 0.007,
                classAccuracy,
                confusion,
                trainMillis,
                800,
                samplesPerSecond,
                epochTime,
                null,
                part,
                null);
    }

    public static CheckpointSaved saved(String job, int attempt, int epoch, long step) {
        return new CheckpointSaved(
                job,
                attempt,
                "file:/checkpoints/%s/%d/model-%d.safetensors".formatted(job, attempt, step),
                "ab12",
                180_000,
                epoch,
                step);
    }

    /// @param steps 0 for an evaluation, which has no step times
    public static Finished finished(String job, int attempt, long steps) {
        return finished(job, attempt, steps, null);
    }

    public static Finished finished(String job, int attempt, long steps, @Nullable String stoppedEarly) {
        int timed = steps == 0 ? 0 : 1;
        return new Finished(
                job,
                attempt,
                steps,
                0.75,
                timed * 812,
                timed * 950,
                timed * 1024,
                2000,
                "cd34",
                stoppedEarly,
                0.8,
                null,
                null,
                null);
    }

    public static Failed failed(String job, int attempt, String reason) {
        return new Failed(job, attempt, reason, null);
    }

    public static Failed failed(String job, int attempt, String reason, FailureCause cause) {
        return new Failed(job, attempt, reason, cause.word());
    }

    public static Released released(String job, int attempt, long step, String reason) {
        return new Released(job, attempt, step, reason, null);
    }

    public static Released preempted(String job, int attempt, long step, String by) {
        return new Released(job, attempt, step, "it is preempted", by);
    }

    public static Paused paused(String job, int attempt, long step) {
        return new Paused(job, attempt, step);
    }

    public static Resumed resumed(String job, int attempt) {
        return new Resumed(job, attempt);
    }

    public static Cancelled cancelled(String job, int attempt, long step) {
        return new Cancelled(job, attempt, step);
    }
}
