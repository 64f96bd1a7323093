package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.ClipSpec;
import io.trainyard.spec.EmaSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepKernelRuleTest {
    private static final StepKernelRule AMPERE = StepKernelRule.of(80);
    private static final StepKernelRule HOPPER = StepKernelRule.of(90);

    /// As docs/benchmarks/cuda.md has them.
    @ParameterizedTest
    @CsvSource({"lenet, 9, 1", "fashion, 26, 3", "signs, 16, 0"})
    void theLargestBatchesOfTheSmallBuiltInNetworks(String network, int inCluster, int inOneBlock) {
        assertThat(largestBatch(HOPPER, network)).isEqualTo(inCluster);
        assertThat(largestBatch(AMPERE, network)).isEqualTo(inOneBlock);
    }

    private static int largestBatch(StepKernelRule rule, String network) {
        return (int) IntStream.rangeClosed(1, 64)
                .filter(batchSize -> rule.takes(builtIn(network, batchSize)))
                .count();
    }

    @Test
    void wideNetworksAreNotTaken() {
        assertThat(HOPPER.takes(builtIn("tudui", 64))).isFalse();
        assertThat(HOPPER.takes(builtIn("resnet18-cifar", 2))).isFalse();
    }

    @Test
    void newerArchitecturesHaveClusters() {
        assertThat(IntStream.of(75, 86, 89, 90, 100, 120)
                        .map(sm -> StepKernelRule.of(sm).blocks()))
                .containsExactly(1, 1, 1, 8, 8, 8);
    }

    @Test
    void aLoopThatDoesMoreThanStepsIsNotTaken() {
        Workload plain = small(Layers.relu());
        assertThat(AMPERE.takes(plain)).isTrue();
        assertThat(AMPERE.takes(plain.withLoop(new LoopSpec(true, 1, null, null))))
                .isTrue();
        assertThat(AMPERE.takes(plain.withLoop(new LoopSpec(false, 2, null, null))))
                .isFalse();
        assertThat(AMPERE.takes(plain.withLoop(new LoopSpec(false, 1, new ClipSpec(1.0, null), null))))
                .isFalse();
        assertThat(AMPERE.takes(plain.withLoop(new LoopSpec(false, 1, null, new EmaSpec(0.9)))))
                .isFalse();
    }

    @Test
    void noBfloat16IsTakenAndNoSessionThatOnlyTests() {
        assertThat(AMPERE.takes(CheckWorkload.in(Precision.TF32, small(Layers.relu()))))
                .isTrue();
        assertThat(AMPERE.takes(CheckWorkload.in(Precision.BF16, small(Layers.relu()))))
                .isFalse();
        assertThat(AMPERE.takes(small(Layers.relu()).forTests())).isFalse();
    }

    @Test
    void whatTheKernelDoesNotComputeIsNotTaken() {
        for (LayerSpec computed : List.of(
                Layers.conv(3, 5, 1, 2, true),
                Layers.tanh(),
                Layers.sigmoid(),
                Layers.pool(2, 1),
                Layers.dropout(0.5),
                Layers.dropout2d(0.5),
                Layers.identity())) {
            assertThat(AMPERE.takes(small(computed))).as("%s", computed).isTrue();
        }
        for (LayerSpec other : List.of(
                Layers.conv(3, 3, 2, 1, true),
                Layers.conv(3, 7, 1, 3, true),
                Layers.norm(),
                Layers.residual(Layers.relu()),
                Layers.silu())) {
            assertThat(AMPERE.takes(small(other))).as("%s", other).isFalse();
        }
    }

    private static Workload builtIn(String name, int batchSize) {
        List<LayerSpec> layers = NetworkSpec.named(name).layers();
        Shape input = switch (name) {
            case "fashion" -> Shape.of(1, 28, 28);
            case "signs" -> Shape.of(3, 64, 64);
            default -> Shape.of(3, 32, 32);
        };
        return CheckWorkload.of(
                input, name.equals("signs") ? 6 : 10, layers, CheckWorkload.MOMENTUM, batchSize, 64, 10);
    }

    private static Workload small(LayerSpec layer) {
        List<LayerSpec> layers =
                List.of(Layers.conv(2, 3, 1, 1, true), layer, Layers.flatten(), Layers.linear(3, true));
        return CheckWorkload.of(Shape.of(1, 8, 8), 3, layers, CheckWorkload.MOMENTUM, 4, 8, 8);
    }
}
