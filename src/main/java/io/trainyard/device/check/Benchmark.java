package io.trainyard.device.check;

import io.trainyard.data.Dataset;
import io.trainyard.device.Device;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;

/// Times steps on random images that are loaded into the session, as in a job. Only full batches are timed.
public final class Benchmark {
    /// The least duration of a block, so that the overhead of a call and the clock are negligible.
    private static final double BLOCK_SECONDS = 0.002;

    private static final int LEAST_BLOCKS = 3;

    /// A step counts as faster below this share of the fastest time.
    private static final double FASTER = 0.9;

    /// Limits the warm-up to this multiple of the steady time.
    private static final int MAX_STEADY = 5;

    private final Device device;
    private final double measuredSeconds;

    /// The time without a faster step that ends the warm-up.
    private double steadySeconds = 2;

    /// The steady time of all further cases.
    private final double laterSteadySeconds;

    private List<Dataset> images = List.of();

    private Benchmark(Device device, double laterSteadySeconds, double measuredSeconds) {
        this.device = device;
        this.laterSteadySeconds = laterSteadySeconds;
        this.measuredSeconds = measuredSeconds;
    }

    /// The JVM compiles its kernels during the first second or two.
    public static Benchmark thorough(Device device) {
        return new Benchmark(device, 2, 2);
    }

    /// For many similar cases: after the first, most of their kernels are compiled.
    public static Benchmark brief(Device device) {
        return new Benchmark(device, 0.4, 0.6);
    }

    public BenchmarkResult measure(BenchmarkCase of) {
        Workload workload = CheckWorkload.of(images(of), of.layers(), GeneratedImages.OPTIMIZER, of.batchSize())
                .withPrecision(of.precision());
        try (LearningSession session = device.open(workload)) {
            session.load(CheckWorkload.state(workload));
            Epochs epochs = new Epochs(session, workload);
            int blockSteps = warmUp(epochs);
            List<Double> stepMicros = new ArrayList<>();
            long start = System.nanoTime();
            while (seconds(start) < measuredSeconds || stepMicros.size() < LEAST_BLOCKS) {
                stepMicros.add(epochs.secondsOf(blockSteps) * 1e6 / blockSteps);
            }
            double[] values = stepMicros.stream().mapToDouble(micros -> micros).toArray();
            return new BenchmarkResult(
                    device.info().name(),
                    of,
                    new Percentile(50).evaluate(values),
                    new Percentile(95).evaluate(values),
                    blockSteps * values.length,
                    testSeconds(session) * 1e3);
        }
    }

    /// Runs a second pass if the first was too short to measure.
    private double testSeconds(LearningSession session) {
        double seconds = 0;
        for (int pass = 0; pass < 2 && seconds < measuredSeconds; pass++) {
            long start = System.nanoTime();
            var _ = session.evaluate();
            seconds = seconds(start);
        }
        return seconds;
    }

    /// Runs until steps have stopped becoming faster.
    ///
    /// @return number of steps in a block
    private int warmUp(Epochs epochs) {
        long start = System.nanoTime();
        long fasterAt = start;
        double fastest = Double.POSITIVE_INFINITY;
        int steps = 1;
        while (seconds(fasterAt) < steadySeconds && seconds(start) < MAX_STEADY * steadySeconds) {
            double blockSeconds = epochs.secondsOf(steps);
            if (blockSeconds / steps < FASTER * fastest) {
                fastest = blockSeconds / steps;
                fasterAt = System.nanoTime();
            }
            if (blockSeconds < BLOCK_SECONDS) {
                steps = Math.min(2 * steps, epochs.fullSteps());
            }
        }
        steadySeconds = laterSteadySeconds;
        return steps;
    }

    private Dataset images(BenchmarkCase of) {
        Dataset found = images.stream()
                .filter(set -> set.train().size() == of.trains() && set.test().size() == of.tests())
                .filter(set -> set.shape().equals(GeneratedImages.input(of.network())))
                .findFirst()
                .orElseGet(() -> GeneratedImages.of(of.network(), of.trains(), of.tests()));
        images = List.of(found);
        return found;
    }

    private static double seconds(long startNanos) {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    private static final class Epochs {
        private final LearningSession session;
        private final Workload workload;
        private int left;
        private long seed;

        Epochs(LearningSession session, Workload workload) {
            this.session = session;
            this.workload = workload;
        }

        int fullSteps() {
            return workload.dataset().train().size() / workload.batchSize();
        }

        double secondsOf(int steps) {
            if (left < steps) {
                session.beginEpoch(CheckWorkload.plan(workload, seed++), 0);
                left = fullSteps();
            }
            long start = System.nanoTime();
            float[] _ = session.advance(steps);
            left -= steps;
            return seconds(start);
        }
    }
}
