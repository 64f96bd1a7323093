package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Shape;
import org.jspecify.annotations.Nullable;

/// What passes between two layers: (samples, shape).
///
/// @param gradient the loss's derivative by each value, filled in the backward pass; null where nobody asks
public record BatchTensor(
        int samples, Shape shape, Buffer value, @Nullable Buffer gradient) {
    public long elements() {
        return (long) samples * shape.elements();
    }

    /// Of an image; of a vector its values.
    public int channels() {
        return shape.size(0);
    }

    /// Values of a channel of a sample; 1 in a vector.
    int area() {
        return shape.elements() / shape.size(0);
    }

    /// Of an image; 1 of a vector.
    public int rows() {
        return shape.rank() == 1 ? 1 : shape.size(1);
    }

    /// Of an image; 1 of a vector.
    public int columns() {
        return shape.rank() == 1 ? 1 : shape.size(2);
    }

    /// The same values under another shape.
    BatchTensor as(Shape other) {
        return new BatchTensor(samples, other, value, gradient);
    }

    /// The same values with a gradient of their own.
    BatchTensor withGradient(@Nullable Buffer other) {
        return new BatchTensor(samples, shape, value, other);
    }
}
