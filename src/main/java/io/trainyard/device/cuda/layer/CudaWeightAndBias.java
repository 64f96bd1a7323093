package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The parameters of a convolution or a linear layer.
final class CudaWeightAndBias {
    /// A bias's gradient is split into this number of parts if a tensor has at least [#ROWS_FOR_PARTS] rows of
    /// channels. With fewer rows, one block for each channel is sufficient.
    private static final int PARTS = 128;

    private static final int ROWS_FOR_PARTS = 4096;

    private final Compilation c;
    private final ParameterSpec weight;
    private final @Nullable ParameterSpec bias;
    private final int channels;
    private final int inner;
    private final boolean inParts;
    private boolean withRelu;

    /// @param in the layer's input
    /// @param out its output: (samples, channels) or (samples, channels, rows, columns)
    CudaWeightAndBias(Network.Layer layer, BatchTensor in, BatchTensor out, Compilation c) {
        this.c = c;
        this.weight = layer.parameters().getFirst();
        this.bias = layer.parameters().size() > 1 ? layer.parameters().get(1) : null;
        this.channels = out.channels();
        this.inner = c.numbers().channelsLast() ? 1 : out.area();
        this.inParts = bias != null && bias.trained() && inner == 1 && rows(out) >= ROWS_FOR_PARTS;
        if (inParts) {
            c.workspace().require((long) PARTS * channels * Float.BYTES, in.gradient() != null);
        }
    }

    /// float32, as in `state_dict()`.
    Buffer weight() {
        return c.parameters().value(weight);
    }

    boolean trainsWeight() {
        return weight.trained();
    }

    boolean isTrained() {
        return weight.trained() || (bias != null && bias.trained());
    }

    Buffer weightGradient() {
        return c.parameters().gradient(weight);
    }

    long weightElements() {
        return weight.shape().elements();
    }

    /// Memory for the weight in the type and layout of activations.
    Buffer packed() {
        return packed("the packed ");
    }

    /// Memory for the weight's gradient in the type and layout of activations.
    Buffer packedGradient() {
        return packed("the packed gradient of ");
    }

    private Buffer packed(String what) {
        return c.arena().reserve(weightElements() * c.numbers().valueBytes(), what + weight.name());
    }

    /// Requests ReLU together with the bias, in one pass over the output.
    ///
    /// @return false without a bias
    boolean takeRelu() {
        withRelu = bias != null;
        return withRelu;
    }

    void addBias(BatchTensor out) {
        if (bias != null) {
            c.kernels()
                    .launch(
                            withRelu ? "bias_relu" : "bias_add",
                            out.elements(),
                            out.value(),
                            c.parameters().value(bias),
                            out.elements(),
                            channels,
                            inner);
        }
    }

    void biasGradient(BatchTensor out) {
        if (bias != null && bias.trained()) {
            Buffer gradient = c.parameters().gradient(bias);
            Buffer from = Objects.requireNonNull(out.gradient());
            if (inParts) {
                Buffer parts = c.workspace().buffer();
                c.kernels().launchBlocks("bias_gradient_parts", PARTS, parts, from, rows(out), channels);
                c.kernels().launchBlocks("add_parts", channels, gradient, parts, PARTS, channels);
            } else { // one block of threads sums a channel
                c.kernels().launchBlocks("bias_gradient", channels, gradient, from, rows(out), channels, inner);
            }
        }
    }

    private int rows(BatchTensor out) {
        return (int) (out.elements() / channels / inner);
    }
}
