package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Device;
import io.trainyard.device.LearningSession;
import io.trainyard.device.NumbersContract;
import io.trainyard.device.Workload;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.LayerCase;
import io.trainyard.device.check.LayerCases;
import io.trainyard.device.check.Layers;
import io.trainyard.device.check.NonFiniteCase;
import io.trainyard.device.check.NonFiniteCases;
import io.trainyard.device.check.ReferenceComparison;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// On a GPU without clusters. What does not depend on the number of blocks is tested here alone: their bits are the
/// same.
@OnDouble
final class StepsInOneBlockDoubleTest extends StepKernelContract {
    private static final int STEPS = 2 * 2 * StepKernel.MOST_STEPS + 30; // masks of half as many are there at a time

    @Override
    int capability() {
        return 80;
    }

    @Override
    String kernel() {
        return "train_steps";
    }

    static Stream<LayerCase> rows() {
        return LayerCases.all().stream().filter(row -> takes(CheckWorkload.of(row, CheckWorkload.PLAIN)));
    }

    static Stream<NonFiniteCase> nonFiniteRows() {
        return NonFiniteCases.all().stream().filter(row -> takes(row.workload()));
    }

    @Test
    void theKernelComputesManyRowsAndGoldens() throws IOException {
        assertThat(rows()).hasSizeGreaterThanOrEqualTo(20);
        assertThat(nonFiniteRows()).hasSizeGreaterThanOrEqualTo(20);
        assertThat(goldens()).hasSizeGreaterThanOrEqualTo(30);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void findsTheReferencesGradients(LayerCase row) {
        Workload workload = CheckWorkload.of(row, CheckWorkload.PLAIN);
        assertThat(ReferenceComparison.gradients(device(), workload).differences())
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("nonFiniteRows")
    void passesOnWhatIsNotFiniteAsTheReferenceDoes(NonFiniteCase row) {
        NumbersContract.checkNonFinite(device(), row);
    }

    @Test
    void launchesOfAnyLengthGoRoundTheMasksThatAreSentAhead() {
        List<LayerSpec> layers =
                List.of(Layers.flatten(), Layers.linear(6, true), Layers.dropout(0.4), Layers.linear(3, true));
        Workload workload = CheckWorkload.of(Shape.of(1, 3, 3), 3, layers, CheckWorkload.ADAM, 2, 2 * STEPS, 6);
        Trained whole = train(device(), workload, STEPS);
        assertThat(train(device(), workload, 100)).isEqualTo(whole);
        Trained ofGraphs = train(TestedCuda.ofGraphs(), workload, STEPS);
        for (int step = 0; step < STEPS; step++) {
            assertThat(loss(whole, step)).as("loss %d", step).isCloseTo(loss(ofGraphs, step), Offset.offset(1e-4f));
        }
    }

    private record Trained(List<Integer> losses, Object state) {}

    private static float loss(Trained trained, int step) {
        return Float.intBitsToFloat(trained.losses().get(step));
    }

    private static Trained train(Device device, Workload workload, int piece) {
        try (LearningSession session = device.open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            List<Integer> losses = new ArrayList<>();
            while (losses.size() < STEPS) {
                for (int bits : Bits.of(session.advance(Math.min(piece, STEPS - losses.size())))) {
                    losses.add(bits);
                }
            }
            return new Trained(losses, Bits.of(session.save()));
        }
    }
}
