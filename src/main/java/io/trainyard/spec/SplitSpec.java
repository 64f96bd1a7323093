package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Required;

/// Selects the test samples of a dataset without a test part: those of `random_split(set, [1 - test, test],
/// generator=torch.Generator().manual_seed(seed))`, the same on every machine.
///
/// @param test the share of test samples, above 0 and below 1
/// @param seed default: 0
public record SplitSpec(@Required("dataset.split.test") double test, long seed) {
    public SplitSpec {
        if (!(test > 0 && test < 1)) {
            throw new InvalidJobException(
                    "dataset.split.test is %s; allowed is a share above 0.0 and below 1.0, such as 0.2"
                            .formatted(test));
        }
    }
}
