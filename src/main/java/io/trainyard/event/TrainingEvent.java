package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Printable;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One thing that happened to one attempt at a job. Steps count from 1 through the whole job, epochs from 0; an
/// attempt's number grows each time a job is started anew. Readers ignore fields they do not know.
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
    /// The job's id.
    String job();

    /// Counts from 1.
    int attempt();

    /// What it is, as JSON calls it: `stepLosses`.
    default String type() {
        String name = getClass().getSimpleName();
        return Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }

    /// A worker has taken the job and will run it on `device`.
    record Claimed(String job, int attempt, String worker, String device) implements TrainingEvent {}

    /// Training begins, or the test of a job that only evaluates.
    ///
    /// @param spec the job with all defaults filled in; its `seed` is the seed of everything random
    /// @param device the device's name, such as `cpu`
    /// @param deviceModel what it is, as its maker calls it: `NVIDIA H200`; null in an event that does not tell it
    /// @param threads CPU threads of the device's kernels; part of what makes the run repeatable
    /// @param firstStep the step that comes next: 1, or more when the attempt goes on from a checkpoint
    /// @param stepsPerEpoch steps in each epoch; the job has `epochs` times as many. 0 for a job that only
    ///     evaluates
    /// @param initFrom the checkpoint the job started from or evaluates, with its step; null: weights that it
    ///     drew
    /// @param dataset what whoever shows the job has to know of its data set; null in an event that does not tell
    ///     it
    record Started(
            String job,
            int attempt,
            JobSpec spec,
            String device,
            @Nullable String deviceModel,
            int threads,
            int trainSamples,
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

    /// A data set as news of a job tell it.
    ///
    /// @param shape of one sample: an image's (channels, height, width), or the (numbers) of a row
    /// @param classNames by label; empty where there are none, or too many to tell
    /// @param warnings sentences for people: files that are broken and left out; null where there are none
    record Dataset(
            Shape shape, List<String> classNames, @Nullable List<String> warnings) {
        /// With more the names are not told.
        public static final int MAX_NAMES = 1_000;

        /// What is behind so many characters of a name is cut off.
        public static final int MAX_NAME_LENGTH = 64;

        /// More warnings are not told.
        public static final int MAX_WARNINGS = 100;

        /// The same of a warning.
        public static final int MAX_WARNING_LENGTH = 1_000;

        /// One of which there is nothing to warn of.
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

    /// A row of the table of parameters: name in `state_dict()`, shape, and where it lives.
    record Parameter(String name, Shape shape, String device) {}

    /// The loss of every step from `firstStep` on: the mean over each step's batch. In JSON they are numbers, but
    /// for one that a job fails with: JSON has no number for it, so it is the text `"NaN"`, `"Infinity"` or
    /// `"-Infinity"`.
    ///
    /// @param elapsedMicros since the attempt started, at the end of the last of these steps
    /// @param learningRate of the last of these steps; null in an event that does not tell it
    record StepLosses(
            String job,
            int attempt,
            int epoch,
            long firstStep,
            float[] losses,
            long elapsedMicros,
            @Nullable Double learningRate)
            implements TrainingEvent {
        /// The number of the last step reported.
        public long lastStep() {
            return firstStep + losses.length - 1;
        }
    }

    /// An epoch is trained, and the whole test set is evaluated. Of a job that only evaluates: the test of its
    /// checkpoint, with the epoch and step it was saved at, and no time or images of training.
    ///
    /// @param step steps done so far
    /// @param testLoss the mean loss of the test set's samples
    /// @param testLossSum the sum of the mean losses of the test set's batches, of the job's batch size but for the
    ///     last: what the tutorials' scripts print. 0 in an event that does not tell it, whose `testLoss` it is
    /// @param testAccuracy 0..1; null where numbers are predicted
    /// @param accuracyLow where the 95 % Wilson score interval of the accuracy begins: what a test set of this
    ///     size leaves open
    /// @param accuracyHigh where it ends; 0 in an event that does not tell the interval, and where numbers are
    ///     predicted
    /// @param classAccuracy for each class, the part of its samples that is recognised, 0..1; 0 where it has none
    /// @param confusion samples by (true class, predicted class); empty where there are more than
    ///     [#MAX_CONFUSION_CLASSES]
    /// @param imagesPerSecond training samples a second in this epoch, without the test
    /// @param epochTime what the epoch's time went into; null of a job that only evaluates, and in an event that
    ///     does not tell it
    /// @param testMeanAbsoluteError how far predicted numbers are off, on average; null where classes are predicted
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
            double imagesPerSecond,
            @Nullable EpochTime epochTime,
            @Nullable Double testMeanAbsoluteError)
            implements TrainingEvent {
        /// A table of more would make an event too long.
        public static final int MAX_CONFUSION_CLASSES = 100;

        /// No data set has more.
        public static final int MAX_CLASSES = 4096;

        /// What is longer than any worker tells is left out: anyone can write to a topic.
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

    /// What the time of an epoch went into, on the clock of the attempt that tells it, from when the epoch before was
    /// tested or training began: steps, checkpoints, test and rest add up to it. A checkpoint of the epoch's end is
    /// copied after this is told, so it counts in the next one's.
    ///
    /// @param stepsMicros of the steps
    /// @param batchesMicros of those, how long the first thread made batches (draw, crop, flip, scale); null
    ///     where that is no time of its own: a GPU makes its batches within its steps
    /// @param checkpointsMicros in which training stood still for checkpoints: the wait for the one before, and
    ///     the copy
    /// @param testMicros of the test
    /// @param otherMicros of all else: the plan of the epoch, events, looking whether to stop
    record EpochTime(
            long stepsMicros,
            @Nullable Long batchesMicros,
            long checkpointsMicros,
            long testMicros,
            long otherMicros) {}

    /// A checkpoint can be read.
    ///
    /// @param uri where its model file is
    /// @param sha256 of the model file, hexadecimal
    /// @param bytes of the model file
    /// @param epoch the epoch it was saved in, which it completes unless the attempt was stopped inside it
    /// @param step steps done so far
    record CheckpointSaved(String job, int attempt, String uri, String sha256, long bytes, int epoch, long step)
            implements TrainingEvent {}

    /// The job is done.
    ///
    /// @param steps of the whole job; 0 if it only evaluates
    /// @param bestTestAccuracy 0..1; null where numbers are predicted
    /// @param medianStepMicros of the steps of this attempt, each of which counts with the mean of the block of
    ///     steps that was computed and timed with it; 0, as the two after it, if it did none
    /// @param p95StepMicros 95 of 100 steps took no longer; 0 in an event that does not tell it
    /// @param p99StepMicros 99 of 100 steps took no longer; 0 in an event that does not tell it
    /// @param trainMillis of this attempt, with tests and checkpoints
    /// @param parametersSha256 over all parameters and buffers as float32, little-endian, in `state_dict()` order
    /// @param stoppedEarly which of the job's conditions ended it before its last epoch, in words; null: none
    /// @param bestTestLoss that of the best test, of the highest accuracy, or where numbers are predicted of the
    ///     lowest loss; null in an event that does not tell it
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
            @Nullable Double bestTestLoss)
            implements TrainingEvent {
        /// For people: `accuracy 0.9200`, or where numbers are predicted `loss 0.0312`.
        public String best() {
            return bestTestAccuracy != null
                    ? String.format(Locale.ROOT, "accuracy %.4f", bestTestAccuracy)
                    : bestTestLoss == null ? "unknown" : String.format(Locale.ROOT, "loss %.4f", bestTestLoss);
        }
    }

    /// The job cannot be done; it will not be tried again.
    ///
    /// @param cause which kind of reason it is: the word of a [FailureCause], or of a later version; null in
    ///     an event that does not tell it
    record Failed(
            String job,
            int attempt,
            String reason,
            @Nullable String cause) implements TrainingEvent {}

    /// The worker stops, has lost its device, or is needed for an urgent job, and gives the job back; another attempt
    /// will go on from the last checkpoint.
    ///
    /// @param reason a sentence for people
    /// @param preemptedBy the urgent job that it makes room for; null: it does so for none
    record Released(
            String job,
            int attempt,
            long step,
            String reason,
            @Nullable String preemptedBy) implements TrainingEvent {}

    /// The job rests until it is resumed or cancelled: as somebody asked, or because others of its group are better.
    ///
    /// @param step of the checkpoint to go on from
    /// @param rung after how many epochs its `asha` has it rest; null: somebody asked
    /// @param reason why it rests there, in words; null: somebody asked
    record Paused(
            String job,
            int attempt,
            long step,
            @Nullable Integer rung,
            @Nullable String reason) implements TrainingEvent {
        @JsonCreator
        public Paused {}

        /// As somebody asked.
        public Paused(String job, int attempt, long step) {
            this(job, attempt, step, null, null);
        }
    }

    /// A job that rested waits for a worker again.
    record Resumed(String job, int attempt) implements TrainingEvent {}

    /// The job ends here, as somebody asked; it will not be tried again.
    ///
    /// @param step steps done until then
    record Cancelled(String job, int attempt, long step) implements TrainingEvent {}

    /// The job was a sweep, and all its trials are published, as jobs of their own with its id as group. That is its
    /// end.
    ///
    /// @param trials how many there are
    record Expanded(String job, int attempt, int trials) implements TrainingEvent {}
}
