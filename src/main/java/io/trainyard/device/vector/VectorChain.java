package io.trainyard.device.vector;

import io.trainyard.device.host.BatchMasks;
import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.DropoutLayer;
import io.trainyard.spec.Join;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.SampleNorm;
import io.trainyard.spec.Upsample;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The kernels of a network, in order, for a chunk of samples.
///
/// The backward pass stops at the first layer with trained parameters.
final class VectorChain {
    private final FlatModel model;
    private final BatchMasks masks;
    private final int chunk;
    private final float[] gradients;
    private final List<VectorLayer> layers = new ArrayList<>();
    private final List<VectorLayer> backward; // the last first
    private final Values input;
    private final Values output;

    /// Adds the kernels of a layer to a chain.
    private interface Kernels {
        Values add(VectorChain chain, Network.Layer layer, Values in);
    }

    VectorChain(Network network, FlatModel model, BatchMasks masks, int chunk, float[] gradients) {
        this.model = model;
        this.masks = masks;
        this.chunk = chunk;
        this.gradients = gradients;
        var in = network.input();
        boolean flat = in.rank() == 1 || network.layers().getFirst().spec() instanceof LayerSpec.Flatten;
        SampleGrid grid =
                flat ? SampleGrid.vector(in.elements()) : SampleGrid.dense(in.size(0), in.size(1), in.size(2));
        this.input = new Values(grid, chunk, false);
        Values values = input;
        List<VectorLayer> trained = new ArrayList<>(); // from the first with trained parameters on
        for (Network.Layer layer : network.layers()) {
            int before = layers.size();
            values = kernels(layer.spec()).orElseThrow().add(this, layer, values);
            if (!trained.isEmpty()) {
                trained.addAll(layers.subList(before, layers.size()));
            } else if (layer.isTrained()) {
                trained.add(layers.getLast());
            }
        }
        this.output = values;
        this.backward = List.copyOf(trained.reversed());
    }

    static boolean computes(LayerSpec layer) {
        return kernels(layer).isPresent();
    }

    /// Empty for layers without kernels.
    private static Optional<Kernels> kernels(LayerSpec spec) {
        return switch (spec) {
            case Conv2d conv ->
                VectorConv2d.computes(conv)
                        ? Optional.of((chain, layer, in) -> chain.convolution(conv, layer, in))
                        : Optional.empty();
            case LayerSpec.Linear linear -> Optional.of((chain, layer, in) -> chain.product(linear, layer, in));
            case Pooling.MaxPool2d pool ->
                VectorMaxPool2d.computes(pool)
                        ? Optional.of((chain, layer, in) -> chain.maxPooling(pool, layer, in))
                        : Optional.empty();
            case ActivationFunction.Relu _ -> Optional.of((chain, _, in) -> chain.add(new VectorRelu(in)));
            case DropoutLayer.Dropout _ -> Optional.of((chain, layer, in) -> chain.dropout(layer, in));
            case LayerSpec.Flatten _ -> Optional.of((chain, _, in) -> chain.flattened(in));
            case LayerSpec.Identity _ -> Optional.of((_, _, in) -> in);
            case Pooling.AvgPool2d _,
                    Pooling.AdaptiveAvgPool2d _,
                    Upsample _,
                    BatchNorm _,
                    SampleNorm _,
                    LayerSpec.LayerScale _,
                    ActivationFunction _,
                    DropoutLayer.Dropout2d _,
                    Join _ -> Optional.empty();
        };
    }

    private Values add(VectorLayer layer) {
        layers.add(layer);
        return layer.output();
    }

    private Values convolution(Conv2d conv, Network.Layer layer, Values in) {
        int padding = conv.windows().rows().before();
        Values padded = padding > 0 ? add(VectorCopy.padded(in, padding, chunk)) : in;
        var weight = model.entry(layer.parameters().getFirst());
        var bias = conv.bias() ? model.entry(layer.parameters().getLast()) : null;
        return add(new VectorConv2d(
                padded, conv, weight, bias, model.values(), gradients, chunk, layer.isDifferentiated()));
    }

    private Values product(LayerSpec.Linear linear, Network.Layer layer, Values in) {
        var weight = model.entry(layer.parameters().getFirst());
        var bias = linear.bias() ? model.entry(layer.parameters().getLast()) : null;
        return add(new VectorLinear(
                in, linear.out(), weight, bias, model.values(), gradients, chunk, layer.isDifferentiated()));
    }

    private Values maxPooling(Pooling.MaxPool2d pool, Network.Layer layer, Values in) {
        int rows = layer.out().size(1);
        int columns = layer.out().size(2);
        int kernel = pool.kernel().rows();
        int stride = pool.stride().rows();
        return add(
                kernel == 2 && stride == 2
                        ? new VectorMaxPool2x2(in, rows, columns, chunk)
                        : new VectorMaxPool2d(in, rows, columns, kernel, stride, chunk));
    }

    private Values dropout(Network.Layer layer, Values in) {
        return layer.mask().isPresent() ? add(new VectorDropout(in, masks.of(layer.name()))) : in;
    }

    private Values flattened(Values in) {
        return in.grid.isVector() ? in : add(VectorCopy.flattened(in, chunk));
    }

    /// The input of the first layer; it has no gradient.
    Values input() {
        return input;
    }

    Values output() {
        return output;
    }

    /// @param first index in the batch of the chunk's first sample
    void forward(int first, int samples, boolean training) {
        for (VectorLayer layer : layers) {
            layer.forward(first, samples, training);
        }
    }

    /// Computes the parameters' gradients from the output's gradient.
    ///
    /// @param accumulate whether to add them to those of earlier chunks
    void backward(int first, int samples, boolean accumulate) {
        for (VectorLayer layer : backward) {
            layer.backward(first, samples, accumulate);
        }
    }
}
