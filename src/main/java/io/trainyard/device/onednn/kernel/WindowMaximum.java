package io.trainyard.device.onednn.kernel;

import io.trainyard.spec.Windows;
import java.lang.foreign.MemorySegment;

/// The largest value of each window of a batch of images.
public interface WindowMaximum {
    /// @param values the images
    /// @param largest receives the largest values
    /// @param winners receives the index in its window of each, row by row from 0, as float32 values in the layout
    ///     of `largest`
    void forward(MemorySegment values, MemorySegment largest, MemorySegment winners);

    /// @param gradient of the largest values
    /// @param winners of [#forward]
    /// @param to receives the gradient of the images
    void backward(MemorySegment gradient, MemorySegment winners, MemorySegment to);

    /// @param out like `in`, with one row and column for each window
    /// @throws IllegalArgumentException unless both have blocked channels of the same size
    static WindowMaximum of(ValueType type, ImageLayout in, ImageLayout out, Windows windows) {
        return switch (type) {
            case FLOAT32 -> new MaxPool(in, out, windows);
            case BFLOAT16 -> new Bfloat16MaxPool(in, out, windows);
        };
    }
}
