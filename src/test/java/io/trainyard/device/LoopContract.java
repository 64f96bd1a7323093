package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.spec.ClipSpec;
import io.trainyard.spec.EmaSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Options of the training loop: gradient accumulation, clipping, schedules and weight averaging.
public interface LoopContract extends TestedDevice {
    /// Whether the device supports a loop of [CheckWorkload#loops].
    default boolean has(LoopSpec loop) {
        return true;
    }

    @ParameterizedTest
    @MethodSource("io.trainyard.device.check.CheckWorkload#loops")
    default void everyLoopTrainsAndTestsAsTheReferencesDoes(LoopSpec loop) {
        if (has(loop)) {
            NumbersContract.checkTraining(device(), eventful().withLoop(loop));
        }
    }

    /// Resumes at every step, both within an accumulation group and between groups.
    @ParameterizedTest
    @MethodSource("io.trainyard.device.check.CheckWorkload#loops")
    default void resumesAtEveryStepWithTheSameBits(LoopSpec loop) {
        if (!has(loop)) {
            return;
        }
        Workload workload = eventful().withLoop(loop);
        int steps = workload.stepsPerEpoch();
        try (LearningSession whole = device().open(workload);
                LearningSession pieces = device().open(workload)) {
            whole.load(CheckWorkload.state(workload));
            whole.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            float[] losses = whole.advance(steps);

            SessionState state = CheckWorkload.state(workload);
            for (int step = 0; step < steps; step++) {
                pieces.load(state);
                assertThat(pieces.evaluate().accuracy()).isBetween(0.0, 1.0); // must not change the state
                pieces.beginEpoch(CheckWorkload.plan(workload, 1), step);
                assertThat(pieces.advance(1)[0]).as("loss %d", step).isEqualTo(losses[step]);
                state = pieces.save();
            }
            assertThat(Bits.of(state)).isEqualTo(Bits.of(whole.save()));
            assertThat(pieces.evaluate()).usingRecursiveComparison().isEqualTo(whole.evaluate());
        }
    }

    /// Five batches in groups of two: the optimizer steps after the second, the fourth and the last.
    @Test
    default void theOptimizerStepsWithTheLastBatchOfAGroupAndOfTheEpoch() {
        Workload workload = eventful().withOptimizer(CheckWorkload.ADAM).withLoop(new LoopSpec(false, 2, null, null));
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            long[] counts = new long[5];
            boolean[] changed = new boolean[5];
            float[] before = weight(session.save());
            for (int step = 0; step < 5; step++) {
                assertThat(session.advance(1)).hasSize(1);
                SessionState saved = session.save();
                counts[step] = saved.optimizer().longs("step", Shape.of())[0];
                changed[step] = !Arrays.equals(before, weight(saved));
                before = weight(saved);
            }
            assertThat(counts).containsExactly(0, 1, 1, 2, 3);
            assertThat(changed).containsExactly(false, true, false, true, true);
        }
    }

    private static float[] weight(SessionState state) {
        return TestState.values(state.model().tensors(), "0.weight");
    }

    /// The saved model is the average. After the first step it is a copy of the weights.
    @Test
    default void savesTheAverageAsTheModelAndTheTrainedParameters() {
        Workload plain = eventful();
        Workload averaging = plain.withLoop(new LoopSpec(false, 1, null, new EmaSpec(0.75)));
        try (LearningSession session = device().open(averaging);
                LearningSession trained = device().open(plain)) {
            for (LearningSession each : List.of(session, trained)) {
                each.load(CheckWorkload.state(plain));
                each.beginEpoch(CheckWorkload.plan(plain, 1), 0);
            }
            assertThat(weight(session.save())).isEqualTo(weight(trained.save()));
            assertThat(session.advance(1)).isEqualTo(trained.advance(1));
            float[] first = weight(trained.save());
            assertThat(weight(session.save())).as("a copy").isEqualTo(first);
            assertThat(session.advance(1)).isEqualTo(trained.advance(1));
            float[] second = weight(trained.save());
            float[] average = new float[first.length];
            for (int i = 0; i < average.length; i++) {
                average[i] = 0.75f * first[i] + 0.25f * second[i];
            }
            Expect.close("the average", average, weight(session.save()));
            assertThat(TestState.values(session.save().optimizer().tensors(), "0.weight.trained"))
                    .isEqualTo(second);
        }
    }

    /// The norm covers all parameters together, however the sum is divided.
    @Test
    default void gradientsAreScaledToTheNormThatIsAllowed() {
        Workload workload = eventful().withOptimizer(CheckWorkload.PLAIN);
        if (!has(clippedTo(0.01))) {
            return;
        }
        Map<String, Tensor> all = gradients(workload);
        double norm = norm(all);
        assertThat(norm).isGreaterThan(0.1);
        Expect.close("norm", 0.01, norm(gradients(workload.withLoop(clippedTo(0.01)))));
        Expect.close("gradient below the norm", all, gradients(workload.withLoop(clippedTo(1.5 * norm))));
    }

    @Test
    default void clippedByValueNaNStays() {
        LoopSpec loop = new LoopSpec(false, 1, new ClipSpec(null, 0.1), null);
        Workload workload = eventful().withOptimizer(CheckWorkload.PLAIN).withLoop(loop);
        SessionState state =
                TestState.with(CheckWorkload.state(workload), "8.bias", TestState.tensor(Shape.of(3), Float.NaN, 0, 0));
        try (LearningSession session = device().open(workload)) {
            session.load(state);
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            assertThat(session.advance(1)).containsExactly(Float.NaN);
            assertThat(TestState.values(session.save().model().tensors(), "8.bias"))
                    .containsOnly(Float.NaN);
        }
    }

    private static LoopSpec clippedTo(double norm) {
        return new LoopSpec(false, 1, new ClipSpec(norm, null), null);
    }

    private Map<String, Tensor> gradients(Workload workload) {
        try (LearningSession session = device().open(workload)) {
            return CheckWorkload.gradients(session, workload);
        }
    }

    private static double norm(Map<String, Tensor> gradients) {
        double squares = 0;
        for (Tensor gradient : gradients.values()) {
            for (float value : ((Tensor.Floats) gradient).values()) {
                squares += (double) value * value;
            }
        }
        return Math.sqrt(squares);
    }
}
