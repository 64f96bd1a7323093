package io.trainyard.spec;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// A network fitted to a data set: every layer knows its name, the shape of one sample before and after it, and its
/// parameters.
///
/// @param input the shape of one sample
/// @param classes how many logits the last layer gives
public record Network(Shape input, int classes, List<Layer> layers) {
    /// One layer in place.
    ///
    /// @param name the name in `state_dict()`
    /// @param in the shape of one sample before the layer, without the batch dimension
    /// @param out the shape of one sample after it
    /// @param parameters parameters and buffers, in `state_dict()` order, with full names
    public record Layer(String name, LayerSpec spec, Shape in, Shape out, List<ParameterSpec> parameters) {}

    public Network {
        layers = List.copyOf(layers);
    }

    /// Infers all shapes.
    ///
    /// @param input the shape of one sample of the data set
    /// @param classes the data set's number of classes
    /// @throws InvalidJobException if a layer cannot take what the layer before gives, two layers share a name, or
    ///     the last layer does not give one logit a class; names the layer and both shapes
    public static Network fit(NetworkSpec spec, Shape input, int classes) {
        List<Layer> layers = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Shape shape = input;
        for (int i = 0; i < spec.layers().size(); i++) {
            Layer layer = fit(spec.layers().get(i), i, shape);
            if (!names.add(layer.name())) {
                throw new InvalidJobException(
                        "two layers of the network are named \"%s\"; names must differ".formatted(layer.name()));
            }
            layers.add(layer);
            shape = layer.out();
        }
        if (!shape.equals(Shape.of(classes))) {
            throw new InvalidJobException(
                    "the network's last layer \"%s\" gives %s, but the data set has %d classes, so it must give %d"
                            .formatted(layers.getLast().name(), shape, classes, classes));
        }
        return new Network(input, classes, layers);
    }

    private static Layer fit(LayerSpec spec, int index, Shape in) {
        String given = spec.name();
        String name = given == null ? Integer.toString(index) : given;
        try {
            Shape out = spec.output(in);
            List<ParameterSpec> parameters =
                    spec.parameters(in).stream().map(p -> p.inLayer(name)).toList();
            return new Layer(name, spec, in, out, parameters);
        } catch (ShapeMismatch e) {
            throw new InvalidJobException("layer \"%s\" (number %d, %s) is given %s: %s"
                    .formatted(name, index, spec.getClass().getSimpleName(), in, e.getMessage()));
        } catch (InvalidJobException e) {
            throw new InvalidJobException(
                    "layer \"%s\" (number %d) is given %s: %s".formatted(name, index, in, e.getMessage()), e);
        }
    }

    /// All parameters and buffers, in `state_dict()` order.
    public List<ParameterSpec> parameters() {
        return layers.stream().flatMap(layer -> layer.parameters().stream()).toList();
    }

    /// Elements of all parameters and buffers together.
    public long parameterElements() {
        return parameters().stream().mapToLong(p -> p.shape().elements()).sum();
    }

    /// Elements of one sample's input and all layers' outputs together.
    public long activationElements() {
        return input.elements()
                + layers.stream().mapToLong(layer -> layer.out().elements()).sum();
    }

    /// Values that the dropout masks of one sample have in training.
    public long maskElements() {
        return layers.stream()
                .mapToLong(layer -> layer.spec().maskElements(layer.in()))
                .sum();
    }
}
