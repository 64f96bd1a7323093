package io.trainyard.device.onednn.kernel;

import io.trainyard.spec.Windows;
import java.lang.foreign.MemorySegment;

/// The largest value of each window of a batch of images.
public interface WindowMaximum {
    /// @param values the images
    /// @param largest where the largest go
    /// @param winners where it goes which value of its window each was, row by row from 0: float32 values that lie
    ///     as `largest`
    void forward(MemorySegment values, MemorySegment largest, MemorySegment winners);

    /// @param gradient of the largest values
    /// @param winners of [#forward]
    /// @param to where the images' gradient goes
    void backward(MemorySegment gradient, MemorySegment winners, MemorySegment to);

    /// @param out as `in`, with as many rows and columns as there are windows
    /// @throws IllegalArgumentException unless both have channels in vectors, as many
    static WindowMaximum of(ValueType type, ImageLayout in, ImageLayout out, Windows windows) {
        return switch (type) {
            case FLOAT32 -> new MaxPool(in, out, windows);
            case BFLOAT16 -> new Bfloat16MaxPool(in, out, windows);
        };
    }
}
