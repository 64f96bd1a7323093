package io.trainyard.device.cuda;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;

/// A function of each value by itself.
final class CudaActivation implements CudaLayer {
    private final Compilation c;
    private final String kernel;
    private final float slope;
    private final Activation in;
    private final Activation out;

    private final boolean applied;

    /// @param applied whether the layer before applies it
    private CudaActivation(LayerSpec.Activation spec, Activation in, Activation out, boolean applied, Compilation c) {
        this.c = c;
        this.applied = applied;
        this.kernel = switch (spec) {
            case LayerSpec.Relu _ -> "relu";
            case LayerSpec.LeakyRelu _ -> "leaky_relu";
            case LayerSpec.Gelu gelu -> gelu.byTanh() ? "gelu_tanh" : "gelu";
            case LayerSpec.Tanh _ -> "tanh";
            case LayerSpec.Sigmoid _ -> "sigmoid";
        };
        this.slope = spec instanceof LayerSpec.LeakyRelu leaky ? (float) leaky.negativeSlope() : 0;
        this.in = in;
        this.out = out;
    }

    static CudaActivation of(LayerSpec.Activation spec, Network.Layer layer, Activation in, Compilation c) {
        return new CudaActivation(spec, in, c.output(layer.out(), in.gradient() != null, layer.name()), false, c);
    }

    /// ReLU that overwrites its input: for one behind a layer that does not ask again what it gave.
    ///
    /// @param before that layer; where it can, it applies ReLU itself
    static CudaActivation reluInPlace(LayerSpec.Relu spec, Network.Layer layer, CudaLayer before, Compilation c) {
        Activation in = before.out();
        Buffer gradient = in.gradient() == null ? null : c.gradient(layer.out(), layer.name());
        return new CudaActivation(spec, in, in.withGradient(gradient), before.takeRelu(), c);
    }

    @Override
    public Activation out() {
        return out;
    }

    @Override
    public void forward() {
        if (!applied) {
            c.kernels().launch(kernel + "_forward", out.elements(), out.value(), in.value(), out.elements(), slope);
        }
    }

    @Override
    public void backward() {
        if (in.gradient() != null) {
            c.kernels()
                    .launch(
                            kernel + "_backward",
                            out.elements(),
                            in.gradient(),
                            out.gradient(),
                            in.value(),
                            out.value(),
                            out.elements(),
                            slope);
        }
    }
}
