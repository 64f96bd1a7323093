package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The sizes of a tensor's dimensions, outermost first; an image is (channels, height, width). A scalar has no
/// dimensions and one element.
public record Shape(@JsonValue List<Integer> sizes) {
    /// The most elements of a tensor (4 GiB of float32); no supported device could hold more.
    public static final long MAX_ELEMENTS = 1L << 30;

    @JsonCreator
    public Shape {
        sizes = List.copyOf(sizes);
        long elements = 1;
        for (int size : sizes) {
            if (size < 1 || (elements *= size) > MAX_ELEMENTS) {
                throw new InvalidJobException(
                        "a tensor of shape %s has no element or too many; each size must be at least 1 and the product at most %d"
                                .formatted(sizes, MAX_ELEMENTS));
            }
        }
    }

    public static Shape of(Integer... sizes) {
        return new Shape(List.of(sizes));
    }

    public int rank() {
        return sizes.size();
    }

    public int size(int dimension) {
        return sizes.get(dimension);
    }

    /// The same shape with another first size.
    Shape withChannels(int channels) {
        return new Shape(
                Stream.concat(Stream.of(channels), sizes.stream().skip(1)).toList());
    }

    public int elements() {
        return sizes.stream().reduce(1, (a, b) -> a * b);
    }

    /// For display: `3x32x32`, or `scalar`.
    @Override
    public String toString() {
        return sizes.isEmpty() ? "scalar" : sizes.stream().map(String::valueOf).collect(Collectors.joining("x"));
    }
}
