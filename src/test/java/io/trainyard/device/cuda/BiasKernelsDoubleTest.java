package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Precision;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Against plain loops over (outer, channels, inner): images, images with their channels last, rows of features.
@OnDouble
final class BiasKernelsDoubleTest {
    private final Random random = new Random(17);

    @ParameterizedTest
    @CsvSource({
        "FP32, 5, 6, 576", "FP32, 3, 5, 49", "FP32, 700, 3, 1", "FP32, 80, 64, 1", "FP32, 1, 1, 1", "FP32, 2, 3, 2000",
        "BF16, 5, 6, 576", "BF16, 3, 5, 49", "BF16, 700, 3, 1", "BF16, 80, 64, 1", "BF16, 1, 7, 3", "BF16, 2, 3, 2000"
    })
    void isAddedAndHasItsGradient(Precision precision, int outer, int channels, int inner) {
        try (var runner = new KernelRunner(precision)) {
            int count = outer * channels * inner;
            float[] x = runner.rounded(normal(count));
            x[count / 2] = Float.NaN;
            float[] bias = normal(channels);
            double[] sums = new double[channels];
            double[] added = new double[count];
            double[] rectified = new double[count];
            for (int i = 0; i < count; i++) {
                int channel = i / inner % channels;
                added[i] = (double) x[i] + bias[channel];
                rectified[i] = Math.max(0, added[i]);
                sums[channel] += x[i];
            }

            Buffer y = runner.values(x);
            runner.run("bias_add", y, runner.floats(bias), (long) count, channels, inner);
            runner.assertNear(runner.readValues(y), added, 1e-6);

            Buffer z = runner.values(x);
            runner.run("bias_relu", z, runner.floats(bias), (long) count, channels, inner);
            runner.assertNear(runner.readValues(z), rectified, 1e-6);

            Buffer gradient = runner.floats(new float[channels]);
            runner.runBlocks("bias_gradient", channels, gradient, runner.values(x), outer, channels, inner);
            assertSums(runner.readFloats(gradient), sums);
        }
    }

    /// More rows than blocks and fewer; more groups of channels than a block has threads.
    @ParameterizedTest
    @CsvSource({
        "FP32, 9001, 32", "FP32, 3, 12", "FP32, 500, 3", "FP32, 70, 1500", "FP32, 1, 1", "FP32, 20, 300",
        "BF16, 9001, 32", "BF16, 3, 24", "BF16, 500, 3", "BF16, 70, 2100", "BF16, 1, 1", "BF16, 20, 2304"
    })
    void hasItsGradientFromParts(Precision precision, int outer, int channels) {
        int blocks = 5;
        try (var runner = new KernelRunner(precision)) {
            float[] dy = runner.rounded(normal(outer * channels));
            double[] sums = new double[channels];
            for (int i = 0; i < dy.length; i++) {
                sums[i % channels] += dy[i];
            }
            Buffer parts = runner.floats(new float[blocks * channels]);
            Buffer gradient = runner.floats(new float[channels]);
            runner.runBlocks("bias_gradient_parts", blocks, parts, runner.values(dy), outer, channels);
            runner.runBlocks("add_parts", channels, gradient, parts, blocks, channels);
            assertSums(runner.readFloats(gradient), sums);
        }
    }

    private static void assertSums(float[] actual, double[] expected) {
        for (int c = 0; c < expected.length; c++) {
            if (Double.isNaN(expected[c])) {
                assertThat(actual[c]).as("channel %d", c).isNaN();
            } else {
                assertThat((double) actual[c]).as("channel %d", c).isCloseTo(expected[c], within(1e-4));
            }
        }
    }

    private float[] normal(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }
}
