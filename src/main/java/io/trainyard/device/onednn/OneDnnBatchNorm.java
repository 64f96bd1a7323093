package io.trainyard.device.onednn;

import io.trainyard.device.onednn.kernel.ChannelGradientSums;
import io.trainyard.device.onednn.kernel.ImageLayout;
import io.trainyard.device.onednn.kernel.Normalisation;
import io.trainyard.device.onednn.kernel.NormalisationGradient;
import io.trainyard.device.onednn.kernel.ValueSums;
import io.trainyard.device.onednn.kernel.ValueType;
import io.trainyard.spec.Network;
import java.lang.foreign.MemorySegment;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// Normalizes each channel: in training by mean and variance of the whole batch, for which the shards wait for each
/// other, in evaluation by running statistics. Uses our own kernels, because oneDNN sums in float32 and does not
/// support shards.
///
/// A following addition of a residual's other branch and a following ReLU are merged into it.
final class OneDnnBatchNorm implements OneDnnLayer {
    private final ShardBatchNorm share;
    private final ImageLayout images;
    private final ValueType type;
    private final boolean relu;
    private final Memory input;
    private final @Nullable Memory addend;
    private final Memory output;

    /// The gradient of the sum before the ReLU, and so of the addend. Null before the backward pass is added.
    private @Nullable Memory sumGradient;

    private @Nullable Memory inputGradient;

    OneDnnBatchNorm(ProgramBuilder program, Network.Layer layer, Memory input, @Nullable Memory addend, boolean relu) {
        share = program.norms().of(layer);
        this.relu = relu;
        ChannelValues values = ChannelValues.of(program, layer, input);
        this.input = values.memory();
        images = values.images();
        type = this.input.layout().type();
        this.addend = addend == null ? null : program.in(this.input.layout(), addend);
        output = program.training()
                ? program.engine().memory(this.input.layout())
                : program.over(this.input); // the original values are not needed any more
        program.add(forward(program.training()));
    }

    private Operation forward(boolean training) {
        Normalisation normalisation = new Normalisation(images, type, relu);
        MemorySegment x = input.data();
        MemorySegment y = output.data();
        MemorySegment added = addend == null ? null : addend.data();
        double[] centers = new double[share.channels()];
        double[] factors = new double[share.channels()];
        double[] shifts = new double[share.channels()];
        Operation statistics = training && !share.keepsStatistics() ? batchStatistics() : share::useRunning;
        return () -> {
            statistics.run();
            fill(centers, share::center);
            fill(factors, share::factor);
            fill(shifts, share::shift);
            normalisation.set(centers, factors, shifts);
            normalisation.compute(x, added, y);
        };
    }

    private Operation batchStatistics() {
        ValueSums sums = new ValueSums(images, type);
        MemorySegment x = input.data();
        long values = (long) images.samples() * images.area();
        return () -> {
            sums.compute(x, share.ownMeans(), share.ownDeviations());
            share.awaitForward(values);
        };
    }

    private static void fill(double[] values, IntToDoubleFunction ofChannel) {
        for (int c = 0; c < values.length; c++) {
            values[c] = ofChannel.applyAsDouble(c);
        }
    }

    @Override
    public Memory output() {
        return output;
    }

    /// The gradient of the addend; call after [#addParameterGradients].
    Memory addendGradient() {
        return known(sumGradient);
    }

    /// The gradients of the parameters and of the input need the same sums, and are computed together. With an
    /// addend, the gradient of the sum is kept for the other branch.
    @Override
    public void addParameterGradients(ProgramBuilder program, Memory outputGradient) {
        Memory gradient = program.in(input.layout(), outputGradient);
        Memory masked = relu ? program.over(gradient) : gradient;
        if (addend != null) {
            program.share(masked);
        }
        Memory ofInput = program.over(masked);
        program.add(backward(gradient.data(), masked.data(), ofInput.data()));
        sumGradient = masked;
        inputGradient = ofInput;
    }

    private Operation backward(MemorySegment gradient, MemorySegment masked, MemorySegment ofInput) {
        ChannelGradientSums sums = new ChannelGradientSums(images, type);
        NormalisationGradient normalisation = new NormalisationGradient(images, type);
        MemorySegment x = input.data();
        MemorySegment y = output.data();
        double[] centers = new double[share.channels()];
        double[] factors = new double[share.channels()];
        double[] ofInputs = new double[share.channels()];
        double[] constants = new double[share.channels()];
        return () -> {
            fill(centers, share::center);
            if (relu) {
                sums.computeBehindRelu(gradient, y, masked, x, centers, share.ownGradients(), share.ownProducts());
            } else {
                sums.compute(gradient, x, centers, share.ownGradients(), share.ownProducts());
            }
            share.awaitBackward();
            fill(factors, share::factor);
            fill(ofInputs, share::gradientOfInput);
            fill(constants, share::gradientConstant);
            normalisation.set(centers, factors, ofInputs, constants);
            normalisation.compute(masked, x, ofInput);
        };
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        return known(inputGradient);
    }

    private static Memory known(@Nullable Memory gradient) {
        if (gradient == null) {
            throw new IllegalStateException("the backward pass has not been added yet");
        }
        return gradient;
    }
}
