package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A data set as a job names it. It is a name, never a path: a job cannot make a worker read outside its data root.
/// Pixels are scaled to 0..1; `normalize`, if given, comes after that; `augment` varies the training images.
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DatasetSpec(
        String name,
        @Nullable Normalize normalize,
        @Nullable AugmentSpec augment) {
    private static final String NAME = "[a-z0-9][a-z0-9-]{0,63}";

    public DatasetSpec {
        Check.matching(
                "dataset",
                Check.present("dataset.name", name),
                NAME,
                "a name of small letters, digits and hyphens, such as cifar10");
    }

    /// Whether a data set may be called so.
    public static boolean isName(String name) {
        return name.matches(NAME);
    }

    /// Without what is done to its samples when they are taken: jobs that have this in common read the same.
    public DatasetSpec asRead() {
        return new DatasetSpec(name, null, null);
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static DatasetSpec named(String name) {
        return new DatasetSpec(name, null, null);
    }

    @JsonCreator(mode = JsonCreator.Mode.PROPERTIES)
    static DatasetSpec read(
            @JsonProperty("name") @Nullable String name,
            @JsonProperty("normalize") @Nullable Normalize normalize,
            @JsonProperty("augment") @Nullable AugmentSpec augment) {
        return new DatasetSpec(Check.present("dataset.name", name), normalize, augment);
    }

    /// (pixel - mean) / std, one mean and one std a channel, in units of the scaled pixel (0..1).
    public record Normalize(List<Double> mean, List<Double> std) {
        public Normalize {
            mean = Check.complete("dataset.normalize.mean", mean);
            std = Check.complete("dataset.normalize.std", std);
            if (mean.size() != std.size()) {
                throw new InvalidJobException("dataset.normalize has %d means and %d stds; give one of each a channel"
                        .formatted(mean.size(), std.size()));
            }
            mean.forEach(value -> Check.within("dataset.normalize.mean", value, -1e6, 1e6));
            std.forEach(value -> Check.within("dataset.normalize.std", value, 1e-6, 1e6));
        }
    }
}
