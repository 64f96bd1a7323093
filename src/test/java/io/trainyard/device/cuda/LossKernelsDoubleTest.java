package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Precision;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Against softmax and cross entropy in double precision. One class, fewer and more classes than threads share a row,
/// and more rows than the blocks take at once.
@OnDouble
final class LossKernelsDoubleTest {
    private static final int STEP = 2;

    private final Random random = new Random(3);

    @ParameterizedTest
    @CsvSource({
        "FP32, 5, 10, 0, false",
        "FP32, 61, 10, 0, true",
        "FP32, 61, 10, 0.1, false",
        "FP32, 30, 1, 0.3, true",
        "FP32, 27, 77, 0.3, true",
        "FP32, 3, 1000, 0, false",
        "BF16, 61, 10, 0.1, true"
    })
    void hasTheGradientOfTheMeanLoss(Precision precision, int samples, int classes, float smoothing, boolean weighted) {
        int first = 2;
        int batch = samples + 4;
        int images = 3 * batch;
        float batchWeight = batch + 0.5f;
        double[] weights = weights(classes, weighted);
        try (var runner = new KernelRunner(precision)) {
            float[] logits = runner.rounded(logits(samples * classes));
            int[] labels = labels(images, classes);
            int[] order = random.ints(images, 0, images).toArray();
            Buffer gradient = runner.roomForValues(samples * classes);
            Buffer sampleLosses = runner.floats(new float[samples]);
            runner.run(
                    "cross_entropy",
                    gradient,
                    sampleLosses,
                    runner.values(logits),
                    runner.ints(labels),
                    runner.ints(order),
                    runner.ints(STEP),
                    runner.floats(new float[] {0, 0, batchWeight}),
                    weighted ? runner.floats(floats(weights)) : null,
                    smoothing,
                    (float) Arrays.stream(weights).sum(),
                    batch,
                    first,
                    samples,
                    classes);
            double[] expected = new double[samples * classes];
            double[] expectedLosses = new double[samples];
            for (int n = 0; n < samples; n++) {
                double[] softmax = softmax(logits, n, classes);
                int label = labels[order[STEP * batch + first + n]];
                for (int of = 0; of < classes; of++) {
                    double share = weights[of] * ((of == label ? 1 - smoothing : 0) + smoothing / (double) classes);
                    expectedLosses[n] -= share * Math.log(softmax[of]);
                    for (int k = 0; k < classes; k++) {
                        expected[n * classes + k] += share * (softmax[k] - (k == of ? 1 : 0)) / batchWeight;
                    }
                }
            }
            assertNear(runner.readFloats(sampleLosses), expectedLosses, 2e-5);
            runner.assertNear(runner.readValues(gradient), expected, 1e-7);
        }
    }

    @ParameterizedTest
    @CsvSource({"FP32, 61, 10, 0", "FP32, 30, 1, 0", "FP32, 27, 77, 0.2", "BF16, 61, 10, 0.2"})
    void testsABatch(Precision precision, int samples, int classes, float smoothing) {
        double[] weights = weights(classes, smoothing > 0);
        int batch = 70;
        int images = STEP * batch + samples;
        try (var runner = new KernelRunner(precision)) {
            float[] logits = runner.rounded(logits(samples * classes));
            for (int n = 0; n < samples; n += 2) { // two equal ones that are largest
                logits[n * classes + classes / 2] = 9;
                logits[n * classes + classes - 1] = 9;
            }
            int[] labels = labels(images, classes);
            Buffer losses = runner.floats(new float[images]);
            Buffer confusion = runner.ints(new int[classes * classes]);
            Buffer probabilities = runner.floats(new float[images * classes]);
            Buffer values = runner.values(logits);
            Buffer step = runner.ints(STEP);
            runner.run(
                    "test_batch",
                    losses,
                    confusion,
                    values,
                    runner.ints(labels),
                    step,
                    smoothing > 0 ? runner.floats(floats(weights)) : null,
                    smoothing,
                    batch,
                    samples,
                    classes);
            runner.run("probabilities", probabilities, values, step, batch, samples, classes);

            double[] expectedLosses = new double[images];
            double[] expectedProbabilities = new double[images * classes];
            int[] expectedConfusion = new int[classes * classes];
            for (int n = 0; n < samples; n++) {
                int at = STEP * batch + n;
                int label = labels[at];
                double[] softmax = softmax(logits, n, classes);
                for (int k = 0; k < classes; k++) {
                    double share = (k == label ? 1 - smoothing : 0) + smoothing / (double) classes;
                    expectedLosses[at] -= weights[k] * share * Math.log(softmax[k]);
                }
                System.arraycopy(softmax, 0, expectedProbabilities, at * classes, classes);
                expectedConfusion[label * classes + firstLargest(logits, n, classes)]++;
            }
            assertThat(runner.readInts(confusion)).isEqualTo(expectedConfusion);
            assertNear(runner.readFloats(losses), expectedLosses, 1e-5);
            assertNear(runner.readFloats(probabilities), expectedProbabilities, 1e-6);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Precision.class,
            names = {"FP32", "BF16"})
    void neitherOverflowsNorHidesNaN(Precision precision) {
        float infinity = Float.POSITIVE_INFINITY;
        float[] logits = {
            1e30f, -1e30f, 1e30f, // far beyond what exp can take
            -infinity, -infinity, 5, 1, Float.NaN, 7, Float.NaN, 1, 7, -infinity, -infinity, -infinity,
        };
        try (var runner = new KernelRunner(precision)) {
            Buffer losses = runner.floats(new float[5]);
            Buffer confusion = runner.ints(new int[9]);
            Buffer values = runner.values(logits);
            runner.run(
                    "test_batch",
                    losses,
                    confusion,
                    values,
                    runner.ints(new int[5]),
                    runner.ints(0),
                    null,
                    0f,
                    5,
                    5,
                    3);
            assertThat(runner.readFloats(losses))
                    .containsExactly((float) Math.log(2), infinity, Float.NaN, Float.NaN, Float.NaN);
            assertThat(runner.readInts(confusion)) // as the reference: what is not larger than the first is passed over
                    .containsExactly(3, 0, 2, 0, 0, 0, 0, 0, 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"FP32, 5, 1, false", "FP32, 61, 3, true", "FP32, 27, 77, false", "BF16, 61, 10, false"})
    void hasTheGradientOfTheMeanSquaredError(Precision precision, int samples, int width, boolean inPlace) {
        int first = 2;
        int batch = samples + 4;
        int all = 3 * batch;
        float batchWeight = batch * width + 0.5f;
        try (var runner = new KernelRunner(precision)) {
            float[] outputs = runner.rounded(logits(samples * width));
            float[] targets = logits(all * width);
            int[] order = random.ints(all, 0, all).toArray();
            Buffer values = runner.values(outputs);
            Buffer gradient = inPlace ? values : runner.roomForValues(samples * width);
            Buffer sampleLosses = runner.floats(new float[samples]);
            runner.run(
                    "squared_errors",
                    gradient,
                    sampleLosses,
                    values,
                    runner.floats(targets),
                    runner.ints(order),
                    runner.ints(STEP),
                    runner.floats(new float[] {0, 0, batchWeight}),
                    batch,
                    first,
                    samples,
                    width);
            double[] expected = new double[samples * width];
            double[] expectedLosses = new double[samples];
            for (int i = 0; i < expected.length; i++) {
                int target = order[STEP * batch + first + i / width] * width + i % width;
                double difference = (double) outputs[i] - targets[target];
                expectedLosses[i / width] += difference * difference;
                expected[i] = 2 * difference / batchWeight;
            }
            assertNear(runner.readFloats(sampleLosses), expectedLosses, 2e-3); // thousands, added up in float32
            runner.assertNear(runner.readValues(gradient), expected, 1e-7);
        }
    }

    @ParameterizedTest
    @CsvSource({"FP32, 61, 3", "FP32, 30, 1", "FP32, 27, 77", "BF16, 61, 10"})
    void testsABatchOfNumbers(Precision precision, int samples, int width) {
        int batch = 70;
        int all = STEP * batch + samples;
        try (var runner = new KernelRunner(precision)) {
            float[] outputs = runner.rounded(logits(samples * width));
            float[] targets = logits(all * width);
            Buffer losses = runner.floats(new float[all]);
            Buffer absoluteErrors = runner.floats(new float[all]);
            Buffer predictions = runner.floats(new float[samples * width]);
            Buffer values = runner.values(outputs);
            Buffer step = runner.ints(STEP);
            runner.run(
                    "test_errors", losses, absoluteErrors, values, runner.floats(targets), step, batch, samples, width);
            runner.run("predicted_numbers", predictions, values, (long) samples * width);
            double[] expectedLosses = new double[all];
            double[] expectedErrors = new double[all];
            for (int i = 0; i < outputs.length; i++) {
                double difference = (double) outputs[i] - targets[STEP * batch * width + i];
                expectedLosses[STEP * batch + i / width] += difference * difference;
                expectedErrors[STEP * batch + i / width] += Math.abs(difference);
            }
            assertNear(runner.readFloats(losses), expectedLosses, 2e-3); // thousands, added up in float32
            assertNear(runner.readFloats(absoluteErrors), expectedErrors, 2e-4);
            assertThat(runner.readFloats(predictions)).containsExactly(outputs);
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "4", "64", "256", "257", "1999"})
    void endsAStepWithItsMeanLoss(int samples) {
        int batch = samples + 3;
        try (var runner = new KernelRunner(Precision.FP32)) {
            float[] sampleLosses = logits(samples);
            double sum = IntStream.range(0, samples)
                    .mapToDouble(i -> sampleLosses[i])
                    .sum();
            Buffer losses = runner.floats(new float[4]);
            Buffer step = runner.ints(STEP);
            Buffer batchWeights = runner.floats(new float[] {0, 0, batch, 0});
            runner.runBlocks("end_step", 1, losses, step, runner.floats(sampleLosses), batchWeights, samples);
            assertThat(runner.readInts(step)).containsExactly(STEP + 1);
            assertThat(runner.readFloats(losses)).containsExactly(0, 0, (float) (sum / batch), 0);
        }
    }

    private float[] logits(int count) {
        float[] logits = new float[count];
        for (int i = 0; i < count; i++) {
            logits[i] = random.nextFloat(-8, 8);
        }
        return logits;
    }

    /// As float32 has them.
    private double[] weights(int classes, boolean weighted) {
        return IntStream.range(0, classes)
                .mapToDouble(k -> weighted ? random.nextFloat(0.1f, 3) : 1)
                .toArray();
    }

    private static float[] floats(double[] values) {
        float[] floats = new float[values.length];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) values[i];
        }
        return floats;
    }

    private int[] labels(int count, int classes) {
        int[] labels = new int[count];
        for (int i = 0; i < count; i++) {
            labels[i] = random.nextInt(classes);
        }
        return labels;
    }

    private static double[] softmax(float[] logits, int n, int classes) {
        double[] row = IntStream.range(0, classes)
                .mapToDouble(k -> Math.exp(logits[n * classes + k]))
                .toArray();
        double sum = Arrays.stream(row).sum();
        return Arrays.stream(row).map(e -> e / sum).toArray();
    }

    private static int firstLargest(float[] logits, int n, int classes) {
        int best = 0;
        for (int k = 1; k < classes; k++) {
            if (logits[n * classes + k] > logits[n * classes + best]) {
                best = k;
            }
        }
        return best;
    }

    private static void assertNear(float[] actual, double[] expected, double absolute) {
        for (int i = 0; i < expected.length; i++) {
            assertThat((double) actual[i]).as("value %d", i).isCloseTo(expected[i], within(absolute));
        }
    }
}
