package io.trainyard.device.cuda;

import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.DropoutLayer;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.MaskSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Residual;
import io.trainyard.spec.SampleNorm;
import io.trainyard.spec.Shape;
import io.trainyard.spec.Upsample;
import io.trainyard.spec.Windows;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What `step.cu` computes between two meetings of its threads: a layer, with the activation or the dropout that
/// follows it.
///
/// @param out of the layer
/// @param windows of a convolution or a pooling; null for others
/// @param parameters weight and, where there is one, bias
/// @param dropout the layer whose mask it takes; null without
record StepStage(
        Kind kind,
        Shape out,
        @Nullable Windows windows,
        List<ParameterSpec> parameters,
        Activation activation,
        Network.@Nullable Layer dropout) {
    /// In the order of `step.cu`.
    enum Kind {
        GATHERED,
        CONVOLUTION,
        LINEAR,
        MAX_POOL,
        AVERAGE_POOL,
        COPY
    }

    /// In the order of `step.cu`.
    enum Activation {
        NONE,
        RELU,
        TANH,
        SIGMOID
    }

    /// Rows of a convolution's kernel: so many sums a thread has at hand at once.
    static final int MOST_TAPS = 5;

    static final int MOST_STAGES = 20;

    /// Empty where the network has what `step.cu` does not compute, or nothing to train.
    static Optional<List<StepStage>> of(Network network) {
        List<StepStage> stages = new ArrayList<>();
        stages.add(plain(Kind.GATHERED, network.input(), null, List.of()));
        for (Network.Layer layer : network.layers()) {
            if (!add(layer, stages)) {
                return Optional.empty();
            }
        }
        boolean trains = stages.stream().anyMatch(stage -> !stage.parameters().isEmpty());
        return trains && stages.size() <= MOST_STAGES ? Optional.of(List.copyOf(stages)) : Optional.empty();
    }

    private static StepStage plain(Kind kind, Shape out, @Nullable Windows windows, List<ParameterSpec> parameters) {
        return new StepStage(kind, out, windows, parameters, Activation.NONE, null);
    }

    /// @return whether it can be
    private static boolean add(Network.Layer layer, List<StepStage> stages) {
        return switch (layer.spec()) {
            case Conv2d conv -> add(Kind.CONVOLUTION, layer, conv.windows(), isComputed(conv), stages);
            case LayerSpec.Linear _ -> stages.add(plain(Kind.LINEAR, layer.out(), null, layer.parameters()));
            case Pooling.MaxPool2d pool ->
                add(Kind.MAX_POOL, layer, pool.windows(), isComputed(pool.windows(), layer), stages);
            case Pooling.AvgPool2d pool ->
                add(Kind.AVERAGE_POOL, layer, pool.windows(), isComputed(pool.windows(), layer), stages);
            case ActivationFunction function -> addActivation(function, layer, stages);
            case DropoutLayer _ -> addDropout(layer, stages);
            case LayerSpec.Flatten _, LayerSpec.Identity _ -> true;
            case BatchNorm _,
                    SampleNorm _,
                    LayerSpec.LayerScale _,
                    Pooling.AdaptiveAvgPool2d _,
                    Upsample _,
                    Residual _ -> false;
        };
    }

    private static boolean add(
            Kind kind, Network.Layer layer, Windows windows, boolean computed, List<StepStage> stages) {
        return computed && stages.add(plain(kind, layer.out(), windows, layer.parameters()));
    }

    private static boolean isComputed(Conv2d conv) {
        Windows.Side rows = conv.windows().rows();
        Windows.Side columns = conv.windows().columns();
        boolean dense = rows.stride() == 1 && columns.stride() == 1 && rows.dilation() == 1 && columns.dilation() == 1;
        return dense && conv.groups() == 1 && rows.taps() <= MOST_TAPS;
    }

    private static boolean isComputed(Windows windows, Network.Layer layer) {
        boolean dense = windows.rows().dilation() == 1 && windows.columns().dilation() == 1;
        return dense && windows.inside(layer.in(), layer.out());
    }

    private static boolean addActivation(ActivationFunction function, Network.Layer layer, List<StepStage> stages) {
        Activation activation = switch (function) {
            case ActivationFunction.Relu _ -> Activation.RELU;
            case ActivationFunction.Tanh _ -> Activation.TANH;
            case ActivationFunction.Sigmoid _ -> Activation.SIGMOID;
            case ActivationFunction.LeakyRelu _,
                    ActivationFunction.Gelu _,
                    ActivationFunction.Silu _,
                    ActivationFunction.Softplus _,
                    ActivationFunction.Hardswish _,
                    ActivationFunction.Clamp _ -> Activation.NONE;
        };
        if (activation == Activation.NONE) {
            return false;
        }
        StepStage last = lastFor(layer, stages, stages.getLast().activation() == Activation.NONE);
        stages.set(
                stages.size() - 1,
                new StepStage(last.kind(), last.out(), last.windows(), last.parameters(), activation, null));
        return true;
    }

    private static boolean addDropout(Network.Layer layer, List<StepStage> stages) {
        Optional<MaskSpec> mask = layer.mask();
        if (mask.isPresent()) {
            StepStage last = lastFor(layer, stages, stages.getLast().activation() == Activation.NONE);
            stages.set(
                    stages.size() - 1,
                    new StepStage(
                            last.kind(), last.out(), last.windows(), last.parameters(), last.activation(), layer));
        }
        return true;
    }

    /// The last stage, if a layer of single values may be a part of it; else a new one that is.
    private static StepStage lastFor(Network.Layer layer, List<StepStage> stages, boolean fits) {
        StepStage last = stages.getLast();
        if (!fits || last.dropout() != null || last.kind() == Kind.GATHERED) {
            stages.add(plain(Kind.COPY, layer.out(), null, List.of()));
        }
        return stages.getLast();
    }

    int channels() {
        return out.size(0);
    }

    /// Of an image; 1 of a vector.
    int rows() {
        return out.rank() == 1 ? 1 : out.size(1);
    }

    /// Of an image; 1 of a vector.
    int columns() {
        return out.rank() == 1 ? 1 : out.size(2);
    }
}
