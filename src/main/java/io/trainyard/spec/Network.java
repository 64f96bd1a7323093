package io.trainyard.spec;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// A network fitted to a dataset, with the name, the input and output shape, and the parameters of every layer.
///
/// @param input the shape of one sample
/// @param classes number of logits of the last layer
public record Network(Shape input, int classes, List<Layer> layers) {
    /// One fitted layer.
    ///
    /// @param name the name in `state_dict()`
    /// @param in the shape of one input sample, without the batch dimension
    /// @param out the shape of one output sample
    /// @param parameters parameters and buffers, including those of nested layers, in `state_dict()` order, with
    ///     full names
    /// @param branches of a [Join]; empty for other layers
    public record Layer(
            String name,
            LayerSpec spec,
            Shape in,
            Shape out,
            List<ParameterSpec> parameters,
            List<List<Layer>> branches) {
        /// [LayerSpec#mask] for the fitted input shape.
        public Optional<MaskSpec> mask() {
            return spec.mask(in);
        }

        /// This layer, then its nested layers.
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
    /// @param input the shape of one sample of the dataset
    /// @param classes the dataset's number of classes
    /// @throws InvalidJobException if a layer does not accept the output of the layer before, two layers share a
    ///     name, or the last layer does not have one logit for each class; names the layer and both shapes
    public static Network fit(NetworkSpec spec, Shape input, int classes) {
        Network network = new Network(input, classes, fit("", new Branch("layers", "", spec.layers()), input));
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
                    "the network's last layer \"%s\" gives %s, but the dataset has %d classes, so it must give %d"
                            .formatted(last.name(), last.out(), classes, classes));
        }
        return network;
    }

    /// @param prefix of the layers' names
    private static List<Layer> fit(String prefix, Branch branch, Shape in) {
        List<Layer> layers = new ArrayList<>();
        Shape shape = in;
        for (int i = 0; i < branch.layers().size(); i++) {
            Layer layer = fit(prefix + branch.nameAt(i), branch.layers().get(i), i, shape);
            layers.add(layer);
            shape = layer.out();
        }
        return List.copyOf(layers);
    }

    private static Layer fit(String name, LayerSpec spec, int index, Shape in) {
        List<List<Layer>> branches = spec.sequences().stream()
                .map(branch -> fit(name + ".", branch, in))
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

    /// All layers, each followed by its nested layers.
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

    /// Number of elements of one sample's input and all layers' outputs.
    public long activationElements() {
        return input.elements()
                + allLayers().stream()
                        .mapToLong(layer -> layer.out().elements())
                        .sum();
    }

    /// The layers that need the whole batch at once, where the shards of a batch must synchronize.
    public List<Layer> wholeBatchLayers() {
        return allLayers().stream()
                .filter(layer -> layer.spec().needsWholeBatch())
                .toList();
    }

    /// The random masks of a training step by layer name, in the order in which they are drawn for the whole
    /// batch.
    public Map<String, MaskSpec> masks() {
        Map<String, MaskSpec> masks = new LinkedHashMap<>();
        allLayers().forEach(layer -> layer.mask().ifPresent(mask -> masks.put(layer.name(), mask)));
        return masks;
    }

    /// Mask elements of one sample in training.
    public long maskElements() {
        return masks().values().stream().mapToLong(MaskSpec::elements).sum();
    }

    /// Multiply-adds of one sample's forward pass, in convolutions and linear layers.
    public long multiplyAdds() {
        return allLayers().stream()
                .mapToLong(layer -> layer.spec().multiplyAdds(layer.in()))
                .sum();
    }

    /// Multiply-adds of training one sample: the forward pass, the gradient of each weight, and the gradient of
    /// each layer's input if any earlier layer is trained.
    public long trainingMultiplyAdds() {
        return trainingMultiplyAdds(layers, false);
    }

    /// @param trainedBefore whether any earlier layer is trained
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
