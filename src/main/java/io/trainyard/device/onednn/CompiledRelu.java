package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.spec.Network;

/// max(0, x), written over its input where nobody else reads that: no layer's backward pass needs what the layer
/// itself gave out, except this one's, which tells from its output where the input was positive.
final class CompiledRelu implements CompiledLayer {
    private static final float SLOPE_BELOW_ZERO = 0;
    private static final float UNUSED = 0;

    private final String name;
    private final PrimitiveDescription forward;
    private final Memory output;

    CompiledRelu(ProgramBuilder program, Network.Layer layer, Memory input) {
        name = layer.name();
        output = program.over(input);
        Layout layout = input.layout();
        forward = program.engine()
                .describe(
                        "run layer \"%s\" forward".formatted(name),
                        (handle, cpu) -> dnnl_eltwise_forward_primitive_desc_create(
                                handle,
                                cpu,
                                program.propagation(),
                                dnnl_eltwise_relu_use_dst_for_bwd,
                                layout.handle(),
                                layout.handle(),
                                SLOPE_BELOW_ZERO,
                                UNUSED,
                                null));
        program.add(forward, new Argument(DNNL_ARG_SRC, input), new Argument(DNNL_ARG_DST, output));
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Layout layout = output.layout();
        Memory gradient = program.in(layout, outputGradient);
        PrimitiveDescription backward = program.engine()
                .describe(
                        "run the gradient of layer \"%s\"".formatted(name),
                        (handle, cpu) -> dnnl_eltwise_backward_primitive_desc_create(
                                handle,
                                cpu,
                                dnnl_eltwise_relu_use_dst_for_bwd,
                                layout.handle(),
                                layout.handle(),
                                layout.handle(),
                                SLOPE_BELOW_ZERO,
                                UNUSED,
                                forward.handle(),
                                null));
        Memory inputGradient = program.over(gradient);
        program.add(
                backward,
                new Argument(DNNL_ARG_DST, output),
                new Argument(DNNL_ARG_DIFF_DST, gradient),
                new Argument(DNNL_ARG_DIFF_SRC, inputGradient));
        return inputGradient;
    }
}
