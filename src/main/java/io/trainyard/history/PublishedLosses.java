package io.trainyard.history;

import java.util.Arrays;
import java.util.BitSet;

final class PublishedLosses {
    private final BitSet published = new BitSet();
    private long base;
    private float[] values = {};
    private long firstConflict;

    /// Adds the losses of consecutive steps from `firstStep` on.
    ///
    /// @return false if they are too far from the other steps to be stored
    boolean add(long firstStep, float[] losses) {
        if (losses.length == 0) {
            return true;
        }
        if (published.isEmpty()) {
            base = firstStep;
        }
        long from = firstStep - base;
        if (firstStep < 1 || from < 0 || from + losses.length > HistoryChecker.MAX_STEPS) {
            return false;
        }
        int at = (int) from;
        if (at + losses.length > values.length) {
            values = Arrays.copyOf(values, Math.max(at + losses.length, 2 * values.length));
        }
        for (int i = 0; i < losses.length; i++) {
            if (published.get(at + i) && differ(values[at + i], losses[i])) {
                firstConflict = firstConflict == 0 ? firstStep + i : firstConflict;
            } else {
                values[at + i] = losses[i];
                published.set(at + i);
            }
        }
        return true;
    }

    private static boolean differ(float a, float b) {
        return Float.floatToIntBits(a) != Float.floatToIntBits(b);
    }

    /// The first step that was published twice with different losses; 0 if all agree.
    long firstConflict() {
        return firstConflict;
    }

    /// The first published step; 0 without steps.
    long firstStep() {
        return published.isEmpty() ? 0 : base;
    }

    /// The first step that another attempt published with a different loss; 0 if all agree.
    long differsFrom(PublishedLosses other) {
        for (int at = published.nextSetBit(0); at >= 0; at = published.nextSetBit(at + 1)) {
            long step = base + at;
            long there = step - other.base;
            if (there >= 0
                    && there < other.values.length
                    && other.published.get((int) there)
                    && differ(values[at], other.values[(int) there])) {
                return step;
            }
        }
        return 0;
    }

    float loss(long step) {
        return values[(int) (step - base)];
    }

    /// Marks the steps up to `last` that were published here before step `end`.
    void mark(BitSet steps, long last, long end) {
        for (int at = published.nextSetBit(0);
                at >= 0 && base + at < end && base + at <= last;
                at = published.nextSetBit(at + 1)) {
            steps.set((int) (base + at));
        }
    }
}
