package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.trainyard.spec.LayerSpec.AdaptiveAvgPool2d;
import io.trainyard.spec.LayerSpec.AvgPool2d;
import io.trainyard.spec.LayerSpec.BatchNorm2d;
import io.trainyard.spec.LayerSpec.Conv2d;
import io.trainyard.spec.LayerSpec.Dropout;
import io.trainyard.spec.LayerSpec.Dropout2d;
import io.trainyard.spec.LayerSpec.Flatten;
import io.trainyard.spec.LayerSpec.Gelu;
import io.trainyard.spec.LayerSpec.LeakyRelu;
import io.trainyard.spec.LayerSpec.Linear;
import io.trainyard.spec.LayerSpec.MaxPool2d;
import io.trainyard.spec.LayerSpec.Relu;
import io.trainyard.spec.LayerSpec.Residual;
import io.trainyard.spec.LayerSpec.Sigmoid;
import io.trainyard.spec.LayerSpec.Tanh;
import io.trainyard.spec.OptimizerSpec.Adam;
import io.trainyard.spec.OptimizerSpec.AdamW;
import io.trainyard.spec.OptimizerSpec.Sgd;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobJsonTest {
    private static final String FIELDS =
            "batchSize, checkpointEveryEpochs, dataset, device, devices, epochs, id, initFrom, kind, network, optimizer, precision, reportEverySteps, schedule, seed, shuffle, stopWhen";
    private static final String LAYERS =
            "adaptiveAvgPool2d, avgPool2d, batchNorm2d, conv2d, dropout, dropout2d, flatten, gelu, leakyRelu, linear, maxPool2d, relu, residual, sigmoid, tanh";
    private static final String ID =
            "allowed is 1 to 100 letters, digits, hyphens, underscores and single dots between them, beginning with a letter or digit";
    private static final String DATASET = "allowed is a name of small letters, digits and hyphens, such as cifar10";
    private static final String LAYER_NAME =
            "allowed is letters, digits and underscores, in parts joined by single dots, such as conv1 or model.0";

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
                        new Sgd(0.01, 0, 0),
                        ScheduleSpec.CONSTANT,
                        false,
                        0,
                        DeviceSpec.AUTO,
                        null,
                        Precision.FP32,
                        1,
                        100,
                        null,
                        JobKind.TRAIN,
                        null));
        assertThat(read(
                        "{'id': 'a', 'network': 'lenet', 'dataset': 'cifar10', 'epochs': 3, 'seed': null, 'device': null, 'precision': null,"
                                + " 'optimizer': null, 'schedule': null, 'shuffle': null,"
                                + " 'batchSize': null, 'reportEverySteps': null}"))
                .isEqualTo(job);
    }

    @Test
    void everyFieldIsRead() {
        JobSpec job = read(
                "{'id': 'tudui-1.v2', 'network': 'sjnet', 'dataset': {'name': 'cifar10', 'normalize': {'mean':"
                        + " [0.5, 0.25, 1], 'std': [1, 2, 0.5]}, 'augment': {'randomCrop': {'padding': 4}, 'horizontalFlip':"
                        + " {'p': 0.25}, 'cutout': {'size': 8}}}, 'epochs': 10, 'batchSize': 4, 'optimizer': {'type': 'sgd',"
                        + " 'learningRate': 1, 'momentum': 0.9, 'nesterov': true, 'weightDecay': 0.001}, 'schedule': {'type': 'step',"
                        + " 'stepSize': 3, 'gamma': 0.5}, 'shuffle': true, 'seed':"
                        + " -9223372036854775808, 'device': 'cuda:1', 'precision': 'bf16', 'checkpointEveryEpochs': 2, 'reportEverySteps': 7,"
                        + " 'stopWhen': {'testAccuracyAtLeast': 0.9, 'noImprovementEpochs': 5, 'maxMinutes': 60.5}, 'initFrom': 'tudui-0/7820'}");
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
                        new Sgd(1, 0.9, true, 0.001),
                        new ScheduleSpec.Step(3, 0.5),
                        true,
                        Long.MIN_VALUE,
                        new DeviceSpec("cuda:1"),
                        null,
                        Precision.BF16,
                        2,
                        7,
                        new StopWhen(0.9, 5, 60.5),
                        JobKind.TRAIN,
                        new CheckpointName("tudui-0", 7820L)));
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
    void everyPoolingAndActivationIsReadAndWritten() {
        JobSpec job = read(
                layers("{'type': 'avgPool2d', 'kernel': 3}, {'type': 'avgPool2d', 'kernel': 3, 'stride': 2}, {'type':"
                        + " 'adaptiveAvgPool2d', 'out': 4}, {'type': 'leakyRelu'}, {'type': 'leakyRelu', 'negativeSlope': 0.2},"
                        + " {'type': 'gelu'}, {'type': 'gelu', 'approximate': 'tanh', 'name': 'act'}, {'type': 'tanh'}, {'type':"
                        + " 'sigmoid'}, {'type': 'dropout2d'}, {'type': 'dropout2d', 'p': 0.25}"));
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
                        new Dropout2d(null, 0.25))));
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
                        schedule("'type': 'step', 'stepSize': 2"), new Sgd(0.01, 0, 0), new ScheduleSpec.Step(2, 0.1)),
                arguments(
                        schedule("'type': 'multiStep', 'milestones': [3, 5], 'gamma': 0.2"),
                        new Sgd(0.01, 0, 0),
                        new ScheduleSpec.MultiStep(List.of(3, 5), 0.2)),
                arguments(schedule("'type': 'cosine'"), new Sgd(0.01, 0, 0), new ScheduleSpec.Cosine(0)),
                arguments(
                        schedule("'type': 'oneCycle', 'maxLearningRate': 0.4"),
                        new Sgd(0.01, 0, 0),
                        new ScheduleSpec.OneCycle(0.4, 0.3, 25, 10_000)),
                arguments(
                        schedule("'type': 'warmup', 'steps': 9"),
                        new Sgd(0.01, 0, 0),
                        new ScheduleSpec.Warmup(9, 1.0 / 3, ScheduleSpec.CONSTANT)),
                arguments(
                        schedule(
                                "'type': 'warmup', 'steps': 9, 'startFactor': 0.5, 'then': {'type': 'cosine', 'minLearningRate': 0.1}"),
                        new Sgd(0.01, 0, 0),
                        new ScheduleSpec.Warmup(9, 0.5, new ScheduleSpec.Cosine(0.1))));
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
                        "{'id':'a','network':'lenet','dataset':{'name':'cifar10'},'batchSize':64,'device':'auto','precision':'fp32','kind':'evaluate','initFrom':'b~2/7'}"
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

    /// The whole sentence a person gets for each mistake.
    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeGetsASentence(String json, String sentence) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(sentence);
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                        notJson(),
                        fields(),
                        names(),
                        datasets(),
                        augmentations(),
                        networks(),
                        optimizers(),
                        ends(),
                        checkpoints(),
                        schedules())
                .flatMap(rows -> rows);
    }

    private static Stream<Arguments> notJson() {
        String object = "it must be a JSON object such as {\"id\": \"my-job\", \"network\": \"lenet\", ...}";
        return Stream.of(
                arguments("", "the command is empty; " + object),
                arguments("null", "the command is null; " + object),
                arguments("[1, 2]", "the command is [1,2]; " + object),
                arguments("'lenet'", "the command is \"lenet\"; " + object),
                arguments(
                        "nope",
                        "the command is not JSON: Unrecognized token 'nope': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false') (line 1, column 1)"),
                arguments(
                        "{\n'id': ",
                        "the command is not JSON: Unexpected end-of-input within/between Object entries (line 2, column 7)"),
                arguments(
                        job("'seed': 1") + "}",
                        "the command is not JSON: Unexpected close marker '}': no open Object to close (line 1, column 76)"),
                arguments(job("'epochs': 2"), "the command is not JSON: Duplicate field 'epochs' (line 1, column 74)"),
                arguments(
                        "[".repeat(1001),
                        "the command is not JSON: Document nesting depth (1001) exceeds the maximum allowed (1000)"));
    }

    private static Stream<Arguments> fields() {
        return Stream.of(
                arguments("{}", "id is missing; give it a value"),
                arguments("{'id': 'a'}", "network is missing; give it a value"),
                arguments("{'id': 'a', 'network': 'lenet'}", "dataset is missing; give it a value"),
                arguments("{'id': 'a', 'network': 'lenet', 'dataset': 'mnist'}", "epochs is missing; give it a value"),
                arguments(job("'epoch': 3"), "the field \"epoch\" is not known; allowed is " + FIELDS),
                arguments(
                        job("'" + "k".repeat(300) + "': 1"),
                        "the field \"" + "k".repeat(77) + "...\" is not known; allowed is " + FIELDS),
                arguments(job("'batchSize': 0"), "batchSize is 0; allowed is 1 to 65536"),
                arguments(job("'batchSize': 65537"), "batchSize is 65537; allowed is 1 to 65536"),
                arguments(
                        job("'batchSize': 3000000000"),
                        "batchSize is 3000000000; it must be a whole number that is not so large"),
                arguments(job("'batchSize': '64'"), "batchSize is \"64\"; it must be a whole number"),
                arguments(job("'batchSize': 64.0"), "batchSize is 64.0; it must be a whole number"),
                arguments(job("'batchSize': true"), "batchSize is true; it must be a whole number"),
                arguments(job("'seed': 1.5"), "seed is 1.5; it must be a whole number"),
                arguments(
                        job("'seed': 9223372036854775808"),
                        "seed is 9223372036854775808; it must be a whole number that is not so large"),
                arguments(job("'shuffle': 'yes'"), "shuffle is \"yes\"; it must be true or false"),
                arguments(job("'shuffle': 1"), "shuffle is 1; it must be true or false"),
                arguments(job("'checkpointEveryEpochs': 0"), "checkpointEveryEpochs is 0; allowed is 1 to 100000"),
                arguments(job("'reportEverySteps': 0"), "reportEverySteps is 0; allowed is 1 to 1000000000"),
                arguments(
                        job("'device': 'gpu'"),
                        "device is \"gpu\"; allowed is auto, cpu, reference, cuda, or cuda:N with the GPU's number N"),
                arguments(
                        job("'precision': 'fp16'"), "precision is \"fp16\"; it must be \"fp32\", \"tf32\" or \"bf16\""),
                arguments(job("'precision': 0"), "precision is 0; it must be \"fp32\", \"tf32\" or \"bf16\""),
                arguments(
                        job("'device': 'cuda:01'"),
                        "device is \"cuda:01\"; allowed is auto, cpu, reference, cuda, or cuda:N with the GPU's number N"),
                arguments(job("'device': 3"), "device is 3; it must be a device's name, such as \"auto\""),
                arguments(
                        "{'id': 'a', 'network': 'lenet', 'dataset': 'mnist', 'epochs': 0}",
                        "epochs is 0; allowed is 1 to 100000"));
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

    static Stream<Arguments> wrongDevices() {
        return Stream.of(
                arguments("'devices': 'cuda'", "devices is \"cuda\"; it must be a list in brackets, [...]"),
                arguments(
                        "'devices': []",
                        "devices has 0 entries; allowed is 2 to 16, and a single one is named with device"),
                arguments(
                        "'devices': ['cpu']",
                        "devices has 1 entries; allowed is 2 to 16, and a single one is named with device"),
                arguments(
                        "'devices': [%s 'cpu']".formatted("'cpu', ".repeat(16)),
                        "devices has 17 entries; allowed is 2 to 16, and a single one is named with device"),
                arguments("'devices': ['cpu', null]", "devices has an entry that is null; give each a value"),
                arguments(
                        "'devices': ['cpu', 'gpu']",
                        "devices[1]: device is \"gpu\"; allowed is auto, cpu, reference, cuda, or cuda:N with the GPU's number N"),
                arguments(
                        "'devices': ['auto', 'auto']",
                        "devices[0] is \"auto\"; allowed is cpu, or cuda:N with the GPU's number N"),
                arguments(
                        "'devices': ['cuda:0', 'cuda']",
                        "devices[1] is \"cuda\"; allowed is cpu, or cuda:N with the GPU's number N"),
                arguments(
                        "'devices': ['reference', 'reference']",
                        "devices[0] is \"reference\"; allowed is cpu, or cuda:N with the GPU's number N"),
                arguments(
                        "'devices': ['cpu', 'cuda:0']",
                        "devices[1] is \"cuda:0\" beside \"cpu\"; allowed is one kind of device for a job"),
                arguments(
                        "'devices': ['cuda:0', 'cuda:1', 'cuda:0']",
                        "devices[2] is \"cuda:0\" again; allowed is each GPU once"),
                arguments(
                        "'device': 'cuda:0', 'devices': ['cuda:0', 'cuda:1']",
                        "device is \"cuda:0\", but devices are given, too; leave out one of the two"));
    }

    @ParameterizedTest
    @MethodSource("wrongDevices")
    void severalDevicesMustFitOneAnother(String fields, String message) {
        assertThatThrownBy(() -> read(job(fields)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(message);
    }

    private static Stream<Arguments> names() {
        return Stream.of(
                arguments(id("''"), "id is \"\"; " + ID),
                arguments(id("'../etc'"), "id is \"../etc\"; " + ID),
                arguments(id("'a/b'"), "id is \"a/b\"; " + ID),
                arguments(id("'a..b'"), "id is \"a..b\"; " + ID),
                arguments(id("'a.'"), "id is \"a.\"; " + ID),
                arguments(id("'.hidden'"), "id is \".hidden\"; " + ID),
                arguments(id("'-rf'"), "id is \"-rf\"; " + ID),
                arguments(id("'a\\u0000b\\n'"), "id is \"a?b?\"; " + ID),
                arguments(id("'" + "x".repeat(101) + "'"), "id is \"" + "x".repeat(77) + "...\"; " + ID),
                arguments(id("'" + "x.".repeat(50) + "x'"), "id is \"" + "x.".repeat(38) + "x...\"; " + ID),
                arguments(id("7"), "id is 7; it must be text, in quotes"));
    }

    private static Stream<Arguments> datasets() {
        String name = "it must be a data set's name or {\"name\": ..., \"normalize\": ..., \"augment\": ...}";
        return Stream.of(
                arguments(dataset("'../cifar10'"), "dataset is \"../cifar10\"; " + DATASET),
                arguments(dataset("'/etc/passwd'"), "dataset is \"/etc/passwd\"; " + DATASET),
                arguments(dataset("{'name': 'a/../b'}"), "dataset is \"a/../b\"; " + DATASET),
                arguments(dataset("'CIFAR10'"), "dataset is \"CIFAR10\"; " + DATASET),
                arguments(dataset("7"), "dataset is 7; " + name),
                arguments(dataset("{}"), "dataset.name is missing; give it a value"),
                arguments(
                        dataset("{'name': 'mnist', 'normalise': {}}"),
                        "the field \"normalise\" of dataset is not known; allowed is augment, name, normalize"),
                arguments(
                        dataset("{'name': 'mnist', 'normalize': 0.5}"),
                        "dataset.normalize is 0.5; it must be an object such as {\"mean\": [0.5], \"std\": [0.5]}, with one number a channel"),
                arguments(
                        normalize("0.5", "[1]"), "dataset.normalize.mean is 0.5; it must be a list in brackets, [...]"),
                arguments(normalize("['x']", "[1]"), "dataset.normalize.mean[0] is \"x\"; it must be a number"),
                arguments(
                        normalize("[null]", "[1]"),
                        "dataset.normalize.mean has an entry that is null; give each a value"),
                arguments(
                        normalize("[1, 2]", "[1]"),
                        "dataset.normalize has 2 means and 1 stds; give one of each a channel"),
                arguments(
                        normalize("[1]", "[0]"),
                        "dataset.normalize.std is 0.0; allowed is 1.0E-6 up to, but not including, 1000000.0"));
    }

    private static Stream<Arguments> ends() {
        return Stream.of(
                arguments(
                        job("'stopWhen': {}"),
                        "stopWhen is empty; give it testAccuracyAtLeast, noImprovementEpochs or maxMinutes, or leave it out"),
                arguments(
                        job("'stopWhen': {'testAccuracyAtLeast': 91}"),
                        "stopWhen.testAccuracyAtLeast is 91.0; allowed is above 0 up to 1.0"),
                arguments(
                        job("'stopWhen': {'noImprovementEpochs': 0}"),
                        "stopWhen.noImprovementEpochs is 0; allowed is 1 to 100000"),
                arguments(
                        job("'stopWhen': {'maxMinutes': 0}"),
                        "stopWhen.maxMinutes is 0.0; allowed is above 0 up to 1000000.0"),
                arguments(
                        job("'stopWhen': {'maxMinutes': 1, 'testLossAtMost': 1}"),
                        "the field \"testLossAtMost\" of stopWhen is not known; allowed is maxMinutes, noImprovementEpochs, testAccuracyAtLeast"),
                arguments(
                        job("'stopWhen': 0.9"),
                        "stopWhen is 0.9; it must be an object such as {\"testAccuracyAtLeast\": 0.9}"));
    }

    private static Stream<Arguments> checkpoints() {
        String allowed = "; allowed is a job's id, or a job's id and a step, such as \"tudui-1\" or \"tudui-1/7820\"";
        return Stream.of(
                arguments(job("'initFrom': '../b'"), "initFrom is \"../b\"" + allowed),
                arguments(job("'initFrom': '/etc/passwd'"), "initFrom is \"/etc/passwd\"" + allowed),
                arguments(job("'kind': 'test'"), "kind is \"test\"; it must be \"train\" or \"evaluate\""),
                arguments(job("'kind': 1"), "kind is 1; it must be \"train\" or \"evaluate\""),
                arguments(
                        job("'kind': 'evaluate'"),
                        "epochs is 1, but a job of kind \"evaluate\" trains nothing; leave it out"),
                arguments(
                        evaluation("'optimizer': {'type': 'sgd', 'learningRate': 1}"),
                        "optimizer is {\"type\":\"sgd\",\"learningRate\":1}, but a job of kind \"evaluate\" trains nothing; leave it out"),
                arguments(
                        evaluation("'shuffle': false"),
                        "shuffle is false, but a job of kind \"evaluate\" trains nothing; leave it out"),
                arguments(
                        evaluation("'optimizer': null"),
                        "initFrom is missing; a job that evaluates needs the checkpoint to load, such as \"tudui-1\" or \"tudui-1/7820\""),
                arguments(job("'initFrom': 'b/x'"), "initFrom is \"b/x\"" + allowed),
                arguments(job("'initFrom': 'b/-1'"), "initFrom is \"b/-1\"" + allowed),
                arguments(job("'initFrom': 'b/1/2'"), "initFrom is \"b/1/2\"" + allowed),
                arguments(
                        job("'initFrom': 7"),
                        "initFrom is 7; it must be text, in quotes: a job's id, or a job's id and a step, such as \"tudui-1/7820\""),
                arguments(
                        job("'initFrom': 'a/7'"),
                        "initFrom is \"a/7\", the job's own id; name another job's checkpoint, for a job that goes on does so from its own by itself"));
    }

    private static Stream<Arguments> augmentations() {
        return Stream.of(
                arguments(
                        augment("{}"),
                        "dataset.augment is empty; give it randomCrop, horizontalFlip or cutout, or leave it out"),
                arguments(
                        augment("true"),
                        "dataset.augment is true; it must be an object such as {\"randomCrop\": {\"padding\": 4}, \"horizontalFlip\": {\"p\": 0.5}, \"cutout\": {\"size\": 8}}"),
                arguments(
                        augment("{'randomCrop': {'padding': 4}, 'flip': {}}"),
                        "the field \"flip\" of dataset.augment is not known; allowed is cutout, horizontalFlip, randomCrop"),
                arguments(
                        augment("{'randomCrop': {}}"),
                        "dataset.augment.randomCrop.padding is missing; give it a value"),
                arguments(
                        augment("{'randomCrop': {'padding': 0}}"),
                        "dataset.augment.randomCrop.padding is 0; allowed is 1 to 256"),
                arguments(
                        augment("{'randomCrop': 4}"),
                        "dataset.augment.randomCrop is 4; it must be an object in braces, {...}"),
                arguments(
                        augment("{'horizontalFlip': {'p': 1.5}}"),
                        "dataset.augment.horizontalFlip.p is 1.5; allowed is 0.0 to 1.0"),
                arguments(augment("{'cutout': {}}"), "dataset.augment.cutout.size is missing; give it a value"),
                arguments(
                        augment("{'cutout': {'size': 7}}"),
                        "dataset.augment.cutout.size is 7; allowed is an even number, 2 to 512"),
                arguments(
                        augment("{'cutout': {'size': 0}}"),
                        "dataset.augment.cutout.size is 0; allowed is an even number, 2 to 512"));
    }

    @Test
    void flipsHalfOfTheImagesByDefault() {
        AugmentSpec augment = read(augment("{'horizontalFlip': {}}")).dataset().augment();
        assertThat(augment).isEqualTo(new AugmentSpec(null, new AugmentSpec.HorizontalFlip(0.5), null));
    }

    private static Stream<Arguments> networks() {
        String name = "it must be a network's name or {\"layers\": [...]}";
        String layer = "it must be an object with a type, such as {\"type\": \"relu\"}";
        String relus = "{'type': 'relu'}, ".repeat(1000) + "{'type': 'relu'}";
        return Stream.of(
                arguments(
                        network("'alexnet'"),
                        "network is \"alexnet\"; allowed is one of fashion, lenet, resnet18-cifar, signs, tudui, or {\"layers\": [...]}"),
                arguments(network("5"), "network is 5; " + name),
                arguments(network("['lenet']"), "network is [\"lenet\"]; " + name),
                arguments(network("{}"), "network.layers is missing; give it a value"),
                arguments(network("{'layers': 3}"), "network.layers is 3; it must be a list in brackets, [...]"),
                arguments(layers(""), "network.layers has 0 layers; allowed is 1 to 1000"),
                arguments(layers(relus), "network.layers has 1001 layers; allowed is 1 to 1000"),
                arguments(layers("{'type': 'conv3d'}"), "network.layers[0].type is \"conv3d\"; allowed is " + LAYERS),
                arguments(layers("{'out': 3}"), "network.layers[0].type is missing; allowed is " + LAYERS),
                arguments(layers("{'type': 'relu'}, 'relu'"), "network.layers[1] is \"relu\"; " + layer),
                arguments(layers("null"), "network.layers has an entry that is null; give each a value"),
                arguments(
                        layers("{'type': 'relu'}, {'type': 'conv2d', 'out': 3}"),
                        "network.layers[1]: conv2d.kernel is missing; give it a value"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 0, 'kernel': 3}"),
                        "network.layers[0]: conv2d.out is 0; allowed is 1 to 1048576"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': 3, 'dilate': 2}"),
                        "the field \"dilate\" of network.layers[0] is not known; allowed is bias, dilation, groups, kernel, name, out, padding, stride"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': 3, 'dilation': 0}"),
                        "network.layers[0]: conv2d.dilation is 0; allowed is 1 to 1024"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': 3, 'groups': 0}"),
                        "network.layers[0]: conv2d.groups is 0; allowed is 1 to 1048576"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': 3, 'groups': 2}"),
                        "network.layers[0]: conv2d.groups is 2, but conv2d.out is 3; it must be a multiple of groups"),
                arguments(
                        layers("{'type': 'linear', 'out': 1.5}"),
                        "network.layers[0].out is 1.5; it must be a whole number"),
                arguments(
                        layers("{'type': 'dropout', 'p': 1}"),
                        "network.layers[0]: dropout.p is 1.0; allowed is 0.0 up to, but not including, 1.0"),
                arguments(
                        layers("{'type': 'dropout', 'p': 'NaN'}"),
                        "network.layers[0]: dropout.p is NaN; allowed is 0.0 up to, but not including, 1.0"),
                arguments(
                        layers("{'type': 'dropout2d', 'p': 1}"),
                        "network.layers[0]: dropout2d.p is 1.0; allowed is 0.0 up to, but not including, 1.0"),
                arguments(
                        layers("{'type': 'avgPool2d'}"),
                        "network.layers[0]: avgPool2d.kernel is missing; give it a value"),
                arguments(
                        layers("{'type': 'avgPool2d', 'kernel': 2, 'stride': 0}"),
                        "network.layers[0]: avgPool2d.stride is 0; allowed is 1 to 1024"),
                arguments(
                        layers("{'type': 'adaptiveAvgPool2d'}"),
                        "network.layers[0]: adaptiveAvgPool2d.out is missing; give it a value"),
                arguments(
                        layers("{'type': 'adaptiveAvgPool2d', 'out': 1025}"),
                        "network.layers[0]: adaptiveAvgPool2d.out is 1025; allowed is 1 to 1024"),
                arguments(
                        layers("{'type': 'leakyRelu', 'negativeSlope': -0.1}"),
                        "network.layers[0]: leakyRelu.negativeSlope is -0.1; allowed is 0.0 up to, but not including, 1000.0"),
                arguments(
                        layers("{'type': 'gelu', 'approximate': 'erf'}"),
                        "network.layers[0]: gelu.approximate is \"erf\"; allowed is none or tanh"),
                arguments(
                        layers("{'type': 'tanh', 'p': 0.5}"),
                        "the field \"p\" of network.layers[0] is not known; allowed is name"),
                arguments(
                        layers("{'type': 'residual'}"),
                        "network.layers[0]: residual.layers is missing; give it a value"),
                arguments(
                        layers("{'type': 'residual', 'layers': []}"),
                        "network.layers[0]: residual.layers has 0 layers; give it at least 1"),
                arguments(
                        layers("{'type': 'residual', 'layers': [null]}"),
                        "network.layers[0]: residual.layers has an entry that is null; give each a value"),
                arguments(
                        layers("{'type': 'residual', 'layers': 3}"),
                        "network.layers[0].layers is 3; it must be a list in brackets, [...]"),
                arguments(
                        layers("{'type': 'residual', 'layers': [{'type': 'relu'}, {'type': 'res'}]}"),
                        "network.layers[0].layers[1].type is \"res\"; allowed is " + LAYERS),
                arguments(
                        layers("{'type': 'residual', 'layers': [{'type': 'relu'}], 'shortcut': [{'type': 'linear'}]}"),
                        "network.layers[0].shortcut[0]: linear.out is missing; give it a value"),
                arguments(
                        layers("{'type': 'residual', 'layers': [{'type': 'relu', 'name': 'a..b'}]}"),
                        "network.layers[0].layers[0].name is \"a..b\"; " + LAYER_NAME),
                arguments(
                        layers("{'type': 'residual', 'layers': [" + relus + "]}"),
                        "network.layers has 1002 layers; allowed is 1 to 1000"),
                arguments(
                        layers("{'type': 'relu', 'name': '../a'}"),
                        "network.layers[0].name is \"../a\"; " + LAYER_NAME),
                arguments(
                        layers("{'type': 'relu', 'name': 7}"),
                        "network.layers[0].name is 7; it must be text, in quotes"));
    }

    private static Stream<Arguments> optimizers() {
        return Stream.of(
                arguments(optimizer("'type': 'lion'"), "optimizer.type is \"lion\"; allowed is adam, adamw, sgd"),
                arguments(optimizer("'learningRate': 1"), "optimizer.type is missing; allowed is adam, adamw, sgd"),
                arguments(optimizer("'type': 'sgd'"), "optimizer.learningRate is missing; give it a value"),
                arguments(
                        job("'optimizer': 'sgd'"),
                        "optimizer is \"sgd\"; it must be an object with a type, such as {\"type\": \"sgd\", \"learningRate\": 0.01}"),
                arguments(
                        optimizer("'type': 'sgd', 'learningRate': -1"),
                        "optimizer.learningRate is -1.0; allowed is 0.0 up to, but not including, 1000.0"),
                arguments(
                        optimizer("'type': 'sgd', 'learningRate': 1e999"),
                        "optimizer.learningRate is Infinity; allowed is 0.0 up to, but not including, 1000.0"),
                arguments(
                        optimizer("'type': 'sgd', 'learningRate': NaN"),
                        "the command is not JSON: Non-standard token 'NaN' (line 1, column 114)"),
                arguments(
                        optimizer("'type': 'sgd', 'learningRate': '0.1'"),
                        "optimizer.learningRate is \"0.1\"; it must be a number"),
                arguments(
                        optimizer("'type': 'sgd', 'learningRate': 1, 'momentum': 1"),
                        "optimizer.momentum is 1.0; allowed is 0.0 up to, but not including, 1.0"),
                arguments(
                        optimizer("'type': 'sgd', 'learningRate': 1, 'nesterov': true"),
                        "optimizer.nesterov is true, but optimizer.momentum is 0.0; Nesterov's rule needs a momentum above 0, such as 0.9"),
                arguments(
                        optimizer("'type': 'sgd', 'learningRate': 1, 'dampening': 0.1"),
                        "the field \"dampening\" of optimizer is not known; allowed is learningRate, momentum, nesterov, weightDecay"),
                arguments(
                        optimizer("'type': 'adam', 'beta1': 1"),
                        "optimizer.beta1 is 1.0; allowed is 0.0 up to, but not including, 1.0"),
                arguments(
                        optimizer("'type': 'adamw', 'beta2': -0.1"),
                        "optimizer.beta2 is -0.1; allowed is 0.0 up to, but not including, 1.0"),
                arguments(
                        optimizer("'type': 'adamw', 'epsilon': 0"),
                        "optimizer.epsilon is 0.0; allowed is 1.0E-30 up to, but not including, 1000.0"),
                arguments(
                        optimizer("'type': 'adam', 'momentum': 0.9"),
                        "the field \"momentum\" of optimizer is not known; allowed is beta1, beta2, epsilon, learningRate, weightDecay"));
    }

    private static Stream<Arguments> schedules() {
        String types = "allowed is constant, cosine, multiStep, oneCycle, step, warmup";
        String object = "it must be an object with a type, such as {\"type\": \"cosine\"}";
        return Stream.of(
                arguments(job("'schedule': 'cosine'"), "schedule is \"cosine\"; " + object),
                arguments(schedule("'type': 'linear'"), "schedule.type is \"linear\"; " + types),
                arguments(schedule("'gamma': 0.1"), "schedule.type is missing; " + types),
                arguments(
                        schedule("'type': 'constant', 'gamma': 1"),
                        "the field \"gamma\" of schedule is not known; allowed is none"),
                arguments(schedule("'type': 'step'"), "schedule.stepSize is missing; give it a value"),
                arguments(schedule("'type': 'step', 'stepSize': 0"), "schedule.stepSize is 0; allowed is 1 to 100000"),
                arguments(
                        schedule("'type': 'step', 'stepSize': 1, 'gamma': -1"),
                        "schedule.gamma is -1.0; allowed is 0.0 up to, but not including, 1000.0"),
                arguments(schedule("'type': 'multiStep'"), "schedule.milestones is missing; give it a value"),
                arguments(
                        schedule("'type': 'multiStep', 'milestones': 3"),
                        "schedule.milestones is 3; it must be a list in brackets, [...]"),
                arguments(
                        schedule("'type': 'multiStep', 'milestones': []"),
                        "the length of schedule.milestones is 0; allowed is 1 to 1000"),
                arguments(
                        schedule("'type': 'multiStep', 'milestones': [2, null]"),
                        "schedule.milestones has an entry that is null; give each a value"),
                arguments(
                        schedule("'type': 'multiStep', 'milestones': [2, 2]"),
                        "schedule.milestones has 2 after 2; each must be larger than the one before"),
                arguments(
                        schedule("'type': 'multiStep', 'milestones': [0]"),
                        "schedule.milestones is 0; allowed is 1 to 100000"),
                arguments(
                        schedule("'type': 'cosine', 'minLearningRate': 1e4"),
                        "schedule.minLearningRate is 10000.0; allowed is 0.0 up to, but not including, 1000.0"),
                arguments(schedule("'type': 'oneCycle'"), "schedule.maxLearningRate is missing; give it a value"),
                arguments(
                        schedule("'type': 'oneCycle', 'maxLearningRate': 1, 'pctStart': 1.5"),
                        "schedule.pctStart is 1.5; allowed is 0.0 to 1.0"),
                arguments(
                        schedule("'type': 'oneCycle', 'maxLearningRate': 1, 'divFactor': 0"),
                        "schedule.divFactor is 0.0; allowed is 1.0E-6 up to, but not including, 1.0E12"),
                arguments(
                        schedule("'type': 'oneCycle', 'maxLearningRate': 1, 'finalDivFactor': -1"),
                        "schedule.finalDivFactor is -1.0; allowed is 1.0E-6 up to, but not including, 1.0E12"),
                arguments(schedule("'type': 'warmup'"), "schedule.steps is missing; give it a value"),
                arguments(schedule("'type': 'warmup', 'steps': 0"), "schedule.steps is 0; allowed is 1 to 1000000000"),
                arguments(
                        schedule("'type': 'warmup', 'steps': 5, 'startFactor': 0"),
                        "schedule.startFactor is 0.0; allowed is 1.0E-9 to 1.0"),
                arguments(
                        schedule("'type': 'warmup', 'steps': 5, 'then': {'type': 'exponential'}"),
                        "schedule.then.type is \"exponential\"; " + types),
                arguments(
                        schedule("'type': 'warmup', 'steps': 5, 'then': {'type': 'warmup', 'steps': 3}"),
                        "schedule.then is a warmup in a warmup; allowed is constant, cosine, multiStep, oneCycle, step"));
    }

    @Test
    void aCommandThatIsTooLongIsRefusedUnread() {
        byte[] tooLong = new byte[JobJson.MAX_BYTES + 1];
        assertThatThrownBy(() -> JobJson.read(tooLong))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("the command has 1048577 bytes; allowed is up to 1048576");
    }

    @Test
    void bytesThatAreNoTextAreRefused() {
        byte[] notUtf8 = {'{', '"', 'i', 'd', '"', ':', '"', (byte) 0xc3, '(', '"', '}'};
        assertThatThrownBy(() -> JobJson.read(notUtf8))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("the command is not JSON: Invalid UTF-8 middle byte 0x28 (line 1, column 10)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "7", "tudui-1", "a_b-C.d.0.e.f", "0123456789"})
    void usefulIdsAreAllowed(String id) {
        assertThat(read(id("'" + id + "'")).id()).isEqualTo(id);
    }

    private static JobSpec read(String json) {
        return JobJson.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static String job(String more) {
        return "{'id': 'a', 'network': 'lenet', 'dataset': 'mnist', 'epochs': 1, %s}".formatted(more);
    }

    private static String evaluation(String more) {
        return "{'id': 'a', 'kind': 'evaluate', 'network': 'lenet', 'dataset': 'mnist', %s}".formatted(more);
    }

    private static String id(String id) {
        return "{'id': %s, 'network': 'lenet', 'dataset': 'mnist', 'epochs': 1}".formatted(id);
    }

    private static String dataset(String dataset) {
        return "{'id': 'a', 'network': 'lenet', 'dataset': %s, 'epochs': 1}".formatted(dataset);
    }

    private static String normalize(String mean, String std) {
        return dataset("{'name': 'mnist', 'normalize': {'mean': %s, 'std': %s}}".formatted(mean, std));
    }

    private static String augment(String augment) {
        return dataset("{'name': 'mnist', 'augment': %s}".formatted(augment));
    }

    private static String network(String network) {
        return "{'id': 'a', 'network': %s, 'dataset': 'mnist', 'epochs': 1}".formatted(network);
    }

    private static String layers(String layers) {
        return network("{'layers': [%s]}".formatted(layers));
    }

    private static String optimizer(String fields) {
        return job("'optimizer': {%s}".formatted(fields));
    }

    private static String schedule(String fields) {
        return job("'schedule': {%s}".formatted(fields));
    }
}
