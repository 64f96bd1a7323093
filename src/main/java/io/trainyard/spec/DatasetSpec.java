package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A dataset in a job. It is a name, never a path: a job cannot make a worker read outside its data root. Pixels
/// are scaled to 0..1; `normalize`, if given, comes after that; `augment` varies the training images. The fields
/// in [#refuseImageFields] are for image folders only, and are applied in this order.
///
/// @param colors default: rgb
/// @param resize (height, width), or the smaller side alone: torchvision's `Resize`, bilinear with antialias
/// @param centerCrop (height, width), or the side of a square: torchvision's `CenterCrop`
/// @param split draws the test and validation samples that the dataset does not have as parts
/// @param standardizeTargets whether regression learns `(target - mean) / std`, with those of the training part; null:
///     no
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DatasetSpec(
        String name,
        @Nullable Colors colors,

        @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) @Nullable
        List<Integer> resize,

        @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY) @Nullable
        List<Integer> centerCrop,

        @Nullable SplitSpec split,
        @Nullable Normalize normalize,
        @Nullable AugmentSpec augment,
        @Nullable Boolean standardizeTargets) {
    static final int MAX_SIDE = 4_096;

    /// Regular expression of dataset names.
    static final String NAME = "[a-z0-9][a-z0-9-]{0,63}";

    @JsonCreator(mode = JsonCreator.Mode.PROPERTIES)
    public DatasetSpec {
        Check.matching(
                "dataset",
                Check.present("dataset.name", name),
                NAME,
                "a name of small letters, digits and hyphens, such as cifar10");
        resize = sides("dataset.resize", "the smaller side, such as 32", resize);
        centerCrop = sides("dataset.centerCrop", "the side of a square, such as 32", centerCrop);
        standardizeTargets = Boolean.TRUE.equals(standardizeTargets) ? standardizeTargets : null;
    }

    /// Without standardized targets.
    public DatasetSpec(
            String name,
            @Nullable Colors colors,
            @Nullable List<Integer> resize,
            @Nullable List<Integer> centerCrop,
            @Nullable SplitSpec split,
            @Nullable Normalize normalize,
            @Nullable AugmentSpec augment) {
        this(name, colors, resize, centerCrop, split, normalize, augment, null);
    }

    /// For datasets without image options.
    public DatasetSpec(String name, @Nullable Normalize normalize, @Nullable AugmentSpec augment) {
        this(name, null, null, null, null, normalize, augment);
    }

    private static @Nullable List<Integer> sides(String field, String one, @Nullable List<Integer> sides) {
        if (sides == null) {
            return null;
        }
        List<Integer> complete = Check.complete(field, sides);
        boolean allowed = complete.size() <= 2 && complete.stream().allMatch(side -> side >= 1 && side <= MAX_SIDE);
        if (complete.isEmpty() || !allowed) {
            throw new InvalidJobException("%s is %s; allowed is %s, or [height, width], each 1 to %d"
                    .formatted(field, Check.shortened(complete.toString()), one, MAX_SIDE));
        }
        return complete;
    }

    /// For built-in datasets, which have a test part.
    ///
    /// @throws InvalidJobException if a field is set that only applies to dataset folders
    public void refuseFolderFields() {
        refuseImageFields();
        if (split != null && split.test() != null) {
            throw new InvalidJobException(
                    "dataset.split.test is for datasets without a test part, and %s has one; leave it out"
                            .formatted(name));
        }
    }

    /// @throws InvalidJobException if a field is set that only applies to image folders
    public void refuseImageFields() {
        String given = colors != null ? "colors" : resize != null ? "resize" : centerCrop != null ? "centerCrop" : "";
        if (!given.isEmpty()) {
            throw new InvalidJobException(
                    "dataset.%s is for folders of images, and %s is not one; leave it out".formatted(given, name));
        }
    }

    /// Whether this is an allowed dataset name.
    public static boolean isName(String name) {
        return name.matches(NAME);
    }

    /// The dataset without normalization, augmentation and standardized targets. Jobs for which this is equal read the
    /// same samples.
    public DatasetSpec asRead() {
        return new DatasetSpec(name, colors, resize, centerCrop, split, null, null);
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static DatasetSpec named(String name) {
        return new DatasetSpec(name, null, null);
    }

    /// (pixel - mean) / std, with one mean and one std for each channel, in units of the scaled pixel (0..1).
    public record Normalize(List<Double> mean, List<Double> std) {
        /// The limit for table columns and image channels.
        public static final int MAX_CHANNELS = 10_000;

        public Normalize {
            mean = Check.complete("dataset.normalize.mean", mean);
            std = Check.complete("dataset.normalize.std", std);
            if (mean.size() != std.size()) {
                throw new InvalidJobException("dataset.normalize has %d means and %d stds; give one of each a channel"
                        .formatted(mean.size(), std.size()));
            }
            Check.between("the length of dataset.normalize.mean", mean.size(), 0, MAX_CHANNELS);
            mean.forEach(value -> Check.within("dataset.normalize.mean", value, -1e6, 1e6));
            std.forEach(value -> Check.within("dataset.normalize.std", value, 1e-6, 1e6));
        }
    }
}
