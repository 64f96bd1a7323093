package io.trainyard.spec;

import static io.trainyard.spec.JobTexts.augment;
import static io.trainyard.spec.JobTexts.job;
import static io.trainyard.spec.JobTexts.layers;
import static io.trainyard.spec.JobTexts.loss;
import static io.trainyard.spec.JobTexts.network;
import static io.trainyard.spec.JobTexts.optimizer;
import static io.trainyard.spec.JobTexts.read;
import static io.trainyard.spec.JobTexts.schedule;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What is wrong with a network, or with how it is trained.
class NetworkJsonMistakesTest {
    private static final String LAYERS =
            "adaptiveAvgPool2d, avgPool2d, batchNorm1d, batchNorm2d, conv2d, dropout, dropout2d, flatten, gelu, groupNorm, hardswish, hardtanh, identity, layerNorm, layerNorm2d, layerScale, leakyRelu, linear, maxPool2d, relu, relu6, residual, sigmoid, silu, softplus, tanh, upsample";
    private static final String LAYER_NAME =
            "allowed is letters, digits and underscores, in parts joined by single dots, such as conv1 or model.0";

    /// The whole sentence a person gets for each mistake.
    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeGetsASentence(String json, String sentence) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(sentence);
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(augmentations(), networks(), losses(), optimizers(), schedules())
                .flatMap(rows -> rows);
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
                        "the field \"flip\" of dataset.augment is not known; the nearest is \"horizontalFlip\""),
                arguments(
                        augment("{'randomCrop': {'size': 4}}"),
                        "the field \"size\" of dataset.augment.randomCrop is not known; allowed is padding; and dataset.augment.randomCrop.padding is missing; give it a value"),
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
                        layers("{'type': 'relu'}, {'type': 'conv2d', 'out': 3, 'size': 3}"),
                        "the field \"size\" of network.layers[1] is not known; allowed is bias, dilation, groups, kernel, name, out, padding, stride; and network.layers[1]: conv2d.kernel is missing; give it a value"),
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
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': '3'}"),
                        "network.layers[0].kernel: \"3\" is given; allowed is a whole number, or two: [rows, columns]"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': 2.5}"),
                        "network.layers[0].kernel: 2.5 is given; allowed is a whole number, or two: [rows, columns]"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': {'rows': 3}}"),
                        "network.layers[0].kernel: {\"rows\":3} is given; allowed is a whole number, or two: [rows, columns]"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': 3000000000}"),
                        "network.layers[0].kernel: 3000000000 is given; allowed is a whole number, or two: [rows, columns]"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': [3]}"),
                        "network.layers[0].kernel: [3] is given; allowed is a whole number, or two: [rows, columns]"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': [3, null]}"),
                        "network.layers[0].kernel: [3,null] is given; allowed is a whole number, or two: [rows, columns]"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': [3, 'a']}"),
                        "network.layers[0].kernel: [3,\"a\"] is given; allowed is a whole number, or two: [rows, columns]"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': null}"),
                        "network.layers[0]: conv2d.kernel is missing; give it a value"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': [3, 0]}"),
                        "network.layers[0]: conv2d.kernel is [3, 0]; allowed is 1 to 1024"),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': 3, 'padding': 'valid'}"),
                        "network.layers[0].padding: \"valid\" is given; allowed is a whole number, or two: [rows, columns], or \"same\""),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': 3, 'padding': true}"),
                        "network.layers[0].padding: true is given; allowed is a whole number, or two: [rows, columns], or \"same\""),
                arguments(
                        layers("{'type': 'conv2d', 'out': 3, 'kernel': 3, 'padding': 'same', 'stride': [1, 2]}"),
                        "network.layers[0]: conv2d.padding is \"same\", but conv2d.stride is [1, 2]; it must be 1, or the padding a number"),
                arguments(
                        layers("{'type': 'maxPool2d', 'kernel': [2, 3], 'padding': [1, 2]}"),
                        "network.layers[0]: maxPool2d.padding is [1, 2], but maxPool2d.kernel is [2, 3]; allowed is up to half of it"),
                arguments(
                        layers("{'type': 'avgPool2d', 'kernel': 3, 'padding': 2}"),
                        "network.layers[0]: avgPool2d.padding is 2, but avgPool2d.kernel is 3; allowed is up to half of it"),
                arguments(
                        layers("{'type': 'upsample'}"),
                        "network.layers[0]: upsample has neither size nor scaleFactor; give it one of size and scaleFactor"),
                arguments(
                        layers("{'type': 'upsample', 'size': 3, 'scaleFactor': 2}"),
                        "network.layers[0]: upsample has size and scaleFactor; give it one of size and scaleFactor"),
                arguments(
                        layers("{'type': 'upsample', 'scaleFactor': [2, 2000]}"),
                        "network.layers[0]: upsample.scaleFactor is 2000.0; allowed is 0.001 to 1024.0"),
                arguments(
                        layers("{'type': 'upsample', 'scaleFactor': 'x'}"),
                        "network.layers[0].scaleFactor: \"x\" is given; allowed is a number, or two: [rows, columns]"),
                arguments(
                        layers("{'type': 'upsample', 'size': 3, 'mode': 'bilinear'}"),
                        "network.layers[0]: upsample.mode is \"bilinear\"; allowed is nearest"),
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
                        layers("{'type': 'batchNorm2d', 'momentum': 'none'}"),
                        "network.layers[0].momentum: \"none\" is given; allowed is a number, or \"cumulative\""),
                arguments(
                        layers("{'type': 'batchNorm1d', 'trackRunningStats': false}"),
                        "network.layers[0]: batchNorm1d.trackRunningStats is false, which no device computes; leave it out, or take groupNorm, which has no running statistics"),
                arguments(
                        layers("{'type': 'relu', 'name': '../a'}"),
                        "network.layers[0].name is \"../a\"; " + LAYER_NAME),
                arguments(
                        layers("{'type': 'relu', 'name': 7}"),
                        "network.layers[0].name is 7; it must be text, in quotes"));
    }

    private static Stream<Arguments> losses() {
        return Stream.of(
                arguments(loss("'type': 'hinge'"), "loss.type is \"hinge\"; allowed is crossEntropy, mse"),
                arguments(
                        job("'loss': {'type': 'mse'}, 'stopWhen': {'testAccuracyAtLeast': 0.9}"),
                        "stopWhen.testAccuracyAtLeast is 0.9, but the loss is mse: predicted numbers have no accuracy; use noImprovementEpochs, which then asks the test loss, or maxMinutes"),
                arguments(
                        job("'loss': 'crossEntropy'"),
                        "loss is \"crossEntropy\"; it must be an object with a type, such as {\"type\": \"crossEntropy\", \"labelSmoothing\": 0.1}"),
                arguments(
                        loss("'type': 'crossEntropy', 'labelSmoothing': 1.5"),
                        "loss.labelSmoothing is 1.5; allowed is 0.0 to 1.0"),
                arguments(
                        loss("'type': 'crossEntropy', 'classWeights': [1, -1]"),
                        "loss.classWeights is -1.0; allowed is 0.0 to 1000000.0"),
                arguments(
                        loss("'type': 'crossEntropy', 'classWeights': [1, null]"),
                        "loss.classWeights has an entry that is null; give each a value"),
                arguments(
                        loss("'type': 'crossEntropy', 'classWeights': 2"),
                        "loss.classWeights is 2; it must be a list in brackets, [...]"),
                arguments(
                        loss("'type': 'crossEntropy', 'classWeights': [0, 0]"),
                        "loss.classWeights is [0.0, 0.0]; at least one must be above 0, or nothing is learnt"),
                arguments(
                        loss("'type': 'crossEntropy', 'weight': [1]"),
                        "the field \"weight\" of loss is not known; the nearest is \"classWeights\""));
    }

    private static Stream<Arguments> optimizers() {
        return Stream.of(
                arguments(
                        optimizer("'type': 'lion'"),
                        "optimizer.type is \"lion\"; allowed is adam, adamw, rmsprop, sgd"),
                arguments(
                        optimizer("'learningRate': 1"),
                        "optimizer.type is missing; allowed is adam, adamw, rmsprop, sgd"),
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
                        optimizer("'type': 'sgd', 'learningRate': 1, 'friction': 0.1"),
                        "the field \"friction\" of optimizer is not known; allowed is dampening, learningRate, momentum, nesterov, weightDecay"),
                arguments(
                        optimizer("'type': 'sgd', 'lr': 0.1"),
                        "the field \"lr\" of optimizer is not known; allowed is dampening, learningRate, momentum, nesterov, weightDecay; and optimizer.learningRate is missing; give it a value"),
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
                        "the field \"momentum\" of optimizer is not known; allowed is amsgrad, beta1, beta2, epsilon, learningRate, weightDecay"));
    }

    private static Stream<Arguments> schedules() {
        String types =
                "allowed is constant, cosine, cosineRestarts, exponential, multiStep, oneCycle, polynomial, step, warmup";
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
                        schedule("'type': 'warmup', 'steps': 5, 'then': {'type': 'linear'}"),
                        "schedule.then.type is \"linear\"; " + types),
                arguments(
                        schedule("'type': 'warmup', 'steps': 5, 'then': {'type': 'warmup', 'steps': 3}"),
                        "schedule.then is a warmup in a warmup; allowed is constant, cosine, cosineRestarts, exponential, multiStep, oneCycle, polynomial, step"));
    }
}
