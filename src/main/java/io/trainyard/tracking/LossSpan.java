package io.trainyard.tracking;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Losses of consecutive steps of a job, published in one event. The event has the time of the last step only;
/// the times of the others are interpolated linearly.
///
/// @param fromMillis when the step before the first one ended, Unix time in ms
/// @param toMillis when the last step ended
public record LossSpan(
        int attempt,
        int epoch,
        long firstStep,
        double fromMillis,
        double toMillis,
        @Nullable Double learningRate,
        float[] losses) {

    /// When a step ended, Unix time in ms.
    ///
    /// @param i the index of the step in the span
    public double millis(int i) {
        return fromMillis + (toMillis - fromMillis) * (i + 1) / losses.length;
    }

    /// The steps in a range, both ends inclusive. The span and the range must overlap.
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
