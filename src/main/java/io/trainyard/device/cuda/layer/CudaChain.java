package io.trainyard.device.cuda.layer;

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
import io.trainyard.spec.Windows;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A sequence of layers: a network, or a branch.
public final class CudaChain {
    private final List<CudaLayer> layers;
    private final BatchTensor out;

    private CudaChain(List<CudaLayer> layers, BatchTensor out) {
        this.layers = layers;
        this.out = out;
    }

    public static CudaChain of(List<Network.Layer> specs, BatchTensor in, Compilation c) {
        List<CudaLayer> layers = new ArrayList<>();
        BatchTensor last = in;
        for (int i = 0; i < specs.size(); i++) {
            Network.Layer spec = specs.get(i);
            boolean relu = computesReluAlong(spec)
                    && i + 1 < specs.size()
                    && specs.get(i + 1).spec() instanceof ActivationFunction.Relu;
            Optional<CudaLayer> layer =
                    spec.spec() instanceof ActivationFunction.Relu itself && mayOverwrite(layers, last)
                            ? Optional.of(CudaActivationFunction.reluInPlace(itself, spec, layers.getLast(), c))
                            : compile(spec, last, layers.isEmpty() ? null : layers.getLast(), relu, c);
            layer.ifPresent(layers::add);
            last = layer.map(CudaLayer::out).orElse(last.as(spec.out()));
            i += relu ? 1 : 0;
        }
        return new CudaChain(List.copyOf(layers), last);
    }

    /// For a part without samples in a batch: updates the statistics from the other parts.
    ///
    /// @param in empty
    public static CudaChain withoutSamples(Network network, BatchTensor in, Compilation c) {
        List<CudaLayer> norms = new ArrayList<>();
        for (Network.Layer layer : network.wholeBatchLayers()) {
            norms.add(new CudaBatchNorm(layer, c.output(layer.in(), false, "before " + layer.name()), null, false, c));
        }
        return new CudaChain(norms, in);
    }

    /// Whether the layer includes a following ReLU, forward and backward.
    private static boolean computesReluAlong(Network.Layer layer) {
        return layer.isMergeableNorm() || CudaNormResidual.fits(layer);
    }

    /// Whether only the next layer needs `last`: it is the output of a layer with a backward pass that does not use
    /// it.
    private static boolean mayOverwrite(List<CudaLayer> layers, BatchTensor last) {
        return !layers.isEmpty()
                && layers.getLast().out().equals(last)
                && !layers.getLast().needsOutput();
    }

    /// Empty for a layer without computation.
    ///
    /// @param last the layer before; null if there is none
    /// @param relu whether it includes a following ReLU
    private static Optional<CudaLayer> compile(
            Network.Layer layer, BatchTensor in, @Nullable CudaLayer last, boolean relu, Compilation c) {
        CudaLayer before = last != null && last.out().equals(in) ? last : null;
        return switch (layer.spec()) {
            case Conv2d conv -> Optional.of(convolution(conv, layer, in, c));
            case LayerSpec.Linear _ -> Optional.of(new CudaLinear(layer, in, c));
            case BatchNorm _ -> Optional.of(new CudaBatchNorm(layer, in, null, relu, c));
            case SampleNorm norm -> Optional.of(new CudaSampleNorm(norm, layer, in, c));
            case LayerSpec.LayerScale _ -> Optional.of(new CudaLayerScale(layer, in, c));
            case Pooling.MaxPool2d pool -> Optional.of(new CudaMaxPool2d(pool, layer, in, c));
            case Pooling.AvgPool2d pool -> Optional.of(CudaResampling.averages(pool, layer, in, c));
            case Pooling.AdaptiveAvgPool2d _ -> Optional.of(CudaResampling.adaptive(layer, in, c));
            case Upsample upsample -> Optional.of(CudaResampling.nearest(upsample, layer, in, c));
            case ActivationFunction activation -> Optional.of(CudaActivationFunction.of(activation, layer, in, c));
            case DropoutLayer _ ->
                layer.mask().filter(_ -> c.training()).<CudaLayer>map(mask -> new CudaDropout(mask, layer, in, c));
            case LayerSpec.Flatten _ ->
                c.numbers().channelsLast() && in.shape().rank() > 1 && in.channels() > 1 && in.area() > 1
                        ? Optional.of(new CudaFlatten(layer, in, c))
                        : Optional.empty();
            case LayerSpec.Identity _ -> Optional.empty();
            case Join join -> Optional.of(CudaJoin.of(join, layer, in, before, relu, c));
        };
    }

    /// Padding that differs on opposite sides is a layer of its own: cuDNN 9.19 has plans for it that compute
    /// wrong values on an H200, in all precisions.
    private static CudaLayer convolution(Conv2d spec, Network.Layer layer, BatchTensor in, Compilation c) {
        Windows.Side rows = spec.windows().rows();
        Windows.Side columns = spec.windows().columns();
        int below = rows.after() - rows.before();
        int right = columns.after() - columns.before();
        if (below == 0 && right == 0) {
            return new CudaConv2d(spec, layer, in, c);
        }
        CudaResampling padding = CudaResampling.padding(layer, in, c, below, right);
        return new CudaPaddedConv2d(padding, new CudaConv2d(spec, layer, padding.out(), c));
    }

    public BatchTensor out() {
        return out;
    }

    public void forward() {
        layers.forEach(CudaLayer::forward);
    }

    public void backward() {
        for (CudaLayer layer : layers.reversed()) {
            if (layer.out().gradient() != null) {
                layer.backward();
            }
        }
    }
}
