package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Default;
import org.jspecify.annotations.Nullable;

public sealed interface ActivationFunction extends LayerSpec {
    @Override
    default Shape output(Shape in) {
        return in;
    }

    /// max(0, x).
    record Relu(@Nullable String name) implements ActivationFunction {}

    /// x above 0, `negativeSlope` x elsewhere.
    record LeakyRelu(@Nullable String name, @Default("0.01") double negativeSlope) implements ActivationFunction {
        public LeakyRelu {
            Check.within("leakyRelu.negativeSlope", negativeSlope, 0, 1000);
        }
    }

    /// x Phi(x), where Phi is the normal distribution's cumulative distribution function (Hendrycks and Gimpel
    /// 2016).
    ///
    /// @param approximate `none` for the exact Phi, `tanh` for 0.5 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
    record Gelu(@Nullable String name, @Default("'none'") String approximate) implements ActivationFunction {
        static final String APPROXIMATIONS = "none|tanh";

        public Gelu {
            Check.matching("gelu.approximate", approximate, APPROXIMATIONS, "none or tanh");
        }

        public boolean byTanh() {
            return approximate.equals("tanh");
        }
    }

    record Tanh(@Nullable String name) implements ActivationFunction {}

    /// 1 / (1 + e^-x).
    record Sigmoid(@Nullable String name) implements ActivationFunction {}

    /// x times its sigmoid.
    record Silu(@Nullable String name) implements ActivationFunction {}

    /// ln(1 + e^(beta x)) / beta; x if beta x is above `threshold`.
    record Softplus(
            @Nullable String name,
            @Default("1") double beta,
            @Default("20") double threshold) implements ActivationFunction {
        /// e^threshold fits into a float32.
        private static final double MAX_THRESHOLD = 80;

        public Softplus {
            Check.between("softplus.beta", beta, 0.001, 1000);
            Check.between("softplus.threshold", threshold, 0, MAX_THRESHOLD);
        }
    }

    /// x min(max(x + 3, 0), 6) / 6.
    record Hardswish(@Nullable String name) implements ActivationFunction {}

    /// x clamped to the range from `minVal` to `maxVal`.
    sealed interface Clamp extends ActivationFunction {
        double minVal();

        double maxVal();
    }

    record Hardtanh(
            @Nullable String name,
            @Default("-1") double minVal,
            @Default("1") double maxVal) implements Clamp {
        private static final double MOST = 1000;

        public Hardtanh {
            Check.within("hardtanh.minVal", minVal, -MOST, MOST);
            Check.between("hardtanh.maxVal", maxVal, -MOST, MOST);
            if ((float) minVal >= (float) maxVal) {
                throw new InvalidJobException("hardtanh.minVal is %s, but hardtanh.maxVal is %s; it must be below it"
                        .formatted(minVal, maxVal));
            }
        }
    }

    /// x clamped to the range from 0 to 6.
    record Relu6(@Nullable String name) implements Clamp {
        @Override
        public double minVal() {
            return 0;
        }

        @Override
        public double maxVal() {
            return 6;
        }
    }
}
