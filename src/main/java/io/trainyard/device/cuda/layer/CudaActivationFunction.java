package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.Network;

final class CudaActivationFunction extends AbstractCudaLayer {
    private static final float UNUSED = 0;

    /// @param kernel the name of its kernels, without `_forward` and `_backward`
    /// @param a the first number in the kernels' formula
    /// @param b the second
    private record Formula(String kernel, float a, float b) {
        Formula(String kernel) {
            this(kernel, UNUSED, UNUSED);
        }
    }

    private final Formula formula;

    private final boolean applied;

    /// @param applied whether the layer before applies it
    private CudaActivationFunction(
            ActivationFunction spec, BatchTensor in, BatchTensor out, boolean applied, Compilation c) {
        super(c, in, out);
        this.applied = applied;
        this.formula = switch (spec) {
            case ActivationFunction.Relu _ -> new Formula("relu");
            case ActivationFunction.LeakyRelu leaky -> new Formula("leaky_relu", (float) leaky.negativeSlope(), UNUSED);
            case ActivationFunction.Gelu gelu -> new Formula(gelu.byTanh() ? "gelu_tanh" : "gelu");
            case ActivationFunction.Tanh _ -> new Formula("tanh");
            case ActivationFunction.Sigmoid _ -> new Formula("sigmoid");
            case ActivationFunction.Silu _ -> new Formula("silu");
            case ActivationFunction.Softplus softplus ->
                new Formula("softplus", (float) softplus.beta(), (float) softplus.threshold());
            case ActivationFunction.Hardswish _ -> new Formula("hardswish");
            case ActivationFunction.Clamp clamp -> new Formula("clamp", (float) clamp.minVal(), (float) clamp.maxVal());
        };
    }

    static CudaActivationFunction of(ActivationFunction spec, Network.Layer layer, BatchTensor in, Compilation c) {
        return new CudaActivationFunction(
                spec, in, c.output(layer.out(), in.gradient() != null, layer.name()), false, c);
    }

    /// ReLU in place, after a layer that does not need its own output again.
    ///
    /// @param before that layer; it applies ReLU itself if it can
    static CudaActivationFunction reluInPlace(
            ActivationFunction.Relu spec, Network.Layer layer, CudaLayer before, Compilation c) {
        BatchTensor in = before.out();
        Buffer gradient = in.gradient() == null ? null : c.gradient(layer.out(), layer.name());
        return new CudaActivationFunction(spec, in, in.withGradient(gradient), before.takeRelu(), c);
    }

    @Override
    public boolean needsOutput() {
        return true; // some derivatives are computed from it
    }

    @Override
    public void forward() {
        if (!applied) {
            c.kernels()
                    .launch(
                            formula.kernel() + "_forward",
                            out.elements(),
                            out.value(),
                            in.value(),
                            out.elements(),
                            formula.a(),
                            formula.b());
        }
    }

    @Override
    public void backward() {
        if (in.gradient() != null) {
            c.kernels()
                    .launch(
                            formula.kernel() + "_backward",
                            out.elements(),
                            in.gradient(),
                            out.gradient(),
                            in.value(),
                            out.value(),
                            out.elements(),
                            formula.a(),
                            formula.b());
        }
    }
}
