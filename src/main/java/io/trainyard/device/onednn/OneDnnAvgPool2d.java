package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.device.onednn.OneDnnUnevenPooling2d.Span;
import io.trainyard.device.onednn.kernel.ValueType;
import io.trainyard.spec.Network;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Windows.Side;

final class OneDnnAvgPool2d implements OneDnnLayer {
    /// oneDNN's dilation is the number of elements between two taps: 0 for a dense window.
    private static final long[] DENSE = {0, 0};

    private final String name;
    private final Windows windows;
    private final Layout inputLayout;
    private final PrimitiveDescription forward;
    private final Memory output;

    /// oneDNN's window parameters; each array is (rows, columns).
    private record Windows(int algorithm, long[] kernel, long[] strides, long[] before, long[] after) {}

    private OneDnnAvgPool2d(ProgramBuilder program, Network.Layer layer, Windows windows, Memory input) {
        name = layer.name();
        this.windows = windows;
        inputLayout = input.layout();
        long[] outputSizes = OneDnnLayer.outputSizes(input, layer);

        Engine engine = program.engine();
        Layout anyOutput = engine.any(ValueType.FLOAT32, outputSizes);
        forward = engine.describe(
                "run the pooling of layer \"%s\"".formatted(name),
                (handle, cpu) -> dnnl_pooling_forward_primitive_desc_create(
                        handle,
                        cpu,
                        program.propagation(),
                        windows.algorithm(),
                        inputLayout.handle(),
                        anyOutput.handle(),
                        windows.strides(),
                        windows.kernel(),
                        DENSE,
                        windows.before(),
                        windows.after(),
                        null));
        output = engine.memory(forward.layout(dnnl_query_dst_md, outputSizes));
        program.add(forward, new Argument(DNNL_ARG_SRC, input), new Argument(DNNL_ARG_DST, output));
    }

    /// If padding counts, but positions beyond it do not, windows differ in size, which oneDNN does not support.
    static OneDnnLayer sliding(ProgramBuilder program, Network.Layer layer, Pooling.AvgPool2d spec, Memory input) {
        Side rows = spec.windows().rows();
        Side columns = spec.windows().columns();
        int bottom = rows.needed(layer.in().size(1), layer.out().size(1));
        int right = columns.needed(layer.in().size(2), layer.out().size(2));
        if (spec.countIncludePad() && (bottom > rows.after() || right > columns.after())) {
            return new OneDnnUnevenPooling2d(
                    program, layer, Span.sliding(rows, layer, 1), Span.sliding(columns, layer, 2), input);
        }
        Windows windows = new Windows(
                spec.countIncludePad() ? dnnl_pooling_avg_include_padding : dnnl_pooling_avg_exclude_padding,
                both(rows.taps(), columns.taps()),
                both(rows.stride(), columns.stride()),
                both(rows.before(), columns.before()),
                both(bottom, right));
        return new OneDnnAvgPool2d(program, layer, windows, input);
    }

    /// oneDNN only supports images that are divided evenly by the windows.
    static OneDnnLayer covering(ProgramBuilder program, Network.Layer layer, Memory input) {
        int rows = layer.in().size(1);
        int columns = layer.in().size(2);
        int outRows = layer.out().size(1);
        int outColumns = layer.out().size(2);
        if (rows % outRows != 0 || columns % outColumns != 0) {
            return new OneDnnUnevenPooling2d(
                    program, layer, Span.covering(rows, outRows), Span.covering(columns, outColumns), input);
        }
        long[] window = both(rows / outRows, columns / outColumns);
        Windows windows = new Windows(dnnl_pooling_avg_exclude_padding, window, window, both(0, 0), both(0, 0));
        return new OneDnnAvgPool2d(program, layer, windows, input);
    }

    private static long[] both(int rows, int columns) {
        return new long[] {rows, columns};
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
                        windows.algorithm(),
                        inputLayout.handle(),
                        output.layout().handle(),
                        windows.strides(),
                        windows.kernel(),
                        DENSE,
                        windows.before(),
                        windows.after(),
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
