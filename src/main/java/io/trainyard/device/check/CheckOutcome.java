package io.trainyard.device.check;

import java.util.List;
import java.util.Optional;

public sealed interface CheckOutcome {
    /// @param detail the measurement, such as the largest error
    record Passed(String detail) implements CheckOutcome {}

    /// @param reason in words
    /// @param differences the first values that are too far from the expected ones
    record Failed(String reason, List<Difference> differences) implements CheckOutcome {
        Failed(String reason) {
            this(reason, List.of());
        }
    }

    /// The check does not apply here, which is not a failure.
    ///
    /// @param reason why it was skipped
    record Skipped(String reason) implements CheckOutcome {}

    static CheckOutcome of(Comparison comparison) {
        Optional<Difference> worst = comparison.worst();
        if (worst.isEmpty()) {
            return new Failed("nothing was compared");
        }
        String largest = "largest error %.1e of %.1e allowed, %s"
                .formatted(
                        worst.get().error(), worst.get().allowed(), worst.get().value());
        return comparison.passed()
                ? new Passed(largest)
                : new Failed(
                        "%d values differ; %s".formatted(comparison.differing(), largest), comparison.differences());
    }

    default boolean failed() {
        return this instanceof Failed;
    }
}
