package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.LayerCases;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.OptimizerSpec.Sgd;
import io.trainyard.spec.Shape;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Saving, loading and rejecting of session states.
interface StateContract extends TestedDevice {
    @Test
    default void anEmptyOptimizerStateIsSavedAsZeros() {
        Workload workload = eventful();
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            SessionState saved = session.save();
            assertThat(saved.model().tensors().keySet())
                    .containsExactlyElementsOf(workload.network().parameters().stream()
                            .map(parameter -> parameter.name())
                            .toList());
            assertThat(Bits.of(new SessionState(saved.model(), Parameters.NONE)))
                    .isEqualTo(Bits.of(CheckWorkload.state(workload)));
            assertThat(saved.optimizer().tensors().keySet())
                    .containsExactly(
                            "0.weight.momentum_buffer",
                            "0.bias.momentum_buffer",
                            "1.weight.momentum_buffer",
                            "1.bias.momentum_buffer",
                            "6.weight.momentum_buffer",
                            "6.bias.momentum_buffer",
                            "8.weight.momentum_buffer",
                            "8.bias.momentum_buffer");
            saved.optimizer()
                    .tensors()
                    .values()
                    .forEach(tensor ->
                            assertThat(((Tensor.Floats) tensor).values()).containsOnly(0));
        }
    }

    @Test
    default void withoutMomentumThereIsNoOptimizerState() {
        Workload workload = CheckWorkload.of(LayerCases.all().getFirst(), new Sgd(0.1, 0, 0.5));
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            assertThat(session.advance(1)).hasSize(1);
            assertThat(session.save().optimizer().tensors()).isEmpty();
        }
    }

    @Test
    default void statesOfOtherNetworksAreRefusedByName() {
        Workload workload = eventful();
        SessionState good = CheckWorkload.state(workload);
        try (LearningSession session = device().open(workload)) {
            session.load(good);
            assertRefused(
                    session,
                    TestState.without(good, "6.bias"),
                    "parameter 6.bias is missing; expected is float32 of shape 10");
            assertRefused(
                    session,
                    TestState.with(good, "6.bias", TestState.tensor(Shape.of(3), 1, 2, 3)),
                    "parameter 6.bias is float32 of shape 3; expected is float32 of shape 10");
            assertRefused(
                    session,
                    TestState.with(good, "9.weight", TestState.tensor(Shape.of(1), 1)),
                    "parameter 9.weight is not one of the network's");
            Parameters oneBuffer =
                    new Parameters(Map.of("0.bias.momentum_buffer", TestState.tensor(Shape.of(6), new float[6])));
            assertRefused(
                    session,
                    new SessionState(good.model(), oneBuffer),
                    "parameter 0.weight.momentum_buffer is missing; expected is float32 of shape 6x2x3x3");
            assertThat(Bits.of(new SessionState(session.save().model(), Parameters.NONE)))
                    .as("a refused state changes nothing")
                    .isEqualTo(Bits.of(good));
        }
    }

    static void assertRefused(LearningSession session, SessionState state, String message) {
        assertThatThrownBy(() -> session.load(state))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    default void stepsBeyondTheEpochsEndAreRefused() {
        Workload workload = eventful();
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 1);
            assertThat(session.advance(2)).hasSize(2);
            assertThatThrownBy(() -> session.advance(3))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("cannot advance 3 steps; the epoch has 2 of its 5 steps left");
            assertThat(session.advance(2)).hasSize(2);
            assertThatThrownBy(() -> session.advance(1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> session.advance(-1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    default void rejectsPlansThatDoNotFit() {
        Workload workload = eventful();
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            assertThatThrownBy(() -> session.advance(1)).isInstanceOf(IllegalStateException.class);
            double[] rates = CheckWorkload.constantRates(workload);
            assertThatThrownBy(() -> session.beginEpoch(new EpochPlan(new int[3], rates, new TorchRandom(0)), 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the epoch's order has 3 samples; dataset random has 19 to train on");
            assertThatThrownBy(() -> session.beginEpoch(CheckWorkload.plan(workload, 1, new double[4]), 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the epoch's plan has 4 learning rates; it must have 5, one a step");
            assertThatThrownBy(() -> session.beginEpoch(CheckWorkload.plan(workload, 1), 6))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("an epoch cannot go on at step 6; allowed is 0 to 5, its number of steps");
        }
    }

    @Test
    default void aClosedSessionDoesNothing() {
        Workload workload = eventful();
        LearningSession session = device().open(workload);
        session.load(CheckWorkload.state(workload));
        session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
        session.close();
        session.close();
        assertThatThrownBy(() -> session.load(CheckWorkload.state(workload))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(session::save).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> session.beginEpoch(CheckWorkload.plan(workload, 1), 0))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> session.advance(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(session::evaluate).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(session::predict).isInstanceOf(IllegalStateException.class);
    }
}
