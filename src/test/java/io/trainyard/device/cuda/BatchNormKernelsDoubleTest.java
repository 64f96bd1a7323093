package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Precision;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Against plain loops in double precision, in each way a tensor is divided: channels side by side and in planes,
/// values
/// taken one at a time and together, by one block and by several, whole batches and those of several devices.
@OnDouble
final class BatchNormKernelsDoubleTest {
    private static final float EPS = 0.01f;
    private static final float MOMENTUM = 0.25f;
    private static final float MEAN = 30; // of x, whose deviation is 1: nothing may cancel

    private final Random random = new Random(7);

    /// Samples, channels and area, and how the tensor is divided.
    record Division(Precision precision, int samples, int channels, int area, boolean last, int abreast, int splits) {
        int outer() {
            return last ? samples * area : samples;
        }

        int inner() {
            return last ? 1 : area;
        }

        int lanes() {
            return precision == Precision.BF16 ? 8 : 4;
        }

        int wide() {
            return (inner() == 1 ? channels : inner()) % lanes() == 0 ? 1 : 0;
        }

        int blocks() {
            int width = wide() == 1 ? lanes() : 1;
            return splits * (inner() == 1 ? Math.ceilDiv(channels, abreast * width) : channels);
        }

        int elements() {
            return samples * channels * area;
        }

        int channel(int i) {
            return i / inner() % channels;
        }
    }

    static Stream<Division> divisions() {
        return Stream.of(
                new Division(Precision.FP32, 5, 3, 36, false, 1, 1),
                new Division(Precision.FP32, 5, 3, 35, false, 1, 3),
                new Division(Precision.FP32, 9, 2, 400, false, 1, 7),
                new Division(Precision.FP32, 700, 5, 1, true, 16, 1),
                new Division(Precision.FP32, 700, 40, 1, true, 4, 4),
                new Division(Precision.BF16, 5, 24, 49, true, 4, 2),
                new Division(Precision.BF16, 7, 64, 36, true, 4, 5),
                new Division(Precision.BF16, 6, 13, 9, true, 32, 2));
    }

    static Stream<Arguments> ways() {
        return divisions()
                .flatMap(division -> Stream.of(
                        Arguments.of(division, false, false),
                        Arguments.of(division, true, false),
                        Arguments.of(division, true, true)));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void normalisesAndHasItsGradients(Division of, boolean relu, boolean adds) {
        try (var runner = new KernelRunner(of.precision())) {
            var layer = new Layer(runner, of, relu, adds);
            var expected = new Expected(layer);
            layer.forward();
            runner.assertNear(runner.readValues(layer.y), expected.y, 1e-4);
            runner.assertNear(runner.readFloats(layer.runningMean), expected.runningMean, 1e-5);
            runner.assertNear(runner.readFloats(layer.runningVariance), expected.runningVariance, 1e-4);
            layer.backward();
            runner.assertNear(runner.readFloats(layer.ofWeight), expected.ofWeight, 2e-3);
            runner.assertNear(runner.readFloats(layer.ofBias), expected.ofBias, 2e-3);
            runner.assertNear(runner.readValues(layer.dx), expected.dx, 5e-4);
            if (adds) {
                runner.assertNear(runner.readValues(layer.masked), expected.masked, 0);
            }
            assertThat(runner.readInts(layer.arrived)).as("counters").containsOnly(0);
        }
    }

    /// What one launch leaves must not matter to the next.
    @ParameterizedTest
    @MethodSource("divisions")
    void givesTheSameBitsTwice(Division of) {
        try (var runner = new KernelRunner(of.precision())) {
            var layer = new Layer(runner, of, true, true);
            layer.forward();
            layer.backward();
            float[] y = runner.readValues(layer.y);
            float[] dx = runner.readValues(layer.dx);
            float[] ofWeight = runner.readFloats(layer.ofWeight);
            layer.forward();
            layer.backward();
            assertThat(runner.readValues(layer.y)).isEqualTo(y);
            assertThat(runner.readValues(layer.dx)).isEqualTo(dx);
            assertThat(runner.readFloats(layer.ofWeight)).isEqualTo(ofWeight);
        }
    }

    @ParameterizedTest
    @MethodSource("divisions")
    void evaluatesByTheRunningStatistics(Division of) {
        try (var runner = new KernelRunner(of.precision())) {
            var layer = new Layer(runner, of, true, true);
            layer.launch(
                    "batch_norm_evaluation",
                    layer.y,
                    layer.input,
                    layer.addend,
                    layer.scale,
                    layer.shift,
                    layer.runningMean,
                    layer.runningVariance,
                    EPS,
                    1);
            double[] y = new double[of.elements()];
            for (int i = 0; i < y.length; i++) {
                int c = of.channel(i);
                double value = (layer.x[i] - layer.oldMean[c]) / Math.sqrt(layer.oldVariance[c] + EPS) * layer.weight[c]
                        + layer.bias[c]
                        + layer.added[i];
                y[i] = Math.max(0, value);
            }
            runner.assertNear(runner.readValues(layer.y), y, 1e-4);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "42, 300"})
    void takesABatchIntoMeansOverAll(int batches, int channels) {
        var of = new Division(Precision.FP32, 6, channels, 1, true, 16, 1);
        try (var runner = new KernelRunner(Precision.FP32)) {
            var layer = new Layer(runner, of, false, false);
            Buffer counter = runner.floats(batches - 1);
            layer.statistics(counter);
            assertThat(runner.readFloats(counter)).containsExactly(batches);
            layer.normalise(counter);
            var expected = new Expected(layer);
            double[] means = new double[channels];
            for (int c = 0; c < channels; c++) {
                means[c] = ((batches - 1.0) * layer.oldMean[c] + expected.mean[c]) / batches;
            }
            runner.assertNear(runner.readFloats(layer.runningMean), means, 1e-5);
        }
    }

    /// One tensor, its parameters, and where results go.
    private final class Layer {
        private final KernelRunner runner;
        private final Division of;
        private final boolean relu;
        private final float[] x;
        private final float[] dy;
        private final float[] added;
        private final float[] weight;
        private final float[] bias;
        private final float[] oldMean;
        private final float[] oldVariance;
        private final Buffer input;
        private final Buffer gradient;
        private final @Nullable Buffer addend;
        private final Buffer scale;
        private final Buffer shift;
        private final Buffer runningMean;
        private final Buffer runningVariance;
        private final Buffer y;
        private final Buffer dx;
        private final Buffer masked;
        private final Buffer row;
        private final Buffer parts;
        private final Buffer arrived;
        private final Buffer mean;
        private final Buffer inverse;
        private final Buffer ofWeight;
        private final Buffer ofBias;

        Layer(KernelRunner runner, Division of, boolean relu, boolean adds) {
            this.runner = runner;
            this.of = of;
            this.relu = relu;
            int n = of.elements();
            int channels = of.channels();
            x = runner.rounded(normal(n, MEAN));
            dy = runner.rounded(normal(n, 0));
            added = adds ? runner.rounded(normal(n, 0)) : new float[n];
            weight = normal(channels, 1);
            bias = normal(channels, 0);
            oldMean = normal(channels, MEAN);
            oldVariance = new float[channels];
            Arrays.fill(oldVariance, 2);
            input = runner.values(x);
            gradient = runner.values(dy);
            addend = adds ? runner.values(added) : null;
            scale = runner.floats(weight);
            shift = runner.floats(bias);
            runningMean = runner.floats(oldMean);
            runningVariance = runner.floats(oldVariance);
            y = runner.roomForValues(n);
            dx = runner.roomForValues(n);
            masked = runner.roomForValues(n);
            row = runner.floats(new float[2 * channels]);
            parts = runner.floats(new float[3 * of.splits() * channels]);
            arrived = runner.ints(new int[channels]);
            mean = runner.floats(new float[channels]);
            inverse = runner.floats(new float[channels]);
            ofWeight = runner.floats(new float[channels]);
            ofBias = runner.floats(new float[channels]);
        }

        private void launch(String kernel, @Nullable Object... arguments) {
            List<@Nullable Object> all = new ArrayList<@Nullable Object>(Arrays.asList(arguments));
            all.addAll(List.of(of.outer(), of.channels(), of.inner(), of.wide(), of.abreast(), of.splits()));
            runner.runBlocks(kernel, of.blocks(), all.toArray());
        }

        void forward() {
            statistics(null);
            normalise(null);
        }

        void statistics(@Nullable Buffer batches) {
            launch("batch_norm_statistics", row, batches, parts, arrived, input);
        }

        void normalise(@Nullable Buffer batches) {
            launch(
                    "batch_norm_forward",
                    y,
                    input,
                    addend,
                    scale,
                    shift,
                    row,
                    1,
                    of.samples(),
                    of.area(),
                    mean,
                    inverse,
                    runningMean,
                    runningVariance,
                    batches,
                    MOMENTUM,
                    EPS,
                    relu ? 1 : 0);
        }

        void backward() {
            Buffer through = addend == null ? null : masked;
            launch(
                    "batch_norm_gradient_sums",
                    row,
                    ofWeight,
                    ofBias,
                    through,
                    parts,
                    arrived,
                    gradient,
                    input,
                    addend == null ? null : y,
                    scale,
                    shift,
                    mean,
                    inverse,
                    relu ? 1 : 0);
            launch(
                    "batch_norm_backward",
                    dx,
                    through == null ? gradient : through,
                    input,
                    null,
                    scale,
                    shift,
                    mean,
                    inverse,
                    row,
                    1,
                    of.samples(),
                    of.area(),
                    relu && through == null ? 1 : 0);
        }
    }

    private static final class Expected {
        private final double[] y;
        private final double[] dx;
        private final double[] masked;
        private final double[] mean;
        private final double[] runningMean;
        private final double[] runningVariance;
        private final double[] ofWeight;
        private final double[] ofBias;

        Expected(Layer layer) {
            Division of = layer.of;
            int n = of.elements();
            int channels = of.channels();
            y = new double[n];
            dx = new double[n];
            masked = new double[n];
            mean = new double[channels];
            runningMean = new double[channels];
            runningVariance = new double[channels];
            ofWeight = new double[channels];
            ofBias = new double[channels];
            double count = (double) of.samples() * of.area();
            double[] squares = new double[channels];
            for (int i = 0; i < n; i++) {
                mean[of.channel(i)] += layer.x[i] / count;
            }
            for (int i = 0; i < n; i++) {
                squares[of.channel(i)] += Math.pow(layer.x[i] - mean[of.channel(i)], 2);
            }
            double[] h = new double[n];
            for (int i = 0; i < n; i++) {
                int c = of.channel(i);
                h[i] = (layer.x[i] - mean[c]) / Math.sqrt(squares[c] / count + EPS);
                double value = h[i] * layer.weight[c] + layer.bias[c] + layer.added[i];
                y[i] = layer.relu ? Math.max(0, value) : value;
                masked[i] = layer.relu && value <= 0 ? 0 : layer.dy[i];
                ofBias[c] += masked[i];
                ofWeight[c] += masked[i] * h[i];
            }
            for (int i = 0; i < n; i++) {
                int c = of.channel(i);
                double factor = layer.weight[c] / Math.sqrt(squares[c] / count + EPS);
                dx[i] = (masked[i] - ofBias[c] / count - h[i] * ofWeight[c] / count) * factor;
            }
            for (int c = 0; c < channels; c++) {
                runningMean[c] = (1 - MOMENTUM) * layer.oldMean[c] + MOMENTUM * mean[c];
                runningVariance[c] = (1 - MOMENTUM) * layer.oldVariance[c] + MOMENTUM * squares[c] / (count - 1);
            }
        }
    }

    private float[] normal(int count, float mean) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = mean + (float) random.nextGaussian();
        }
        return values;
    }
}
