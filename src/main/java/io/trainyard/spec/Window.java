package io.trainyard.spec;

import io.trainyard.spec.ParameterSpec.Init;
import java.util.List;

/// The arithmetic that layers with weights or sliding windows share.
final class Window {
    private Window() {}

    static void requireImage(Shape in) {
        if (in.rank() != 3) {
            throw new ShapeMismatch("it takes images (channels, height, width)");
        }
    }

    /// The shape after sliding a square window over an image: floor((size + 2 padding - kernel) / stride) + 1.
    static Shape slide(Shape in, int channels, int kernel, int stride, int padding) {
        requireImage(in);
        return Shape.of(
                channels,
                positions(in.size(1), kernel, stride, padding),
                positions(in.size(2), kernel, stride, padding));
    }

    /// As above without padding, each channel by itself.
    static Shape slide(Shape in, int kernel, int stride) {
        requireImage(in);
        return slide(in, in.size(0), kernel, stride, 0);
    }

    private static int positions(int size, int kernel, int stride, int padding) {
        int room = size + 2 * padding - kernel;
        if (room < 0) {
            throw new ShapeMismatch("its window of %dx%d is larger than the image with its padding, %d a side"
                    .formatted(kernel, kernel, size + 2 * padding));
        }
        return room / stride + 1;
    }

    /// Weight and bias with PyTorch's default initialisation: `kaiming_uniform_(a=sqrt(5))` for the weight, and
    /// U(-1/sqrt(fanIn), 1/sqrt(fanIn)) for the bias. Both bounds are the same number up to rounding; each is
    /// computed in PyTorch's order of operations, because the last bit decides the weights' last bits.
    static List<ParameterSpec> weightAndBias(Shape weight, int fanIn, boolean bias) {
        double a = Math.sqrt(5);
        double std = Math.sqrt(2.0 / (1 + a * a)) / Math.sqrt(fanIn);
        var first = new ParameterSpec("weight", weight, new Init.Uniform(Math.sqrt(3.0) * std), true);
        if (!bias) {
            return List.of(first);
        }
        var second = new ParameterSpec("bias", Shape.of(weight.size(0)), new Init.Uniform(1 / Math.sqrt(fanIn)), true);
        return List.of(first, second);
    }
}
