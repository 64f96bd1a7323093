package io.trainyard.device.check;

import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Shape;
import java.util.List;

/// One row of the contract's table: a small network around a layer or one of its options.
///
/// @param input one sample's shape
public record LayerCase(String name, Shape input, int classes, List<LayerSpec> layers) {
    @Override
    public String toString() {
        return name + " on " + input;
    }
}
