package io.trainyard.data;

import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.Shape;
import io.trainyard.spec.SplitSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Four IDX files, as in MNIST, of any images. Their headers give the image size.
///
/// @param trainImages name of a file; null: MNIST's
/// @param trainLabels likewise
/// @param testImages likewise
/// @param testLabels likewise
/// @param classes number of classes; optional if they are named
/// @param classNames by label
/// @param split for jobs without a split, if there are no test files
/// @param normalize default for jobs
record IdxManifest(
        @Nullable String trainImages,
        @Nullable String trainLabels,
        @Nullable String testImages,
        @Nullable String testLabels,
        @Nullable Integer classes,
        @Nullable List<String> classNames,
        @Nullable SplitSpec split,
        @Nullable Normalize normalize)
        implements DatasetManifest {
    IdxManifest {
        var _ = DatasetManifest.classes(classes, classNames);
    }

    private IdxReader reader() {
        IdxReader.Names usual = IdxReader.Names.USUAL;
        return new IdxReader(new IdxReader.Names(
                named(trainImages, usual.trainImages()),
                named(trainLabels, usual.trainLabels()),
                named(testImages, usual.testImages()),
                named(testLabels, usual.testLabels())));
    }

    private static List<String> named(@Nullable String name, List<String> usual) {
        return name == null ? usual : List.of(name);
    }

    @Override
    public DatasetInfo describe(DataFolder folder, DatasetSpec spec) {
        Shape shape = IdxReader.shape(reader().itemSizes(folder));
        return DatasetManifest.info(spec, shape, DatasetManifest.classes(classes, classNames), normalize);
    }

    @Override
    public boolean hasTests(DataFolder folder) {
        IdxReader.Names usual = IdxReader.Names.USUAL;
        return testImages != null
                || testLabels != null
                || folder.find(usual.testImages()).isPresent()
                || folder.find(usual.testLabels()).isPresent();
    }

    @Override
    public Dataset read(DataFolder folder, DatasetSpec spec, DatasetInfo info, SampleMemory memory) {
        IdxReader reader = reader();
        SplitSpec used = drawn(folder, spec);
        List<Integer> sizes = reader.itemSizes(folder);
        return hasTests(folder)
                ? RandomSplit.dataset(info, used, reader.read(folder, info, sizes), memory)
                : RandomSplit.dataset(info, used, reader.train(folder, info, sizes), null, null, memory);
    }
}
