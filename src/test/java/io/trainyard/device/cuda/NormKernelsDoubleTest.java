package io.trainyard.device.cuda;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.NormSets;
import io.trainyard.spec.Precision;
import io.trainyard.spec.SampleNorm;
import io.trainyard.spec.SampleNorm.GroupNorm;
import io.trainyard.spec.SampleNorm.LayerNorm;
import io.trainyard.spec.SampleNorm.LayerNorm2d;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Against plain loops in double precision over (samples, channels, area), with the channels first in memory and last.
/// Sets are smaller and larger than a block; there are more of them than blocks.
@OnDouble
final class NormKernelsDoubleTest {
    private static final int SAMPLES = 3;
    private static final Shape IMAGE = Shape.of(6, 9, 8);
    private static final int CHANNELS = 6;
    private static final int AREA = 72;
    private static final int BLOCKS = 5;
    private static final float EPS = 0.1f;

    private final Random random = new Random(31);

    static Stream<Arguments> norms() {
        return Stream.of(
                        new GroupNorm(null, 2, EPS, true),
                        new GroupNorm(null, 1, EPS, false),
                        new GroupNorm(null, 6, EPS, true),
                        new LayerNorm(null, List.of(), EPS, true),
                        new LayerNorm(null, List.of(8), EPS, true),
                        new LayerNorm2d(null, EPS, true),
                        new LayerNorm2d(null, EPS, false))
                .flatMap(norm -> Stream.of(Precision.FP32, Precision.BF16)
                        .flatMap(precision ->
                                Stream.of(0, 1).map(channelsLast -> Arguments.of(norm, precision, channelsLast))));
    }

    @ParameterizedTest
    @MethodSource("norms")
    void normalisesAndHasItsGradients(SampleNorm norm, Precision precision, int channelsLast) {
        NormSets sets = norm.sets(IMAGE);
        try (var runner = new KernelRunner(precision)) {
            float[] x = runner.rounded(normal(SAMPLES * IMAGE.elements()));
            float[] dy = runner.rounded(normal(x.length));
            float[] weight = norm.affine() ? normal(sets.weights()) : ones(sets.weights());
            float[] bias = norm.affine() ? normal(sets.weights()) : new float[sets.weights()];
            var expected = new Expected(sets, weight, bias, x, dy);
            var memory = new Order(channelsLast == 1);
            Buffer input = runner.values(memory.of(x));
            Buffer gradient = runner.values(memory.of(dy));
            Buffer means = runner.floats(new float[SAMPLES * sets.sets()]);
            Buffer inverses = runner.floats(new float[SAMPLES * sets.sets()]);
            Buffer scale = norm.affine() ? runner.floats(weight) : null;
            Buffer shift = norm.affine() ? runner.floats(bias) : null;

            Buffer result = runner.roomForValues(x.length);
            run(runner, "sample_norm_forward", sets, channelsLast, EPS, result, input, scale, shift, means, inverses);
            runner.assertNear(runner.readValues(result), memory.of(expected.y), 1e-5);

            run(
                    runner,
                    "sample_norm_backward",
                    sets,
                    channelsLast,
                    null,
                    result,
                    gradient,
                    input,
                    scale,
                    means,
                    inverses);
            runner.assertNear(runner.readValues(result), memory.of(expected.dx), 1e-5);

            Buffer weights = runner.floats(new float[sets.weights()]);
            Buffer biases = runner.floats(new float[sets.weights()]);
            run(
                    runner,
                    "sample_norm_gradients",
                    sets,
                    channelsLast,
                    null,
                    weights,
                    biases,
                    gradient,
                    input,
                    means,
                    inverses);
            runner.assertNear(runner.readFloats(weights), expected.ofWeight, 1e-4);
            runner.assertNear(runner.readFloats(biases), expected.ofBias, 1e-4);
        }
    }

    private static void run(
            KernelRunner runner,
            String kernel,
            NormSets sets,
            int channelsLast,
            @Nullable Float eps,
            @Nullable Object... before) {
        List<@Nullable Object> arguments = new ArrayList<@Nullable Object>(Arrays.asList(before));
        arguments.addAll(List.of(
                SAMPLES,
                sets.sets(),
                sets.size(),
                sets.sideBySide() ? 1 : 0,
                sets.weights(),
                sets.run(),
                CHANNELS,
                AREA,
                channelsLast));
        if (eps != null) {
            arguments.add(eps);
        }
        runner.runBlocks(kernel, BLOCKS, arguments.toArray());
    }

    /// Of all samples, in (sample, channel, row, column) order.
    private static final class Expected {
        private final NormSets sets;
        private final float[] weight;
        private final float[] bias;
        private final double[] y;
        private final double[] dx;
        private final double[] ofWeight;
        private final double[] ofBias;

        Expected(NormSets sets, float[] weight, float[] bias, float[] x, float[] dy) {
            this.sets = sets;
            this.weight = weight;
            this.bias = bias;
            y = new double[x.length];
            dx = new double[x.length];
            ofWeight = new double[weight.length];
            ofBias = new double[weight.length];
            for (int n = 0; n < SAMPLES; n++) {
                for (int s = 0; s < sets.sets(); s++) {
                    addSet(places(sets, n * IMAGE.elements(), s), x, dy);
                }
            }
        }

        private void addSet(int[] places, float[] x, float[] dy) {
            double mean = average(places, at -> x[at]);
            double inverse = 1 / Math.sqrt(average(places, at -> (x[at] - mean) * (x[at] - mean)) + EPS);
            double center = average(places, at -> dy[at] * weight[weightOf(at)]);
            double slope = average(places, at -> dy[at] * weight[weightOf(at)] * (x[at] - mean) * inverse);
            for (int at : places) {
                int w = weightOf(at);
                double h = (x[at] - mean) * inverse;
                y[at] = h * weight[w] + bias[w];
                dx[at] = (dy[at] * weight[w] - center - h * slope) * inverse;
                ofWeight[w] += dy[at] * h;
                ofBias[w] += dy[at];
            }
        }

        private int weightOf(int at) {
            return sets.weight(at % IMAGE.elements());
        }

        private static double average(int[] places, IntToDoubleFunction value) {
            return Arrays.stream(places).mapToDouble(value).average().orElseThrow();
        }
    }

    private static int[] places(NormSets sets, int begin, int set) {
        int[] places = new int[sets.size()];
        Arrays.setAll(places, i -> begin + sets.place(set, i));
        return places;
    }

    /// How values in (sample, channel, row, column) order lie in memory.
    private record Order(boolean channelsLast) {
        float[] of(float[] values) {
            float[] placed = new float[values.length];
            for (int i = 0; i < values.length; i++) {
                placed[index(i)] = values[i];
            }
            return placed;
        }

        double[] of(double[] values) {
            double[] placed = new double[values.length];
            for (int i = 0; i < values.length; i++) {
                placed[index(i)] = values[i];
            }
            return placed;
        }

        private int index(int i) {
            int sample = i / (CHANNELS * AREA);
            int channel = i / AREA % CHANNELS;
            return channelsLast ? (sample * AREA + i % AREA) * CHANNELS + channel : i;
        }
    }

    @ParameterizedTest
    @CsvSource({"FP32, 3, 6, 72", "FP32, 216, 6, 1", "BF16, 3, 6, 72", "BF16, 216, 6, 1", "FP32, 1, 1, 1"})
    void scalesChannelsAndHasTheirGradient(Precision precision, int outer, int channels, int inner) {
        try (var runner = new KernelRunner(precision)) {
            float[] x = runner.rounded(normal(outer * channels * inner));
            float[] dy = runner.rounded(normal(x.length));
            float[] gamma = normal(channels);
            double[] y = new double[x.length];
            double[] sums = new double[channels];
            for (int i = 0; i < x.length; i++) {
                y[i] = (double) x[i] * gamma[i / inner % channels];
                sums[i / inner % channels] += (double) dy[i] * x[i];
            }
            Buffer input = runner.values(x);
            Buffer result = runner.roomForValues(x.length);
            runner.run("layer_scale", result, input, runner.floats(gamma), (long) x.length, channels, inner);
            runner.assertNear(runner.readValues(result), y, 1e-6);
            Buffer gradient = runner.floats(new float[channels]);
            runner.runBlocks("layer_scale_gradient", 2, gradient, runner.values(dy), input, outer, channels, inner);
            runner.assertNear(runner.readFloats(gradient), sums, 1e-4);
        }
    }

    private float[] normal(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private static float[] ones(int count) {
        float[] ones = new float[count];
        Arrays.fill(ones, 1);
        return ones;
    }
}
