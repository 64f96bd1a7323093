package io.trainyard.event;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Kinds of reasons for which jobs fail: few, so that failures can be counted by them.
public enum FailureCause {
    /// A loss or a weight is NaN or infinite.
    DIVERGED,
    /// Network, batch size, precision, data set and device do not go together.
    IMPOSSIBLE,
    /// A checkpoint is not there, or cannot be used.
    CHECKPOINT,
    /// Too many attempts in a row broke off without a new checkpoint.
    BROKE_OFF,
    /// All workers that were asked lack what it needs.
    LACKING,
    /// None of these: mostly a mistake in Trainyard.
    OTHER;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// All of them, as events tell them.
    public static List<String> words() {
        return Arrays.stream(values()).map(FailureCause::word).toList();
    }

    /// @param word null: it is not told
    public static FailureCause of(@Nullable String word) {
        return Arrays.stream(values())
                .filter(cause -> cause.word().equals(word))
                .findFirst()
                .orElse(OTHER);
    }
}
