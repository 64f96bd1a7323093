package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/// Draws parts of a dataset that it does not have, the same on every machine: those of `random_split(set, [1 -
/// validation - test, validation, test], generator=torch.Generator().manual_seed(seed))`, without the parts that
/// are not drawn.
///
/// @param test the share of test samples, above 0 and below 1; null: not drawn
/// @param validation likewise of validation samples
/// @param seed default: 0
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SplitSpec(@Nullable Double test, @Nullable Double validation, long seed) {
    @JsonCreator
    public SplitSpec {
        if (test == null && validation == null) {
            throw new InvalidJobException(
                    "dataset.split is empty; give it test or validation, a share such as 0.2, or leave it out");
        }
        requireShare("test", test);
        requireShare("validation", validation);
        if (test != null && validation != null && test + validation >= 1) {
            throw new InvalidJobException(
                    "dataset.split.test and dataset.split.validation are %s and %s; their sum must be below 1.0, because the rest is trained on"
                            .formatted(test, validation));
        }
    }

    public SplitSpec(double test, long seed) {
        this(test, null, seed);
    }

    private static void requireShare(String part, @Nullable Double share) {
        if (share != null && !(share > 0 && share < 1)) {
            throw new InvalidJobException(
                    "dataset.split.%s is %s; allowed is a share above 0.0 and below 1.0, such as 0.2"
                            .formatted(part, share));
        }
    }
}
