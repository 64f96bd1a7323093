package io.trainyard.device.onednn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Slow;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceContract;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.Devices;
import io.trainyard.device.Evaluation;
import io.trainyard.device.FloatSamplesContract;
import io.trainyard.device.LearningSession;
import io.trainyard.device.NumbersContract;
import io.trainyard.device.ShardRange;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.LayerCase;
import io.trainyard.spec.ActivationFunction;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.AugmentSpec.Cutout;
import io.trainyard.spec.AugmentSpec.HorizontalFlip;
import io.trainyard.spec.AugmentSpec.RandomCrop;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.DropoutLayer;
import io.trainyard.spec.LayerKinds;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

public class OneDnnDeviceTest extends DeviceContract implements NumbersContract, FloatSamplesContract {
    @Override
    public Device device() {
        OneDnnLibrary library = OneDnnLibrary.loaded();
        return new OneDnnDevice(new DeviceInfo("cpu", "a model", library.description(), Long.MAX_VALUE), library);
    }

    @Test
    void twoThreadsGiveTheSameBitsEveryTimeAndTheNumbersOfOne() {
        Workload workload = wide();
        float[] once = losses(workload.withThreads(2));
        assertThat(losses(workload.withThreads(2))).isEqualTo(once);
        float[] oneThread = losses(workload.withThreads(1));
        for (int i = 0; i < once.length; i++) {
            assertThat(oneThread[i]).isCloseTo(once[i], Percentage.withPercentage(0.01));
        }
    }

    /// Batches of 32, then one of 1 sample, so that some shards are empty.
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shardsOfABatchTrainAndTestAsTheReferenceDoes(int threads) {
        List<LayerSpec> layers = List.of(
                new Conv2d(null, 17, 3, 1, 1, true),
                new Pooling.MaxPool2d(null, 2, 2),
                new ActivationFunction.Relu(null),
                new Conv2d(null, 5, 3, 2, 0, false),
                new LayerSpec.Flatten(null),
                new LayerSpec.Linear(null, 4, true));
        Workload workload = CheckWorkload.of(Shape.of(3, 12, 12), 4, layers, CheckWorkload.MOMENTUM, 32, 65, 7)
                .withThreads(threads);
        assertThat(shards(workload, threads)).isEqualTo(threads);
        NumbersContract.checkTraining(device(), workload);
    }

    /// The third of 5 shards has 8 samples of a batch of 43, and 9 of one of 42.
    @Test
    void aShardMayHaveMoreOfTheLastBatch() {
        List<LayerSpec> layers = List.of(
                new Conv2d(null, 17, 3, 1, 1, true),
                new ActivationFunction.Relu(null),
                new Pooling.MaxPool2d(null, 4, 4),
                new LayerSpec.Flatten(null),
                new LayerSpec.Linear(null, 4, true));
        Workload workload = CheckWorkload.of(Shape.of(3, 12, 12), 4, layers, CheckWorkload.MOMENTUM, 43, 85, 7);
        assertThat(shards(workload, 5)).isEqualTo(5);
        NumbersContract.checkTraining(device(), workload.withThreads(5));
    }

    /// 60 samples with activations that exceed the cache; the last batch has 11 samples, the test set 70.
    @Slow
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void chunksOfABatchTrainAndTestAsTheReferenceDoes(int threads) {
        List<LayerSpec> layers = List.of(
                new Conv2d(null, 40, 3, 1, 1, true),
                new ActivationFunction.Relu(null),
                new Conv2d(null, 18, 3, 2, 1, true),
                new Pooling.MaxPool2d(null, 4, 4),
                new LayerSpec.Flatten(null),
                new LayerSpec.Linear(null, 4, true));
        Workload workload = CheckWorkload.of(Shape.of(2, 32, 32), 4, layers, CheckWorkload.MOMENTUM, 60, 71, 70);
        assertThat(60 * workload.network().activationElements()).isGreaterThan(4 << 20);
        NumbersContract.checkTraining(device(), workload.withThreads(threads));
    }

    /// Once each shard has enough samples: batch norms synchronise across shards, and masks are drawn for the
    /// whole batch. Smaller batches use oneDNN's threads.
    @ParameterizedTest
    @CsvSource({"15, 1", "16, 2"})
    void batchNormAndDropoutAllowShards(int batchSize, int shards) {
        List<LayerSpec> layers = List.of(
                new Conv2d(null, 17, 3, 1, 1, true),
                new BatchNorm.BatchNorm2d(null),
                new ActivationFunction.Relu(null),
                new DropoutLayer.Dropout(null, 0.25),
                new Pooling.MaxPool2d(null, 4, 4),
                new DropoutLayer.Dropout2d(null, 0.5),
                new LayerSpec.Flatten(null),
                new LayerSpec.Linear(null, 4, true));
        Workload plain = CheckWorkload.of(
                Shape.of(3, 12, 12), 4, layers, CheckWorkload.MOMENTUM, batchSize, 2 * batchSize + 3, 7);
        AugmentSpec augment = new AugmentSpec(new RandomCrop(2), new HorizontalFlip(0.5), new Cutout(4));
        Workload workload = plain.withAugment(augment);
        assertThat(shards(workload, 2)).isEqualTo(shards);
        NumbersContract.checkTraining(device(), workload.withThreads(2));
    }

    /// The last batch has one sample, unless the layer cannot normalise that: one shard is empty.
    @Slow
    @ParameterizedTest
    @MethodSource("io.trainyard.device.check.LayerCases#all")
    void everyRowTrainsInShardsAsTheReferenceDoes(LayerCase row) {
        OneDnnLibrary library = OneDnnLibrary.loaded();
        Device device =
                new InTwoShards(new DeviceInfo("cpu", "a model", library.description(), Long.MAX_VALUE), library);
        int trains = LayerKinds.in(row.layers()).anyMatch(BatchNorm.BatchNorm1d.class::equals) ? 34 : 33;
        NumbersContract.checkTraining(
                device,
                CheckWorkload.of(row.input(), row.classes(), row.layers(), CheckWorkload.MOMENTUM, 32, trains, 7));
    }

    /// Splits every batch in two, because the rule would not do so for most of these small rows.
    private record InTwoShards(DeviceInfo info, OneDnnLibrary library) implements Device {
        @Override
        public LearningSession open(Workload workload) {
            return new OneDnnSession(workload, ShardRange.WHOLE, library, 2, 2, null);
        }
    }

    @Test
    void theNumberOfShardsDividesThatOfThreadsAndLeavesEachEnoughToDo() {
        assertThat(shards(wide(), 1)).isEqualTo(1);
        assertThat(shards(wide(), 2)).isEqualTo(2);
        assertThat(shards(wide(), 4)).isEqualTo(4);
        assertThat(shards(wide(), 6)).as("32 samples, at least 8 each").isEqualTo(3);
        List<LayerSpec> manyParameters = List.of(
                new LayerSpec.Flatten(null),
                new LayerSpec.Linear(null, 1000, true),
                new LayerSpec.Linear(null, 4, true));
        Workload summing = CheckWorkload.of(Shape.of(3, 12, 12), 4, manyParameters, CheckWorkload.PLAIN, 32, 64, 7);
        assertThat(shards(summing, 2)).as("more to sum than to compute").isEqualTo(1);
    }

    /// Programs for a batch, for the last batch of one sample and for evaluation use different weight layouts.
    @Slow
    @ParameterizedTest
    @ValueSource(strings = {"tudui", "lenet", "fashion"})
    void builtInNetworksTrainAndTestAsTheReferenceDoes(String name) {
        Shape input = name.equals("fashion") ? Shape.of(1, 28, 28) : Shape.of(3, 32, 32);
        List<LayerSpec> layers = NetworkSpec.named(name).layers();
        Workload workload = CheckWorkload.of(input, 10, layers, CheckWorkload.MOMENTUM, 4, 13, 60);
        try (LearningSession session = device().open(workload);
                LearningSession reference =
                        Devices.open(new DeviceSpec("reference")).open(workload)) {
            for (LearningSession either : List.of(session, reference)) {
                either.load(CheckWorkload.state(workload));
                either.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            }
            for (int epoch = 1; epoch <= 2; epoch++) {
                assertThat(session.advance(4)).containsExactly(reference.advance(4), Offset.offset(1e-4f));
                session.beginEpoch(CheckWorkload.plan(workload, epoch), 0);
                reference.beginEpoch(CheckWorkload.plan(workload, epoch), 0);
            }
            Evaluation tested = session.evaluate();
            Evaluation expected = reference.evaluate();
            assertThat(tested.testLoss()).isCloseTo(expected.testLoss(), Percentage.withPercentage(0.01));
            assertThat(tested.confusion()).isDeepEqualTo(expected.confusion());
        }
    }

    @Test
    void anotherThreadIsRefused() {
        try (LearningSession session = device().open(wide())) {
            var elsewhere = CompletableFuture.supplyAsync(session::save);
            assertThatThrownBy(elsewhere::join)
                    .hasRootCauseInstanceOf(IllegalStateException.class)
                    .hasStackTraceContaining("use it where it was opened");
            assertThat(session.save().model().tensors()).isNotEmpty();
        }
    }

    private static int shards(Workload workload, int threads) {
        return OneDnnDevice.shards(workload.network(), workload.batchSize(), threads);
    }

    private float[] losses(Workload workload) {
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            return session.advance(workload.stepsPerEpoch());
        }
    }

    /// Large enough for two threads: blocked layouts, a short last batch, evaluation in chunks.
    public static Workload wide() {
        List<LayerSpec> layers = List.of(
                new Conv2d(null, 32, 5, 1, 2, true),
                new Pooling.MaxPool2d(null, 2, 2),
                new Conv2d(null, 40, 3, 1, 1, true),
                new ActivationFunction.Relu(null),
                new LayerSpec.Flatten(null),
                new LayerSpec.Linear(null, 10, true));
        return CheckWorkload.of(Shape.of(3, 16, 16), 10, layers, CheckWorkload.MOMENTUM, 32, 80, 50);
    }
}
