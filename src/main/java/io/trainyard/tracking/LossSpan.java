package io.trainyard.tracking;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The losses of neighbouring steps of a job, which were told together. Each was told with the time of the
/// last of them alone; those of the others are taken to be as far from one another as they can be.
///
/// @param fromMillis when the step before the first of them was done, since 1970
/// @param toMillis when the last of them was done
public record LossSpan(
        int attempt,
        int epoch,
        long firstStep,
        double fromMillis,
        double toMillis,
        @Nullable Double learningRate,
        float[] losses) {

    /// When a step was done, since 1970.
    ///
    /// @param i which of them, from 0 on
    public double millis(int i) {
        return fromMillis + (toMillis - fromMillis) * (i + 1) / losses.length;
    }

    /// Those of its steps that are in a range, both ends inclusive; there is one at least.
    LossSpan within(long first, long last) {
        int from = (int) Math.max(0, first - firstStep);
        int to = (int) Math.min(losses.length, last - firstStep + 1);
        return from == 0 && to == losses.length
                ? this
                : new LossSpan(
                        attempt,
                        epoch,
                        firstStep + from,
                        from == 0 ? fromMillis : millis(from - 1),
                        millis(to - 1),
                        learningRate,
                        Arrays.copyOfRange(losses, from, to));
    }

    long lastStep() {
        return firstStep + losses.length - 1;
    }
}
