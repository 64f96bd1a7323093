package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The largest value of each window; of equals the first, row by row, gets the gradient, as in PyTorch.
final class CompiledMaxPool2d implements CompiledLayer {
    /// oneDNN counts the elements between two taps of a window: 0 for a dense one.
    private static final long[] DENSE = {0, 0};

    private static final long[] NO_PADDING = {0, 0};

    private final String name;
    private final long[] strides;
    private final long[] kernel;
    private final Layout inputLayout;
    private final PrimitiveDescription forward;

    /// Where each window's maximum was; null in evaluation.
    private final @Nullable Memory positions;

    private final Memory output;

    CompiledMaxPool2d(ProgramBuilder program, Network.Layer layer, LayerSpec.MaxPool2d spec, Memory input) {
        name = layer.name();
        strides = new long[] {spec.stride(), spec.stride()};
        kernel = new long[] {spec.kernel(), spec.kernel()};
        inputLayout = input.layout();
        long[] outputSizes = CompiledLayer.outputSizes(input, layer);

        Engine engine = program.engine();
        Layout anyOutput = engine.any(outputSizes);
        forward = engine.describe(
                "run the pooling of layer \"%s\"".formatted(name),
                (handle, cpu) -> dnnl_pooling_forward_primitive_desc_create(
                        handle,
                        cpu,
                        program.propagation(),
                        dnnl_pooling_max,
                        inputLayout.handle(),
                        anyOutput.handle(),
                        strides,
                        kernel,
                        DENSE,
                        NO_PADDING,
                        NO_PADDING,
                        null));
        output = engine.memory(forward.layout(dnnl_query_dst_md, outputSizes));
        positions = program.training() ? engine.memory(forward.layout(dnnl_query_workspace_md, outputSizes)) : null;
        List<Argument> arguments =
                new ArrayList<>(List.of(new Argument(DNNL_ARG_SRC, input), new Argument(DNNL_ARG_DST, output)));
        if (positions != null) {
            arguments.add(new Argument(DNNL_ARG_WORKSPACE, positions));
        }
        program.add(forward, arguments);
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Memory kept = positions;
        if (kept == null) {
            throw new IllegalStateException("an evaluation program has no backward pass");
        }
        Engine engine = program.engine();
        PrimitiveDescription backward = engine.describe(
                "run the pooling gradient of layer \"%s\"".formatted(name),
                (handle, cpu) -> dnnl_pooling_backward_primitive_desc_create(
                        handle,
                        cpu,
                        dnnl_pooling_max,
                        inputLayout.handle(),
                        output.layout().handle(),
                        strides,
                        kernel,
                        DENSE,
                        NO_PADDING,
                        NO_PADDING,
                        forward.handle(),
                        null));
        Memory gradient = engine.memory(inputLayout);
        program.add(
                backward,
                new Argument(DNNL_ARG_DIFF_DST, program.in(output.layout(), outputGradient)),
                new Argument(DNNL_ARG_WORKSPACE, kept),
                new Argument(DNNL_ARG_DIFF_SRC, gradient));
        return gradient;
    }
}
