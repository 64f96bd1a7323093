package io.trainyard.spec;

import java.util.ArrayList;
import java.util.List;

/// Layers within a layer, one after another.
///
/// @param field the layer's field that holds them
/// @param prefix what stands before their names, behind the layer's own name and a dot
public record Branch(String field, String prefix, List<LayerSpec> layers) {
    /// The shape that `layers`, one after another, make of one sample of shape `in`.
    ///
    /// @throws ShapeMismatch if one of them cannot take what it is given
    static Shape output(List<LayerSpec> layers, Shape in) {
        Shape shape = in;
        for (LayerSpec layer : layers) {
            shape = layer.output(shape);
        }
        return shape;
    }

    /// As [LayerSpec#parameters], with names relative to the layer around.
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
