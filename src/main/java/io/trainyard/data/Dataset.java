package io.trainyard.data;

import io.trainyard.spec.Shape;
import io.trainyard.spec.TargetScale;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/// A dataset in memory, or memory-mapped.
///
/// @param shape of one sample: an image's (channels, height, width), or the (features) of a row
/// @param outputs of a network: a logit for each class, with labels 0 to `outputs - 1`, or the numbers of
///     [Targets.Numbers]
/// @param validation measured after each epoch instead of the test part, which then is measured once; null without
///     one
/// @param warnings for the users of the dataset, such as broken files that are skipped
public record Dataset(
        String name,
        Shape shape,
        int outputs,
        Split train,
        @Nullable Split validation,
        Split test,
        List<String> warnings) {
    /// More classes have a confusion matrix of more than 64 MiB.
    public static final int MAX_CLASSES = 4_096;

    /// @param files the samples' files; empty if they have none, or they are not kept
    public record Split(Samples samples, Targets targets, List<String> files) {
        public Split {
            files = List.copyOf(files);
        }

        public Split(Samples samples, Targets targets) {
            this(samples, targets, List.of());
        }

        /// Images with at most 256 classes.
        ///
        /// @param pixels (N, C, H, W), unsigned bytes
        /// @param labels (N), unsigned bytes
        public Split(byte[] pixels, byte[] labels) {
            this(Samples.Pixels.of(pixels), Targets.ClassLabels.of(labels));
        }

        /// The same, without the names of up to millions of files.
        Split withoutFiles() {
            return new Split(samples, targets);
        }

        public int size() {
            return targets.size();
        }

        /// The class of each sample.
        ///
        /// @throws IllegalStateException if the targets are numbers
        public int[] labels() {
            return switch (targets) {
                case Targets.ClassLabels classes -> classes.labels();
                case Targets.Numbers _ ->
                    throw new IllegalStateException("the samples have numbers to predict, not classes");
            };
        }

        private Split standardized(TargetScale scale) {
            return targets instanceof Targets.Numbers(float[] values, int outputs)
                    ? new Split(samples, new Targets.Numbers(scale.standardized(values), outputs), files)
                    : this;
        }

        /// The samples from `from` to `to`, exclusive.
        ///
        /// @param shape of one sample
        public Split slice(int from, int to, Shape shape) {
            long values = shape.elements();
            return new Split(
                    samples.slice(from * values, (to - from) * values),
                    targets.slice(from, to),
                    files.isEmpty() ? files : files.subList(from, to));
        }
    }

    /// The parts by name, in the order of packed files.
    SequencedMap<String, Split> parts() {
        SequencedMap<String, Split> parts = new LinkedHashMap<>();
        parts.put("train", train);
        if (validation != null) {
            parts.put("validation", validation);
        }
        parts.put("test", test);
        return parts;
    }

    public long sampleBytes() {
        return (long) shape.elements() * train.samples().valueBytes();
    }

    /// The same dataset, with only the test samples from `from` to `to`, exclusive.
    public Dataset withTests(int from, int to) {
        return withTests(test.slice(from, to, shape));
    }

    /// The same dataset with other test samples and no validation part.
    private Dataset withTests(Split tests) {
        return new Dataset(name, shape, outputs, train, null, tests, warnings);
    }

    /// The scale of the training part's targets.
    ///
    /// @throws IllegalStateException if the targets are classes
    public TargetScale targetScale() {
        return switch (train.targets()) {
            case Targets.Numbers(float[] values, int count) -> TargetScale.of(values, count);
            case Targets.ClassLabels _ -> throw new IllegalStateException("the samples have classes, not numbers");
        };
    }

    /// The same dataset with standardized targets.
    ///
    /// @param scale null: with the same targets
    public Dataset standardized(@Nullable TargetScale scale) {
        return scale == null
                ? this
                : new Dataset(
                        name,
                        shape,
                        outputs,
                        train.standardized(scale),
                        validation == null ? null : validation.standardized(scale),
                        test.standardized(scale),
                        warnings);
    }

    /// The same dataset with the validation part, if it has one, as the test part.
    public Dataset forSelection() {
        return validation == null ? this : withTests(validation);
    }

    public Dataset(String name, Shape shape, int outputs, Split train, Split test) {
        this(name, shape, outputs, train, null, test, List.of());
    }

    public Dataset {
        warnings = List.copyOf(warnings);
        check(name, "train", shape, outputs, train);
        requireFit(name, "test", shape, outputs, test, train);
        if (validation != null) {
            requireFit(name, "validation", shape, outputs, validation, train);
        }
    }

    private static void requireFit(String name, String part, Shape shape, int outputs, Split split, Split train) {
        check(name, part, shape, outputs, split);
        if (train.samples().valueBytes() != split.samples().valueBytes()) {
            throw new DatasetException(
                    "dataset %s has samples of %d bytes a value to train on, and of %d in its %s part; store both in one type"
                            .formatted(
                                    name,
                                    train.samples().valueBytes(),
                                    split.samples().valueBytes(),
                                    part));
        }
    }

    private static void check(String name, String part, Shape shape, int outputs, Split split) {
        if (split.size() == 0
                || (long) split.size() * shape.elements() != split.samples().values()) {
            throw new DatasetException(
                    "the %s part of dataset %s has %d labels and %d values of samples; %d values a sample (%s) are expected"
                            .formatted(part, name, split.size(), split.samples().values(), shape.elements(), shape));
        }
        switch (split.targets()) {
            case Targets.ClassLabels classes -> {
                for (int label : classes.labels()) {
                    if (label < 0 || label >= outputs) {
                        throw new DatasetException("the %s part of dataset %s has the label %d; allowed is 0 to %d"
                                .formatted(part, name, label, outputs - 1));
                    }
                }
            }
            case Targets.Numbers numbers -> {
                if (numbers.outputs() != outputs) {
                    throw new DatasetException(
                            "the %s part of dataset %s has %d target values for a sample; %d are expected"
                                    .formatted(part, name, numbers.outputs(), outputs));
                }
            }
        }
    }
}
