package io.trainyard.data;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import io.trainyard.spec.SplitSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Images in CIFAR's binary format.
///
/// @param shape of one image: (channels, height, width); null: (3, 32, 32)
/// @param labels the label bytes before a record's pixels; null: one label
/// @param train names of the training files; null: those of CIFAR-10, or of CIFAR-100 if a record has two labels
/// @param test names of the test files; null likewise
/// @param classes number of classes; optional if they are named
/// @param classNames by label
/// @param split for jobs without a split, if there are no test files
/// @param normalize default for jobs
record CifarManifest(
        @Nullable Shape shape,
        @Nullable Labels labels,
        @Nullable List<String> train,
        @Nullable List<String> test,
        @Nullable Integer classes,
        @Nullable List<String> classNames,
        @Nullable SplitSpec split,
        @Nullable Normalize normalize)
        implements DatasetManifest {
    /// The label bytes of a record, and which of them is used.
    enum Labels {
        @JsonProperty("single")
        SINGLE(1, 0),

        /// The first of two: in CIFAR-100 one of 20 superclasses.
        @JsonProperty("coarse")
        COARSE(2, 0),

        /// The second of two: in CIFAR-100 one of 100 classes.
        @JsonProperty("fine")
        FINE(2, 1);

        private final int bytes;
        private final int place;

        Labels(int bytes, int place) {
            this.bytes = bytes;
            this.place = place;
        }
    }

    private static final Shape USUAL = Shape.of(3, 32, 32);

    CifarManifest {
        if (shape != null && shape.rank() != 3) {
            throw new InvalidJobException("shape is %s; it must be [channels, height, width]".formatted(shape));
        }
        int count = DatasetManifest.classes(classes, classNames).names().size();
        if (count > 256) {
            throw new InvalidJobException("classes is %d, but a label is a byte; allowed is 1 to 256".formatted(count));
        }
        if ((train != null && train.isEmpty()) || (test != null && test.isEmpty())) {
            throw new InvalidJobException(
                    "train and test name at least one file each; leave them out for the usual names");
        }
    }

    @Override
    public DatasetInfo describe(DataFolder folder, DatasetSpec spec) {
        return DatasetManifest.info(
                spec, shape == null ? USUAL : shape, DatasetManifest.classes(classes, classNames), normalize);
    }

    @Override
    public boolean hasTests(DataFolder folder) {
        return test != null
                || usualTest().stream()
                        .anyMatch(name -> folder.find(List.of(name)).isPresent());
    }

    @Override
    public Dataset read(DataFolder folder, DatasetSpec spec, DatasetInfo info, SampleMemory memory) {
        CifarReader reader = reader();
        SplitSpec used = drawn(folder, spec);
        return hasTests(folder)
                ? RandomSplit.dataset(info, used, reader.read(folder, info), memory)
                : RandomSplit.dataset(info, used, reader.train(folder, info), null, null, memory);
    }

    private CifarReader reader() {
        Labels kind = kind();
        List<String> usualTrain = kind == Labels.SINGLE ? CifarReader.CIFAR10_TRAIN : List.of("train.bin");
        return new CifarReader(
                train == null ? usualTrain : train, test == null ? usualTest() : test, kind.bytes, kind.place);
    }

    private Labels kind() {
        return labels == null ? Labels.SINGLE : labels;
    }

    private List<String> usualTest() {
        return kind() == Labels.SINGLE ? CifarReader.CIFAR10_TEST : List.of("test.bin");
    }
}
