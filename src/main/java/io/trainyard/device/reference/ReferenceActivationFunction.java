package io.trainyard.device.reference;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.ActivationFunction;
import org.apache.commons.math3.special.Erf;

/// y = f(x), element by element. At 0 the derivative of ReLUs is that below 0, and non-finite values are handled as
/// in PyTorch, forward and backward.
final class ReferenceActivationFunction implements ReferenceLayer {
    private interface Function {
        double at(double x);
    }

    private interface Gradient {
        double of(double gradient, double x);
    }

    private final Function function;
    private final Gradient gradient;
    private float[] in = {};

    private ReferenceActivationFunction(Function function, Gradient gradient) {
        this.function = function;
        this.gradient = gradient;
    }

    private static ReferenceActivationFunction smooth(Function function, Function derivative) {
        return new ReferenceActivationFunction(function, (gradient, x) -> gradient * derivative.at(x));
    }

    static ReferenceActivationFunction of(ActivationFunction spec) {
        return switch (spec) {
            case ActivationFunction.Relu _ -> relu();
            case ActivationFunction.LeakyRelu leaky -> leaky(leaky.negativeSlope());
            case ActivationFunction.Gelu gelu -> gelu.byTanh() ? geluByTanh() : gelu();
            case ActivationFunction.Tanh _ -> smooth(Math::tanh, x -> 1 - square(Math.tanh(x)));
            case ActivationFunction.Sigmoid _ ->
                smooth(ReferenceActivationFunction::sigmoid, x -> sigmoid(x) * (1 - sigmoid(x)));
            case ActivationFunction.Silu _ ->
                smooth(x -> x / (1 + Math.exp(-x)), x -> sigmoid(x) * (1 + x * (1 - sigmoid(x))));
            case ActivationFunction.Softplus softplus -> softplus(softplus.beta(), softplus.threshold());
            case ActivationFunction.Hardswish _ -> hardswish();
            case ActivationFunction.Clamp clamp -> clamp((float) clamp.minVal(), (float) clamp.maxVal());
        };
    }

    /// The gradient is 0 where x is not above 0, even if it is not finite; it passes where x is NaN.
    private static ReferenceActivationFunction relu() {
        return new ReferenceActivationFunction(x -> Math.max(0, x), (gradient, x) -> x <= 0 ? 0 : gradient);
    }

    private static ReferenceActivationFunction leaky(double slope) {
        return smooth(x -> x > 0 ? x : slope * x, x -> x > 0 ? 1 : slope);
    }

    private static ReferenceActivationFunction gelu() {
        return smooth(x -> x * normal(x), x -> normal(x) + x * Math.exp(-square(x) / 2) / Math.sqrt(2 * Math.PI));
    }

    /// The standard normal cumulative distribution function.
    private static double normal(double x) {
        return (1 + Erf.erf(x / Math.sqrt(2))) / 2;
    }

    /// The derivative's square is rounded to float32, like PyTorch's: if it overflows, infinity times 0 is NaN.
    private static ReferenceActivationFunction geluByTanh() {
        double scale = Math.sqrt(2 / Math.PI);
        double cubic = 0.044715;
        Function tanh = x -> Math.tanh(scale * (x + cubic * x * x * x));
        return smooth(
                x -> x / 2 * (1 + tanh.at(x)),
                x -> (1 + tanh.at(x)) / 2
                        + x / 2 * (1 - square(tanh.at(x))) * scale * (1 + 3 * cubic * (float) square(x)));
    }

    private static ReferenceActivationFunction softplus(double beta, double threshold) {
        return smooth(
                x -> x * beta > threshold ? x : Math.log1p(Math.exp(x * beta)) / beta,
                x -> x * beta > threshold ? 1 : Math.exp(x * beta) / (Math.exp(x * beta) + 1));
    }

    /// The gradient is 0 below -3, even if it is not finite; it passes above 3, and where x is NaN.
    private static ReferenceActivationFunction hardswish() {
        return new ReferenceActivationFunction(
                x -> x * Math.min(Math.max(x + 3, 0), 6) / 6,
                (gradient, x) -> x <= -3 ? 0 : x < 3 ? gradient * (x / 3 + 0.5) : gradient);
    }

    /// The gradient is 0 at and beyond the bounds; it passes where x is NaN.
    private static ReferenceActivationFunction clamp(double min, double max) {
        return new ReferenceActivationFunction(
                x -> Math.min(Math.max(x, min), max), (gradient, x) -> x <= min || x >= max ? 0 : gradient);
    }

    private static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    private static double square(double x) {
        return x * x;
    }

    @Override
    public float[] train(float[] in, int samples, TorchRandom random) {
        this.in = in;
        return evaluate(in, samples);
    }

    @Override
    public float[] evaluate(float[] in, int samples) {
        float[] out = new float[in.length];
        for (int i = 0; i < in.length; i++) {
            out[i] = (float) function.at(in[i]);
        }
        return out;
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        float[] inGradient = new float[in.length];
        for (int i = 0; i < in.length; i++) {
            inGradient[i] = (float) gradient.of(outGradient[i], in[i]);
        }
        return inGradient;
    }
}
