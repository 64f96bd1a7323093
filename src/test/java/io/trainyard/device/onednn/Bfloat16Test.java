package io.trainyard.device.onednn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.Slow;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckGroup;
import io.trainyard.device.check.CheckOutcome;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.DeviceCheck;
import io.trainyard.device.check.DeviceChecks;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.OptimizerSpec.Sgd;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// What `check-device` asks of bfloat16, where this processor has it.
@Slow
class Bfloat16Test {
    static Device device() {
        OneDnnLibrary library = OneDnnLibrary.loaded();
        return new OneDnnDevice(new DeviceInfo("cpu", "a model", library.description(), Long.MAX_VALUE), library);
    }

    @BeforeAll
    static void hasIt() {
        assumeTrue(device().precisions().contains(Precision.BF16), "this processor has no bfloat16");
    }

    @TestFactory
    Stream<DynamicTest> everyRowTrainsAsTheReferenceDoesToBfloat16sTolerance() {
        return DeviceChecks.of(device(), List.of(CheckGroup.LAYERS, CheckGroup.DIVERGENCE)).stream()
                .filter(check -> check.name().startsWith(Precision.BF16.toString()))
                .map(check -> DynamicTest.dynamicTest(check.name(), () -> passes(check)));
    }

    /// A bfloat16 has 7 bits of mantissa: 1 + 1/512 is 1 to a product. What is kept is float32.
    @Test
    void factorsAreRoundedAndWhatIsKeptIsNot() {
        List<LayerSpec> layers = List.of(Layers.flatten(), Layers.linear(3, false));
        Workload workload = CheckWorkload.of(Shape.of(1, 2, 2), 3, layers, new Sgd(1e-4, 0, 0), 4, 4, 8);
        Workload coarse = CheckWorkload.in(Precision.BF16, workload);
        assertThat(predictions(coarse, 1 + 1f / 512)).isEqualTo(predictions(coarse, 1));
        assertThat(predictions(coarse, 1 + 1f / 64)).isNotEqualTo(predictions(coarse, 1));
        assertThat(predictions(workload, 1 + 1f / 512)).isNotEqualTo(predictions(workload, 1));

        try (LearningSession session = device().open(coarse)) {
            SessionState before = CheckWorkload.state(workload);
            session.load(before);
            session.beginEpoch(CheckWorkload.plan(coarse, 1), 0);
            assertThat(session.advance(1)).hasSize(1);
            CheckWorkload.difference(coarse, before, session.save())
                    .forEach((name, step) ->
                            assertThat(((Tensor.Floats) step).values()).as(name).doesNotContain(0));
        }
    }

    /// Momentum, running statistics, masks and augmentation are carried over; two threads compute.
    @Test
    void whatIsInterruptedGoesOnWithTheSameBits() {
        Workload workload =
                CheckWorkload.in(Precision.BF16, CheckWorkload.eventful()).withThreads(2);
        int steps = workload.stepsPerEpoch();
        float[] whole;
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            whole = session.advance(steps);
        }
        SessionState saved;
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            assertThat(session.advance(2)).isEqualTo(Arrays.copyOf(whole, 2));
            saved = session.save();
        }
        try (LearningSession session = device().open(workload)) {
            session.load(saved);
            session.beginEpoch(CheckWorkload.plan(workload, 1), 2);
            assertThat(session.advance(steps - 2)).isEqualTo(Arrays.copyOfRange(whole, 2, steps));
        }
    }

    /// Of a network whose one weight of each class is `first`, with all others.
    private static float[] predictions(Workload workload, float first) {
        try (LearningSession session = device().open(workload.forTests())) {
            SessionState state = CheckWorkload.state(workload);
            Map<String, Tensor> tensors = new LinkedHashMap<>(state.model().tensors());
            Tensor.Floats weight = (Tensor.Floats) Objects.requireNonNull(tensors.get("1.weight"));
            float[] values = weight.values().clone();
            values[0] = first;
            tensors.put("1.weight", new Tensor.Floats(weight.shape(), values));
            session.load(new SessionState(new Parameters(tensors), Parameters.NONE));
            return session.predict();
        }
    }

    private static void passes(DeviceCheck check) {
        CheckOutcome outcome = check.body().get();
        assertThat(outcome.failed()).as("%s", outcome).isFalse();
    }
}
