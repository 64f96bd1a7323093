package io.trainyard.data;

import io.trainyard.data.DatasetInfo.Answers;
import io.trainyard.data.ImageFolder.Image;
import io.trainyard.data.image.BrokenImageException;
import io.trainyard.data.image.ImageDecoder;
import io.trainyard.data.image.ImageSize;
import io.trainyard.data.image.ImageTransform;
import io.trainyard.spec.Colors;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import io.trainyard.spec.SplitSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A folder of images. This is the default for a folder without a description, so new users need not write one.
/// The allowed share of broken files is set here and not in jobs, because it is a property of the files.
///
/// @param brokenShare of the files of a part; default: 0.01
/// @param split default for jobs
/// @param normalize default for jobs
record ImageFolderManifest(
        @Nullable Double brokenShare,
        @Nullable SplitSpec split,
        @Nullable Normalize normalize) implements DatasetManifest {
    static final ImageFolderManifest DEFAULT = new ImageFolderManifest(null, null, null);

    private static final double DEFAULT_BROKEN_SHARE = 0.01;

    ImageFolderManifest {
        if (brokenShare != null && !(brokenShare >= 0 && brokenShare < 1)) {
            throw new InvalidJobException(
                    "brokenShare is %s; allowed is 0.0 up to, but not including, 1.0".formatted(brokenShare));
        }
    }

    @Override
    public void check(DataFolder folder, DatasetSpec spec) {
        var _ = parts(folder, spec);
    }

    @Override
    public DatasetInfo describe(DataFolder folder, DatasetSpec spec) {
        ImageFolder train = parts(folder, spec).train();
        ImageTransform transform = transform(spec);
        ImageSize size = size(train, spec, transform);
        return DatasetManifest.info(
                spec,
                Shape.of(transform.channels(), size.height(), size.width()),
                new Answers.Classes(train.classes()),
                normalize);
    }

    @Override
    public Dataset read(DataFolder folder, DatasetSpec spec, DatasetInfo info, SampleMemory memory) {
        ImageParts.Listed parts = parts(folder, spec).list();
        double share = Objects.requireNonNullElse(brokenShare, DEFAULT_BROKEN_SHARE);
        ImageTransform transform = transform(spec);
        var train = new ImageFolderReader(parts.train(), transform, info.shape(), memory).read(share);
        var validation = parts.validation() == null
                ? null
                : new ImageFolderReader(parts.validation(), transform, info.shape(), memory).read(share);
        var test = new ImageFolderReader(parts.test(), transform, info.shape(), memory).read(share);
        List<String> warnings = Stream.of(train, validation, test)
                .filter(Objects::nonNull)
                .map(ImageFolderReader.Read::broken)
                .filter(broken -> broken.count() > 0)
                .map(BrokenFiles::warning)
                .toList();
        return new Dataset(
                info.name(),
                info.shape(),
                info.outputs(),
                train.split().withoutFiles(),
                validation == null ? null : validation.split().withoutFiles(),
                test.split(),
                warnings);
    }

    @Override
    public boolean hasTests(DataFolder folder) {
        return ImageParts.hasTests(folder);
    }

    ImageParts parts(DataFolder folder, DatasetSpec spec) {
        return ImageParts.of(folder, spec.split() == null ? split : spec.split());
    }

    static ImageTransform transform(DatasetSpec spec) {
        return new ImageTransform(spec.colors() == Colors.GREY, spec.resize(), spec.centerCrop());
    }

    /// The size of every sample: from the job, or else from the first image.
    private static ImageSize size(ImageFolder folder, DatasetSpec spec, ImageTransform transform) {
        boolean sizeIsSet = spec.centerCrop() != null
                || spec.resize() != null && spec.resize().size() == 2;
        return transform.sizeOf(sizeIsSet ? new ImageSize(1, 1) : first(folder));
    }

    private static ImageSize first(ImageFolder folder) {
        Image image = folder.any();
        if (image == null) {
            throw new DatasetException("%s has no image in it"
                    .formatted(folder.path().resolve(folder.classes().getFirst())));
        }
        Path path = folder.path(image);
        try {
            return ImageDecoder.open(ImageDecoder.bytes(path)).size();
        } catch (BrokenImageException e) {
            throw new DatasetException(
                    "%s: %s. The size of the images is taken from it; repair it, or give the job's dataset a size, such as \"resize\": [32, 32]"
                            .formatted(path, e.getMessage()),
                    e);
        } catch (IOException e) {
            throw DataFiles.unreadable(path, e);
        }
    }
}
