package io.trainyard.spec;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

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
    /// @param parameters parameters and buffers, those of layers within too, in `state_dict()` order,
    ///     with full names
    /// @param branches for a residual its layers and its shortcut; for others none
    public record Layer(
            String name,
            LayerSpec spec,
            Shape in,
            Shape out,
            List<ParameterSpec> parameters,
            List<List<Layer>> branches) {
        /// As [LayerSpec#mask], in place.
        public Optional<MaskSpec> mask() {
            return spec.mask(in);
        }

        /// This one, then those within.
        private Stream<Layer> all() {
            return Stream.concat(
                    Stream.of(this), branches.stream().flatMap(List::stream).flatMap(Layer::all));
        }
    }

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
        Network network = new Network(input, classes, fit("", spec.layers(), input));
        Set<String> names = new HashSet<>();
        for (Layer layer : network.allLayers()) {
            if (!names.add(layer.name())) {
                throw new InvalidJobException(
                        "two layers of the network are named \"%s\"; names must differ".formatted(layer.name()));
            }
        }
        Layer last = network.layers().getLast();
        if (!last.out().equals(Shape.of(classes))) {
            throw new InvalidJobException(
                    "the network's last layer \"%s\" gives %s, but the data set has %d classes, so it must give %d"
                            .formatted(last.name(), last.out(), classes, classes));
        }
        return network;
    }

    /// @param prefix what stands before the layers' names
    private static List<Layer> fit(String prefix, List<LayerSpec> specs, Shape in) {
        List<Layer> layers = new ArrayList<>();
        Shape shape = in;
        for (int i = 0; i < specs.size(); i++) {
            Layer layer = fit(prefix, specs.get(i), i, shape);
            layers.add(layer);
            shape = layer.out();
        }
        return List.copyOf(layers);
    }

    private static Layer fit(String prefix, LayerSpec spec, int index, Shape in) {
        String name = prefix + spec.nameAt(index);
        List<List<Layer>> branches = spec.branches().stream()
                .map(branch -> fit(name + "." + branch.prefix(), branch.layers(), in))
                .toList();
        try {
            Shape out = spec.output(in);
            List<ParameterSpec> parameters =
                    spec.parameters(in).stream().map(p -> p.inLayer(name)).toList();
            return new Layer(name, spec, in, out, parameters, branches);
        } catch (ShapeMismatch e) {
            throw new InvalidJobException("layer \"%s\" (number %d, %s) is given %s: %s"
                    .formatted(name, index, spec.getClass().getSimpleName(), in, e.getMessage()));
        } catch (InvalidJobException e) {
            throw new InvalidJobException(
                    "layer \"%s\" (number %d) is given %s: %s".formatted(name, index, in, e.getMessage()), e);
        }
    }

    /// Every layer, each followed by those within it: for whoever counts.
    public List<Layer> allLayers() {
        return layers.stream().flatMap(Layer::all).toList();
    }

    /// All parameters and buffers, in `state_dict()` order.
    public List<ParameterSpec> parameters() {
        return layers.stream().flatMap(layer -> layer.parameters().stream()).toList();
    }

    public long parameterElements() {
        return parameters().stream().mapToLong(p -> p.shape().elements()).sum();
    }

    /// Elements of one sample's input and all layers' outputs together.
    public long activationElements() {
        return input.elements()
                + allLayers().stream()
                        .mapToLong(layer -> layer.out().elements())
                        .sum();
    }

    /// Those that need all samples of a batch at once: the parts of a batch must meet there.
    public List<Layer> wholeBatchLayers() {
        return allLayers().stream()
                .filter(layer -> layer.spec().needsWholeBatch())
                .toList();
    }

    /// What is drawn in a training step, in this order, each for the whole batch; by the layers' names.
    public Map<String, MaskSpec> masks() {
        Map<String, MaskSpec> masks = new LinkedHashMap<>();
        allLayers().forEach(layer -> layer.mask().ifPresent(mask -> masks.put(layer.name(), mask)));
        return masks;
    }

    /// Values that the masks of one sample have in training.
    public long maskElements() {
        return masks().values().stream().mapToLong(MaskSpec::elements).sum();
    }

    /// Multiplications, each with an addition, of one sample's forward pass, in convolutions and linear layers.
    public long multiplyAdds() {
        return allLayers().stream()
                .mapToLong(layer -> layer.spec().multiplyAdds(layer.in()))
                .sum();
    }

    /// The same of all that training does with one sample: forward; the gradient of each weight; the gradient of each
    /// layer's input, where anything before that layer is trained.
    public long trainingMultiplyAdds() {
        return trainingMultiplyAdds(layers, false);
    }

    /// @param trainedBefore whether anything is trained before the first of them
    private static long trainingMultiplyAdds(List<Layer> layers, boolean trainedBefore) {
        boolean inputGradient = trainedBefore;
        long sum = 0;
        for (Layer layer : layers) {
            sum += layer.spec().multiplyAdds(layer.in()) * (inputGradient ? 3 : 2);
            for (List<Layer> branch : layer.branches()) {
                sum += trainingMultiplyAdds(branch, inputGradient);
            }
            inputGradient |= layer.parameters().stream().anyMatch(ParameterSpec::trained);
        }
        return sum;
    }
}
