package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.data.Dataset;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.DropoutLayer;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.Residual;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WorkloadTest {
    @Test
    void rejectsBatchNormOfOneValuePerChannelAnywhere() {
        LayerSpec norm = new BatchNorm.BatchNorm2d("norm");
        assertRefused("norm", norm);
        assertRefused("block.norm", new Residual("block", List.of(norm), List.of()));
        assertRefused(
                "block.shortcut.norm",
                new Residual("block", List.of(new ActivationFunction.Relu(null)), List.of(norm)));
    }

    @Test
    void allowsADroppedLastBatchOfOne() {
        Workload workload = CheckWorkload.eventful().withLoop(new LoopSpec(true, 1, null, null));
        assertThat(CheckWorkload.eventful().lastBatchSize()).isEqualTo(3);
        assertThat(workload.stepsPerEpoch()).isEqualTo(4);
        assertThat(workload.lastBatchSize()).isEqualTo(4);
        assertThat(workload.drawnWords(4)).isEqualTo(CheckWorkload.eventful().drawnWords(4));

        Workload pixel = onOnePixel(new BatchNorm.BatchNorm2d("norm"), 4, 10);
        assertThat(pixel.lastBatchSize()).isEqualTo(2);
        Dataset nine = onOnePixel(new BatchNorm.BatchNorm2d("norm"), 3, 9).dataset();
        assertThatThrownBy(() -> pixel.withDataset(nine)).isInstanceOf(InvalidJobException.class);
        assertThat(pixel.withLoop(new LoopSpec(true, 1, null, null))
                        .withDataset(nine)
                        .stepsPerEpoch())
                .isEqualTo(2);
    }

    @Test
    void theLastGroupOfAnEpochMayHaveFewerBatches() {
        Workload workload = CheckWorkload.eventful().withLoop(new LoopSpec(false, 2, null, null));
        assertThat(workload.updatesPerEpoch()).isEqualTo(3);
        assertThat(IntStream.range(0, 5).filter(workload::updatesAt)).containsExactly(1, 3, 4);
        assertThat(workload.perStep(new double[] {7, 8, 9})).containsExactly(7, 7, 8, 8, 9);
        assertThat(workload.perStep(new double[0])).isEmpty();
    }

    private static void assertRefused(String name, LayerSpec layer) {
        assertThat(onOnePixel(layer, 3, 9).stepsPerEpoch()).isEqualTo(3);
        for (int batchSize : new int[] {1, 4}) {
            assertThatThrownBy(() -> onOnePixel(layer, batchSize, 9))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageStartingWith("layer \"" + name
                            + "\" (BatchNorm2d) is given 2x1x1, which is one value per channel in a batch of one");
        }
    }

    private static Workload onOnePixel(LayerSpec layer, int batchSize, int trains) {
        List<LayerSpec> layers = List.of(layer, Layers.flatten(), Layers.linear(2, true));
        return CheckWorkload.of(Shape.of(2, 1, 1), 2, layers, CheckWorkload.PLAIN, batchSize, trains, 1);
    }

    /// Random words for the masks of half an epoch: two per mask value.
    @Test
    void masksWithinResidualsCount() {
        LayerSpec dropout = new DropoutLayer.Dropout(null, 0.5);
        LayerSpec dropout2d = new DropoutLayer.Dropout2d(null, 0.5);
        LayerSpec residual = new Residual(null, List.of(dropout, dropout2d), List.of(dropout2d));
        List<LayerSpec> layers = List.of(residual, Layers.flatten(), Layers.linear(2, true));
        Workload workload = CheckWorkload.of(Shape.of(3, 4, 5), 2, layers, CheckWorkload.PLAIN, 4, 9, 1);
        assertThat(workload.drawnWords(2)).isEqualTo(8 * (60 + 3 + 3) * 2);
        assertThat(workload.drawnWords(3)).isEqualTo(9 * (60 + 3 + 3) * 2);
    }

    /// As in PyTorch, which sums in float32.
    @Test
    void theMeanOfLossesIsInfiniteIfTheirSumOverflows() {
        assertThat(Workload.meanLoss(6.0, 4)).isEqualTo(1.5f);
        assertThat(Workload.meanLoss(2.0 * Float.MAX_VALUE, 4)).isEqualTo(Float.POSITIVE_INFINITY);
        assertThat(Workload.meanLoss(Double.NaN, 4)).isNaN();
    }
}
