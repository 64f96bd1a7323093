package io.trainyard.device.check;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/// What is checked, in this order: what says most comes first, for a check may run out of time.
public enum CheckGroup {
    /// Many steps of a whole network beside PyTorch's recorded losses.
    GOLDEN,
    DETERMINISM,
    /// Every layer, forward and backward, beside the reference.
    LAYERS,
    /// Every loss, in training and tests, beside the reference.
    LOSSES,
    /// Every optimizer and all that a loop does besides, with all that a session carries from step to step,
    /// beside the reference.
    OPTIMIZERS,
    MEMORY,
    /// What every layer makes of NaN and infinities, beside the reference: a job that has diverged must say so.
    DIVERGENCE,
    BENCHMARK,
    /// From which size on it is faster than another: only when asked for.
    SWEEP;

    /// What a new device is checked for.
    public static final Set<CheckGroup> USUAL = Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(SWEEP)));

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
