package io.trainyard.spec;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
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
    /// @param needsInputGradient whether an earlier layer is trained, so that training needs the
    ///     gradient of its input
    public record Layer(
            String name,
            LayerSpec spec,
            Shape in,
            Shape out,
            List<ParameterSpec> parameters,
            List<List<Layer>> branches,
            boolean needsInputGradient) {
        /// Whether the optimizer changes any of its parameters.
        public boolean isTrained() {
            return parameters.stream().anyMatch(ParameterSpec::trained);
        }

        /// Whether it takes part in the backward pass.
        public boolean isDifferentiated() {
            return needsInputGradient || isTrained();
        }

        /// Whether a batch norm uses and keeps its running statistics in training, too.
        public boolean keepsStatistics() {
            return spec.needsWholeBatch() && parameters.getLast().frozen();
        }

        /// Whether it is a batch norm into which a device may merge the operations after it.
        public boolean isMergeableNorm() {
            return spec instanceof BatchNorm && !(keepsStatistics() && isDifferentiated());
        }

        /// Whether a branch of a residual ends with a batch norm that can add the other branch.
        public boolean endsWithNorm(int branch) {
            List<Layer> ending = spec instanceof Residual ? branches.get(branch) : List.of();
            return !ending.isEmpty()
                    && ending.getLast().isMergeableNorm()
                    && (ending.getLast().isDifferentiated() || !isDifferentiated());
        }

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
        boolean torchvisions = TorchvisionNetworks.has(spec.name());
        List<LayerSpec> specs = torchvisions ? TorchvisionNetworks.layers(spec, input, classes) : spec.layers();
        List<Layer> layers = fit("", new Branch("layers", "", specs), input, false);
        Network network = new Network(
                input,
                classes,
                torchvisions
                        ? withParameters(layers, layer -> TorchvisionNetworks.parameters(spec.label(), layer), false)
                        : layers);
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

    /// The network of a training job, with the optimizer's groups and frozen parameters.
    ///
    /// @throws InvalidJobException like [#fit], or if a pattern of `freeze` matches no parameter, or
    ///     all parameters
    public static Network of(JobSpec job, Shape input, int classes) {
        Network network = fit(job.network(), input, classes).group(job.optimizer());
        return job.freeze() == null ? network : network.freeze(job.freeze(), job.freezeBatchNorm() != null);
    }

    /// @throws InvalidJobException if a pattern of a group matches no parameter, or a parameter is in two groups
    private Network group(OptimizerSpec optimizer) {
        Network grouped = this;
        for (int i = 1; i < optimizer.groupCount(); i++) {
            int group = i;
            String field = "optimizer.groups[%d].parameters".formatted(i - 1);
            NamePatterns names = NamePatterns.of(
                    field, Objects.requireNonNull(optimizer.groups()).get(i - 1).parameters(), parameters());
            grouped = new Network(
                    input, classes, withParameters(grouped.layers, layer -> group(layer, names, group), false));
        }
        return grouped;
    }

    private static List<ParameterSpec> group(Layer layer, NamePatterns names, int group) {
        return layer.parameters().stream()
                .map(spec -> {
                    if (!spec.trained() || !names.match(spec.name())) {
                        return spec;
                    }
                    if (spec.group() > 0) {
                        throw new InvalidJobException("parameter %s is in optimizer.groups[%d] and [%d]; allowed is one"
                                .formatted(spec.name(), spec.group() - 1, group - 1));
                    }
                    return spec.inGroup(group);
                })
                .toList();
    }

    /// @param patterns of names of parameters and layers
    /// @param norms whether frozen batch norms keep their running statistics
    /// @throws InvalidJobException if a pattern matches no parameter, or none is left to train
    public Network freeze(List<String> patterns, boolean norms) {
        NamePatterns names = NamePatterns.of("freeze", patterns, parameters());
        Network frozen =
                new Network(input, classes, withParameters(layers, layer -> freeze(layer, names, norms), false));
        if (frozen.parameters().stream().noneMatch(ParameterSpec::trained)) {
            throw new InvalidJobException(
                    "freeze is %s, which leaves no parameter to train; leave out a pattern".formatted(names));
        }
        return frozen;
    }

    /// Replaces the parameters of all layers without branches.
    ///
    /// @param trainedBefore whether any earlier layer is trained
    private static List<Layer> withParameters(
            List<Layer> layers, Function<Layer, List<ParameterSpec>> others, boolean trainedBefore) {
        List<Layer> all = new ArrayList<>();
        boolean trained = trainedBefore;
        for (Layer layer : layers) {
            boolean inputGradient = trained;
            List<List<Layer>> branches = layer.branches().stream()
                    .map(branch -> withParameters(branch, others, inputGradient))
                    .toList();
            List<ParameterSpec> parameters = branches.isEmpty()
                    ? others.apply(layer)
                    : branches.stream()
                            .flatMap(List::stream)
                            .flatMap(nested -> nested.parameters().stream())
                            .toList();
            Layer changed =
                    new Layer(layer.name(), layer.spec(), layer.in(), layer.out(), parameters, branches, inputGradient);
            all.add(changed);
            trained |= changed.isTrained();
        }
        return List.copyOf(all);
    }

    private static List<ParameterSpec> freeze(Layer layer, NamePatterns names, boolean norms) {
        List<ParameterSpec> parameters = layer.parameters().stream()
                .map(spec -> spec.trained() && names.match(spec.name()) ? spec.asFrozen() : spec)
                .toList();
        boolean whole = parameters.stream().noneMatch(ParameterSpec::trained)
                && (parameters.stream().anyMatch(ParameterSpec::frozen) || names.match(layer.name()));
        return norms && whole ? parameters.stream().map(ParameterSpec::asFrozen).toList() : parameters;
    }

    /// @param prefix of the layers' names
    /// @param trainedBefore whether any earlier layer is trained
    private static List<Layer> fit(String prefix, Branch branch, Shape in, boolean trainedBefore) {
        List<Layer> layers = new ArrayList<>();
        Shape shape = in;
        boolean trained = trainedBefore;
        for (int i = 0; i < branch.layers().size(); i++) {
            Layer layer = fit(prefix + branch.nameAt(i), branch.layers().get(i), i, shape, trained);
            layers.add(layer);
            shape = layer.out();
            trained |= layer.isTrained();
        }
        return List.copyOf(layers);
    }

    private static Layer fit(String name, LayerSpec spec, int index, Shape in, boolean trainedBefore) {
        List<List<Layer>> branches = spec.sequences().stream()
                .map(branch -> fit(name + ".", branch, in, trainedBefore))
                .toList();
        try {
            Shape out = spec.output(in);
            List<ParameterSpec> parameters =
                    spec.parameters(in).stream().map(p -> p.inLayer(name)).toList();
            return new Layer(name, spec, in, out, parameters, branches, trainedBefore);
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
                .filter(layer -> layer.spec().needsWholeBatch() && !layer.keepsStatistics())
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

    /// Multiply-adds of training one sample: the forward pass, the gradient of each trained layer's weight, and the
    /// gradient of each layer's input if any earlier layer is trained.
    public long trainingMultiplyAdds() {
        return allLayers().stream()
                .mapToLong(layer -> layer.spec().multiplyAdds(layer.in())
                        * (1 + (layer.isTrained() ? 1 : 0) + (layer.needsInputGradient() ? 1 : 0)))
                .sum();
    }
}
