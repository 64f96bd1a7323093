package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Metric;
import io.trainyard.spec.Printable;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// An event of an attempt of a job. Steps count from 1 through the whole job, epochs from 0. The attempt number
/// grows each time a job is started again. Readers ignore unknown fields.
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(value = TrainingEvent.Claimed.class, name = "claimed"),
    @JsonSubTypes.Type(value = TrainingEvent.Started.class, name = "started"),
    @JsonSubTypes.Type(value = TrainingEvent.StepLosses.class, name = "stepLosses"),
    @JsonSubTypes.Type(value = TrainingEvent.EpochTested.class, name = "epochTested"),
    @JsonSubTypes.Type(value = TrainingEvent.CheckpointSaved.class, name = "checkpointSaved"),
    @JsonSubTypes.Type(value = TrainingEvent.Finished.class, name = "finished"),
    @JsonSubTypes.Type(value = TrainingEvent.Failed.class, name = "failed"),
    @JsonSubTypes.Type(value = TrainingEvent.Released.class, name = "released"),
    @JsonSubTypes.Type(value = TrainingEvent.Paused.class, name = "paused"),
    @JsonSubTypes.Type(value = TrainingEvent.Resumed.class, name = "resumed"),
    @JsonSubTypes.Type(value = TrainingEvent.Cancelled.class, name = "cancelled"),
    @JsonSubTypes.Type(value = TrainingEvent.Expanded.class, name = "expanded"),
})
@JsonPropertyOrder({"job", "attempt"})
@JsonIgnoreProperties(ignoreUnknown = true)
public sealed interface TrainingEvent {
    String job();

    /// Counts from 1.
    int attempt();

    /// The type in JSON, for example `stepLosses`.
    default String type() {
        String name = getClass().getSimpleName();
        return Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }

    /// A worker has claimed the job and will run it on `device`.
    record Claimed(String job, int attempt, String worker, String device) implements TrainingEvent {}

    /// Training begins, or the test of a job that only evaluates.
    ///
    /// @param spec the job with all defaults filled in; its `seed` determines all random numbers
    /// @param device the device's name, such as `cpu`
    /// @param deviceModel the model name, such as `NVIDIA H200`; null if unknown
    /// @param threads CPU threads of the device's kernels; needed to reproduce the run
    /// @param validationSamples samples of the validation part, which the tests after epochs measure; null without
    ///     one
    /// @param firstStep the next step: 1, or more if the attempt resumes from a checkpoint
    /// @param stepsPerEpoch the job has `epochs` times as many steps; 0 for a job that only evaluates
    /// @param initFrom the checkpoint, with its step, from which the job started or which it evaluates; null if
    ///     it drew initial weights
    /// @param dataset properties of the dataset that views need; null if unknown
    record Started(
            String job,
            int attempt,
            JobSpec spec,
            String device,
            @Nullable String deviceModel,
            int threads,
            int trainSamples,
            @Nullable Integer validationSamples,
            int testSamples,
            int classes,
            long firstStep,
            int stepsPerEpoch,
            List<Parameter> parameters,
            @Nullable CheckpointName initFrom,
            @Nullable Dataset dataset)
            implements TrainingEvent {
        public Started {
            parameters = List.copyOf(parameters);
        }
    }

    /// Properties of a dataset.
    ///
    /// @param shape of one sample: (channels, height, width) of an image, or (features) of a row
    /// @param classNames by label; empty if there are no names or too many
    /// @param warnings messages for users, for example about damaged files that were skipped; null without
    ///     warnings
    record Dataset(
            Shape shape, List<String> classNames, @Nullable List<String> warnings) {
        public static final int MAX_NAMES = 1_000;

        public static final int MAX_NAME_LENGTH = 64;

        public static final int MAX_WARNINGS = 100;

        public static final int MAX_WARNING_LENGTH = 1_000;

        public Dataset(Shape shape, List<String> classNames) {
            this(shape, classNames, null);
        }

        @JsonCreator
        public Dataset {
            Objects.requireNonNull(shape, "shape");
            classNames = classNames.size() > MAX_NAMES
                    ? List.of()
                    : classNames.stream()
                            .map(name -> Printable.text(name, MAX_NAME_LENGTH))
                            .toList();
            warnings = warnings == null || warnings.isEmpty()
                    ? null
                    : warnings.stream()
                            .limit(MAX_WARNINGS)
                            .map(warning -> Printable.text(warning, MAX_WARNING_LENGTH))
                            .toList();
        }
    }

    /// A row of the table of parameters: name in `state_dict()`, shape and device.
    record Parameter(String name, Shape shape, String device) {}

    /// The losses of consecutive steps from `firstStep` on, each the mean over the step's batch. In JSON they
    /// are numbers, except the non-finite loss with which a job fails: it is the text `"NaN"`, `"Infinity"` or
    /// `"-Infinity"`.
    ///
    /// @param elapsedMicros from the start of the attempt to the end of the last of these steps
    /// @param learningRate of the last of these steps; null if unknown
    record StepLosses(
            String job,
            int attempt,
            int epoch,
            long firstStep,
            float[] losses,
            long elapsedMicros,
            @Nullable Double learningRate)
            implements TrainingEvent {
        public long lastStep() {
            return firstStep + losses.length - 1;
        }
    }

    /// The part of a dataset that a test measures.
    enum Part {
        @JsonProperty("validation")
        VALIDATION,
        @JsonProperty("test")
        TEST;

        /// The name in JSON and messages.
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// The word for a test without a part, which measures the test part.
        public static String word(@Nullable Part part) {
            return part == null ? TEST.word() : part.word();
        }
    }

    /// An epoch was trained and the whole test set or validation part evaluated. For a job that only
    /// evaluates: the test of its checkpoint, with the checkpoint's epoch and step, and without training
    /// times and rates.
    ///
    /// @param testLoss the mean loss over the samples of the test set
    /// @param testLossSum the sum of the mean losses of the test batches, as in PyTorch's tutorials. All
    ///     batches have the job's batch size except the last. 0 in an event without the field
    /// @param testAccuracy 0..1; null for regression
    /// @param accuracyLow lower end of the 95 % Wilson score interval of the accuracy, which depends on the
    ///     size of the test set
    /// @param accuracyHigh upper end of the interval; 0 in an event without the interval and for regression
    /// @param classAccuracy for each class, the part of its samples that is classified correctly, 0..1; 0
    ///     without samples
    /// @param confusion samples by (true class, predicted class); empty if there are more than
    ///     [#MAX_CONFUSION_CLASSES]
    /// @param samplesPerSecond training samples per second in this epoch, without the test
    /// @param epochTime the parts of the epoch's time; null for a job that only evaluates and in an event
    ///     without the field
    /// @param testMeanAbsoluteError the mean absolute error; null for classification
    /// @param part the measured part of the dataset; null if it has no validation part
    /// @param metricValue the job's `metric`; null if that is the accuracy or loss as usual
    record EpochTested(
            String job,
            int attempt,
            int epoch,
            long step,
            double testLoss,
            double testLossSum,
            @Nullable Double testAccuracy,
            double accuracyLow,
            double accuracyHigh,
            double[] classAccuracy,
            int[][] confusion,
            long trainMillis,
            long testMillis,
            double samplesPerSecond,
            @Nullable EpochTime epochTime,
            @Nullable Double testMeanAbsoluteError,
            @Nullable Part part,
            @Nullable Double metricValue)
            implements TrainingEvent, Metric.Tested {
        /// A larger table would make an event too long.
        public static final int MAX_CONFUSION_CLASSES = 100;

        public static final int MAX_CLASSES = 4096;

        /// Drops tables that are larger than any worker publishes. Any client can write to a topic.
        @JsonCreator
        public EpochTested {
            boolean isTable = confusion == null || confusion.length <= MAX_CONFUSION_CLASSES;
            for (int row = 0; isTable && confusion != null && row < confusion.length; row++) {
                isTable = confusion[row] != null && confusion[row].length <= MAX_CONFUSION_CLASSES;
            }
            confusion = isTable ? confusion : new int[0][];
            classAccuracy =
                    classAccuracy == null || classAccuracy.length <= MAX_CLASSES ? classAccuracy : new double[0];
        }
    }

    /// The parts of an epoch's time, by the clock of its attempt. The epoch begins when training starts or
    /// after the test of the previous epoch. Steps, checkpoints, test and other time add up to it. The
    /// checkpoint at the end of the epoch counts in the next one because it is copied after this event.
    ///
    /// @param batchesMicros the part of the steps in which the first thread made batches (draw, crop, flip,
    ///     scale); null for a GPU, which makes its batches within its steps
    /// @param checkpointsMicros the time for which checkpoints blocked training: waiting for the previous one,
    ///     and the copy
    /// @param otherMicros the remaining time: planning the epoch, events, checking for a stop
    record EpochTime(
            long stepsMicros,
            @Nullable Long batchesMicros,
            long checkpointsMicros,
            long testMicros,
            long otherMicros) {}

    /// A checkpoint is complete and can be read.
    ///
    /// @param uri of the model file
    /// @param sha256 of the model file, hexadecimal
    /// @param epoch the epoch in which it was saved; it completes the epoch unless the attempt was stopped
    ///     before its end
    record CheckpointSaved(String job, int attempt, String uri, String sha256, long bytes, int epoch, long step)
            implements TrainingEvent {}

    /// The job is finished.
    ///
    /// @param steps of the whole job; 0 if it only evaluates
    /// @param bestTestAccuracy of the best test, or of `test` if there is one, 0..1; null for regression
    /// @param medianStepMicros median step time of this attempt. Steps are timed in blocks, and each step
    ///     counts with the mean of its block. 0 without steps, also for the following two
    /// @param p95StepMicros 95th percentile; 0 in an event without the field
    /// @param p99StepMicros 99th percentile; 0 in an event without the field
    /// @param trainMillis the duration of this attempt, including tests and checkpoints
    /// @param parametersSha256 over all parameters and buffers as float32, little-endian, in `state_dict()`
    ///     order
    /// @param stoppedEarly the condition of the job that ended it before its last epoch, in words; null if no
    ///     condition did
    /// @param bestTestLoss the loss of the best test by the job's metric; the loss of `test` if there is
    ///     one; null in an event without the field
    /// @param test the only test of the test part of a dataset with a validation part, with the weights of the
    ///     epoch of the best validation; null without a validation part
    /// @param metric of the job; null if it is the usual one
    /// @param bestMetricValue its value in the best test, or in `test` if there is one
    record Finished(
            String job,
            int attempt,
            long steps,
            @Nullable Double bestTestAccuracy,
            double medianStepMicros,
            double p95StepMicros,
            double p99StepMicros,
            long trainMillis,
            String parametersSha256,
            @Nullable String stoppedEarly,
            @Nullable Double bestTestLoss,
            @Nullable EpochTested test,
            @Nullable Metric metric,
            @Nullable Double bestMetricValue)
            implements TrainingEvent {
        /// A text for users: `best accuracy 0.9200`, or for regression `best loss 0.0312`; of the test part, if it
        /// is tested once: `test accuracy 0.9200 with the weights of epoch 3`.
        public String result() {
            return test == null
                    ? (steps == 0 ? "" : "best ") + best()
                    : "test %s with the weights of epoch %d".formatted(best(), test.epoch());
        }

        private String best() {
            if (metric != null && bestMetricValue != null) {
                return String.format(Locale.ROOT, "%s %.4f", metric.label(), bestMetricValue);
            }
            return bestTestAccuracy != null
                    ? String.format(Locale.ROOT, "accuracy %.4f", bestTestAccuracy)
                    : bestTestLoss == null ? "unknown" : String.format(Locale.ROOT, "loss %.4f", bestTestLoss);
        }
    }

    /// The job has failed and will not be retried.
    ///
    /// @param cause the word of a [FailureCause], or of one of a later version; null in an event without the
    ///     field
    record Failed(
            String job,
            int attempt,
            String reason,
            @Nullable String cause) implements TrainingEvent {}

    /// The worker stops, has lost its device, or is preempted, and requeues the job. Another attempt resumes
    /// from the last checkpoint.
    ///
    /// @param reason a sentence for users
    /// @param preemptedBy the high-priority job that preempts it; null without preemption
    record Released(
            String job,
            int attempt,
            long step,
            String reason,
            @Nullable String preemptedBy) implements TrainingEvent {}

    /// The job is paused until it is resumed or cancelled, by a user or because others of its group are better.
    ///
    /// @param step of the checkpoint from which it resumes
    /// @param rung the number of epochs after which its `asha` paused it; null if a user did
    /// @param reason why it was paused at the rung, in words; null if a user paused it
    record Paused(
            String job,
            int attempt,
            long step,
            @Nullable Integer rung,
            @Nullable String reason) implements TrainingEvent {
        @JsonCreator
        public Paused {}

        public Paused(String job, int attempt, long step) {
            this(job, attempt, step, null, null);
        }
    }

    record Resumed(String job, int attempt) implements TrainingEvent {}

    /// The job was cancelled by a user and will not be retried.
    ///
    /// @param step the steps done before
    record Cancelled(String job, int attempt, long step) implements TrainingEvent {}

    /// The sweep has ended: all its trials are published as separate jobs with its id as group.
    record Expanded(String job, int attempt, int trials) implements TrainingEvent {}
}
