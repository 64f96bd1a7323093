package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.spec.LoopSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The number of steps per graph affects nothing except the number of launches.
@OnFakeCuda
final class StepsPerGraphFakeCudaTest {
    private static final int SEED = 1;

    private record Trained(List<Float> losses, Object bits) {}

    @AfterEach
    void asTheDeviceChooses() {
        System.clearProperty(CudaSettings.Name.STEPS_PER_GRAPH.property());
    }

    static Stream<LoopSpec> loops() {
        List<LoopSpec> loops = CheckWorkload.loops();
        return Stream.of(LoopSpec.NONE, loops.getLast(), loops.get(loops.size() - 2));
    }

    /// With augmentation, dropout, batch norm, a schedule, and a short last batch: 19 samples in batches of 2.
    @ParameterizedTest
    @MethodSource("loops")
    void theBitsAreThoseOfOneStepAGraph(LoopSpec loop) {
        Workload workload = eventful(loop);
        Trained expected = train(workload, 1, 1);
        assertThat(train(workload, 4, 9)).as("four, four and one").isEqualTo(expected);
        assertThat(train(workload, 7, 3)).as("all left over").isEqualTo(expected);
        assertThat(train(workload, 2, 5)).as("begun in the middle of a group").isEqualTo(expected);
    }

    private static Workload eventful(LoopSpec loop) {
        Workload few = CheckWorkload.eventful();
        return CheckWorkload.of(
                        few.network().input(),
                        few.network().classes(),
                        few.network().layers().stream()
                                .map(layer -> layer.spec())
                                .toList(),
                        CheckWorkload.MOMENTUM,
                        2,
                        19,
                        6)
                .withLoop(loop)
                .withAugment(few.augment());
    }

    /// Two epochs; the second one from its third step on.
    private static Trained train(Workload workload, int stepsPerGraph, int asked) {
        System.setProperty(CudaSettings.Name.STEPS_PER_GRAPH.property(), Integer.toString(stepsPerGraph));
        try (LearningSession session = TestedCuda.device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            List<Float> losses = new ArrayList<>();
            for (int epoch = 0; epoch < 2; epoch++) {
                int first = 2 * epoch;
                session.beginEpoch(CheckWorkload.plan(workload, SEED + epoch), first);
                for (int done = first; done < workload.stepsPerEpoch(); ) {
                    float[] some = session.advance(Math.min(asked, workload.stepsPerEpoch() - done));
                    IntStream.range(0, some.length).forEach(i -> losses.add(some[i]));
                    done += some.length;
                }
            }
            return new Trained(losses, Bits.of(session.save()));
        }
    }

    @Test
    void launchesRemainingStepsSingly() {
        System.setProperty(CudaSettings.Name.STEPS_PER_GRAPH.property(), "4");
        Workload workload = eventful(LoopSpec.NONE); // nine full batches and a short one
        try (LearningSession session = TestedCuda.device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, SEED), 0);
            assertThat(launches(session, 3)).as("three single ones").isEqualTo(3);
            assertThat(launches(session, 5)).as("four and a single one").isEqualTo(2);
            assertThat(launches(session, 2)).as("a full one, a short one").isEqualTo(2);
        }
    }

    private static long launches(LearningSession session, int steps) {
        long before = FakeCudaLibraries.calls("cuGraphLaunch");
        assertThat(session.advance(steps)).hasSize(steps);
        return FakeCudaLibraries.calls("cuGraphLaunch") - before;
    }
}
