package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.ReferenceComparison;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Shape;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

interface OptimizerContract extends TestedDevice {
    @ParameterizedTest
    @MethodSource("io.trainyard.device.check.CheckWorkload#optimizers")
    default void everyOptimizerTrainsAsTheReferencesDoes(OptimizerSpec optimizer) {
        NumbersContract.checkTraining(device(), eventful().withOptimizer(optimizer));
    }

    @Test
    default void followsTheEpochsLearningRates() {
        Workload workload = eventful();
        EpochPlan plan = CheckWorkload.plan(workload, 1, new double[] {0.1, 0, 0.02, 0.3, 0.01});
        EpochPlan same = CheckWorkload.plan(workload, 1, plan.learningRates());
        try (LearningSession reference = ReferenceComparison.reference().open(workload);
                LearningSession session = device().open(workload)) {
            reference.load(CheckWorkload.state(workload));
            session.load(CheckWorkload.state(workload));
            reference.beginEpoch(plan, 0);
            session.beginEpoch(same, 0);
            Expect.close("loss", reference.advance(1), session.advance(1));
            Map<String, Tensor> before = session.save().model().tensors();
            Expect.close("loss", reference.advance(1), session.advance(1));
            Map<String, Tensor> after = session.save().model().tensors();
            assertThat(TestState.values(after, "0.weight"))
                    .as("a learning rate of 0 changes no weight")
                    .isEqualTo(TestState.values(before, "0.weight"));
            Expect.close("loss", reference.advance(3), session.advance(3));
            Expect.close(
                    "model",
                    reference.save().model().tensors(),
                    session.save().model().tensors());
        }
    }

    @Test
    default void adamsStateHasPyTorchsNamesAndCountsItsSteps() {
        Workload workload = eventful().withOptimizer(CheckWorkload.ADAM);
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            assertThat(session.save().optimizer().longs("step", Shape.of())).containsExactly(0);
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            assertThat(session.advance(3)).hasSize(3);
            SessionState saved = session.save();
            assertThat(saved.optimizer().tensors().keySet())
                    .containsExactly(
                            "0.weight.exp_avg",
                            "0.weight.exp_avg_sq",
                            "0.bias.exp_avg",
                            "0.bias.exp_avg_sq",
                            "1.weight.exp_avg",
                            "1.weight.exp_avg_sq",
                            "1.bias.exp_avg",
                            "1.bias.exp_avg_sq",
                            "6.weight.exp_avg",
                            "6.weight.exp_avg_sq",
                            "6.bias.exp_avg",
                            "6.bias.exp_avg_sq",
                            "8.weight.exp_avg",
                            "8.weight.exp_avg_sq",
                            "8.bias.exp_avg",
                            "8.bias.exp_avg_sq",
                            "step");
            assertThat(saved.optimizer().longs("step", Shape.of())).containsExactly(3);
            assertThat(saved.optimizer().floats("8.bias.exp_avg_sq", Shape.of(3)))
                    .doesNotContain(0);

            Map<String, Tensor> kept = new LinkedHashMap<>(saved.optimizer().tensors());
            kept.remove("step");
            StateContract.assertRefused(
                    session,
                    new SessionState(saved.model(), new Parameters(kept)),
                    "parameter step is missing; expected is int64 of shape scalar");
            kept.put("step", TestState.tensor(Shape.of(), 3));
            StateContract.assertRefused(
                    session,
                    new SessionState(saved.model(), new Parameters(kept)),
                    "parameter step is float32 of shape scalar; expected is int64 of shape scalar");
            kept.putAll(saved.optimizer().tensors());
            kept.put("8.bias.momentum_buffer", TestState.tensor(Shape.of(3), 1, 2, 3));
            StateContract.assertRefused(
                    session,
                    new SessionState(saved.model(), new Parameters(kept)),
                    "parameter 8.bias.momentum_buffer is not one of the network's");
            assertThat(Bits.of(session.save()))
                    .as("a refused state changes nothing")
                    .isEqualTo(Bits.of(saved));
        }
    }
}
