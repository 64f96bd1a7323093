package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.kernel.ValueType;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.Network;
import io.trainyard.spec.Windows;
import java.util.function.ToLongFunction;
import org.bytedeco.dnnl.dnnl_memory_desc;
import org.jspecify.annotations.Nullable;

/// Cross-correlation; weight (out, in, kernel rows, kernel columns), or, with groups, (groups, out / groups, in /
/// groups, kernel rows, kernel columns), which has the same order of elements.
final class OneDnnConv2d implements OneDnnLayer {
    private final String name;
    private final long[] strides; // rows, columns, as in all of these
    private final long[] before; // padding above and left
    private final long[] after; // padding below and right
    private final long[] skips; // elements between two taps of a kernel: 0 for a dense one
    private final ValueType type; // of input, output, their gradients, and of the weight as a factor
    private final long[] inputSizes;
    private final long[] weightSizes;
    private final PrimitiveDescription forward;
    private final Memory source;
    private final OneDnnWeightAndBias parameters;
    private final Memory output;
    private final Conv2d spec;

    OneDnnConv2d(ProgramBuilder program, Network.Layer layer, Conv2d spec, Memory input) {
        name = layer.name();
        this.spec = spec;
        Windows windows = spec.windows();
        strides = both(windows, Windows.Side::stride);
        before = both(windows, Windows.Side::before);
        after = both(windows, Windows.Side::after);
        skips = both(windows, side -> side.dilation() - 1);
        type = input.layout().type();
        inputSizes = input.layout().sizes();
        weightSizes = weightSizes(spec, inputSizes[1]);
        long[] outputSizes = OneDnnLayer.outputSizes(input, layer);

        Engine engine = program.engine();
        ParameterMemory bias =
                spec.bias() ? program.state().placeVector(layer.parameters().get(1)) : null;
        Layout anySource = engine.any(type, inputSizes);
        Layout anyOutput = engine.any(type, outputSizes);
        Layout anyWeight = engine.any(type, weightSizes);
        forward = engine.describe(
                "run the forward convolution of layer \"%s\"".formatted(name),
                (handle, cpu) -> dnnl_convolution_forward_primitive_desc_create(
                        handle,
                        cpu,
                        program.propagation(),
                        dnnl_convolution_direct,
                        anySource.handle(),
                        anyWeight.handle(),
                        OneDnnWeightAndBias.layoutOf(bias),
                        anyOutput.handle(),
                        strides,
                        skips,
                        before,
                        after,
                        null));
        if (DepthwiseConv2d.fits(spec, input, forward)) {
            DepthwiseConv2d own = new DepthwiseConv2d(spec, outputSizes, weightSizes);
            source = program.inBlocks(input);
            parameters = place(program, layer, own.weightLayout(engine, source), bias);
            output = program.as(type, own.addForward(program, type, source, parameters));
        } else {
            source = program.in(forward.layout(dnnl_query_src_md, inputSizes), input);
            Layout weightLayout = OneDnnWeightAndBias.weightLayout(
                    program,
                    forward,
                    () -> weightGradient(engine, outputSizes, OneDnnWeightAndBias.layoutOf(bias)),
                    weightSizes);
            parameters = place(program, layer, weightLayout, bias);
            output = engine.memory(forward.layout(dnnl_query_dst_md, outputSizes));
            parameters.addForward(program, forward, source, output);
        }
    }

    private OneDnnWeightAndBias place(
            ProgramBuilder program, Network.Layer layer, Layout layout, @Nullable ParameterMemory bias) {
        ParameterMemory weight = program.state().place(layer.parameters().getFirst(), layout);
        return new OneDnnWeightAndBias(weight, weightSizes, bias);
    }

    /// In float32, from factors of the layer's type.
    private PrimitiveDescription weightGradient(
            Engine engine, long[] outputSizes, @Nullable dnnl_memory_desc biasLayout) {
        Layout anySource = engine.any(type, inputSizes);
        Layout anyWeight = engine.any(ValueType.FLOAT32, weightSizes);
        Layout anyOutput = engine.any(type, outputSizes);
        return engine.describe(
                "run the weight gradient of layer \"%s\"".formatted(name),
                (handle, cpu) -> dnnl_convolution_backward_weights_primitive_desc_create(
                        handle,
                        cpu,
                        dnnl_convolution_direct,
                        anySource.handle(),
                        anyWeight.handle(),
                        biasLayout,
                        anyOutput.handle(),
                        strides,
                        skips,
                        before,
                        after,
                        forward.handle(),
                        null));
    }

    private static long[] both(Windows windows, ToLongFunction<Windows.Side> number) {
        return new long[] {number.applyAsLong(windows.rows()), number.applyAsLong(windows.columns())};
    }

    private static long[] weightSizes(Conv2d spec, long channels) {
        int rows = spec.kernel().rows();
        int columns = spec.kernel().columns();
        int groups = spec.groups();
        return groups == 1
                ? new long[] {spec.out(), channels, rows, columns}
                : new long[] {groups, spec.out() / groups, channels / groups, rows, columns};
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public void addParameterGradients(ProgramBuilder program, Memory outputGradient) {
        if (!parameters.isTrained()) {
            return;
        }
        long[] outputSizes = outputGradient.layout().sizes();
        PrimitiveDescription backward = weightGradient(program.engine(), outputSizes, parameters.biasGradientLayout());
        if (DepthwiseConv2d.fits(spec, source, backward)) {
            new DepthwiseConv2d(spec, outputSizes, weightSizes)
                    .addGradients(program, source, outputGradient, parameters);
        } else {
            parameters.addGradients(program, backward, source, outputGradient);
        }
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Engine engine = program.engine();
        long[] outputSizes = outputGradient.layout().sizes();
        Layout anySource = engine.any(type, inputSizes);
        Layout anyWeight = engine.any(type, weightSizes);
        Layout anyOutput = engine.any(type, outputSizes);
        PrimitiveDescription backward = engine.describe(
                "run the input gradient of layer \"%s\"".formatted(name),
                (handle, cpu) -> dnnl_convolution_backward_data_primitive_desc_create(
                        handle,
                        cpu,
                        dnnl_convolution_direct,
                        anySource.handle(),
                        anyWeight.handle(),
                        anyOutput.handle(),
                        strides,
                        skips,
                        before,
                        after,
                        forward.handle(),
                        null));
        Memory gradient = engine.memory(backward.layout(dnnl_query_diff_src_md, inputSizes));
        parameters.addInputGradient(program, backward, outputGradient, gradient);
        return gradient;
    }
}
