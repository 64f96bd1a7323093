package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.EpochPlan;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.host.ParameterUpdate;
import io.trainyard.device.session.UpdateRule;
import io.trainyard.random.TorchRandom;
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
    private static final double[] LEARNING_RATES = {0.1, 0.05, 0.3, 0.01, 0.2};
    private static final double[] MOMENTA = {0.95, 0.3, 0.6, 0.9, 0.5}; // on both sides of where torch.lerp changes
    private static final int STEPS_BEFORE = 5; // that the optimizer made in an epoch before

    /// What every device is checked with, and without weight decay.
    static Stream<OptimizerSpec> optimizers() {
        return Stream.concat(
                CheckWorkload.optimizers().stream(),
                Stream.of(
                        new OptimizerSpec.Sgd(0.1, 0, false, 0),
                        new OptimizerSpec.Sgd(0.1, 0.9, false, 0),
                        new OptimizerSpec.Adam(0.1, 0.9, 0.999, 1e-8, 0)));
    }

    @ParameterizedTest
    @MethodSource("optimizers")
    void givesTheBitsOfTheCpu(OptimizerSpec optimizer) {
        checkBits(optimizer, new double[0], STEPS_BEFORE);
    }

    /// From the optimizer's first step on.
    @ParameterizedTest
    @MethodSource("optimizers")
    void givesTheBitsOfTheCpuWhereTheMomentumChanges(OptimizerSpec optimizer) {
        checkBits(optimizer, optimizer.hasMomentum() ? MOMENTA : new double[0], 0);
    }

    private static void checkBits(OptimizerSpec optimizer, double[] momenta, int before) {
        EpochPlan plan = new EpochPlan(new int[0], LEARNING_RATES, momenta, new TorchRandom(0));
        Random random = new Random(31);
        float[] values = normal(random);
        List<float[]> state = new ArrayList<>();
        optimizer.slots().forEach(_ -> state.add(new float[COUNT]));
        UpdateKernel kernel = UpdateKernel.of(UpdateRule.of(optimizer, 0, 1));
        float[] scalars = StepScalars.of(CheckWorkload.with(CheckWorkload.eventful(), optimizer), plan, 0, before);
        try (var runner = new KernelRunner(Precision.FP32)) {
            Buffer w = runner.floats(values);
            List<Buffer> slots = state.stream().map(runner::floats).toList();
            Buffer allScalars = runner.floats(scalars);
            for (int step = 0; step < LEARNING_RATES.length; step++) {
                float[] gradient = normal(random);
                runner.run(
                        kernel.name(),
                        kernel.arguments(new UpdateKernel.Operands(
                                w, runner.floats(gradient), slots, allScalars, runner.ints(step))));
                ParameterUpdate.of(plan.inStep(optimizer, step), LEARNING_RATES[step], before + step + 1)
                        .apply(values, gradient, state, 0, COUNT);
            }
            assertThat(bits(runner.readFloats(w))).isEqualTo(bits(values));
            for (int i = 0; i < state.size(); i++) {
                assertThat(bits(runner.readFloats(slots.get(i)))).isEqualTo(bits(state.get(i)));
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
