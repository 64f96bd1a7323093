package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepsPerGraphTest {
    private static Workload workload(String network, int batchSize, int batches) {
        return CheckWorkload.of(
                Shape.of(3, 32, 32),
                10,
                NetworkSpec.named(network).layers(),
                CheckWorkload.MOMENTUM,
                batchSize,
                batches * batchSize + 1,
                1);
    }

    /// Node counts from docs/evidence/cuda-counts.md.
    @ParameterizedTest
    @CsvSource({
        "lenet, 4, 36, 16",
        "lenet, 512, 36, 8",
        "tudui, 64, 34, 8",
        "tudui, 512, 34, 2",
        "resnet18-cifar, 128, 168, 1"
    })
    void aGraphTakesMuchLongerThanItsLaunch(String network, int batchSize, int nodes, int steps) {
        assertThat(StepsPerGraph.of(nodes, workload(network, batchSize, 1), Float.BYTES))
                .isEqualTo(steps);
    }

    @Test
    void aGraphHasFullBatchesSentTogetherAndWholeGroups() {
        Workload workload = workload("lenet", 4, 13);
        assertThat(StepsPerGraph.possible(8, workload, 256)).isEqualTo(8);
        assertThat(StepsPerGraph.possible(16, workload, 256)).isEqualTo(13);
        assertThat(StepsPerGraph.possible(16, workload, 5)).isEqualTo(5);
        Workload inThrees = workload.withLoop(new LoopSpec(false, 3, null, null));
        assertThat(StepsPerGraph.possible(8, inThrees, 256)).isEqualTo(6);
        assertThat(StepsPerGraph.possible(16, inThrees, 256)).isEqualTo(12);
        assertThat(StepsPerGraph.possible(2, inThrees, 256)).isEqualTo(1);
    }
}
