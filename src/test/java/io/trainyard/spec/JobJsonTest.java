package io.trainyard.spec;

import static io.trainyard.spec.JobTexts.augment;
import static io.trainyard.spec.JobTexts.id;
import static io.trainyard.spec.JobTexts.job;
import static io.trainyard.spec.JobTexts.layers;
import static io.trainyard.spec.JobTexts.optimizer;
import static io.trainyard.spec.JobTexts.read;
import static io.trainyard.spec.JobTexts.schedule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.trainyard.spec.ActivationFunction.Gelu;
import io.trainyard.spec.ActivationFunction.LeakyRelu;
import io.trainyard.spec.ActivationFunction.Relu;
import io.trainyard.spec.ActivationFunction.Sigmoid;
import io.trainyard.spec.ActivationFunction.Tanh;
import io.trainyard.spec.BatchNorm.BatchNorm2d;
import io.trainyard.spec.DropoutLayer.Dropout;
import io.trainyard.spec.DropoutLayer.Dropout2d;
import io.trainyard.spec.LayerSpec.Flatten;
import io.trainyard.spec.LayerSpec.Linear;
import io.trainyard.spec.OptimizerSpec.Adam;
import io.trainyard.spec.OptimizerSpec.AdamW;
import io.trainyard.spec.OptimizerSpec.Sgd;
import io.trainyard.spec.Pooling.AdaptiveAvgPool2d;
import io.trainyard.spec.Pooling.AvgPool2d;
import io.trainyard.spec.Pooling.MaxPool2d;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What jobs can say, and that it is written as it was read.
class JobJsonTest {
    @Test
    void whatAJobLeavesOutHasADefault() {
        JobSpec job = read("{'id': 'a', 'network': 'lenet', 'dataset': 'cifar10', 'epochs': 3}");
        assertThat(job)
                .isEqualTo(new JobSpec(
                        "a",
                        NetworkSpec.named("lenet"),
                        DatasetSpec.named("cifar10"),
                        3,
                        64,
                        LossSpec.DEFAULT,
                        new Sgd(0.01, 0, 0),
                        ScheduleSpec.CONSTANT,
                        null,
                        1,
                        null,
                        false,
                        false,
                        0,
                        DeviceSpec.AUTO,
                        null,
                        Precision.FP32,
                        1,
                        null,
                        null,
                        null,
                        false,
                        100,
                        null,
                        JobKind.TRAIN,
                        null,
                        null,
                        true,
                        null,
                        null,
                        null,
                        null));
        assertThat(read(
                        "{'id': 'a', 'network': 'lenet', 'dataset': 'cifar10', 'epochs': 3, 'seed': null, 'device': null, 'loss': null, 'precision': null,"
                                + " 'optimizer': null, 'schedule': null, 'shuffle': null,"
                                + " 'batchSize': null, 'reportEverySteps': null}"))
                .isEqualTo(job);
    }

    @Test
    void everyFieldIsRead() {
        JobSpec job =
                read("{'id': 'tudui-1.v2', 'network': 'sjnet', 'dataset': {'name': 'cifar10', 'normalize': {'mean':"
                        + " [0.5, 0.25, 1], 'std': [1, 2, 0.5]}, 'augment': {'randomCrop': {'padding': 4}, 'horizontalFlip':"
                        + " {'p': 0.25}, 'cutout': {'size': 8}}}, 'epochs': 10, 'batchSize': 4, 'loss': {'type': 'crossEntropy', 'labelSmoothing': 0.1, 'classWeights': [1, 0.5]}, 'optimizer': {'type': 'sgd',"
                        + " 'learningRate': 1, 'momentum': 0.9, 'nesterov': true, 'weightDecay': 0.001}, 'schedule': {'type': 'step',"
                        + " 'stepSize': 3, 'gamma': 0.5}, 'clipGradients': {'norm': 2}, 'accumulateSteps': 4, 'ema': {'decay': 0.99},"
                        + " 'shuffle': true, 'dropLast': true, 'seed':"
                        + " -9223372036854775808, 'device': 'cuda:1', 'precision': 'bf16', 'checkpointEveryEpochs': 2, 'checkpointEverySteps': 50,"
                        + " 'checkpointEverySeconds': 600, 'keepLast': 3, 'keepBest': true, 'reportEverySteps': 7,"
                        + " 'stopWhen': {'testAccuracyAtLeast': 0.9, 'noImprovementEpochs': 5, 'maxMinutes': 60.5}, 'initFrom': 'tudui-0/7820', 'project': 'vision', 'preemptible': false,"
                        + " 'group': 'nightly', 'asha': {'minEpochs': 2, 'reductionFactor': 3}}");
        assertThat(job)
                .isEqualTo(new JobSpec(
                        "tudui-1.v2",
                        NetworkSpec.named("tudui"),
                        new DatasetSpec(
                                "cifar10",
                                new DatasetSpec.Normalize(List.of(0.5, 0.25, 1.0), List.of(1.0, 2.0, 0.5)),
                                new AugmentSpec(
                                        new AugmentSpec.RandomCrop(4),
                                        new AugmentSpec.HorizontalFlip(0.25),
                                        new AugmentSpec.Cutout(8))),
                        10,
                        4,
                        new LossSpec.CrossEntropy(0.1, List.of(1.0, 0.5)),
                        new Sgd(1, 0.9, true, 0.001),
                        new EpochSchedule.Step(3, 0.5),
                        new ClipSpec(2.0, null),
                        4,
                        new EmaSpec(0.99),
                        true,
                        true,
                        Long.MIN_VALUE,
                        new DeviceSpec("cuda:1"),
                        null,
                        Precision.BF16,
                        2,
                        50,
                        600,
                        3,
                        true,
                        7,
                        new StopWhen(0.9, 5, 60.5),
                        JobKind.TRAIN,
                        new CheckpointName("tudui-0", 7820L),
                        "vision",
                        false,
                        "nightly",
                        null,
                        null,
                        new AshaSpec(2, 3)));
        assertThat(JobJson.read(JobJson.write(job).getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(job);
    }

    @Test
    void everyLayerIsReadAndWritten() {
        JobSpec job =
                read(layers("{'type': 'conv2d', 'out': 3, 'kernel': 5}, {'type': 'conv2d', 'name': 'model.1', 'out': 3,"
                        + " 'kernel': 5, 'stride': 2, 'padding': 1, 'bias': false}, {'type': 'conv2d', 'out': 4, 'kernel': 3, 'dilation': 2, 'groups': 2}, {'type': 'maxPool2d', 'kernel': 3}, {'type':"
                        + " 'maxPool2d', 'kernel': 3, 'stride': 2}, {'type': 'batchNorm2d'}, {'type': 'relu'}, {'type': 'dropout'},"
                        + " {'type': 'dropout', 'p': 0}, {'type': 'flatten'}, {'type': 'linear', 'out': 9, 'bias': false}, {'type':"
                        + " 'linear', 'out': 10, 'name': 'fc'}"));
        assertThat(job.network())
                .isEqualTo(NetworkSpec.ofLayers(List.of(
                        new Conv2d(null, 3, 5, 1, 0, true),
                        new Conv2d("model.1", 3, 5, 2, 1, false),
                        new Conv2d(null, 4, 3, 1, 0, 2, 2, true),
                        new MaxPool2d(null, 3, 3),
                        new MaxPool2d(null, 3, 2),
                        new BatchNorm2d(null),
                        new Relu(null),
                        new Dropout(null, 0.5),
                        new Dropout(null, 0),
                        new Flatten(null),
                        new Linear(null, 9, false),
                        new Linear("fc", 10, true))));
        assertThat(JobJson.read(JobJson.write(job).getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(job);
    }

    @Test
    void sidesAreWrittenAsOneNumberWhereTheyAreTheSame() {
        String windows =
                "{'type': 'conv2d', 'out': 3, 'kernel': [1, 5], 'stride': 1, 'padding': 'same', 'dilation': [1, 2]}, {'type':"
                        + " 'maxPool2d', 'kernel': [2, 2], 'stride': [2, 1], 'padding': [1, 0], 'dilation': 2, 'ceilMode': true},"
                        + " {'type': 'avgPool2d', 'kernel': [3, 2], 'padding': 1, 'countIncludePad': false}, {'type':"
                        + " 'adaptiveAvgPool2d', 'out': [4, 1]}, {'type': 'upsample', 'size': [9, 4]}, {'type': 'upsample',"
                        + " 'scaleFactor': [1.5, 2]}, {'type': 'upsample', 'scaleFactor': 2}";
        JobSpec job = read(layers(windows));
        Extent one = Extent.square(1);
        assertThat(job.network())
                .isEqualTo(NetworkSpec.ofLayers(List.of(
                        new Conv2d(null, 3, new Extent(1, 5), one, Padding.SAME, new Extent(1, 2), 1, true),
                        new MaxPool2d(
                                null, Extent.square(2), new Extent(2, 1), new Extent(1, 0), Extent.square(2), true),
                        new AvgPool2d(null, new Extent(3, 2), new Extent(3, 2), one, false, false),
                        new AdaptiveAvgPool2d(null, new Extent(4, 1)),
                        new Upsample(null, new Extent(9, 4), null, "nearest"),
                        new Upsample(null, null, new Scale(1.5, 2), "nearest"),
                        new Upsample(null, null, Scale.both(2), "nearest"))));
        String written = JobJson.write(job);
        assertThat(JobJson.read(written.getBytes(StandardCharsets.UTF_8))).isEqualTo(job);
        assertThat(written)
                .contains(
                        "\"kernel\":[1,5],\"stride\":1,\"padding\":\"same\",\"dilation\":[1,2]",
                        "\"kernel\":2,\"stride\":[2,1],\"padding\":[1,0],\"dilation\":2,\"ceilMode\":true",
                        "{\"type\":\"upsample\",\"size\":[9,4],\"mode\":\"nearest\"}",
                        "{\"type\":\"upsample\",\"scaleFactor\":2.0,\"mode\":\"nearest\"}");
    }

    @Test
    void everyPoolingAndActivationIsReadAndWritten() {
        JobSpec job = read(
                layers("{'type': 'avgPool2d', 'kernel': 3}, {'type': 'avgPool2d', 'kernel': 3, 'stride': 2}, {'type':"
                        + " 'adaptiveAvgPool2d', 'out': 4}, {'type': 'leakyRelu'}, {'type': 'leakyRelu', 'negativeSlope': 0.2},"
                        + " {'type': 'gelu'}, {'type': 'gelu', 'approximate': 'tanh', 'name': 'act'}, {'type': 'tanh'}, {'type':"
                        + " 'sigmoid'}, {'type': 'dropout2d'}, {'type': 'dropout2d', 'p': 0.25}, {'type': 'silu'}, {'type': 'softplus'}, {'type':"
                        + " 'softplus', 'beta': 2, 'threshold': 5.5}, {'type': 'hardswish'}, {'type': 'hardtanh'}, {'type':"
                        + " 'hardtanh', 'minVal': -2, 'maxVal': 0.5}, {'type': 'relu6', 'name': 'six'}, {'type': 'identity'}, {'type': 'batchNorm1d'}, {'type':"
                        + " 'batchNorm1d', 'eps': 0.25, 'momentum': 0, 'affine': false}, {'type': 'batchNorm2d', 'momentum': 0.5}, {'type':"
                        + " 'batchNorm2d', 'momentum': 'cumulative', 'trackRunningStats': true}, {'type': 'groupNorm', 'groups': 4}, {'type': 'layerNorm'}, {'type':"
                        + " 'layerNorm', 'normalizedShape': [8, 9], 'eps': 1e-6, 'affine': false}, {'type': 'layerNorm2d'},"
                        + " {'type': 'layerScale'}"));
        assertThat(job.network())
                .isEqualTo(NetworkSpec.ofLayers(List.of(
                        new AvgPool2d(null, 3, 3),
                        new AvgPool2d(null, 3, 2),
                        new AdaptiveAvgPool2d(null, 4),
                        new LeakyRelu(null, 0.01),
                        new LeakyRelu(null, 0.2),
                        new Gelu(null, "none"),
                        new Gelu("act", "tanh"),
                        new Tanh(null),
                        new Sigmoid(null),
                        new Dropout2d(null, 0.5),
                        new Dropout2d(null, 0.25),
                        new ActivationFunction.Silu(null),
                        new ActivationFunction.Softplus(null, 1, 20),
                        new ActivationFunction.Softplus(null, 2, 5.5),
                        new ActivationFunction.Hardswish(null),
                        new ActivationFunction.Hardtanh(null, -1, 1),
                        new ActivationFunction.Hardtanh(null, -2, 0.5),
                        new ActivationFunction.Relu6("six"),
                        new LayerSpec.Identity(null),
                        new BatchNorm.BatchNorm1d(null, 1e-5, 0.1, true),
                        new BatchNorm.BatchNorm1d(null, 0.25, 0, false),
                        new BatchNorm2d(null, 1e-5, 0.5, true),
                        new BatchNorm2d(null, 1e-5, BatchMomentum.CUMULATIVE, true),
                        new SampleNorm.GroupNorm(null, 4, 1e-5, true),
                        new SampleNorm.LayerNorm(null, List.of(), 1e-5, true),
                        new SampleNorm.LayerNorm(null, List.of(8, 9), 1e-6, false),
                        new SampleNorm.LayerNorm2d(null, 1e-5, true),
                        new LayerSpec.LayerScale(null, 1e-6))));
        assertThat(JobJson.read(JobJson.write(job).getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(job);
    }

    static Stream<Arguments> optimizersAndSchedules() {
        return Stream.of(
                arguments(optimizer("'type': 'adam'"), new Adam(0.001, 0.9, 0.999, 1e-8, 0), ScheduleSpec.CONSTANT),
                arguments(
                        optimizer("'type': 'adamw'"), new AdamW(0.001, 0.9, 0.999, 1e-8, 0.01), ScheduleSpec.CONSTANT),
                arguments(
                        optimizer(
                                "'type': 'adamw', 'learningRate': 1, 'beta1': 0, 'beta2': 0.5, 'epsilon': 0.1, 'weightDecay': 2"),
                        new AdamW(1, 0, 0.5, 0.1, 2),
                        ScheduleSpec.CONSTANT),
                arguments(schedule("'type': 'constant'"), new Sgd(0.01, 0, 0), ScheduleSpec.CONSTANT),
                arguments(
                        schedule("'type': 'step', 'stepSize': 2"), new Sgd(0.01, 0, 0), new EpochSchedule.Step(2, 0.1)),
                arguments(
                        schedule("'type': 'multiStep', 'milestones': [3, 5], 'gamma': 0.2"),
                        new Sgd(0.01, 0, 0),
                        new EpochSchedule.MultiStep(List.of(3, 5), 0.2)),
                arguments(schedule("'type': 'cosine'"), new Sgd(0.01, 0, 0), new EpochSchedule.Cosine(0)),
                arguments(
                        schedule("'type': 'oneCycle', 'maxLearningRate': 0.4"),
                        new Sgd(0.01, 0, 0),
                        new OneCycleSchedule(0.4, 0.3, 25, 10_000, false, 0.85, 0.95)),
                arguments(
                        schedule("'type': 'warmup', 'steps': 9"),
                        new Sgd(0.01, 0, 0),
                        new WarmupSchedule(9, 1.0 / 3, ScheduleSpec.CONSTANT)),
                arguments(
                        schedule(
                                "'type': 'warmup', 'steps': 9, 'startFactor': 0.5, 'then': {'type': 'cosine', 'minLearningRate': 0.1}"),
                        new Sgd(0.01, 0, 0),
                        new WarmupSchedule(9, 0.5, new EpochSchedule.Cosine(0.1))));
    }

    @ParameterizedTest
    @MethodSource("optimizersAndSchedules")
    void everyOptimizerAndScheduleIsReadAndWritten(String json, OptimizerSpec optimizer, ScheduleSpec schedule) {
        JobSpec job = read(json);
        assertThat(job.optimizer()).isEqualTo(optimizer);
        assertThat(job.schedule()).isEqualTo(schedule);
        assertThat(JobJson.read(JobJson.write(job).getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(job);
    }

    @Test
    void aJobThatEvaluatesHasNoFieldsOfTraining() {
        String json = "{'id': 'a', 'kind': 'evaluate', 'network': 'lenet', 'dataset': 'cifar10', 'initFrom': 'b~2/7'}";
        JobSpec job = read(json);
        assertThat(job.kind()).isEqualTo(JobKind.EVALUATE);
        assertThat(job.epochs()).isZero();
        assertThat(job.initFrom()).isEqualTo(new CheckpointName("b~2", 7L));
        assertThat(JobJson.write(job))
                .isEqualTo(
                        "{'id':'a','network':'lenet','dataset':{'name':'cifar10'},'batchSize':64,'loss':{'type':'crossEntropy','labelSmoothing':0.0},'device':'auto','precision':'fp32','kind':'evaluate','initFrom':'b~2/7','preemptible':true}"
                                .replace('\'', '"'));
        assertThat(JobJson.read(JobJson.write(job).getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(job);
    }

    @Test
    void layersWithinLayersAreReadAndWritten() {
        JobSpec job = read(
                layers(
                        "{'type': 'residual', 'layers': [{'type': 'relu'}]}, {'type': 'residual', 'name': 'block',"
                                + " 'layers': [{'type': 'conv2d', 'name': 'conv1', 'out': 8, 'kernel': 1}, {'type': 'residual', 'layers':"
                                + " [{'type': 'tanh'}], 'shortcut': null}], 'shortcut': [{'type': 'conv2d', 'out': 8, 'kernel': 1}]}"));
        assertThat(job.network())
                .isEqualTo(NetworkSpec.ofLayers(List.of(
                        new Residual(null, List.of(new Relu(null)), List.of()),
                        new Residual(
                                "block",
                                List.of(
                                        new Conv2d("conv1", 8, 1, 1, 0, true),
                                        new Residual(null, List.of(new Tanh(null)), List.of())),
                                List.of(new Conv2d(null, 8, 1, 1, 0, true))))));
        assertThat(JobJson.read(JobJson.write(job).getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(job);
    }

    @Test
    void residualsAreNestedUpToABound() {
        assertThat(read(layers(nested(NetworkSpec.MAX_NESTING))).network().layers())
                .hasSize(1);
        String inside = "network.layers[0]" + ".layers[0]".repeat(8) + ".layers";
        assertThatThrownBy(() -> read(layers(nested(9))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(inside + " stands in more than 8 residuals, one within another; allowed is up to 8");
        assertThatThrownBy(() -> read(layers(nested(490))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("the command has more than 64 lists and objects within one another; allowed is up to 64");
    }

    private static String nested(int residuals) {
        return "{'layers': [".repeat(residuals) + "{'type': 'relu'}" + "], 'type': 'residual'}".repeat(residuals);
    }

    @ParameterizedTest
    @ValueSource(strings = {"['cuda:0', 'cuda:1']", "['cuda:3', 'cuda:10', 'cuda:0']", "['cpu', 'cpu']"})
    void severalDevicesAreReadAndWrittenInsteadOfOne(String devices) {
        JobSpec job = read(job("'devices': " + devices));
        assertThat(job.allDevices())
                .extracting(DeviceSpec::name)
                .containsExactly(devices.replaceAll("[\\[\\]' ]", "").split(","));
        assertThat(job.device()).isEqualTo(job.allDevices().getFirst());
        String json = JobJson.write(job);
        assertThat(json).contains("\"devices\":[\"").doesNotContain("\"device\"");
        assertThat(JobJson.read(json.getBytes(StandardCharsets.UTF_8))).isEqualTo(job);
        assertThat(read(job("'device': 'cpu'")).allDevices()).containsExactly(new DeviceSpec("cpu"));
        assertThat(JobJson.write(read(job("'device': 'cpu'")))).doesNotContain("devices");
    }

    @Test
    void flipsHalfOfTheImagesByDefault() {
        AugmentSpec augment = read(augment("{'horizontalFlip': {}}")).dataset().augment();
        assertThat(augment).isEqualTo(new AugmentSpec(null, new AugmentSpec.HorizontalFlip(0.5), null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "7", "tudui-1", "a_b-C.d.0.e.f", "0123456789"})
    void usefulIdsAreAllowed(String id) {
        assertThat(read(id("'" + id + "'")).id()).isEqualTo(id);
    }

    @Test
    void theNameOfACheckpointIsBounded() {
        String longest = "a".repeat(100) + "~999999999/" + "9".repeat(18);
        assertThat(CheckpointName.parse("initFrom", longest)).hasToString(longest);
        assertThatThrownBy(() -> CheckpointName.parse("initFrom", "a" + ".a".repeat(100_000)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContainingAll("initFrom is \"a.a.", "at most 130 characters");
    }
}
