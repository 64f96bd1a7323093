package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.spec.LayerSpec.BatchNorm2d;
import io.trainyard.spec.Network;
import java.lang.foreign.ValueLayout;

/// Normalises each channel: in training by the batch's mean and variance, in evaluation by the running ones.
final class CompiledBatchNorm2d implements CompiledLayer {
    private static final int SCALE_AND_SHIFT = dnnl_use_scale | dnnl_use_shift;

    private final String name;
    private final Memory input;
    private final Slot scale;
    private final Slot shift;
    private final Memory mean;
    private final Memory variance;
    private final Memory inputGradient;
    private final PrimitiveDescription forward;
    private final Memory output;

    CompiledBatchNorm2d(ProgramBuilder program, Network.Layer layer, Memory input) {
        this.name = layer.name();
        this.input = input;
        ModelState state = program.state();
        scale = state.placeVector(layer.parameters().get(0));
        shift = state.placeVector(layer.parameters().get(1));
        Memory runningMean = state.placeVector(layer.parameters().get(2)).value();
        Memory runningVariance = state.placeVector(layer.parameters().get(3)).value();
        long[] batches = state.counter(layer.parameters().get(4));

        Engine engine = program.engine();
        Layout layout = input.layout();
        Layout channels = runningMean.layout();
        boolean training = program.training();
        mean = training ? engine.memory(channels) : runningMean;
        variance = training ? engine.memory(channels) : runningVariance;
        forward = engine.describe(
                "run layer \"%s\" forward".formatted(name),
                (handle, cpu) -> dnnl_batch_normalization_forward_primitive_desc_create(
                        handle,
                        cpu,
                        program.propagation(),
                        layout.handle(),
                        layout.handle(),
                        BatchNorm2d.EPSILON,
                        training ? SCALE_AND_SHIFT : SCALE_AND_SHIFT | dnnl_use_global_stats,
                        null));
        output = engine.memory(layout);
        inputGradient = training ? engine.memory(layout) : output;
        program.add(
                forward,
                new Argument(DNNL_ARG_SRC, input),
                new Argument(DNNL_ARG_MEAN, mean),
                new Argument(DNNL_ARG_VARIANCE, variance),
                new Argument(DNNL_ARG_SCALE, scale.value()),
                new Argument(DNNL_ARG_SHIFT, shift.value()),
                new Argument(DNNL_ARG_DST, output));
        if (training) {
            double values = (double) layout.elements() / channels.elements();
            program.add(() -> {
                follow(runningMean, mean, 1);
                follow(runningVariance, variance, values / (values - 1));
                batches[0]++;
            });
        }
    }

    /// PyTorch keeps the unbiased variance, oneDNN gives the biased one: `correction` is the ratio.
    private static void follow(Memory running, Memory batch, double correction) {
        double momentum = BatchNorm2d.MOMENTUM;
        for (long c = 0; c < running.layout().elements(); c++) {
            double old = running.data().getAtIndex(ValueLayout.JAVA_FLOAT, c);
            double now = batch.data().getAtIndex(ValueLayout.JAVA_FLOAT, c) * correction;
            running.data().setAtIndex(ValueLayout.JAVA_FLOAT, c, (float) ((1 - momentum) * old + momentum * now));
        }
    }

    @Override
    public Memory output() {
        return output;
    }

    /// oneDNN computes the gradients of the parameters and of the input together.
    @Override
    public void addParameterGradients(ProgramBuilder program, Memory outputGradient) {
        Layout layout = input.layout();
        PrimitiveDescription backward = program.engine()
                .describe(
                        "run the gradient of layer \"%s\"".formatted(name),
                        (handle, cpu) -> dnnl_batch_normalization_backward_primitive_desc_create(
                                handle,
                                cpu,
                                dnnl_backward,
                                layout.handle(),
                                layout.handle(),
                                layout.handle(),
                                BatchNorm2d.EPSILON,
                                SCALE_AND_SHIFT,
                                forward.handle(),
                                null));
        program.add(
                backward,
                new Argument(DNNL_ARG_SRC, input),
                new Argument(DNNL_ARG_MEAN, mean),
                new Argument(DNNL_ARG_VARIANCE, variance),
                new Argument(DNNL_ARG_SCALE, scale.value()),
                new Argument(DNNL_ARG_DIFF_DST, program.in(layout, outputGradient)),
                new Argument(DNNL_ARG_DIFF_SRC, inputGradient),
                new Argument(DNNL_ARG_DIFF_SCALE, scale.requireGradient()),
                new Argument(DNNL_ARG_DIFF_SHIFT, shift.requireGradient()));
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        return inputGradient;
    }
}
