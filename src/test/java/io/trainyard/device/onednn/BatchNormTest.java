package io.trainyard.device.onednn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.data.PixelScale;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.Devices;
import io.trainyard.device.LearningSession;
import io.trainyard.device.NumbersContract;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.ReferenceComparison;
import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.DropoutLayer;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Residual;
import io.trainyard.spec.Shape;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Batch norm across shards, and fused with the operations after it.
public class BatchNormTest {
    private static final OptimizerSpec STANDING_STILL = new OptimizerSpec.Sgd(0, 0, 0);

    private static Device device() {
        OneDnnLibrary library = OneDnnLibrary.loaded();
        return new OneDnnDevice(new DeviceInfo("cpu", "a model", library.description(), Long.MAX_VALUE), library);
    }

    /// Batches of 32, then one of 1 sample that only the last shard has. The first shard still updates running
    /// statistics and parameter gradients.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shardsMeetAndTrainAsTheReferenceDoes(int threads) {
        Workload workload = unevenly().withThreads(threads);
        assertThat(OneDnnDevice.shards(workload.network(), 32, threads)).isEqualTo(threads);
        NumbersContract.checkTraining(device(), workload);
    }

    @Test
    void twoRunsGiveTheSameBits() {
        Workload workload = unevenly().withThreads(3);
        assertThat(trained(workload)).isEqualTo(trained(workload));
    }

    /// Batch norm before a ReLU, at the end of one branch, of both, of the shortcut only, as the first layer,
    /// and in nested residuals.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void mergesFollowingLayers(boolean relus) {
        LayerSpec norm = new BatchNorm.BatchNorm2d(null);
        LayerSpec end = relus ? new ActivationFunction.Relu(null) : new ActivationFunction.Tanh(null);
        LayerSpec inner = new Residual(null, List.of(norm, end, conv(10), norm), List.of());
        List<LayerSpec> layers = List.of(
                norm,
                end,
                conv(10),
                new Residual(null, List.of(conv(10), norm), List.of()),
                end,
                new Residual(null, List.of(conv(10), norm, end, conv(12), norm), List.of(conv(12), norm)),
                end,
                new Residual(null, List.of(conv(10)), List.of(conv(10), norm)),
                end,
                new Residual(null, List.of(inner, end, conv(10), norm), List.of(norm)),
                end,
                new LayerSpec.Flatten(null),
                new LayerSpec.Linear(null, 4, true));
        Workload workload =
                CheckWorkload.of(Shape.of(3, 9, 9), 4, layers, new OptimizerSpec.Sgd(0.01, 0, 0), 18, 37, 7);
        NumbersContract.checkTraining(device(), workload.withThreads(2));
    }

    /// PyTorch differs from float64 on real images by 8e-8 of the deviation and by 9e-8 in the loss, according
    /// to `src/test/python/batchnorm_accuracy.py`. Most of it is the rounding of the running means. Float32
    /// sums over as many values as here would differ more.
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void statisticsAreExactToTheRoundingOfTheInputs(int threads) {
        List<LayerSpec> layers = List.of(
                new Conv2d(null, 16, 3, 1, 1, true),
                new BatchNorm.BatchNorm2d(null),
                new LayerSpec.Flatten(null),
                new LayerSpec.Linear(null, 6, true));
        Workload workload = CheckWorkload.of(Shape.of(3, 64, 64), 6, layers, STANDING_STILL, 16, 16, 2);
        SessionState begin = CheckWorkload.state(workload);
        Stepped exact = step(Devices.open(new DeviceSpec("reference")), workload, begin);
        Stepped ours = step(device(), workload.withThreads(threads), begin);
        assertThat((double) ours.loss).isCloseTo(exact.loss, Offset.offset(2e-7 * exact.loss));
        float[] exactMeans = floats(exact.state, workload, 2);
        float[] exactVariances = floats(exact.state, workload, 3);
        for (int c = 0; c < 16; c++) {
            double deviation = Math.sqrt(exactVariances[c]);
            double rounding = Math.ulp(exactMeans[c]);
            assertThat((double) floats(ours.state, workload, 2)[c])
                    .isCloseTo(exactMeans[c], Offset.offset(rounding + 0.1 * 1.4e-8 * deviation));
            assertThat((double) floats(ours.state, workload, 3)[c])
                    .isCloseTo(exactVariances[c], Offset.offset(2 * (double) Math.ulp(exactVariances[c])));
        }
    }

    /// The mean is hundreds of thousands of deviations, so its rounding to float32 is significant.
    @Test
    void gradientsIncludeTheRoundingErrorOfTheMean() {
        List<LayerSpec> layers = List.of(
                new BatchNorm.BatchNorm2d(null), new LayerSpec.Flatten(null), new LayerSpec.Linear(null, 4, true));
        Workload near = CheckWorkload.of(Shape.of(1, 5, 5), 4, layers, CheckWorkload.PLAIN, 8, 8, 2);
        PixelScale scale = PixelScale.of(1, new Normalize(List.of(-100000.3), List.of(1.0)));
        Workload far = new Workload(
                near.network(), near.optimizer(), 8, near.dataset(), scale, near.augment(), near.precision(), 1);
        assertThat(ReferenceComparison.gradients(device(), far).differences()).isEmpty();
    }

    @Test
    void aTestSessionGivesTheSameResultsAndCannotTrain() {
        Workload workload = unevenly().withThreads(2);
        try (LearningSession trains = device().open(workload);
                LearningSession tests = device().open(workload.forTests())) {
            trains.load(CheckWorkload.state(workload));
            tests.load(CheckWorkload.state(workload));
            assertThat(tests.predict()).isEqualTo(trains.predict());
            assertThatThrownBy(() -> tests.beginEpoch(CheckWorkload.plan(workload, 1), 0))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("opened for tests alone");
        }
    }

    /// Batches of 32 samples; the last one has 1.
    public static Workload unevenly() {
        List<LayerSpec> layers = List.of(
                conv(17),
                new BatchNorm.BatchNorm2d(null),
                new ActivationFunction.Relu(null),
                new DropoutLayer.Dropout(null, 0.25),
                new Residual(
                        null,
                        List.of(conv(17), new BatchNorm.BatchNorm2d(null), new DropoutLayer.Dropout2d(null, 0.5)),
                        List.of(conv(17), new BatchNorm.BatchNorm2d(null))),
                new ActivationFunction.Relu(null),
                new Pooling.MaxPool2d(null, 2, 2),
                new LayerSpec.Flatten(null),
                new LayerSpec.Linear(null, 4, true));
        return CheckWorkload.of(Shape.of(3, 12, 12), 4, layers, CheckWorkload.MOMENTUM, 32, 65, 7);
    }

    private static LayerSpec conv(int out) {
        return new Conv2d(null, out, 3, 1, 1, false);
    }

    private record Stepped(float loss, SessionState state) {}

    private static Stepped step(Device device, Workload workload, SessionState begin) {
        try (LearningSession session = device.open(workload)) {
            session.load(begin);
            session.beginEpoch(CheckWorkload.plan(workload, 3), 0);
            return new Stepped(session.advance(1)[0], session.save());
        }
    }

    /// One of the parameters of the batch norm.
    private static float[] floats(SessionState state, Workload workload, int number) {
        ParameterSpec parameter =
                workload.network().layers().get(1).parameters().get(number);
        return state.model().floats(parameter.name(), parameter.shape());
    }

    private static float[] trained(Workload workload) {
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 3), 0);
            var unusedLosses = session.advance(workload.stepsPerEpoch());
            return session.predict();
        }
    }
}
