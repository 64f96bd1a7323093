package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.device.onednn.kernel.NaN;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import java.lang.foreign.MemorySegment;

/// A function of each value. The backward pass starts from the input, so that a [CompiledRelu] may follow and write
/// over the output.
final class CompiledActivationFunction implements CompiledLayer {
    private static final float UNUSED = 0;

    private final String name;
    private final int algorithm;
    private final float alpha; // a parameter of oneDNN's formula
    private final Memory input;
    private final PrimitiveDescription forward;
    private final Memory output;

    private CompiledActivationFunction(
            ProgramBuilder program, Network.Layer layer, int algorithm, float alpha, Memory input) {
        this.name = layer.name();
        this.algorithm = algorithm;
        this.alpha = alpha;
        this.input = input;
        Layout layout = input.layout();
        forward = program.engine()
                .describe(
                        "run layer \"%s\" forward".formatted(name),
                        (handle, cpu) -> dnnl_eltwise_forward_primitive_desc_create(
                                handle,
                                cpu,
                                program.propagation(),
                                algorithm,
                                layout.handle(),
                                layout.handle(),
                                alpha,
                                UNUSED,
                                null));
        output = program.engine().memory(layout);
        program.add(forward, new Argument(DNNL_ARG_SRC, input), new Argument(DNNL_ARG_DST, output));
        keepNaN(program, output);
    }

    static CompiledLayer of(
            ProgramBuilder program, Network.Layer layer, LayerSpec.ActivationFunction spec, Memory input) {
        return switch (spec) {
            case LayerSpec.Relu _ -> new CompiledRelu(program, input);
            case LayerSpec.LeakyRelu leaky ->
                new CompiledActivationFunction(program, layer, dnnl_eltwise_relu, (float) leaky.negativeSlope(), input);
            case LayerSpec.Gelu gelu -> {
                int algorithm = gelu.byTanh() ? dnnl_eltwise_gelu_tanh : dnnl_eltwise_gelu_erf;
                yield new CompiledActivationFunction(program, layer, algorithm, UNUSED, input);
            }
            case LayerSpec.Tanh _ -> new CompiledActivationFunction(program, layer, dnnl_eltwise_tanh, UNUSED, input);
            case LayerSpec.Sigmoid _ ->
                new CompiledActivationFunction(program, layer, dnnl_eltwise_logistic, UNUSED, input);
        };
    }

    @Override
    public Memory output() {
        return output;
    }

    @Override
    public Memory addInputGradient(ProgramBuilder program, Memory outputGradient) {
        Layout layout = input.layout();
        Memory gradient = program.in(layout, outputGradient);
        PrimitiveDescription backward = program.engine()
                .describe(
                        "run the gradient of layer \"%s\"".formatted(name),
                        (handle, cpu) -> dnnl_eltwise_backward_primitive_desc_create(
                                handle,
                                cpu,
                                algorithm,
                                layout.handle(),
                                layout.handle(),
                                layout.handle(),
                                alpha,
                                UNUSED,
                                forward.handle(),
                                null));
        Memory inputGradient = program.over(gradient);
        program.add(
                backward,
                new Argument(DNNL_ARG_SRC, input),
                new Argument(DNNL_ARG_DIFF_DST, gradient),
                new Argument(DNNL_ARG_DIFF_SRC, inputGradient));
        keepNaN(program, inputGradient);
        return inputGradient;
    }

    /// oneDNN's sigmoid of NaN is a number.
    ///
    /// @param result of the input or of its gradient
    private void keepNaN(ProgramBuilder program, Memory result) {
        if (algorithm == dnnl_eltwise_logistic) {
            MemorySegment from = input.data();
            MemorySegment to = result.data();
            program.add(() -> NaN.keep(from, to));
        }
    }
}
