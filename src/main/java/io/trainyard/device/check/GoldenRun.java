package io.trainyard.device.check;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.device.Device;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Initializer;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/// Compares steps of tudui with PyTorch's losses on the same images from the same weights, recorded by
/// src/test/python's tudui_steps.py. The code below must stay equivalent to that script.
final class GoldenRun {
    static final int STEPS = 200;

    private static final int BATCH = 64;
    private static final int TESTS = 640;
    private static final int CLASSES = 10;
    private static final Shape IMAGE = Shape.of(3, 32, 32);
    private static final long IMAGES_SEED = 4;
    private static final long WEIGHTS_SEED = 0;
    private static final double LEARNING_RATE = 0.006;

    /// Number of rows and columns of squares in a class's picture.
    private static final int SQUARES = 4;

    private static final String RECORDED = "/io/trainyard/device/check/tudui-200-steps.txt";

    private GoldenRun() {}

    static Comparison compare(Device device, Precision precision) {
        Recorded recorded = Recorded.read();
        Workload workload = workload(precision);
        Parameters weights = Initializer.initial(workload.network(), new TorchRandom(WEIGHTS_SEED));
        double[] rates = new double[STEPS];
        Arrays.fill(rates, LEARNING_RATE);
        EpochPlan plan = new EpochPlan(TorchRandom.identity(STEPS * BATCH), rates, new TorchRandom(0));
        Comparison comparison = new Comparison(tolerance(precision));
        try (LearningSession session = device.open(workload)) {
            session.load(new SessionState(weights, Parameters.NONE));
            session.beginEpoch(plan, 0);
            comparison.values("loss", recorded.losses(), session.advance(STEPS));
            comparison.value(
                    "sum of the test batches' losses",
                    recorded.testLossSum(),
                    session.evaluate().testLossSum());
        }
        return comparison;
    }

    /// Measured with PyTorch (`tudui_steps.py --study`): relative to float64, the losses differ by up to 3e-6 in
    /// float32, by 5e-5 with factors rounded to TF32, by 2e-3 with bfloat16, and by 1e-3 if the learning rate is
    /// wrong by 0.1 %.
    static Tolerance tolerance(Precision precision) {
        return switch (precision) {
            case FP32 -> new Tolerance(0, 1e-4);
            case TF32 -> new Tolerance(0, 1e-3);
            case BF16 -> new Tolerance(0, 2e-2);
        };
    }

    private static Workload workload(Precision precision) {
        TorchRandom random = new TorchRandom(IMAGES_SEED);
        int[] squares = new int[CLASSES * IMAGE.size(0) * SQUARES * SQUARES];
        Arrays.setAll(squares, _ -> random.below(256));
        Dataset.Split train = split(random, squares, STEPS * BATCH);
        Dataset.Split test = split(random, squares, TESTS);
        Dataset dataset = new Dataset("squares", IMAGE, CLASSES, train, test);
        List<Double> half = List.of(0.5, 0.5, 0.5);
        return new Workload(
                Network.fit(NetworkSpec.named("tudui"), IMAGE, CLASSES),
                new OptimizerSpec.Sgd(LEARNING_RATE, 0, 0),
                BATCH,
                dataset,
                PixelScale.of(IMAGE.size(0), new Normalize(half, half)),
                AugmentSpec.NONE,
                precision,
                0);
    }

    /// Each image is the mean of its class's squares and noise.
    private static Dataset.Split split(TorchRandom random, int[] squares, int samples) {
        byte[] labels = new byte[samples];
        for (int n = 0; n < samples; n++) {
            labels[n] = (byte) random.below(CLASSES);
        }
        int side = IMAGE.size(1);
        byte[] pixels = new byte[samples * IMAGE.elements()];
        int at = 0;
        for (byte label : labels) {
            for (int c = 0; c < IMAGE.size(0); c++) {
                for (int row = 0; row < side; row++) {
                    int squaresRow = ((label * IMAGE.size(0) + c) * SQUARES + row * SQUARES / side) * SQUARES;
                    for (int column = 0; column < side; column++, at++) {
                        pixels[at] = (byte) ((squares[squaresRow + column * SQUARES / side] + random.below(256)) / 2);
                    }
                }
            }
        }
        return new Dataset.Split(pixels, labels);
    }

    private record Recorded(float[] losses, double testLossSum) {
        static Recorded read() {
            try (InputStream in = Objects.requireNonNull(GoldenRun.class.getResourceAsStream(RECORDED), RECORDED)) {
                List<String[]> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> !line.startsWith("#"))
                        .map(line -> line.split(" "))
                        .toList();
                return new Recorded(values(lines, "loss"), values(lines, "test_loss")[0]);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + RECORDED, e);
            }
        }

        private static float[] values(List<String[]> lines, String name) {
            float[] values = new float[lines.size()];
            int count = 0;
            for (String[] line : lines) {
                if (line[0].equals(name)) {
                    values[count++] = Float.parseFloat(line[1]);
                }
            }
            return Arrays.copyOf(values, count);
        }
    }
}
