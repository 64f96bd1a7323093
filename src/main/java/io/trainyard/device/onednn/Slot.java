package io.trainyard.device.onednn;

import io.trainyard.spec.ParameterSpec;
import org.jspecify.annotations.Nullable;

/// One parameter or buffer of float32 in native memory; gradient and momentum lie in the parameter's layout.
///
/// @param gradient null for buffers
/// @param momentum null for buffers, and for an optimizer without momentum
record Slot(
        ParameterSpec spec,
        Memory value,
        @Nullable Memory gradient,
        @Nullable Memory momentum) {
    /// @throws IllegalStateException for buffers, which nothing trains
    Memory requireGradient() {
        Memory memory = gradient;
        if (memory == null) {
            throw new IllegalStateException("buffer %s has no gradient".formatted(spec.name()));
        }
        return memory;
    }
}
