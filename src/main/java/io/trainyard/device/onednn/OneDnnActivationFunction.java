package io.trainyard.device.onednn;

import static org.bytedeco.dnnl.global.dnnl.*;

import io.trainyard.device.onednn.Engine.Argument;
import io.trainyard.device.onednn.kernel.BoundCorrection;
import io.trainyard.device.onednn.kernel.Clamp;
import io.trainyard.device.onednn.kernel.Hardswish;
import io.trainyard.device.onednn.kernel.NanPropagation;
import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.Network;
import java.lang.foreign.MemorySegment;

/// An activation function. The backward pass uses the input, so a following [OneDnnRelu] may overwrite the
/// output. Our own kernels correct or replace oneDNN where it differs from PyTorch.
final class OneDnnActivationFunction implements OneDnnLayer {
    private static final float UNUSED = 0;

    /// @param alpha a parameter of oneDNN's formula
    /// @param linearAbove threshold above which PyTorch returns x itself
    private record Formula(int algorithm, float alpha, float linearAbove) {
        Formula(int algorithm, float alpha) {
            this(algorithm, alpha, Float.POSITIVE_INFINITY);
        }

        Formula(int algorithm) {
            this(algorithm, UNUSED);
        }

        static Formula of(ActivationFunction.Softplus softplus) {
            return new Formula(
                    dnnl_eltwise_soft_relu, (float) softplus.beta(), (float) (softplus.threshold() / softplus.beta()));
        }

        boolean isLinearSomewhere() {
            return linearAbove < Float.POSITIVE_INFINITY;
        }

        /// Whether oneDNN returns numbers for NaN.
        boolean losesNaN() {
            return algorithm == dnnl_eltwise_logistic || algorithm == dnnl_eltwise_soft_relu;
        }
    }

    private final String name;
    private final Formula formula;
    private final Memory input;
    private final PrimitiveDescription forward;
    private final Memory output;

    private OneDnnActivationFunction(ProgramBuilder program, Network.Layer layer, Formula formula, Memory input) {
        this.name = layer.name();
        this.formula = formula;
        this.input = input;
        Layout layout = input.layout();
        forward = program.engine()
                .describe(
                        "run layer \"%s\" forward".formatted(name),
                        (handle, cpu) -> dnnl_eltwise_forward_primitive_desc_create(
                                handle,
                                cpu,
                                program.propagation(),
                                formula.algorithm(),
                                layout.handle(),
                                layout.handle(),
                                formula.alpha(),
                                UNUSED,
                                null));
        output = program.engine().memory(layout);
        program.add(forward, new Argument(DNNL_ARG_SRC, input), new Argument(DNNL_ARG_DST, output));
        mend(program, input, output);
    }

    static OneDnnLayer of(ProgramBuilder program, Network.Layer layer, ActivationFunction spec, Memory input) {
        return switch (spec) {
            case ActivationFunction.Relu _ -> new OneDnnRelu(program, input);
            case ActivationFunction.LeakyRelu leaky ->
                byOneDnn(program, layer, new Formula(dnnl_eltwise_relu, (float) leaky.negativeSlope()), input);
            case ActivationFunction.Gelu gelu -> {
                int algorithm = gelu.byTanh() ? dnnl_eltwise_gelu_tanh : dnnl_eltwise_gelu_erf;
                yield byOneDnn(program, layer, new Formula(algorithm), input);
            }
            case ActivationFunction.Tanh _ -> byOneDnn(program, layer, new Formula(dnnl_eltwise_tanh), input);
            case ActivationFunction.Sigmoid _ -> byOneDnn(program, layer, new Formula(dnnl_eltwise_logistic), input);
            case ActivationFunction.Silu _ -> byOneDnn(program, layer, new Formula(dnnl_eltwise_swish, 1), input);
            case ActivationFunction.Softplus softplus -> byOneDnn(program, layer, Formula.of(softplus), input);
            case ActivationFunction.Hardswish _ -> new OneDnnValueFunction(program, new Hardswish(), input);
            case ActivationFunction.Clamp clamp ->
                OneDnnValueFunction.of(program, new Clamp((float) clamp.minVal(), (float) clamp.maxVal()), input);
        };
    }

    private static OneDnnLayer byOneDnn(ProgramBuilder program, Network.Layer layer, Formula formula, Memory input) {
        return new OneDnnActivationFunction(program, layer, formula, input);
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
                                formula.algorithm(),
                                layout.handle(),
                                layout.handle(),
                                layout.handle(),
                                formula.alpha(),
                                UNUSED,
                                forward.handle(),
                                null));
        Memory inputGradient = formula.isLinearSomewhere() ? program.engine().memory(layout) : program.over(gradient);
        program.add(
                backward,
                new Argument(DNNL_ARG_SRC, input),
                new Argument(DNNL_ARG_DIFF_DST, gradient),
                new Argument(DNNL_ARG_DIFF_SRC, inputGradient));
        mend(program, gradient, inputGradient);
        return inputGradient;
    }

    /// @param given the input, or the output's gradient
    /// @param result of oneDNN
    private void mend(ProgramBuilder program, Memory given, Memory result) {
        MemorySegment x = input.data();
        MemorySegment from = given.data();
        MemorySegment to = result.data();
        if (formula.isLinearSomewhere()) {
            program.add(() -> BoundCorrection.copy(x, formula.linearAbove(), from, to));
        }
        if (formula.losesNaN()) {
            program.add(() -> NanPropagation.keep(x, to));
        }
    }
}
