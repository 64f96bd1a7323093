package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.trainyard.spec.LayerSpec.Flatten;
import io.trainyard.spec.LayerSpec.Linear;
import io.trainyard.spec.Pooling.AdaptiveAvgPool2d;
import io.trainyard.spec.Pooling.AvgPool2d;
import io.trainyard.spec.Pooling.MaxPool2d;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WindowsTest {
    @Test
    void bothSidesOfAKernelAreCounted() {
        Extent one = Extent.square(1);
        List<LayerSpec> layers = List.of(
                new Conv2d(null, 6, new Extent(1, 5), one, Padding.SAME, one, 3, false), // 6x9x8, from one channel each
                new Conv2d(null, 5, new Extent(3, 2), new Extent(2, 1), new Padding(new Extent(1, 0)), one, 1, true),
                new Flatten(null),
                new Linear(null, 4, true));
        Network network = Network.fit(NetworkSpec.ofLayers(layers), Shape.of(3, 9, 8), 4);
        assertThat(network.layers().get(1).out()).isEqualTo(Shape.of(5, 5, 7));
        assertThat(network.parameters().get(1).shape()).isEqualTo(Shape.of(5, 6, 3, 2));
        assertThat(network.multiplyAdds()).isEqualTo(432 * 5 + 175 * 36 + 175 * 4);
    }

    /// From PyTorch 1.13: `conv2d_same`, `pooling_output_shape` and `nn.Upsample`.
    static Stream<Arguments> shapes() {
        Extent one = Extent.square(1);
        Extent none = Extent.square(0);
        Extent two = Extent.square(2);
        Extent three = Extent.square(3);
        return Stream.of(
                arguments(new Conv2d(null, 1, Extent.square(4), one, Padding.SAME, three, 1, true), "1x9x8"),
                arguments(new MaxPool2d(null, three, two, one, one, false), "1x5x4"),
                arguments(new MaxPool2d(null, three, two, none, one, false), "1x4x3"),
                arguments(new MaxPool2d(null, three, two, none, one, true), "1x4x4"),
                arguments(new MaxPool2d(null, two, three, one, one, true), "1x4x3"), // a fourth would begin beyond it
                arguments(new MaxPool2d(null, new Extent(3, 2), two, new Extent(1, 0), two, true), "1x4x4"),
                arguments(new MaxPool2d(null, Extent.square(9), two, none, one, true), "1x1x1"),
                arguments(new AvgPool2d(null, new Extent(2, 3), new Extent(2, 3), one, true, true), "1x5x3"),
                arguments(new AdaptiveAvgPool2d(null, new Extent(4, 11)), "1x4x11"),
                arguments(new Upsample(null, null, new Scale(1.6, 0.7), "nearest"), "1x14x5"),
                arguments(new Upsample(null, new Extent(5, 11), null, "nearest"), "1x5x11"));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void countsWindowsLikePyTorch(LayerSpec layer, String shape) {
        assertThat(layer.output(Shape.of(1, 9, 8))).hasToString(shape);
    }

    /// `nn.Upsample` of a row 0, 1, 2...
    @Test
    void copiesAreOfThePixelsThatPyTorchTakes() {
        assertThat(sources(5, 5, 1.05)).containsExactly(0, 1, 2, 3, 4);
        assertThat(sources(5, 10, 2.05)).containsExactly(0, 0, 1, 1, 2, 2, 3, 3, 4, 4);
        assertThat(sources(5, 8, 1.6)).containsExactly(0, 0, 1, 1, 2, 3, 3, 4);
        assertThat(sources(7, 4, 0.7)).containsExactly(0, 1, 2, 4);
        assertThat(sources(7, 4, null)).containsExactly(0, 1, 3, 5);
    }

    private static int[] sources(int size, int count, @Nullable Double factor) {
        Nearest nearest = Nearest.of(size, count, factor);
        return IntStream.range(0, count).map(nearest::source).toArray();
    }
}
