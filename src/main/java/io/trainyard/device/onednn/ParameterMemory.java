package io.trainyard.device.onednn;

import io.trainyard.device.ShardRange;
import io.trainyard.device.host.ParameterUpdate;
import io.trainyard.spec.ParameterSpec;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One float32 parameter or buffer in native memory; its gradient and optimizer state have the same layout.
///
/// @param gradient null for frozen parameters and buffers
/// @param state one for each of the optimizer's slots; empty for frozen parameters and buffers
record ParameterMemory(
        ParameterSpec spec, Memory value, @Nullable Memory gradient, List<Memory> state) {
    /// @throws IllegalStateException unless it is trained
    Memory requireGradient() {
        Memory memory = gradient;
        if (memory == null) {
            throw new IllegalStateException("%s is not trained and has no gradient".formatted(spec.name()));
        }
        return memory;
    }

    /// The memory for a gradient that is computed together with another one; not used if this is frozen.
    Memory gradientTarget(Engine engine) {
        return gradient == null ? engine.memory(value.layout()) : gradient;
    }

    /// Updates a part of the parameter, in memory order.
    ///
    /// @param updates one for each of the optimizer's groups
    /// @param gradient of this part
    void apply(List<? extends ParameterUpdate> updates, MemorySegment gradient, ShardRange range) {
        List<MemorySegment> kept =
                state.stream().map(memory -> memory.piece(range)).toList();
        updates.get(spec.group()).apply(value.piece(range), gradient, kept);
    }
}
