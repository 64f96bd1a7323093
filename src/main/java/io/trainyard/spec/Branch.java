package io.trainyard.spec;

import java.util.ArrayList;
import java.util.List;

/// A sequence of layers inside a layer.
///
/// @param field the layer's field that holds them
/// @param prefix of their names, after the layer's own name and a dot
/// @param unnamed the same for a layer without a name of its own, before its index
public record Branch(String field, String prefix, String unnamed, List<LayerSpec> layers) {
    Branch(String field, String prefix, List<LayerSpec> layers) {
        this(field, prefix, prefix, layers);
    }

    /// The name of the layer at `index`, relative to the enclosing layer.
    String nameAt(int index) {
        String name = layers.get(index).name();
        return name == null ? unnamed + index : prefix + name;
    }

    /// The output shape for one sample of shape `in`.
    ///
    /// @throws ShapeMismatch if a layer does not accept its input shape
    Shape output(Shape in) {
        Shape shape = in;
        for (LayerSpec layer : layers) {
            shape = layer.output(shape);
        }
        return shape;
    }

    /// [LayerSpec#parameters] of all layers, with names relative to the enclosing layer.
    List<ParameterSpec> parameters(Shape in) {
        List<ParameterSpec> parameters = new ArrayList<>();
        Shape shape = in;
        for (int i = 0; i < layers.size(); i++) {
            LayerSpec layer = layers.get(i);
            String name = nameAt(i);
            layer.parameters(shape).forEach(parameter -> parameters.add(parameter.inLayer(name)));
            shape = layer.output(shape);
        }
        return parameters;
    }
}
