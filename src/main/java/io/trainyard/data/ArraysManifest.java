package io.trainyard.data;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.trainyard.data.Dataset.Split;
import io.trainyard.data.DatasetInfo.Answers;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import io.trainyard.spec.SplitSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The arrays `x_train`, `y_train`, `x_test`, `y_test`, and optionally `x_validation` and `y_validation`, of numpy
/// or safetensors.
///
/// @param file in the folder, ending in `.npz` or `.safetensors`; null: `x_train.npy` and so on
/// @param layout of four-dimensional samples; the files do not record it
/// @param targets the type of `y_train`; null: classes if `classes` or `classNames` is set or `y_train` has
///     integers
/// @param classes number of classes; null: the length of `classNames`, or the largest label plus one
/// @param classNames by label
/// @param split for jobs without a split, if there are no test arrays
/// @param normalize default for jobs
record ArraysManifest(
        @Nullable String file,
        @Nullable Layout layout,
        @Nullable TargetKind targets,
        @Nullable Integer classes,
        @Nullable List<String> classNames,
        @Nullable SplitSpec split,
        @Nullable Normalize normalize)
        implements DatasetManifest {
    enum Layout {
        @JsonProperty("NCHW")
        NCHW,
        @JsonProperty("NHWC")
        NHWC
    }

    enum TargetKind {
        @JsonProperty("classes")
        CLASSES,
        @JsonProperty("numbers")
        NUMBERS
    }

    ArraysManifest {
        if (file != null && !file.endsWith(".npz") && !file.endsWith(".safetensors")) {
            throw new InvalidJobException(
                    "file is \"%s\"; allowed is the name of a file that ends in .npz or .safetensors; leave it out where the arrays are x_train.npy and so on"
                            .formatted(DataFiles.printable(file)));
        }
        if (classes != null || classNames != null) {
            var unused = DatasetManifest.classes(classes, classNames);
            if (targets == TargetKind.NUMBERS) {
                throw new InvalidJobException(
                        "targets is \"numbers\", but there are classes or classNames; leave these out, or targets");
            }
        }
    }

    ArrayFiles files(DataFolder folder) {
        return file == null ? new ArrayFiles.Npy(folder) : ArrayFiles.of(folder.file(List.of(file)));
    }

    @Override
    public DatasetInfo describe(DataFolder folder, DatasetSpec spec) {
        try (ArrayFiles files = files(folder)) {
            Shape shape = SamplesFromArray.shape(files.shape("x_train"), layout);
            return DatasetManifest.info(spec, shape, answers(files), normalize);
        }
    }

    private Answers answers(ArrayFiles files) {
        if (classes != null || classNames != null) {
            return DatasetManifest.classes(classes, classNames);
        }
        NumberArray labels = files.read("y_train");
        boolean numbers = targets == null ? !labels.type().whole() : targets == TargetKind.NUMBERS;
        return numbers
                ? new Answers.Numbers(TargetsFromArray.outputs(labels))
                : DatasetManifest.classes(TargetsFromArray.countClasses(labels), null);
    }

    @Override
    public boolean hasTests(DataFolder folder) {
        try (ArrayFiles files = files(folder)) {
            return hasTests(files);
        }
    }

    @Override
    public boolean hasValidation(DataFolder folder) {
        try (ArrayFiles files = files(folder)) {
            return hasValidation(files);
        }
    }

    private static boolean hasValidation(ArrayFiles files) {
        return files.has("x_validation") || files.has("y_validation");
    }

    private static boolean hasTests(ArrayFiles files) {
        return files.has("x_test") || files.has("y_test");
    }

    @Override
    public Dataset read(DataFolder folder, DatasetSpec spec, DatasetInfo info, SampleMemory memory) {
        try (ArrayFiles files = files(folder)) {
            return RandomSplit.dataset(
                    info,
                    drawn(folder, spec),
                    part(files, "train", info, memory),
                    hasValidation(files) ? part(files, "validation", info, memory) : null,
                    hasTests(files) ? part(files, "test", info, memory) : null,
                    memory);
        }
    }

    private Split part(ArrayFiles files, String part, DatasetInfo info, SampleMemory memory) {
        NumberArray samples = files.read("x_" + part);
        NumberArray targets = files.read("y_" + part);
        if (!samples.shape().getFirst().equals(targets.shape().getFirst())) {
            throw DataFiles.wrong(
                    targets.file(), "%s next to %s".formatted(targets, samples), "the same number of both");
        }
        return new Split(
                new SamplesFromArray(layout, memory).of(samples, info.shape()),
                TargetsFromArray.of(targets, info.answers()));
    }
}
