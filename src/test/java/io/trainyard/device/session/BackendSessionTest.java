package io.trainyard.device.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.EvenPart;
import io.trainyard.device.Parameters;
import io.trainyard.device.PartSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.device.Workload;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.session.StateMemory.Place;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// What a backend has without arithmetic.
class BackendSessionTest {
    private static final Workload WORKLOAD = CheckWorkload.with(CheckWorkload.eventful(), CheckWorkload.ADAM);
    private static final int STEPS = WORKLOAD.stepsPerEpoch();

    /// Notes what is asked of it.
    private static final class FakeBackend extends BackendSession implements StateMemory {
        private final List<String> calls = new ArrayList<>();
        private final Map<Place, float[]> tensors = new HashMap<>();
        private final StateTable state = new StateTable(WORKLOAD.network().parameters(), WORKLOAD.update(), this);

        FakeBackend(EvenPart part) {
            super(WORKLOAD, part);
        }

        @Override
        protected StateTable state() {
            return state;
        }

        @Override
        public float[] read(Place place) {
            return Objects.requireNonNull(tensors.get(place)).clone();
        }

        @Override
        public void write(Place place, float[] values) {
            tensors.put(place, values.clone());
        }

        @Override
        protected void meet(PartSession other) {
            if (part().count() == 1) {
                super.meet(other);
            }
            calls.add("meet " + ((FakeBackend) other).part().index());
        }

        @Override
        protected void takeOverParameters() {
            calls.add("take over");
        }

        @Override
        protected void takeOverSlots() {
            calls.add("take over slots");
        }

        @Override
        protected void computeOwnGradients() {
            calls.add(
                    "samples %d to %d".formatted(cursor().firstSample(), cursor().firstSample() + cursor().samples()));
        }

        @Override
        protected void updateOwnRange(long step) {
            calls.add("update %d by %s".formatted(step, cursor().learningRate()));
        }

        @Override
        protected float[] losses(int first, int end) {
            calls.add("losses %d to %d".formatted(first, end));
            return new float[end - first];
        }

        @Override
        protected void free() {
            calls.add("free");
        }

        @Override
        public int threads() {
            return 1;
        }

        @Override
        protected Evaluation test() {
            throw new UnsupportedOperationException();
        }

        @Override
        protected float[] probabilities() {
            throw new UnsupportedOperationException();
        }
    }

    private static EpochPlan plan() {
        return CheckWorkload.plan(WORKLOAD, 1, new double[] {0.5, 0.25, 0.125, 1, 2});
    }

    @Test
    void aStepIsGradientsThenUpdateAndTheLastBatchIsShorter() {
        FakeBackend session = new FakeBackend(EvenPart.WHOLE);
        session.beginEpoch(plan(), STEPS - 2);
        assertThat(session.advance(2)).hasSize(2);
        assertThat(session.calls)
                .containsExactly(
                        "take over",
                        "samples 12 to 16",
                        "update 1 by 1.0",
                        "take over",
                        "samples 16 to 19",
                        "update 2 by 2.0",
                        "take over",
                        "losses 3 to 5");
        assertThatThrownBy(() -> session.advance(1))
                .hasMessage("cannot advance 1 steps; the epoch has 0 of its 5 steps left");
    }

    @Test
    void stepsAreCountedForTheOptimizerAndForBatchNorm() {
        FakeBackend session = new FakeBackend(EvenPart.WHOLE);
        session.load(CheckWorkload.state(WORKLOAD));
        long before = count(session.save().model(), "1.num_batches_tracked");
        session.beginEpoch(plan(), 0);
        assertThat(session.advance(3)).hasSize(3);
        SessionState saved = session.save();
        assertThat(count(saved.model(), "1.num_batches_tracked")).isEqualTo(before + 3);
        assertThat(count(saved.optimizer(), "step")).isEqualTo(3);

        FakeBackend other = new FakeBackend(EvenPart.WHOLE);
        other.load(saved);
        other.beginEpoch(plan(), 3);
        assertThat(other.advance(1)).hasSize(1);
        assertThat(other.calls).contains("update 4 by 1.0");
    }

    private static long count(Parameters parameters, String name) {
        return parameters.longs(name, Shape.of())[0];
    }

    @Test
    void whatWasLoadedIsSavedAndAFreshOptimizerStartsFromZero() {
        FakeBackend session = new FakeBackend(EvenPart.WHOLE);
        session.load(CheckWorkload.state(WORKLOAD));
        session.tensors.forEach((place, values) -> {
            if (place instanceof Place.Slot(var _, int number)) {
                assertThat(values).containsOnly(0);
                values[0] = 1 + number; // as an update does
            }
        });
        SessionState saved = session.save();
        assertThat(saved.optimizer().floats("0.bias.exp_avg", Shape.of(6))).startsWith(1, 0);
        assertThat(saved.optimizer().floats("0.bias.exp_avg_sq", Shape.of(6))).startsWith(2, 0);
        assertThat(session.calls).containsExactly("take over slots");

        FakeBackend other = new FakeBackend(EvenPart.WHOLE);
        other.load(saved);
        assertThat(Bits.of(other.save())).isEqualTo(Bits.of(saved));
    }

    @Test
    void aRefusedStateWritesNothing() {
        FakeBackend session = new FakeBackend(EvenPart.WHOLE);
        SessionState state = CheckWorkload.state(WORKLOAD);
        String last = WORKLOAD.network().parameters().getLast().name();
        Map<String, Tensor> lacking = new LinkedHashMap<>(state.model().tensors());
        lacking.remove(last);
        assertThatThrownBy(() -> session.load(new SessionState(new Parameters(lacking), Parameters.NONE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(last);
        assertThatThrownBy(() -> session.load(new SessionState(state.model(), state.model())))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(session.tensors).isEmpty();
    }

    @Test
    void partsMeetTheOthersAndTakeNoStepAlone() {
        List<FakeBackend> parts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            parts.add(new FakeBackend(new EvenPart(i, 3)));
        }
        parts.get(1).join(parts, () -> {});
        assertThat(parts.get(1).calls).containsExactly("meet 0", "meet 2");
        parts.get(1).beginEpoch(plan(), 0);
        assertThatThrownBy(() -> parts.get(1).advance(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the session computes part 1 of 3 of each batch; take its steps with the others");
    }

    @Test
    void aSessionOfWholeBatchesMeetsNobody() {
        FakeBackend session = new FakeBackend(EvenPart.WHOLE);
        session.join(List.of(session), () -> {});
        assertThatThrownBy(() -> session.join(List.of(session, new FakeBackend(EvenPart.WHOLE)), () -> {}))
                .isInstanceOf(IllegalStateException.class);
        assertThat(session.calls).isEmpty();
    }

    @Test
    void isFreedOnceAndThenClosed() {
        FakeBackend session = new FakeBackend(EvenPart.WHOLE);
        session.close();
        session.close();
        assertThat(session.calls).containsExactly("free");
        assertThatThrownBy(session::save).hasMessage("the session is closed; open another");
    }
}
