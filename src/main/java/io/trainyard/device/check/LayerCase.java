package io.trainyard.device.check;

import static io.trainyard.device.check.Layers.conv;
import static io.trainyard.device.check.Layers.flatten;
import static io.trainyard.device.check.Layers.linear;

import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LayerSpec.Flatten;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// A test case: a small network around a layer or one of its options.
///
/// @param input one sample's shape
public record LayerCase(String name, Shape input, int classes, List<LayerSpec> layers) {
    /// A case on random small images. Flattens the output if necessary and maps it to logits.
    static LayerCase row(String name, LayerSpec... layers) {
        Random random = new Random(name.hashCode());
        Shape input = Shape.of(1 + random.nextInt(3), 6 + random.nextInt(4), 6 + random.nextInt(4));
        int classes = 2 + random.nextInt(5);
        List<LayerSpec> all = new ArrayList<>(List.of(layers));
        if (all.stream().noneMatch(Flatten.class::isInstance)) {
            all.add(flatten());
        }
        all.add(linear(classes, true));
        return new LayerCase(name, input, classes, all);
    }

    /// Like [#row] on images of the given shape, after a convolution.
    static LayerCase covering(String name, Shape input, LayerSpec layer) {
        return exactly(name, input, 3, conv(5, 3, 1, 1, true), layer, flatten(), linear(3, true));
    }

    static LayerCase exactly(String name, Shape input, int classes, LayerSpec... layers) {
        return new LayerCase(name, input, classes, List.of(layers));
    }

    @Override
    public String toString() {
        return name + " on " + input;
    }
}
