package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.AdamFactors;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.host.ParameterUpdate;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Precision;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The parameters after some steps, bit for bit those of the CPU's updates, which are PyTorch's.
@OnDouble
final class UpdateKernelsDoubleTest {
    private static final int COUNT = 4099; // several rounds of all threads, and no whole number of groups
    private static final double[] LEARNING_RATES = {0.1, 0.05, 0.3, 0.01};
    private static final int STEPS_BEFORE = 5; // that the optimizer made in an epoch before

    static Stream<OptimizerSpec> optimizers() {
        return Stream.of(
                new OptimizerSpec.Sgd(0.1, 0, false, 0),
                new OptimizerSpec.Sgd(0.1, 0, false, 1e-3),
                new OptimizerSpec.Sgd(0.1, 0.9, false, 0),
                new OptimizerSpec.Sgd(0.1, 0.9, true, 5e-4),
                new OptimizerSpec.Adam(0.1, 0.9, 0.999, 1e-8, 0),
                new OptimizerSpec.Adam(0.1, 0.3, 0.99, 1e-6, 1e-2), // its mean is counted from the gradient
                new OptimizerSpec.AdamW(0.1, 0.9, 0.999, 1e-8, 1e-2));
    }

    @ParameterizedTest
    @MethodSource("optimizers")
    void givesTheBitsOfTheCpu(OptimizerSpec optimizer) {
        Random random = new Random(31);
        float[] values = normal(random);
        List<float[]> state = new ArrayList<>();
        optimizer.slots().forEach(_ -> state.add(new float[COUNT]));
        float[] scalars = StepScalars.of(optimizer, LEARNING_RATES, 0, STEPS_BEFORE);
        try (var runner = new KernelRunner(Precision.FP32)) {
            Buffer w = runner.floats(values);
            List<Buffer> slots = state.stream().map(runner::floats).toList();
            Buffer allScalars = runner.floats(scalars);
            for (int step = 0; step < LEARNING_RATES.length; step++) {
                float[] gradient = normal(random);
                update(runner, optimizer, w, runner.floats(gradient), slots, allScalars, runner.ints(step));
                ParameterUpdate.of(optimizer, LEARNING_RATES[step], STEPS_BEFORE + step + 1)
                        .apply(values, gradient, state, 0, COUNT);
            }
            assertThat(bits(runner.readFloats(w))).isEqualTo(bits(values));
            for (int i = 0; i < state.size(); i++) {
                assertThat(bits(runner.readFloats(slots.get(i)))).isEqualTo(bits(state.get(i)));
            }
        }
    }

    private static void update(
            KernelRunner runner,
            OptimizerSpec optimizer,
            Buffer w,
            Buffer gradient,
            List<Buffer> slots,
            Buffer scalars,
            Buffer step) {
        switch (optimizer) {
            case OptimizerSpec.Sgd sgd ->
                runner.run(
                        "sgd",
                        w,
                        gradient,
                        slots.isEmpty() ? null : slots.getFirst(),
                        (long) COUNT,
                        scalars,
                        step,
                        (float) sgd.momentum(),
                        (float) sgd.weightDecay(),
                        sgd.nesterov() ? 1 : 0);
            case OptimizerSpec.Adam _, OptimizerSpec.AdamW _ -> {
                AdamFactors constant = AdamFactors.of(optimizer, 0, 1);
                runner.run(
                        "adam",
                        w,
                        gradient,
                        slots.get(0),
                        slots.get(1),
                        (long) COUNT,
                        scalars,
                        step,
                        constant.gradientDecay(),
                        constant.approach(),
                        constant.fromGradient() ? 1 : 0,
                        constant.beta2(),
                        constant.newSquare(),
                        constant.epsilon());
            }
        }
    }

    @Test
    void addsAnotherDevicesGradient() {
        Random random = new Random(37);
        float[] sum = normal(random);
        float[] other = normal(random);
        try (var runner = new KernelRunner(Precision.BF16)) { // gradients are floats there, too
            Buffer total = runner.floats(sum);
            runner.run("add_gradient", total, runner.floats(other), (long) COUNT);
            for (int i = 0; i < COUNT; i++) {
                sum[i] += other[i];
            }
            assertThat(bits(runner.readFloats(total))).isEqualTo(bits(sum));
        }
    }

    private static float[] normal(Random random) {
        float[] values = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private static int[] bits(float[] values) {
        return IntStream.range(0, values.length)
                .map(i -> Float.floatToRawIntBits(values[i]))
                .toArray();
    }
}
