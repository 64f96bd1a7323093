package io.trainyard.device.check;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/// The groups of checks, in order of importance, because a check may run out of time.
public enum CheckGroup {
    /// Many steps of a whole network, compared with PyTorch's recorded losses.
    GOLDEN,
    DETERMINISM,
    /// Every layer, forward and backward, compared with the reference.
    LAYERS,
    /// Every loss, in training and tests, compared with the reference.
    LOSSES,
    /// Every optimizer and every option of the training loop, with all session state that carries over between
    /// steps, compared with the reference.
    OPTIMIZERS,
    MEMORY,
    /// NaN and infinities in every layer, compared with the reference: a diverged job must be reported.
    DIVERGENCE,
    BENCHMARK,
    /// The size from which another device is faster; runs only on request.
    SWEEP;

    /// The default groups for a new device.
    public static final Set<CheckGroup> USUAL = Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(SWEEP)));

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
