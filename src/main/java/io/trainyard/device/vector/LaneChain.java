package io.trainyard.device.vector;

import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.DropoutLayer;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Residual;
import io.trainyard.spec.SampleNorm;
import io.trainyard.spec.Upsample;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// [ChunkChain] of several models: it computes the same networks.
final class LaneChain {
    private final FlatModel places;
    private final LaneModel model;
    private final @Nullable VectorSession[] models;
    private final int chunk;
    private final List<LaneLayer> layers = new ArrayList<>();
    private final List<LaneLayer> backward; // the last first
    private final LaneValues input;
    private final LaneValues output;

    /// @param places where the parameters of each model are
    /// @param models whose masks dropout takes; null where a lane has none
    /// @param chunk samples there is room for
    LaneChain(Network network, FlatModel places, LaneModel model, @Nullable VectorSession[] models, int chunk) {
        this.places = places;
        this.model = model;
        this.models = models;
        this.chunk = chunk;
        var in = network.input();
        input = in.rank() == 1
                ? LaneValues.dense(1, 1, in.elements(), in.elements(), chunk, false)
                : LaneValues.dense(in.size(0), in.size(1), in.size(2), in.size(2), chunk, false);
        LaneValues values = input;
        List<LaneLayer> trained = new ArrayList<>(); // from the first with parameters on
        for (Network.Layer layer : network.layers()) {
            int before = layers.size();
            values = add(layer, values);
            if (!trained.isEmpty()) {
                trained.addAll(layers.subList(before, layers.size()));
            } else if (!layer.parameters().isEmpty()) {
                trained.add(layers.getLast());
            }
        }
        output = values;
        backward = List.copyOf(trained.reversed());
    }

    private LaneValues add(Network.Layer layer, LaneValues in) {
        return switch (layer.spec()) {
            case Conv2d conv -> convolution(conv, layer, in);
            case LayerSpec.Linear linear -> product(linear, layer, in);
            case Pooling.MaxPool2d pool ->
                add(new LaneMaxPool2d(
                        in,
                        layer.out().size(1),
                        layer.out().size(2),
                        pool.kernel().rows(),
                        pool.stride().rows(),
                        chunk));
            case ActivationFunction.Relu _ -> add(new LaneRelu(in));
            case DropoutLayer.Dropout _ ->
                layer.mask().isPresent() ? add(new LaneDropout(in, layer.name(), models)) : in;
            case LayerSpec.Flatten _ -> in.flat();
            case LayerSpec.Identity _ -> in;
            case Pooling.AvgPool2d _,
                    Pooling.AdaptiveAvgPool2d _,
                    Upsample _,
                    BatchNorm _,
                    SampleNorm _,
                    LayerSpec.LayerScale _,
                    ActivationFunction _,
                    DropoutLayer.Dropout2d _,
                    Residual _ ->
                throw new IllegalArgumentException("there is no kernel for several models of layer " + layer.name());
        };
    }

    private LaneValues add(LaneLayer layer) {
        layers.add(layer);
        return layer.output();
    }

    private LaneValues convolution(Conv2d conv, Network.Layer layer, LaneValues in) {
        int padding = conv.windows().rows().before();
        LaneValues padded = add(LanePadding.of(in, padding, chunk));
        var weight = places.entry(layer.parameters().getFirst());
        var bias = conv.bias() ? places.entry(layer.parameters().getLast()) : null;
        int pitch = padding > 0 ? padded.columns() : in.pitch();
        return add(new LaneConv2d(padded, pitch, conv, weight, bias, model, chunk));
    }

    private LaneValues product(LayerSpec.Linear linear, Network.Layer layer, LaneValues in) {
        var weight = places.entry(layer.parameters().getFirst());
        var bias = linear.bias() ? places.entry(layer.parameters().getLast()) : null;
        return add(new LaneLinear(in, linear.out(), weight, bias, model, chunk));
    }

    /// What the first layer is given; it has no gradient.
    LaneValues input() {
        return input;
    }

    /// What the last layer gives.
    LaneValues output() {
        return output;
    }

    void forward(int first, int samples) {
        for (LaneLayer layer : layers) {
            layer.forward(first, samples);
        }
    }

    /// From the output's gradient to those of the parameters, and with the batch's last chunk to their next values.
    void backward(LaneLayer.Chunk part) {
        for (LaneLayer layer : backward) {
            layer.backward(part);
        }
    }
}
