package io.trainyard.device;

import io.trainyard.spec.Shape;

/// Values on the host, row-major, as exchanged with a session.
public sealed interface Tensor {
    Shape shape();

    record Floats(Shape shape, float[] values) implements Tensor {
        public Floats {
            requireElements(shape, values.length);
        }
    }

    /// int64: counters, and the state of random generators.
    record Longs(Shape shape, long[] values) implements Tensor {
        public Longs {
            requireElements(shape, values.length);
        }
    }

    private static void requireElements(Shape shape, int length) {
        if (shape.elements() != length) {
            throw new IllegalArgumentException(
                    "a tensor of shape %s has %d elements, not %d".formatted(shape, shape.elements(), length));
        }
    }
}
