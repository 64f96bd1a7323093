package io.trainyard.device.cuda;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Precision;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.math3.special.Erf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Against the functions in double precision, and against their slopes between two near points.
@OnDouble
final class ActivationKernelsDoubleTest {
    private static final int COUNT = 7003; // several rounds of all threads, and no whole number of groups
    private static final float SLOPE = 0.2f;
    private static final float UNUSED = 0;
    private static final List<Double> BENDS = List.of(0.0, 0.5, 2.0, 3.0, 4.0); // or their negatives

    /// @param gradientByX whether the gradient reads x, and not y
    /// @param a first number of its formula
    /// @param b second
    private record Kind(String kernel, boolean gradientByX, float a, float b, DoubleUnaryOperator function) {
        Kind(String kernel, boolean gradientByX, DoubleUnaryOperator function) {
            this(kernel, gradientByX, UNUSED, UNUSED, function);
        }

        @Override
        public String toString() {
            return kernel;
        }
    }

    private static final List<Kind> KINDS = List.of(
            new Kind("relu", false, x -> Math.max(x, 0)),
            new Kind("leaky_relu", true, SLOPE, UNUSED, x -> x > 0 ? x : SLOPE * x),
            new Kind("gelu", true, x -> x / 2 * (1 + Erf.erf(x / Math.sqrt(2)))),
            new Kind(
                    "gelu_tanh",
                    true,
                    x -> x / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)))),
            new Kind("tanh", false, Math::tanh),
            new Kind("sigmoid", false, x -> 1 / (1 + Math.exp(-x))),
            new Kind("silu", true, x -> x / (1 + Math.exp(-x))),
            new Kind("softplus", true, 2, 8, x -> 2 * x > 8 ? x : Math.log1p(Math.exp(2 * x)) / 2),
            new Kind("hardswish", true, x -> x * Math.min(Math.max(x + 3, 0), 6) / 6),
            new Kind("clamp", true, -0.5f, 2, x -> Math.min(Math.max(x, -0.5), 2)));

    static Stream<Arguments> kinds() {
        return KINDS.stream()
                .flatMap(kind ->
                        Stream.of(Precision.FP32, Precision.BF16).map(precision -> Arguments.of(kind, precision)));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void computesTheFunction(Kind kind, Precision precision) {
        try (var runner = new KernelRunner(precision)) {
            float[] x = runner.rounded(inputs());
            double[] expected = doubles(x).map(kind.function()).toArray();
            Buffer y = runner.roomForValues(COUNT);
            runner.run(kind.kernel() + "_forward", y, runner.values(x), (long) COUNT, kind.a(), kind.b());
            runner.assertNear(runner.readValues(y), expected, 1e-6);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void computesTheGradient(Kind kind, Precision precision) {
        try (var runner = new KernelRunner(precision)) {
            float[] x = runner.rounded(inputs());
            float[] dy = runner.rounded(inputs());
            double[] expected = IntStream.range(0, COUNT)
                    .mapToDouble(i -> dy[i] * slope(kind.function(), x[i]))
                    .toArray();
            float[] y = runner.rounded(floats(doubles(x).map(kind.function()).toArray()));
            Buffer gradient = runner.values(dy);
            Buffer input = kind.gradientByX() ? runner.values(x) : null;
            Buffer output = kind.gradientByX() ? null : runner.values(y);
            Buffer dx = runner.roomForValues(COUNT);
            runner.run(kind.kernel() + "_backward", dx, gradient, input, output, (long) COUNT, kind.a(), kind.b());
            // y is rounded, so that 1 - y^2 is off by that much where y is near 1
            double absolute = precision == Precision.BF16 && !kind.gradientByX() ? 0.05 : 1e-5;
            runner.assertNear(runner.readValues(dx), expected, absolute);

            runner.run(
                    kind.kernel() + "_backward", gradient, gradient, input, output, (long) COUNT, kind.a(), kind.b());
            runner.assertNear(runner.readValues(gradient), expected, absolute); // in place
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Precision.class,
            names = {"FP32", "BF16"})
    void worksWhereGroupsMayNotBegin(Precision precision) {
        try (var runner = new KernelRunner(precision)) {
            float[] x = runner.rounded(inputs());
            Buffer y = runner.roomForValues(COUNT);
            int count = COUNT - 1;
            runner.run(
                    "tanh_forward",
                    runner.part(y, 1, count),
                    runner.part(runner.values(x), 1, count),
                    (long) count,
                    UNUSED,
                    UNUSED);
            double[] expected = doubles(x).map(Math::tanh).toArray();
            expected[0] = 0; // not touched
            runner.assertNear(runner.readValues(y), expected, 1e-6);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Precision.class,
            names = {"FP32", "BF16"})
    void keepsNaNAndTreatsZeroAsPyTorchDoes(Precision precision) {
        try (var runner = new KernelRunner(precision)) {
            Buffer y = runner.roomForValues(4);
            Buffer x = runner.values(Float.NaN, 0, -0f, Float.POSITIVE_INFINITY);
            for (Kind kind : KINDS) {
                runner.run(kind.kernel() + "_forward", y, x, 4L, kind.a(), kind.b());
                double zero = kind.function().applyAsDouble(0);
                double infinity = kind.function().applyAsDouble(Double.POSITIVE_INFINITY);
                runner.assertNear(runner.readValues(y), new double[] {Double.NaN, zero, zero, infinity}, 1e-6);
            }
            Buffer dy = runner.values(1, 1, 1, 1);
            runner.run("leaky_relu_backward", y, dy, x, null, 4L, SLOPE, UNUSED);
            runner.assertNear(runner.readValues(y), new double[] {SLOPE, SLOPE, SLOPE, 1}, 0);
            runner.run("relu_backward", y, dy, null, x, 4L, UNUSED, UNUSED);
            runner.assertNear(runner.readValues(y), new double[] {1, 0, 0, 1}, 0);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Precision.class,
            names = {"FP32", "BF16"})
    void addsTwoBranches(Precision precision) {
        try (var runner = new KernelRunner(precision)) {
            float[] a = runner.rounded(inputs());
            float[] b = runner.rounded(reversed(inputs()));
            Buffer sum = runner.values(a);
            runner.run("add", sum, sum, runner.values(b), (long) COUNT);
            double[] expected = IntStream.range(0, COUNT)
                    .mapToDouble(i -> runner.rounded((double) a[i] + b[i]))
                    .toArray();
            runner.assertNear(runner.readValues(sum), expected, 0);
        }
    }

    /// Between -6 and 6, none near a place where a function bends, not even when rounded.
    private static float[] inputs() {
        Random random = new Random(5);
        return floats(DoubleStream.generate(() -> random.nextDouble(-6, 6))
                .filter(x -> BENDS.stream().allMatch(bend -> Math.abs(Math.abs(x) - bend) > 0.03))
                .limit(COUNT)
                .toArray());
    }

    private static float[] reversed(float[] values) {
        float[] reversed = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            reversed[i] = values[values.length - 1 - i];
        }
        return reversed;
    }

    private static double slope(DoubleUnaryOperator function, double x) {
        double width = 1e-4;
        return (function.applyAsDouble(x + width) - function.applyAsDouble(x - width)) / (2 * width);
    }

    private static DoubleStream doubles(float[] values) {
        return IntStream.range(0, values.length).mapToDouble(i -> values[i]);
    }

    private static float[] floats(double[] values) {
        float[] floats = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            floats[i] = (float) values[i];
        }
        return floats;
    }
}
