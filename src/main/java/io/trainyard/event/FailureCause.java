package io.trainyard.event;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Categories of job failures, a small set so that failures can be counted per cause.
public enum FailureCause {
    /// A loss or a weight is NaN or infinite.
    DIVERGED,
    /// Network, batch size, precision, dataset and device are incompatible.
    IMPOSSIBLE,
    /// A checkpoint does not exist or cannot be used.
    CHECKPOINT,
    /// Too many consecutive attempts stopped without a new checkpoint.
    BROKE_OFF,
    /// No worker can provide what the job needs.
    LACKING,
    /// Another cause, usually a bug in Trainyard.
    OTHER;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(FailureCause::word).toList();
    }

    public static FailureCause of(@Nullable String word) {
        return Arrays.stream(values())
                .filter(cause -> cause.word().equals(word))
                .findFirst()
                .orElse(OTHER);
    }
}
