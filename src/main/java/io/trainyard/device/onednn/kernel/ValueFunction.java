package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;

/// A function of each value by itself. All segments are native memory of the same size and layout.
public interface ValueFunction {
    /// @param y where the function's values go
    void forward(MemorySegment x, MemorySegment y);

    /// @param gradient of the function's values
    /// @param to where that of `x` goes; may be `gradient`
    void backward(MemorySegment x, MemorySegment gradient, MemorySegment to);
}
