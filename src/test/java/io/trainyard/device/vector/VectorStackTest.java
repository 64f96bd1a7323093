package io.trainyard.device.vector;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.LearningSession;
import io.trainyard.device.StackedSteps;
import io.trainyard.device.StackedSteps.Trained;
import io.trainyard.device.Workload;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.LayerCase;
import io.trainyard.device.check.Layers;
import io.trainyard.device.check.StackCheck;
import io.trainyard.device.host.ParameterUpdate.Loop;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.ClipSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What a stack gives beside what each of its sessions gives by itself.
class VectorStackTest {
    private static final Device DEVICE = new VectorDevice(new DeviceInfo("cpu", "a model", "vectors", 1 << 30));

    /// Steps of full batches in [CheckWorkload#of(LayerCase, OptimizerSpec)].
    private static final int FULL_STEPS = 2;

    static Stream<LayerCase> rows() {
        return VectorDeviceTest.computableRows();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void computesEachLayerAsASessionByItself(LayerCase row) {
        checkBits(CheckWorkload.of(row, CheckWorkload.MOMENTUM), 3, FULL_STEPS);
    }

    @ParameterizedTest
    @EnumSource
    void followsEachRuleAsASessionByItself(Loop loop) {
        checkBits(CheckWorkload.with(eventful(), example(loop)), 2, 4);
    }

    static List<LoopSpec> loops() {
        return CheckWorkload.loops();
    }

    /// Each with an optimizer that keeps much.
    @ParameterizedTest
    @MethodSource("loops")
    void doesWhatEachLoopDoesAsASessionByItself(LoopSpec loop) {
        checkBits(CheckWorkload.with(eventful(), example(Loop.AMSGRAD)).withLoop(loop), 2, 4);
    }

    /// Where they stand in what they accumulate is their own affair.
    @Test
    void sessionsInOneStackNeedNotUpdateAtOnce() {
        Workload workload = number(eventful(), 1).withLoop(new LoopSpec(false, 3, new ClipSpec(0.5, null), null));
        List<@Nullable LearningSession> sessions = new ArrayList<>(Arrays.asList(new LearningSession[Lanes.COUNT]));
        List<LearningSession> alone = new ArrayList<>();
        for (int place = 0; place < 3; place++) {
            sessions.set(place, session(workload, place));
            alone.add(session(workload, place));
            assertThat(sessions.get(place).advance(1 + place))
                    .isEqualTo(alone.get(place).advance(1 + place));
        }
        StackedSteps stack = new VectorStack(workload);
        var trained = stack.advance(sessions, 1);
        for (int place = 0; place < 3; place++) {
            assertThat(losses(trained.get(place))).isEqualTo(alone.get(place).advance(1));
            stack.release(place);
            assertThat(Bits.of(sessions.get(place).save()))
                    .isEqualTo(Bits.of(alone.get(place).save()));
        }
    }

    /// One that learns.
    private static OptimizerSpec example(Loop loop) {
        return CheckWorkload.optimizers().stream()
                .filter(optimizer -> Loop.of(optimizer) == loop)
                .findFirst()
                .orElseThrow();
    }

    /// Rows longer than what is summed in one go, in both kinds of layers, and several chunks of a batch.
    @Test
    void sumsLongRowsAsASessionByItself() {
        List<LayerSpec> layers =
                List.of(Layers.conv(2, 3, 1, 1, true), Layers.relu(), Layers.flatten(), Layers.linear(3, true));
        checkBits(CheckWorkload.of(Shape.of(1, 50, 47), 3, layers, CheckWorkload.MOMENTUM, 9, 20, 6), 2, 2);
    }

    private static Workload eventful() {
        AugmentSpec augment = CheckWorkload.eventful().augment();
        return CheckWorkload.augmented(new VectorDeviceTest().eventful(), augment);
    }

    /// A job that differs from the others in numbers only.
    private static Workload number(Workload workload, int i) {
        return StackCheck.numbers(workload, i).withThreads(1);
    }

    private static LearningSession session(Workload workload, int seed) {
        LearningSession session = DEVICE.open(workload);
        session.load(CheckWorkload.state(workload));
        EpochPlan plan = CheckWorkload.plan(workload, seed);
        session.beginEpoch(plan, 0);
        return session;
    }

    /// Every third place of a stack has a session.
    private static void checkBits(Workload workload, int rounds, int stepsOfAll) {
        List<@Nullable LearningSession> stacked = new ArrayList<>();
        List<@Nullable LearningSession> alone = new ArrayList<>();
        for (int place = 0; place < Lanes.COUNT; place++) {
            Workload own = number(workload, place);
            stacked.add(place % 3 == 0 ? session(own, place) : null);
            alone.add(place % 3 == 0 ? session(own, place) : null);
        }
        StackedSteps stack = new VectorStack(workload.withThreads(1));
        for (int from = 0; from < stepsOfAll; from += Math.ceilDiv(stepsOfAll, rounds)) {
            int steps = Math.min(Math.ceilDiv(stepsOfAll, rounds), stepsOfAll - from);
            List<@Nullable Trained> trained = stack.advance(stacked, steps);
            for (int place = 0; place < Lanes.COUNT; place += 3) {
                assertThat(losses(trained.get(place)))
                        .as("losses at place %d", place)
                        .isEqualTo(alone.get(place).advance(steps));
            }
        }
        for (int place = 0; place < Lanes.COUNT; place += 3) {
            stack.release(place);
            var saved = stacked.get(place).save();
            var expected = alone.get(place).save();
            assertThat(saved.model().sha256()).isEqualTo(expected.model().sha256());
            assertThat(saved.optimizer().sha256())
                    .isEqualTo(expected.optimizer().sha256());
        }
    }

    private static float[] losses(@Nullable Trained trained) {
        return switch (trained) {
            case null -> throw new AssertionError("nothing came of it");
            case Trained.Steps(float[] losses) -> losses;
            case Trained.Failed(RuntimeException cause) -> throw cause;
        };
    }

    @Test
    void whatFailsInOneLaneEndsThatOneAlone() {
        Workload workload = number(eventful(), 1);
        List<@Nullable LearningSession> sessions = new ArrayList<>(Arrays.asList(new LearningSession[Lanes.COUNT]));
        sessions.set(0, session(workload, 0));
        LearningSession broken = DEVICE.open(workload);
        EpochPlan plan = CheckWorkload.plan(workload, 1);
        plan.order()[5] = 1_000_000; // in the second batch
        broken.beginEpoch(plan, 0);
        sessions.set(1, broken);
        sessions.set(3, session(workload, 3));

        List<@Nullable Trained> trained = new VectorStack(workload).advance(sessions, 4);

        assertThat(trained.get(1)).isInstanceOf(Trained.Failed.class);
        for (int place : new int[] {0, 3}) {
            assertThat(losses(trained.get(place)))
                    .isEqualTo(session(workload, place).advance(4));
        }
    }

    @Test
    void partsAreTheBitsOfTheirNumberInReverse() {
        int[] parts = new int[Lanes.COUNT];
        Arrays.setAll(parts, Lanes::part);
        assertThat(parts).startsWith(0, Lanes.COUNT / 2).doesNotHaveDuplicates();
    }
}
