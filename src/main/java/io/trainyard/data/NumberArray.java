package io.trainyard.data;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/// An array as stored in a file, without conversion.
///
/// @param file for messages
/// @param name in the file, for messages
/// @param shape outermost first; row-major
/// @param memory as many numbers as the shape says
record NumberArray(Path file, String name, NumberType type, List<Long> shape, MemorySegment memory) {
    static final int MAX_RANK = 4;

    NumberArray {
        shape = List.copyOf(shape);
    }

    /// @throws ArithmeticException if the count overflows a `long`
    static long elements(List<Long> shape) {
        return shape.stream().reduce(1L, Math::multiplyExact);
    }

    long elements() {
        return elements(shape);
    }

    int rank() {
        return shape.size();
    }

    /// Elements of one sample: the product of all dimensions except the first.
    long elementsOfOne() {
        return elements(shape.subList(1, shape.size()));
    }

    double get(long index) {
        return type.get(memory, index);
    }

    /// The position of a number, for messages: `x_train[3, 0]`.
    String place(long index) {
        long[] at = new long[rank()];
        long rest = index;
        for (int i = rank() - 1; i >= 0; i--) {
            at[i] = rest % shape.get(i);
            rest /= shape.get(i);
        }
        return name + Arrays.stream(at).mapToObj(Long::toString).collect(Collectors.joining(", ", "[", "]"));
    }

    /// For messages: `x_train, uint8 of (60000, 28, 28)`.
    @Override
    public String toString() {
        return "%s, %s of %s"
                .formatted(name, type, shape.stream().map(String::valueOf).collect(Collectors.joining(", ", "(", ")")));
    }
}
