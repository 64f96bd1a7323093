package io.trainyard.device.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckOutcome.Failed;
import io.trainyard.device.check.CheckOutcome.Passed;
import io.trainyard.device.check.CheckOutcome.Skipped;
import io.trainyard.spec.Precision;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

/// Each check passes on a correct device, and fails on a device with the fault that it targets.
class DeviceChecksTest {
    private static final int ROWS = LayerCases.all().size();

    @Test
    void everyRowIsCheckedForwardAndBackwardInEveryPrecisionOfTheDevice() {
        List<DeviceCheck> layers = checks(FaultyDevice.none(), CheckGroup.LAYERS);
        assertThat(layers).hasSize(2 * ROWS * Precision.values().length).doesNotHaveDuplicates();
        assertThat(checks(ReferenceComparison.reference(), CheckGroup.LAYERS)).hasSize(2 * ROWS);
        assertThat(layers.subList(0, 10))
                .allSatisfy(check -> assertThat(outcome(check)).isInstanceOf(Passed.class));
        assertThat(layers.reversed().subList(0, 10))
                .allSatisfy(check -> assertThat(outcome(check)).isInstanceOf(Passed.class));
    }

    @Test
    void skipsPrecisionsOfOtherDevicesOfTheKind() {
        Device reference = ReferenceComparison.reference();
        record OldProcessor(DeviceInfo info) implements Device {
            @Override
            public LearningSession open(Workload workload) {
                throw new AssertionError("opened");
            }
        }
        Device old = new OldProcessor(new DeviceInfo("cpu", "a model", "an old one", 1 << 20));
        assertThat(checks(reference, CheckGroup.LAYERS).getLast().name()).startsWith("fp32, ");
        DeviceCheck last = checks(old, CheckGroup.LAYERS).getLast();
        assertThat(last.name()).isEqualTo("bf16");
        assertThat(outcome(last))
                .isEqualTo(new Skipped("other devices of the kind compute in it, cpu does not: it has [fp32]"));
    }

    @Test
    void checksNonFiniteValuesInEveryPrecision() {
        List<DeviceCheck> sound = checks(FaultyDevice.none(), CheckGroup.DIVERGENCE);
        assertThat(sound)
                .hasSize(NonFiniteCases.all().size() * Precision.values().length)
                .doesNotHaveDuplicates();
        DoubleUnaryOperator swallow = loss -> Double.isFinite(loss) ? loss : 1;
        List<DeviceCheck> swallowing = checks(new FaultyDevice(weight -> weight, swallow, 0), CheckGroup.DIVERGENCE);
        for (int i = 0; i < sound.size(); i += NonFiniteCases.all().size()) {
            assertThat(outcome(sound.get(i))).isInstanceOf(Passed.class);
            assertThat(failed(swallowing.get(i)).differences().getFirst())
                    .hasToString("loss[0] is 1.0, expected is NaN within 0.0e+00");
        }
    }

    @Test
    void aWrongGradientFailsWithTheTensorTheIndexBothValuesAndTheTolerance() {
        Device wrong = new FaultyDevice(weight -> weight + 0.001, loss -> loss, 0);
        DeviceCheck gradients = checks(wrong, CheckGroup.LAYERS).get(1);
        assertThat(gradients.name())
                .isEqualTo("fp32, %s, gradients".formatted(LayerCases.all().getFirst()));
        Failed failed = failed(gradients);
        assertThat(failed.reason()).startsWith("4 values differ; largest error 1.0e-03 of ");
        assertThat(failed.differences().getFirst().toString())
                .matches("gradient 0\\.weight\\[0] is \\S+, expected is \\S+ within \\d\\.\\de-05");
    }

    @Test
    void coarserPrecisionsHaveTolerancesOfTheirOwn() {
        for (double error : new double[] {0.003, 0.5}) {
            Device wrong = new FaultyDevice(weight -> weight, loss -> loss * (1 + error), 0);
            for (Precision precision : Precision.values()) {
                List<DeviceCheck> training = checks(wrong, CheckGroup.LAYERS).stream()
                        .filter(check -> check.name().startsWith(precision + ", "))
                        .filter(check -> check.name().endsWith("training"))
                        .toList();
                boolean tooLarge = error > 0.1 || precision == Precision.FP32;
                assertThat(outcome(training.getFirst()).failed())
                        .as("%s, wrong by %s", precision, error)
                        .isEqualTo(tooLarge);
            }
        }
    }

    @Test
    void toleratesOneFailingStateOnlyInLowPrecision() {
        for (Precision precision : Precision.values()) {
            AtomicInteger calls = new AtomicInteger();
            Device unlucky =
                    new FaultyDevice(weight -> weight, loss -> calls.incrementAndGet() == 1 ? loss * 1.5 : loss, 0);
            LayerCase row = LayerCases.all().getFirst();
            assertThat(outcome(LayerCheck.training(unlucky, precision, row)).failed())
                    .as("%s", precision)
                    .isEqualTo(precision == Precision.FP32);
        }
    }

    @Test
    void differentBitsInASecondRunFail() {
        assertThat(outcome(checks(FaultyDevice.none(), CheckGroup.DETERMINISM).getFirst()))
                .isEqualTo(new Passed("the same bits in all 22 tensors"));
        AtomicInteger calls = new AtomicInteger();
        Device restless = new FaultyDevice(
                weight -> weight, loss -> calls.incrementAndGet() == 7 ? Math.nextUp((float) loss) : loss, 0);
        Failed failed = failed(checks(restless, CheckGroup.DETERMINISM).getFirst());
        assertThat(failed.reason()).isEqualTo("the second time gave other bits of losses");
    }

    @Test
    void comparesOptimizersWithTheReference() {
        for (DeviceCheck check : checks(FaultyDevice.none(), CheckGroup.OPTIMIZERS)) {
            assertThat(outcome(check)).isInstanceOf(Passed.class);
        }
        Device wrong = new FaultyDevice(weight -> weight * 1.001, loss -> loss, 0);
        assertThat(failed(checks(wrong, CheckGroup.OPTIMIZERS).getFirst()).differences())
                .isNotEmpty();
    }

    @Test
    void comparesLossesWithTheReference() {
        List<DeviceCheck> sound = checks(FaultyDevice.none(), CheckGroup.LOSSES);
        assertThat(sound).hasSameSizeAs(CheckWorkload.losses());
        for (DeviceCheck check : sound) {
            assertThat(outcome(check)).isInstanceOf(Passed.class);
        }
        Device wrong = new FaultyDevice(weight -> weight, loss -> loss * 1.001, 0);
        assertThat(failed(checks(wrong, CheckGroup.LOSSES).getFirst()).differences())
                .isNotEmpty();
    }

    @Test
    void detectsALeakOfSessions() {
        MemoryCheck small = new MemoryCheck(CheckWorkload.eventful(), Duration.ZERO);
        long session = CheckWorkload.eventful().estimatedBytes();
        assertThat(small.of(new FaultyDevice(w -> w, l -> l, 0))).isInstanceOf(Passed.class);
        assertThat(small.of(new FaultyDevice(w -> w, l -> l, session / 400))).isInstanceOf(Failed.class);
        assertThat(small.of(ReferenceComparison.reference())).isInstanceOf(Skipped.class);
    }

    private static List<DeviceCheck> checks(Device device, CheckGroup group) {
        return DeviceChecks.of(device, Set.of(group));
    }

    private static CheckOutcome outcome(DeviceCheck check) {
        return check.body().get();
    }

    private static Failed failed(DeviceCheck check) {
        CheckOutcome outcome = outcome(check);
        assertThat(outcome).isInstanceOf(Failed.class);
        return (Failed) outcome;
    }
}
