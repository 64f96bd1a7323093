package io.trainyard.spec;

import static io.trainyard.spec.JobTexts.dataset;
import static io.trainyard.spec.JobTexts.evaluation;
import static io.trainyard.spec.JobTexts.id;
import static io.trainyard.spec.JobTexts.job;
import static io.trainyard.spec.JobTexts.layers;
import static io.trainyard.spec.JobTexts.normalize;
import static io.trainyard.spec.JobTexts.read;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What is wrong with a command, but for what [NetworkJsonMistakesTest] has.
class JobJsonMistakesTest {
    private static final String FIELDS =
            "accumulateSteps, asha, batchSize, checkpointEveryEpochs, checkpointEverySeconds, checkpointEverySteps, clipGradients, dataset, device, devices, dropLast, ema, epochs, group, id, initFrom, keepBest, keepLast, kind, loss, network, optimizer, precision, preemptible, project, random, reportEverySteps, schedule, seed, shuffle, stopWhen, sweep";
    private static final String ID =
            "allowed is 1 to 100 letters, digits, hyphens, underscores and single dots between them, beginning with a letter or digit";
    private static final String DATASET = "allowed is a name of small letters, digits and hyphens, such as cifar10";

    /// The whole sentence a person gets for each mistake.
    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeGetsASentence(String json, String sentence) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(sentence);
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(notJson(), fields(), several(), names(), datasets(), ends(), checkpoints())
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
                arguments("{'id': 'a', 'network': 'lenet', 'dataset': 'mnist'}", "epochs is missing; give it a value"),
                arguments(job("'epoch': 3"), "the field \"epoch\" is not known; the nearest is \"epochs\""),
                arguments(job("'momentum': 3"), "the field \"momentum\" is not known; allowed is " + FIELDS),
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
                arguments(job("'checkpointEverySteps': 0"), "checkpointEverySteps is 0; allowed is 1 to 1000000000"),
                arguments(
                        job("'checkpointEverySeconds': 1000001"),
                        "checkpointEverySeconds is 1000001; allowed is 1 to 1000000"),
                arguments(job("'keepLast': 0"), "keepLast is 0; allowed is 1 to 100000"),
                arguments(job("'keepBest': 1"), "keepBest is 1; it must be true or false"),
                arguments(
                        evaluation("'initFrom': 'b', 'keepLast': 2"),
                        "keepLast is 2, but a job of kind \"evaluate\" trains nothing; leave it out"),
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

    private static Stream<Arguments> several() {
        return Stream.of(
                arguments(
                        "{}",
                        "id is missing; give it a value; and network is missing; give it a value; and dataset is missing; give it a value; and epochs is missing; give it a value"),
                arguments(
                        "{'id': 'a', 'epoch': 2}",
                        "the field \"epoch\" is not known; the nearest is \"epochs\"; and network is missing; give it a value; and dataset is missing; give it a value"),
                arguments(
                        "{'id': '', 'network': 'lenet', 'dataset': 7, 'epoch': 0, 'batchsize': 'many', 'seed': 'x', 'reportEverySteps': 0}",
                        "dataset is 7; it must be a data set's name or {\"name\": ..., \"normalize\": ..., \"augment\": ...}; and seed is \"x\"; it must be a whole number; and the field \"epoch\" is not known; the nearest is \"epochs\"; and the field \"batchsize\" is not known; the nearest is \"batchSize\"; and batchSize is \"many\"; it must be a whole number; and id is \"\"; "
                                + ID
                                + "; and epochs is 0; allowed is 1 to 100000; and reportEverySteps is 0; allowed is 1 to 1000000000"),
                arguments(
                        job("'a1': 1, 'b1': 1, 'c1': 1, 'd1': 1, 'e1': 1, 'f1': 1, 'g1': 1, 'h1': 1, 'i1': 1"),
                        Stream.of("a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1")
                                .map(name ->
                                        "the field \"%s\" is not known; allowed is %s; and ".formatted(name, FIELDS))
                                .collect(Collectors.joining("", "", "there are more mistakes"))),
                arguments(
                        layers(
                                "{'type': 'relu7'}, {'type': 'relu'}, {'type': 'linear', 'outs': 1.5}, {'type': 'dropout', 'p': 2}"),
                        "network.layers[0].type is \"relu7\"; allowed is adaptiveAvgPool2d, avgPool2d, batchNorm1d, batchNorm2d, conv2d, dropout, dropout2d, flatten, gelu, groupNorm, hardswish, hardtanh, identity, layerNorm, layerNorm2d, layerScale, leakyRelu, linear, maxPool2d, relu, relu6, residual, sigmoid, silu, softplus, tanh, upsample; and the field \"outs\" of network.layers[2] is not known; the nearest is \"out\"; and network.layers[2].out is 1.5; it must be a whole number; and network.layers[3]: dropout.p is 2.0; allowed is 0.0 up to, but not including, 1.0"),
                arguments(
                        "{'id': 'a', 'kind': 'evalute', 'network': 'lenet', 'dataset': 'mnist'}",
                        "kind is \"evalute\"; it must be \"train\" or \"evaluate\""),
                arguments(
                        "{'id': 'a', 'kind': 'evaluate', 'network': 'lenet', 'dataset': 'mnist', 'epochs': 1, 'initFrom': '../b', 'batchSize': 0}",
                        "epochs is 1, but a job of kind \"evaluate\" trains nothing; leave it out; and initFrom is \"../b\"; allowed is a job's id, or a job's id and a step, such as \"tudui-1\" or \"tudui-1/7820\"; and batchSize is 0; allowed is 1 to 65536"));
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
                        "the field \"normalise\" of dataset is not known; the nearest is \"normalize\"; and dataset.normalize.mean is missing; give it a value"),
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
                        "epochs is 1, but a job of kind \"evaluate\" trains nothing; leave it out; and initFrom is missing; a job that evaluates needs the checkpoint to load, such as \"tudui-1\" or \"tudui-1/7820\""),
                arguments(
                        evaluation("'optimizer': {'type': 'sgd', 'learningRate': 1}"),
                        "optimizer is {\"type\":\"sgd\",\"learningRate\":1}, but a job of kind \"evaluate\" trains nothing; leave it out; and initFrom is missing; a job that evaluates needs the checkpoint to load, such as \"tudui-1\" or \"tudui-1/7820\""),
                arguments(
                        evaluation("'shuffle': false"),
                        "shuffle is false, but a job of kind \"evaluate\" trains nothing; leave it out; and initFrom is missing; a job that evaluates needs the checkpoint to load, such as \"tudui-1\" or \"tudui-1/7820\""),
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
}
