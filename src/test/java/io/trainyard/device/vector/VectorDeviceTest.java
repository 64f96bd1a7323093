package io.trainyard.device.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.FloatSamplesContract;
import io.trainyard.device.LearningSession;
import io.trainyard.device.NumbersContract;
import io.trainyard.device.SessionContract;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.LayerCase;
import io.trainyard.device.check.LayerCases;
import io.trainyard.device.check.Layers;
import io.trainyard.device.check.NonFiniteCase;
import io.trainyard.device.check.NonFiniteCases;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class VectorDeviceTest extends SessionContract implements FloatSamplesContract {
    @Override
    public Device device() {
        return new VectorDevice(new DeviceInfo("cpu", "a model", "vectors", Long.MAX_VALUE));
    }

    @Override
    public Workload eventful() {
        return withoutBatchNorm();
    }

    static Stream<LayerCase> computableRows() {
        return LayerCases.all().stream()
                .filter(row -> VectorDevice.computes(
                        CheckWorkload.of(row, CheckWorkload.PLAIN).network()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"freeze-middle", "freeze-first", "groups-sgd", "groups-rmsprop"})
    void trainsUnfrozenParametersAsPyTorchDoes(String name) {
        NumbersContract.checkGolden(device(), name);
    }

    @Test
    void mostRowsHaveKernels() {
        assertThat(computableRows()).hasSizeGreaterThanOrEqualTo(30);
    }

    static Stream<NonFiniteCase> computableNonFiniteRows() {
        return NonFiniteCases.all().stream()
                .filter(row -> VectorDevice.computes(row.workload().network()));
    }

    @Test
    void thereAreKernelsForManyNonFiniteRows() {
        assertThat(computableNonFiniteRows()).hasSizeGreaterThanOrEqualTo(50);
    }

    @ParameterizedTest
    @MethodSource("computableNonFiniteRows")
    void propagatesNonFiniteValuesLikeTheReference(NonFiniteCase row) {
        NumbersContract.checkNonFinite(device(), row);
    }

    /// 5 samples for 7 threads, so that some have none.
    @ParameterizedTest
    @MethodSource("computableRows")
    void anyNumberOfThreadsMatchesTheReference(LayerCase row) {
        for (int threads : new int[] {1, 2, 3, 7}) {
            NumbersContract.checkTraining(
                    device(), CheckWorkload.of(row, CheckWorkload.MOMENTUM).withThreads(threads));
        }
    }

    /// Batches of several chunks, and a shorter last batch.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void batchesOfManyChunksTrainAsTheReferenceDoes(int threads) {
        List<LayerSpec> layers = List.of(
                Layers.conv(6, 5, 1, 2, true),
                Layers.relu(),
                Layers.pool(2, 2),
                Layers.conv(9, 3, 1, 0, false),
                Layers.flatten(),
                Layers.linear(5, true));
        Workload workload = CheckWorkload.of(Shape.of(3, 12, 11), 5, layers, CheckWorkload.MOMENTUM, 29, 77, 31);
        NumbersContract.checkTraining(device(), workload.withThreads(threads));
    }

    @Test
    void threadsGiveTheSameBitsEveryTimeAndTheNumbersOfOne() {
        Workload workload = eventful();
        float[] once = losses(workload.withThreads(2));
        assertThat(losses(workload.withThreads(2))).isEqualTo(once);
        float[] oneThread = losses(workload.withThreads(1));
        for (int i = 0; i < once.length; i++) {
            assertThat(oneThread[i]).isCloseTo(once[i], Percentage.withPercentage(0.01));
        }
    }

    private float[] losses(Workload workload) {
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            return session.advance(workload.stepsPerEpoch());
        }
    }

    @Test
    void aNetworkWithoutKernelsIsRefused() {
        Workload workload = CheckWorkload.eventful();
        assertThatThrownBy(() -> device().open(workload)).hasMessageContaining("no kernels for all layers");
    }
}
