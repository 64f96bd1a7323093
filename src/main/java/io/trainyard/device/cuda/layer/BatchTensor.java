package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Shape;
import org.jspecify.annotations.Nullable;

/// A tensor between two layers: (samples, shape).
///
/// @param gradient the loss's derivative by each value, filled in the backward pass; null if not needed
public record BatchTensor(
        int samples, Shape shape, Buffer value, @Nullable Buffer gradient) {
    public long elements() {
        return (long) samples * shape.elements();
    }

    /// Channels of an image; length of a vector.
    public int channels() {
        return shape.size(0);
    }

    /// Values of a sample's channel; 1 in a vector.
    int area() {
        return shape.elements() / shape.size(0);
    }

    /// Rows of an image; 1 for a vector.
    public int rows() {
        return shape.rank() == 1 ? 1 : shape.size(1);
    }

    /// Columns of an image; 1 for a vector.
    public int columns() {
        return shape.rank() == 1 ? 1 : shape.size(2);
    }

    BatchTensor as(Shape other) {
        return new BatchTensor(samples, other, value, gradient);
    }

    BatchTensor withGradient(@Nullable Buffer other) {
        return new BatchTensor(samples, shape, value, other);
    }
}
