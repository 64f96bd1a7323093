package io.trainyard.spec;

import java.util.ArrayList;
import java.util.List;

/// A sequence of layers inside a layer.
///
/// @param field the layer's field that holds them
/// @param prefix of their names, after the layer's own name and a dot
public record Branch(String field, String prefix, List<LayerSpec> layers) {
    /// The output shape of a sequence of layers for one sample of shape `in`.
    ///
    /// @throws ShapeMismatch if a layer does not accept its input shape
    static Shape output(List<LayerSpec> layers, Shape in) {
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
            String name = prefix + layer.nameAt(i);
            layer.parameters(shape).forEach(parameter -> parameters.add(parameter.inLayer(name)));
            shape = layer.output(shape);
        }
        return parameters;
    }
}
