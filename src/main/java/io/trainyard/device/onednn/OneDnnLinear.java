package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.kernel.ValueType;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import org.bytedeco.dnnl.dnnl_memory_desc;
import org.jspecify.annotations.Nullable;

/// x W^T + b. After a flatten layer the input keeps its image dimensions, and the weight is viewed as (out,
/// channels, rows, columns), so a blocked layout needs no copy.
final class OneDnnLinear implements OneDnnLayer {
    private final String name;
    private final ValueType type; // of input, output, their gradients, and of the weight as a factor
    private final long[] inputSizes;
    private final Memory source;
    private final long[] weightSizes;
    private final PrimitiveDescription forward;
    private final OneDnnWeightAndBias parameters;
    private final Memory output;

    OneDnnLinear(ProgramBuilder program, Network.Layer layer, LayerSpec.Linear spec, Memory input) {
        name = layer.name();
        type = input.layout().type();
        inputSizes = input.layout().sizes();
        source = offered(
                program, input, program.state().placed(layer.parameters().getFirst()));
        weightSizes = source.layout().sizes();
        weightSizes[0] = spec.out();
        long[] outputSizes = OneDnnLayer.outputSizes(input, layer);

        Engine engine = program.engine();
        ParameterMemory bias =
                spec.bias() ? program.state().placeVector(layer.parameters().get(1)) : null;
        Layout anyOutput = engine.any(type, outputSizes);
        Layout anyWeight = engine.any(type, weightSizes);
        forward = engine.describe(
                "run layer \"%s\" forward".formatted(name),
                (handle, cpu) -> dnnl_inner_product_forward_primitive_desc_create(
                        handle,
                        cpu,
                        program.propagation(),
                        source.layout().handle(),
                        anyWeight.handle(),
                        OneDnnWeightAndBias.layoutOf(bias),
                        anyOutput.handle(),
                        null));
        Layout weightLayout = OneDnnWeightAndBias.weightLayout(
                program,
                forward,
                () -> weightGradient(engine, outputSizes, OneDnnWeightAndBias.layoutOf(bias)),
                weightSizes);
        ParameterMemory weight = program.state().place(layer.parameters().getFirst(), weightLayout);
        parameters = new OneDnnWeightAndBias(weight, weightSizes, bias);
        output = engine.memory(forward.layout(dnnl_query_dst_md, outputSizes));
        parameters.addForward(program, forward, source, output);
    }

    /// A row-major image needs no conversion to a vector. The first program decides whether the weight has image
    /// dimensions, and the others use the same.
    private static Memory offered(ProgramBuilder program, Memory input, @Nullable Layout weight) {
        Engine engine = program.engine();
        long[] sizes = input.layout().sizes();
        ValueType type = input.layout().type();
        Layout plain = engine.plain(type, sizes);
        boolean asImage = weight == null ? !input.layout().same(plain) : weight.sizes().length == sizes.length;
        if (sizes.length == 2 || asImage) {
            return input;
        }
        return engine.view(program.in(plain, input), engine.plain(type, sizes[0], Engine.product(sizes) / sizes[0]));
    }

    /// In float32, from factors of the layer's type.
    private PrimitiveDescription weightGradient(
            Engine engine, long[] outputSizes, @Nullable dnnl_memory_desc biasLayout) {
        Layout anyWeight = engine.any(ValueType.FLOAT32, weightSizes);
        Layout anyOutput = engine.any(type, outputSizes);
        return engine.describe(
                "run the weight gradient of layer \"%s\"".formatted(name),
                (handle, cpu) -> dnnl_inner_product_backward_weights_primitive_desc_create(
                        handle,
                        cpu,
                        source.layout().handle(),
                        anyWeight.handle(),
                        biasLayout,
                        anyOutput.handle(),
                        forward.handle(),
                        null));
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
        parameters.addGradients(program, backward, source, outputGradient);
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Engine engine = program.engine();
        long[] outputSizes = outputGradient.layout().sizes();
        Layout anyWeight = engine.any(type, weightSizes);
        Layout anyOutput = engine.any(type, outputSizes);
        PrimitiveDescription backward = engine.describe(
                "run the input gradient of layer \"%s\"".formatted(name),
                (handle, cpu) -> dnnl_inner_product_backward_data_primitive_desc_create(
                        handle,
                        cpu,
                        source.layout().handle(),
                        anyWeight.handle(),
                        anyOutput.handle(),
                        forward.handle(),
                        null));
        Memory gradient = engine.memory(source.layout());
        parameters.addInputGradient(program, backward, outputGradient, gradient);
        if (weightSizes.length == inputSizes.length) {
            return gradient;
        }
        return engine.view(
                program.in(engine.plain(type, source.layout().sizes()), gradient), engine.plain(type, inputSizes));
    }
}
