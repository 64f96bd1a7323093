package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;

/// Cross-correlation; weight (out, in, kernel, kernel), or with groups (groups, out / groups, in / groups, kernel,
/// kernel), which is the same order of elements.
final class CompiledConv2d implements CompiledLayer {
    private final String name;
    private final long[] strides;
    private final long[] padding;
    private final long[] skips; // between two taps of a kernel: 0 for a dense one
    private final long[] inputSizes;
    private final long[] weightSizes;
    private final PrimitiveDescription forward;
    private final Memory source;
    private final WeightAndBias parameters;
    private final Memory output;

    CompiledConv2d(ProgramBuilder program, Network.Layer layer, LayerSpec.Conv2d spec, Memory input) {
        name = layer.name();
        strides = new long[] {spec.stride(), spec.stride()};
        padding = new long[] {spec.padding(), spec.padding()};
        skips = new long[] {spec.dilation() - 1, spec.dilation() - 1};
        inputSizes = input.layout().sizes();
        weightSizes = weightSizes(spec, inputSizes[1]);
        long[] outputSizes = CompiledLayer.outputSizes(input, layer);

        Engine engine = program.engine();
        Slot bias = spec.bias() ? program.state().placeVector(layer.parameters().get(1)) : null;
        Layout anySource = engine.any(inputSizes);
        Layout anyOutput = engine.any(outputSizes);
        Layout anyWeight = engine.any(weightSizes);
        forward = engine.describe(
                "run the forward convolution of layer \"%s\"".formatted(name),
                (handle, cpu) -> dnnl_convolution_forward_primitive_desc_create(
                        handle,
                        cpu,
                        program.propagation(),
                        dnnl_convolution_direct,
                        anySource.handle(),
                        anyWeight.handle(),
                        WeightAndBias.layoutOf(bias),
                        anyOutput.handle(),
                        strides,
                        skips,
                        padding,
                        padding,
                        null));
        source = program.in(forward.layout(dnnl_query_src_md, inputSizes), input);
        Slot weight = program.state()
                .place(layer.parameters().getFirst(), forward.layout(dnnl_query_weights_md, weightSizes));
        parameters = new WeightAndBias(weight, weightSizes, bias);
        output = engine.memory(forward.layout(dnnl_query_dst_md, outputSizes));
        parameters.addForward(program, forward, source, output);
    }

    private static long[] weightSizes(LayerSpec.Conv2d spec, long channels) {
        int kernel = spec.kernel();
        int groups = spec.groups();
        return groups == 1
                ? new long[] {spec.out(), channels, kernel, kernel}
                : new long[] {groups, spec.out() / groups, channels / groups, kernel, kernel};
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public void addParameterGradients(ProgramBuilder program, Memory outputGradient) {
        Engine engine = program.engine();
        long[] outputSizes = outputGradient.layout().sizes();
        Layout anySource = engine.any(inputSizes);
        Layout anyWeight = engine.any(weightSizes);
        Layout anyOutput = engine.any(outputSizes);
        PrimitiveDescription backward = engine.describe(
                "run the weight gradient of layer \"%s\"".formatted(name),
                (handle, cpu) -> dnnl_convolution_backward_weights_primitive_desc_create(
                        handle,
                        cpu,
                        dnnl_convolution_direct,
                        anySource.handle(),
                        anyWeight.handle(),
                        parameters.biasLayout(),
                        anyOutput.handle(),
                        strides,
                        skips,
                        padding,
                        padding,
                        forward.handle(),
                        null));
        parameters.addGradients(program, backward, source, outputGradient);
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Engine engine = program.engine();
        long[] outputSizes = outputGradient.layout().sizes();
        Layout anySource = engine.any(inputSizes);
        Layout anyWeight = engine.any(weightSizes);
        Layout anyOutput = engine.any(outputSizes);
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
                        padding,
                        padding,
                        forward.handle(),
                        null));
        Memory gradient = engine.memory(backward.layout(dnnl_query_diff_src_md, inputSizes));
        parameters.addInputGradient(program, backward, outputGradient, gradient);
        return gradient;
    }
}
