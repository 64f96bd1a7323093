package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One value of each window: the largest, whose gradient goes to the first of equals, row by row, as in PyTorch;
/// or the mean.
final class CompiledPooling2d implements CompiledLayer {
    /// oneDNN counts the elements between two taps of a window: 0 for a dense one.
    private static final long[] DENSE = {0, 0};

    private static final long[] NO_PADDING = {0, 0};

    private final String name;
    private final int algorithm;
    private final long[] kernel; // rows, columns
    private final long[] strides;
    private final Layout inputLayout;
    private final PrimitiveDescription forward;

    /// Where each window's maximum was; null for means and in evaluation.
    private final @Nullable Memory positions;

    private final Memory output;

    private CompiledPooling2d(
            ProgramBuilder program, Network.Layer layer, int algorithm, long[] kernel, long[] strides, Memory input) {
        name = layer.name();
        this.algorithm = algorithm;
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
                        algorithm,
                        inputLayout.handle(),
                        anyOutput.handle(),
                        strides,
                        kernel,
                        DENSE,
                        NO_PADDING,
                        NO_PADDING,
                        null));
        output = engine.memory(forward.layout(dnnl_query_dst_md, outputSizes));
        positions = program.training() && algorithm == dnnl_pooling_max
                ? engine.memory(forward.layout(dnnl_query_workspace_md, outputSizes))
                : null;
        program.add(
                forward, arguments(positions, new Argument(DNNL_ARG_SRC, input), new Argument(DNNL_ARG_DST, output)));
    }

    static CompiledLayer max(ProgramBuilder program, Network.Layer layer, LayerSpec.MaxPool2d spec, Memory input) {
        return new CompiledPooling2d(
                program, layer, dnnl_pooling_max, square(spec.kernel()), square(spec.stride()), input);
    }

    static CompiledLayer mean(ProgramBuilder program, Network.Layer layer, LayerSpec.AvgPool2d spec, Memory input) {
        return new CompiledPooling2d(
                program, layer, dnnl_pooling_avg_exclude_padding, square(spec.kernel()), square(spec.stride()), input);
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
        return new CompiledPooling2d(program, layer, dnnl_pooling_avg_exclude_padding, window, window, input);
    }

    private static long[] square(int side) {
        return new long[] {side, side};
    }

    private static List<Argument> arguments(@Nullable Memory positions, Argument... others) {
        List<Argument> arguments = new ArrayList<>(List.of(others));
        if (positions != null) {
            arguments.add(new Argument(DNNL_ARG_WORKSPACE, positions));
        }
        return arguments;
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
                        algorithm,
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
                arguments(
                        positions,
                        new Argument(DNNL_ARG_DIFF_DST, program.in(output.layout(), outputGradient)),
                        new Argument(DNNL_ARG_DIFF_SRC, gradient)));
        return gradient;
    }
}
