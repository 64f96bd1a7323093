package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;

/// The mean of each window.
final class CompiledAvgPool2d implements CompiledLayer {
    /// oneDNN counts the elements between two taps of a window: 0 for a dense one.
    private static final long[] DENSE = {0, 0};

    private static final long[] NO_PADDING = {0, 0};

    private final String name;
    private final long[] kernel; // rows, columns
    private final long[] strides;
    private final Layout inputLayout;
    private final PrimitiveDescription forward;
    private final Memory output;

    private CompiledAvgPool2d(
            ProgramBuilder program, Network.Layer layer, long[] kernel, long[] strides, Memory input) {
        name = layer.name();
        this.kernel = kernel;
        this.strides = strides;
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
                        dnnl_pooling_avg_exclude_padding,
                        inputLayout.handle(),
                        anyOutput.handle(),
                        strides,
                        kernel,
                        DENSE,
                        NO_PADDING,
                        NO_PADDING,
                        null));
        output = engine.memory(forward.layout(dnnl_query_dst_md, outputSizes));
        program.add(forward, new Argument(DNNL_ARG_SRC, input), new Argument(DNNL_ARG_DST, output));
    }

    static CompiledLayer sliding(ProgramBuilder program, Network.Layer layer, LayerSpec.AvgPool2d spec, Memory input) {
        return new CompiledAvgPool2d(program, layer, square(spec.kernel()), square(spec.stride()), input);
    }

    /// Where the image divides evenly into the windows, they are those of a pooling; otherwise oneDNN has none.
    static CompiledLayer covering(
            ProgramBuilder program, Network.Layer layer, LayerSpec.AdaptiveAvgPool2d spec, Memory input) {
        int rows = layer.in().size(1);
        int columns = layer.in().size(2);
        if (rows % spec.out() != 0 || columns % spec.out() != 0) {
            return new CompiledUnevenPooling2d(program, layer, input);
        }
        long[] window = {rows / spec.out(), columns / spec.out()};
        return new CompiledAvgPool2d(program, layer, window, window, input);
    }

    private static long[] square(int side) {
        return new long[] {side, side};
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Engine engine = program.engine();
        PrimitiveDescription backward = engine.describe(
                "run the pooling gradient of layer \"%s\"".formatted(name),
                (handle, cpu) -> dnnl_pooling_backward_primitive_desc_create(
                        handle,
                        cpu,
                        dnnl_pooling_avg_exclude_padding,
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
                new Argument(DNNL_ARG_DIFF_SRC, gradient));
        return gradient;
    }
}
