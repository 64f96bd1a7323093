package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ValueType;
import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Concat;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.DropoutLayer;
import io.trainyard.spec.Gate;
import io.trainyard.spec.Join;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Residual;
import io.trainyard.spec.SampleNorm;
import io.trainyard.spec.Upsample;

/// One layer within a program. Its constructor adds the forward pass; the two methods add the backward pass, which
/// only training programs have.
///
/// Activations and gradients are (batch, then the sample's dimensions), in any layout.
interface OneDnnLayer {
    Memory output();

    default void addParameterGradients(ProgramBuilder program, Memory outputGradient) {}

    /// Adds the computation of the input's gradient. Call after [#addParameterGradients] with the same gradient,
    /// which may be overwritten if [ProgramBuilder#over] allows it.
    Memory addInputGradient(ProgramBuilder program, Memory outputGradient);

    /// Whether a following ReLU can be merged into the layer.
    static boolean takesRelu(Network.Layer layer) {
        return layer.isMergeableNorm() || OneDnnNormResidual.fits(layer);
    }

    /// @param relu whether a ReLU is merged; only for layers that support it
    static OneDnnLayer of(ProgramBuilder program, Network.Layer layer, Memory input, boolean relu) {
        return takesAnyType(layer, program.training()) || input.layout().type() == ValueType.FLOAT32
                ? compiled(program, layer, input, relu)
                : new OneDnnFloatAdapter(program, input, floats -> compiled(program, layer, floats, relu));
    }

    /// Whether the layer's class supports the value type between layers. All others compute in float32.
    private static boolean takesAnyType(Network.Layer layer, boolean training) {
        return switch (layer.spec()) {
            case Conv2d _, LayerSpec.Linear _, LayerSpec.Flatten _, LayerSpec.Identity _ -> true;
            case BatchNorm _, Residual _, Concat _, ActivationFunction.Relu _, Pooling.MaxPool2d _ -> true;
            case DropoutLayer _ -> !training || layer.mask().isEmpty(); // no mask is drawn
            case Pooling _, Upsample _, SampleNorm _, LayerSpec.LayerScale _, Gate _, ActivationFunction _ -> false;
        };
    }

    private static OneDnnLayer compiled(ProgramBuilder program, Network.Layer layer, Memory input, boolean relu) {
        return switch (layer.spec()) {
            case Conv2d spec -> new OneDnnConv2d(program, layer, spec, input);
            case Pooling.MaxPool2d spec -> new OneDnnMaxPool2d(program, layer, spec, input);
            case Pooling.AvgPool2d spec -> OneDnnAvgPool2d.sliding(program, layer, spec, input);
            case Pooling.AdaptiveAvgPool2d _ -> OneDnnAvgPool2d.covering(program, layer, input);
            case Upsample spec -> new OneDnnUpsample(program, layer, spec, input);
            case BatchNorm _ ->
                layer.isMergeableNorm()
                        ? new OneDnnBatchNorm(program, layer, input, null, relu)
                        : new OneDnnFrozenBatchNorm(program, layer, input);
            case SampleNorm.GroupNorm spec -> new OneDnnGroupNorm(program, layer, spec, input);
            case SampleNorm spec -> new OneDnnLayerNorm(program, layer, spec, input);
            case LayerSpec.LayerScale _ -> new OneDnnLayerScale(program, layer, input);
            case ActivationFunction spec -> OneDnnActivationFunction.of(program, layer, spec, input);
            case DropoutLayer _ -> OneDnnDropout.of(program, layer, input);
            case LayerSpec.Flatten _, LayerSpec.Identity _ -> new PassThrough(input);
            case LayerSpec.Linear spec -> new OneDnnLinear(program, layer, spec, input);
            case Join spec -> OneDnnJoin.of(program, spec, layer, input, relu);
        };
    }

    static long[] outputSizes(Memory input, Network.Layer layer) {
        long[] sizes = new long[1 + layer.out().rank()];
        sizes[0] = input.layout().sizes()[0];
        for (int i = 1; i < sizes.length; i++) {
            sizes[i] = layer.out().size(i - 1);
        }
        return sizes;
    }
}
