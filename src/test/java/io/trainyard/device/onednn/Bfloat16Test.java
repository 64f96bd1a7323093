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
import io.trainyard.device.host.BatchMasks;
import io.trainyard.device.host.ThreadTeam;
import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.OptimizerSpec.Sgd;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// The bfloat16 rows of `check-device`, if this CPU supports it.
@Slow
class Bfloat16Test {
    static Device device() {
        OneDnnLibrary library = OneDnnLibrary.loaded();
        return new OneDnnDevice(new DeviceInfo("cpu", "a model", library.description(), Long.MAX_VALUE), library);
    }

    @BeforeAll
    static void requireBfloat16() {
        assumeTrue(device().precisions().contains(Precision.BF16), "this processor has no bfloat16");
    }

    @TestFactory
    Stream<DynamicTest> everyRowTrainsAsTheReferenceDoesToBfloat16sTolerance() {
        return DeviceChecks.of(device(), List.of(CheckGroup.LAYERS, CheckGroup.DIVERGENCE)).stream()
                .filter(check -> check.name().startsWith(Precision.BF16.toString()))
                .map(check -> DynamicTest.dynamicTest(check.name(), () -> passes(check)));
    }

    /// A bfloat16 has a 7-bit mantissa, so products see 1 + 1/512 as 1. Stored weights stay float32.
    @Test
    void roundsFactorsAndNotParameters() {
        List<LayerSpec> layers = List.of(Layers.flatten(), Layers.linear(3, false));
        Workload workload = CheckWorkload.of(Shape.of(1, 2, 2), 3, layers, new Sgd(1e-4, 0, 0), 4, 4, 8);
        Workload coarse = workload.withPrecision(Precision.BF16);
        assertThat(predictions(coarse, "1", 0, 1 + 1f / 512)).isEqualTo(predictions(coarse, "1", 0, 1));
        assertThat(predictions(coarse, "1", 0, 1 + 1f / 64)).isNotEqualTo(predictions(coarse, "1", 0, 1));
        assertThat(predictions(workload, "1", 0, 1 + 1f / 512)).isNotEqualTo(predictions(workload, "1", 0, 1));

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

    /// Momentum, running statistics, masks and augmentation carry over, with two threads.
    @Test
    void anInterruptedEpochResumesWithTheSameBits() {
        Workload workload =
                CheckWorkload.eventful().withPrecision(Precision.BF16).withThreads(2);
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

    /// The kernel is Trainyard's own and computes in float32.
    @Test
    void weightsOfDepthwiseConvolutionsAreRounded() {
        List<LayerSpec> layers =
                List.of(Layers.conv(16, 7, 1, 3, 1, 16, true), Layers.flatten(), Layers.linear(3, true));
        Workload workload = CheckWorkload.of(Shape.of(16, 2, 2), 3, layers, CheckWorkload.PLAIN, 4, 4, 8);
        Workload coarse = workload.withPrecision(Precision.BF16);
        int middle = 24; // of 7 x 7
        assertThat(predictions(coarse, "0", middle, 1 + 1f / 512)).isEqualTo(predictions(coarse, "0", middle, 1));
        assertThat(predictions(workload, "0", middle, 1 + 1f / 512))
                .isNotEqualTo(predictions(workload, "0", middle, 1));
    }

    /// Holds both for layers with bfloat16 kernels and for layers that compute in float32.
    @Test
    void roundsTheOutputsOfLayers() {
        for (LayerSpec last : List.of(Layers.relu(), new ActivationFunction.Gelu(null, "none"))) {
            List<LayerSpec> layers = List.of(Layers.flatten(), Layers.linear(9, true), last);
            Workload workload = CheckWorkload.of(Shape.of(1, 2, 2), 9, layers, CheckWorkload.PLAIN, 4, 4, 8)
                    .withPrecision(Precision.BF16);
            try (Engine engine = new Engine();
                    ThreadTeam alone = new ThreadTeam(1)) {
                ModelState state = new ModelState(engine, workload.update(), null);
                ShardMasks masks = new ShardMasks(new BatchMasks(workload.network(), 0));
                BatchNormBarrier barrier = new BatchNormBarrier(workload.network(), 1, alone.barrier());
                ShardBatchNorms norms = new ShardBatchNorms(state, workload.network(), 0, barrier);
                Program program = Program.compile(workload, 4, false, engine, state, masks, norms);
                Random random = new Random(1);
                for (ParameterMemory slot : state.trained()) {
                    float[] values = new float[Math.toIntExact(slot.value().floats())];
                    for (int i = 0; i < values.length; i++) {
                        values[i] = random.nextFloat();
                    }
                    slot.value().write(values);
                }
                program.input().data().fill((byte) 0x3f); // bytes 3f3f3f3f are 0.747
                program.prepare();
                program.runForward();
                for (float logit : program.logits().data().toArray(ValueLayout.JAVA_FLOAT)) {
                    assertThat(logit).isNotZero();
                    assertThat(Float.floatToIntBits(logit) & 0xffff)
                            .as("%s of %s", logit, last)
                            .isZero();
                }
            }
        }
    }

    /// The predictions of a network after one of its weights was set.
    private static float[] predictions(Workload workload, String layer, int index, float set) {
        String name = layer + ".weight";
        try (LearningSession session = device().open(workload.forTests())) {
            SessionState state = CheckWorkload.state(workload);
            Map<String, Tensor> tensors = new LinkedHashMap<>(state.model().tensors());
            Tensor.Floats weight = (Tensor.Floats) Objects.requireNonNull(tensors.get(name));
            float[] values = weight.values().clone();
            values[index] = set;
            tensors.put(name, new Tensor.Floats(weight.shape(), values));
            session.load(new SessionState(new Parameters(tensors), Parameters.NONE));
            return session.predict();
        }
    }

    private static void passes(DeviceCheck check) {
        CheckOutcome outcome = check.body().get();
        assertThat(outcome.failed()).as("%s", outcome).isFalse();
    }
}
