package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;

/// An element-wise function. All segments are native memory of the same size and layout.
public interface ValueFunction {
    void forward(MemorySegment x, MemorySegment y);

    /// @param gradient of the function's values
    /// @param to receives the gradient of `x`; may be `gradient`
    void backward(MemorySegment x, MemorySegment gradient, MemorySegment to);
}
