#!/usr/bin/env python3
"""Records PyTorch's numbers for each layer type and optimizer setting: the goldens that Trainyard's own training is tested against.

    python3 layers.py [DIR [CASE...]]   writes DIR/<case>.json and DIR/<case>.safetensors a case; DIR is the folder "layers" beside this file if not given

Needs torch and numpy. Recorded with torch 2.13.0+cpu; running it again with that version on the same kind of CPU gives the same files, elsewhere the
same to float rounding (those with a "loss" and those of LOOPS, concat and gate are torch 1.13.1's): training the same jobs in float64 changes no loss or parameter by
more than 1e-6, and no test prediction.

<case>.json is the job: its layers in order, its optimizer, schedule and loss where it has one, seed, shuffle, epochs, batchSize, what its
loop does besides and, where pixels are normalized, the mean and std of each channel.

<case>.safetensors holds the data and what PyTorch made of it; layer names are nn.Sequential's ("0.weight": the first layer's), and
within a residual "<residual>.<index>" and "<residual>.shortcut.<index>", within a concat "<concat>.<branch>.<index>", within a gate "<gate>.<index>":
    train_x, train_y, test_x, test_y  uint8: pixels as (sample, channel, row, column), and labels
    init.<name>, final.<name>         parameters and buffers before the training and after it (num_batches_tracked is int64, all others float32)
    grad.<name>                       parameters' gradients in the very first step
    losses                            float32: each step's mean loss, of all epochs
    test_loss                         float64: after each epoch, the sum of the test batches' mean losses
    test_predictions                  uint8: the class given to each test sample after the last epoch
or, with the loss mse, whose targets are float32 (sample, output), instead of the last
    test_mean_absolute_error          float64: after each epoch, that of all outputs for the test set

A pixel is uint8 / 255 in float32, then (pixel - mean) / std. Random numbers come from the default generator: torch.manual_seed(seed), the parameters
in the layers' order; at each pass over a set, training or test, one int64 (a DataLoader's base seed) and, when shuffling, one more, which seeds the
generator of the pass's order; in each training step the dropout layers' masks. Epochs are 22 samples in batches of 8, 8 and 6; tests 9, in 8 and 1.
"""
import fnmatch
import json
import os
import sys

import numpy as np
import torch
from torch import nn

import optimizers
import schedules

TRAIN, TEST, BATCH, EPOCHS = 22, 9, 8, 2


def conv(out, kernel=3, stride=1, padding=0, bias=True):
    return {"type": "conv2d", "out": out, "kernel": kernel, "stride": stride, "padding": padding, "bias": bias}


def pool(kernel=2, stride=2):
    return {"type": "maxPool2d", "kernel": kernel, "stride": stride}


def spread(out, kernel=3, stride=1, padding=0, bias=True, dilation=1, groups=1):
    return conv(out, kernel, stride, padding, bias) | {"dilation": dilation, "groups": groups}


def avg_pool(kernel=2, stride=2):
    return {"type": "avgPool2d", "kernel": kernel, "stride": stride}


def adaptive(out):
    return {"type": "adaptiveAvgPool2d", "out": out}


def leaky(slope):
    return {"type": "leakyRelu", "negativeSlope": slope}


def gelu(approximate):
    return {"type": "gelu", "approximate": approximate}


def windows(kind, kernel, stride, **options):
    """A pooling, or with `out` a convolution; sizes may be [rows, columns]."""
    return {"type": kind, "kernel": kernel, "stride": stride, **options}


def upsample(**how):
    return {"type": "upsample", **how}


def linear(out, bias=True):
    return {"type": "linear", "out": out, "bias": bias}


def dropout(p):
    return {"type": "dropout", "p": p}


def residual(layers, shortcut=()):
    return {"type": "residual", "layers": list(layers), "shortcut": list(shortcut)}


def concat(*branches):
    return {"type": "concat", "branches": [list(branch) for branch in branches]}


def gate(*layers):
    return {"type": "gate", "layers": list(layers)}


def dropout2d(p):
    return {"type": "dropout2d", "p": p}


def softplus(beta, threshold):
    return {"type": "softplus", "beta": beta, "threshold": threshold}


def hardtanh(low, high):
    return {"type": "hardtanh", "minVal": low, "maxVal": high}


def norm(dimensions, eps, momentum, affine=True):
    return {"type": f"batchNorm{dimensions}d", "eps": eps, "momentum": momentum, "affine": affine}


def group_norm(groups, eps=1e-5, affine=True):
    return {"type": "groupNorm", "groups": groups, "eps": eps, "affine": affine}


def layer_norm(kind="", eps=1e-5, affine=True, **options):
    return {"type": "layerNorm" + kind, "eps": eps, "affine": affine, **options}


def layer_scale(init):
    return {"type": "layerScale", "initValue": init}


SILU, HARDSWISH, RELU6, IDENTITY = ({"type": kind} for kind in ("silu", "hardswish", "relu6", "identity"))
TANH, SIGMOID = {"type": "tanh"}, {"type": "sigmoid"}
RELU, FLATTEN, NORM = {"type": "relu"}, {"type": "flatten"}, {"type": "batchNorm2d"}
WIDE, SQUARE = (3, 9, 8), (2, 8, 8)                                        # channels, rows, columns


def sgd(lr, momentum=0.0, weight_decay=0.0, nesterov=False):
    return {"type": "sgd", "learningRate": lr, "momentum": momentum, "nesterov": nesterov, "weightDecay": weight_decay}


def adam(kind="adam", **options):
    return {"type": kind, "learningRate": 0.01, **options}


def cross_entropy(**options):
    return {"type": "crossEntropy", **options}


def make_loss(spec):
    if spec["type"] == "mse":
        return nn.MSELoss()
    weights = spec.get("classWeights")
    return nn.CrossEntropyLoss(weight=None if weights is None else torch.tensor(weights), label_smoothing=spec.get("labelSmoothing", 0.0))


def case(name, image, classes, layers, seed=0, lr=0.1, momentum=0.0, weight_decay=0.0, shuffle=False, normalize=None,
         optimizer=None, schedule=None, epochs=EPOCHS, loss=None, **loop):
    job = {"name": name, "layers": layers + [linear(classes)] if layers[-1]["type"] != "linear" else layers,
           "optimizer": optimizer or {"type": "sgd", "learningRate": lr, "momentum": momentum, "weightDecay": weight_decay},
           "seed": seed, "shuffle": shuffle, "epochs": epochs, "batchSize": BATCH, **loop}
    if schedule:
        job["schedule"] = schedule
    if loss:
        job["loss"] = loss
    if normalize:
        job["normalize"] = normalize
    return job, image, classes


HALF2, HALF3 = {"mean": [0.5] * 2, "std": [0.25] * 2}, {"mean": [0.5] * 3, "std": [0.25] * 3}
CASES = [
    case("conv-stride-padding", WIDE, 4, [conv(6, 3, 2, 1), RELU, conv(5, 3, 2, 1), FLATTEN], seed=13, normalize=HALF3),
    case("conv-nobias", WIDE, 5, [conv(6, bias=False), RELU, conv(4, 3, 1, 1, bias=False), RELU, FLATTEN], seed=32),
    case("pool-overlapping", WIDE, 4, [conv(6), pool(3, 2), RELU, FLATTEN], seed=25, normalize=HALF3),
    case("pool-then-relu", SQUARE, 4, [conv(5, 3, 1, 1), pool(), RELU, conv(6, 3, 1, 1), pool(), RELU, FLATTEN], seed=4, normalize=HALF2),
    case("relu-then-pool", WIDE, 4, [conv(5, 3, 1, 1), RELU, pool(), conv(6, 3, 1, 1), RELU, pool(), FLATTEN], seed=44, lr=0.05),
    case("linear-only", WIDE, 5, [FLATTEN], seed=34, lr=0.02),
    case("linear-nobias", SQUARE, 4, [FLATTEN, linear(12, bias=False), RELU, linear(4, bias=False)], seed=9, normalize=HALF2),
    case("batchnorm", WIDE, 4, [conv(5, bias=False), NORM, RELU, conv(4), NORM, RELU, FLATTEN], seed=20, normalize=HALF3),
    case("batchnorm-options", WIDE, 4, [conv(5, bias=False), norm(2, 0.01, 0.4), RELU, conv(4), norm(2, 1e-5, 0.1, False), RELU, FLATTEN,
                                        linear(10), norm(1, 0.02, 0.25), RELU, linear(8), norm(1, 1e-3, 0.0, False)],
         seed=20, normalize=HALF3),
    case("batchnorm-cumulative", WIDE, 4, [conv(5), norm(2, 1e-5, "cumulative"), RELU, FLATTEN, linear(10), norm(1, 0.02, "cumulative", False), RELU],
         seed=21, normalize=HALF3),
    case("sample-norms", WIDE, 4, [conv(6), group_norm(3), RELU, group_norm(2, 0.01, False), conv(4), layer_norm("2d", 1e-6), gelu("none"),
                                   layer_norm("2d", 0.1, False), layer_scale(0.5), layer_norm(normalizedShape=[5, 4]), layer_norm(normalizedShape=[]),
                                   FLATTEN, linear(12), group_norm(4), RELU, layer_norm(eps=0.01, affine=False, normalizedShape=[]), layer_scale(2.0)],
         seed=18, lr=0.01, normalize=HALF3),
    case("dropout", SQUARE, 4, [FLATTEN, linear(16), RELU, dropout(0.5), linear(4)], seed=10, normalize=HALF2),
    case("dropout-conv", WIDE, 5, [conv(4), RELU, dropout(0.25), conv(6), dropout(0.25), RELU, FLATTEN], seed=15, lr=0.05, normalize=HALF3),
    case("momentum", SQUARE, 5, [conv(4), RELU, pool(), FLATTEN], seed=35, lr=0.05, momentum=0.9, normalize=HALF2),
    case("weight-decay", SQUARE, 4, [conv(4), RELU, FLATTEN], seed=45, lr=0.02, momentum=0.9, weight_decay=0.05),
    case("nesterov", SQUARE, 5, [conv(4), RELU, pool(), FLATTEN], seed=35, normalize=HALF2, optimizer=sgd(0.05, 0.9, 0.05, nesterov=True)),
    case("adam", SQUARE, 5, [conv(4), RELU, pool(), FLATTEN], seed=35, normalize=HALF2, optimizer=adam()),
    case("adam-decay", WIDE, 4, [conv(5), RELU, FLATTEN], seed=13, normalize=HALF3,
         optimizer=adam(beta1=0.8, beta2=0.95, epsilon=1e-6, weightDecay=0.05)),
    case("adamw", SQUARE, 4, [FLATTEN, linear(12), RELU], seed=9, normalize=HALF2, optimizer=adam("adamw", weightDecay=0.1)),
    case("schedule-step", SQUARE, 4, [conv(4), RELU, FLATTEN], seed=4, normalize=HALF2, epochs=4,
         optimizer=sgd(0.1, 0.9), schedule={"type": "step", "stepSize": 2, "gamma": 0.3}),
    case("schedule-multistep", SQUARE, 4, [conv(4), RELU, FLATTEN], seed=4, normalize=HALF2, epochs=4,
         optimizer=sgd(0.1, 0.9, nesterov=True), schedule={"type": "multiStep", "milestones": [1, 3], "gamma": 0.2}),
    case("schedule-cosine", SQUARE, 4, [FLATTEN, linear(8), RELU], seed=10, normalize=HALF2, epochs=4,
         optimizer=adam("adamw"), schedule={"type": "cosine", "minLearningRate": 0.001}),
    case("schedule-onecycle", SQUARE, 4, [conv(4), RELU, FLATTEN], seed=4, normalize=HALF2, epochs=4,
         optimizer=adam(), schedule={"type": "oneCycle", "maxLearningRate": 0.02, "pctStart": 0.4, "divFactor": 10, "finalDivFactor": 100}),
    case("schedule-warmup", SQUARE, 4, [conv(4), RELU, FLATTEN], seed=4, normalize=HALF2, epochs=4,
         optimizer=sgd(0.1, 0.9), schedule={"type": "warmup", "steps": 5, "startFactor": 0.1, "then": {"type": "cosine"}}),
    case("shuffle-normalize", WIDE, 4, [conv(5), RELU, pool(), FLATTEN, linear(10), RELU, linear(4)], seed=2147483658, shuffle=True,
         normalize={"mean": [0.4914, 0.4822, 0.4465], "std": [0.247, 0.2435, 0.2616]}),
    case("conv-stride-3", WIDE, 4, [conv(6, 3, 3, 1), RELU, conv(5, 2, 3, 1, bias=False), FLATTEN], seed=15, normalize=HALF3),
    case("dilation-groups", WIDE, 4, [spread(6, 3, 1, 2, dilation=2), RELU, spread(8, 3, 2, 1, groups=2), RELU,
                                      spread(8, 2, 1, 2, bias=False, dilation=3, groups=8), FLATTEN], seed=22, normalize=HALF3),
    case("avg-pool", WIDE, 4, [conv(5, 3, 1, 1), avg_pool(3, 2), RELU, conv(6, 3, 1, 1), adaptive(3), FLATTEN], seed=30, lr=0.5, normalize=HALF3),
    case("conv-rectangular", WIDE, 4, [windows("conv2d", [3, 2], [2, 1], out=6, padding=[2, 0], dilation=[1, 2]), RELU,
                                       windows("conv2d", [1, 3], 1, out=6, padding=[0, 2], groups=2, bias=False), FLATTEN], seed=14, normalize=HALF3),
    case("conv-same", WIDE, 4, [windows("conv2d", 4, 1, out=5, padding="same"), RELU,
                                windows("conv2d", [3, 2], 1, out=6, padding="same", dilation=[1, 3]), FLATTEN], seed=16, normalize=HALF3),
    case("max-pool-windows", WIDE, 4, [conv(5, 3, 1, 1), windows("maxPool2d", 3, 2, padding=1), RELU, conv(6, 3, 1, 1),
                                       windows("maxPool2d", [2, 1], [2, 1], padding=[1, 0], dilation=[1, 2], ceilMode=True),
                                       windows("maxPool2d", 2, [2, 3], ceilMode=True), FLATTEN], seed=18, normalize=HALF3),
    case("max-pool-dilation", WIDE, 4, [conv(5, 3, 1, 1), windows("maxPool2d", [3, 2], [2, 1], padding=1, dilation=2), RELU,
                                        windows("maxPool2d", 3, 2, ceilMode=True, padding=1), FLATTEN], seed=24, normalize=HALF3),
    case("avg-pool-windows", WIDE, 4, [conv(5, 3, 1, 1), windows("avgPool2d", 3, 2, padding=1), conv(6, 3, 1, 1),
                                       windows("avgPool2d", [3, 2], [2, 1], padding=[1, 0], countIncludePad=False), adaptive([2, 3]), FLATTEN],
         seed=21, lr=0.5, normalize=HALF3),
    case("avg-pool-ceil", WIDE, 4, [conv(5, 3, 1, 1), windows("avgPool2d", 3, [3, 2], padding=1, ceilMode=True), conv(6, 3, 1, 1),
                                    windows("avgPool2d", 3, 2, padding=1, ceilMode=True, countIncludePad=False), FLATTEN],
         seed=23, lr=0.5, normalize=HALF3),
    case("upsample", SQUARE, 4, [conv(3, 3, 2), upsample(scaleFactor=2), conv(4), upsample(scaleFactor=[1.6, 0.7]), conv(3, 2),
                                 upsample(size=[5, 2]), FLATTEN], seed=26, lr=0.2, normalize=HALF2),
    case("activations", WIDE, 4, [conv(4), SIGMOID, conv(5), gelu("none"), FLATTEN, linear(16), leaky(0.1), linear(12), TANH, linear(12), gelu("tanh")],
         seed=17, lr=0.5, normalize=HALF3),
    case("more-activations", WIDE, 4, [conv(4), SILU, conv(5), softplus(2, 1.5), IDENTITY, FLATTEN, linear(16), HARDSWISH, linear(12),
                                       hardtanh(-0.1, 0.3), linear(12), softplus(0.25, 20), RELU6], seed=17, lr=0.5, normalize=HALF3),
    case("dropout2d", WIDE, 5, [conv(6), RELU, dropout2d(0.25), conv(8), dropout2d(0.5), RELU, FLATTEN, linear(12), dropout(0.5), linear(5)],
         seed=25, normalize=HALF3),
    case("label-smoothing", SQUARE, 5, [conv(4), RELU, pool(), FLATTEN], seed=35, normalize=HALF2, loss=cross_entropy(labelSmoothing=0.1)),
    case("class-weights", SQUARE, 4, [conv(4), RELU, FLATTEN], seed=4, normalize=HALF2, loss=cross_entropy(classWeights=[0.5, 3.0, 1.0, 0.25])),
    case("class-weights-smoothing", WIDE, 4, [conv(5), RELU, FLATTEN], seed=13, normalize=HALF3,
         loss=cross_entropy(labelSmoothing=0.3, classWeights=[0.0, 0.1, 1.0, 2.0])),
    case("mse", SQUARE, 3, [conv(4), RELU, pool(), FLATTEN], seed=35, lr=0.05, momentum=0.9, normalize=HALF2, loss={"type": "mse"}),
    case("residual", WIDE, 4, [conv(6, 3, 1, 1, bias=False), NORM, RELU,
                               residual([conv(8, 3, 2, 1, bias=False), NORM, RELU, conv(8, 3, 1, 1, bias=False), NORM],
                                        [conv(8, 1, 2, bias=False), NORM]), RELU,
                               residual([RELU, conv(8, 3, 1, 1), dropout2d(0.25), residual([TANH, dropout(0.1)])]), avg_pool(), FLATTEN],
         seed=18, momentum=0.9, normalize=HALF3),
    case("concat", WIDE, 4, [conv(8, 3, 1, 1, bias=False), NORM, concat([], [NORM, RELU, conv(4, 3, 1, 1, bias=False)]),
                             concat([conv(5, 1), RELU, dropout(0.1)], [conv(16, 3, 1, 1), NORM, RELU], [pool(3, 1) | {"padding": 1}, conv(3, 1)]),
                             avg_pool(), FLATTEN, concat([linear(6), TANH], [], [linear(2, bias=False)])],
         seed=19, momentum=0.9, normalize=HALF3),
    case("gate", WIDE, 4, [conv(8, 3, 1, 1, bias=False), NORM, SILU, gate(adaptive(1), conv(2, 1), SILU, conv(8, 1), SIGMOID),
                           residual([conv(8, 3, 1, 1, bias=False), NORM, gate(adaptive(1), FLATTEN, linear(3), RELU, linear(8), SIGMOID)]), RELU,
                           FLATTEN, linear(12), gate(linear(12), SIGMOID)], seed=19, momentum=0.9, normalize=HALF3),
]


# "final" and the tests are those of the averaged weights where there are any. The gradients of the first step are those of its own batch, not clipped.
LOOPS = [
    case("clip-norm", SQUARE, 5, [conv(4), RELU, pool(), FLATTEN], seed=35, normalize=HALF2, optimizer=sgd(0.1, 0.9),
         clipGradients={"norm": 1.1}),
    case("clip-value", WIDE, 4, [conv(5), RELU, FLATTEN], seed=13, normalize=HALF3, optimizer=sgd(0.1, 0.9, 0.01), clipGradients={"value": 0.05}),
    case("accumulate", WIDE, 4, [conv(5, bias=False), NORM, RELU, conv(4), RELU, FLATTEN, dropout(0.25)], seed=20, normalize=HALF3,
         optimizer=sgd(0.1, 0.9), accumulateSteps=2),
    case("accumulate-onecycle", SQUARE, 4, [FLATTEN, linear(12), RELU], seed=9, normalize=HALF2, optimizer=adam(), epochs=3, accumulateSteps=2,
         schedule={"type": "oneCycle", "maxLearningRate": 0.02, "cycleMomentum": True}),
    case("ema", SQUARE, 5, [conv(4), RELU, pool(), FLATTEN], seed=35, normalize=HALF2, optimizer=adam(), ema={"decay": 0.6}),
    case("ema-batchnorm", WIDE, 4, [conv(5, bias=False), NORM, RELU, FLATTEN], seed=20, normalize=HALF3, momentum=0.9, ema={"decay": 0.9}),
    case("drop-last", WIDE, 4, [conv(5), RELU, pool(), FLATTEN], seed=44, shuffle=True, normalize=HALF3, dropLast=True),
    case("loop-all", SQUARE, 5, [conv(4), RELU, FLATTEN, dropout(0.25)], seed=35, shuffle=True, normalize=HALF2, epochs=3,
         optimizer=adam("adamw"), schedule={"type": "warmup", "steps": 3, "startFactor": 0.2, "then": {"type": "exponential", "gamma": 0.7}},
         clipGradients={"norm": 0.5}, accumulateSteps=2, ema={"decay": 0.5}, dropLast=False),
    case("rmsprop", SQUARE, 5, [conv(4), RELU, pool(), FLATTEN], seed=35, normalize=HALF2,
         optimizer={"type": "rmsprop", "learningRate": 0.002, "alpha": 0.9, "epsilon": 1e-3, "momentum": 0.8, "centered": True, "weightDecay": 0.01}),
    case("schedule-onecycle-momentum", SQUARE, 4, [conv(4), RELU, FLATTEN], seed=4, normalize=HALF2, epochs=4, optimizer=sgd(0.1, 0.9, nesterov=True),
         schedule={"type": "oneCycle", "maxLearningRate": 0.05, "cycleMomentum": True, "baseMomentum": 0.5, "maxMomentum": 0.9}),
]


# Frozen parameters: a prefix whose batch norms train on, residuals with batch norms as eval(), and parts in the middle.
FROZEN = [
    case("freeze-prefix", WIDE, 4, [conv(5, bias=False), NORM, RELU, residual([conv(5, 3, 1, 1), NORM, RELU, conv(5, 3, 1, 1), NORM]), RELU, conv(4),
                                    norm(2, 1e-5, 0.3), RELU, FLATTEN], seed=20, normalize=HALF3, optimizer=sgd(0.1, 0.9, 0.05),
         freeze=["0", "1.*", "3.?.*"], clipGradients={"norm": 0.5}, accumulateSteps=2, ema={"decay": 0.6}),
    case("freeze-eval", WIDE, 4, [conv(6, bias=False), NORM, RELU, residual([conv(6, 3, 1, 1), NORM, RELU, conv(6, 3, 1, 1), NORM]), RELU,
                                  residual([conv(8, 3, 2, 1, bias=False), NORM, RELU, conv(8, 3, 1, 1, bias=False), NORM],
                                           [conv(8, 1, 2, bias=False), NORM]), RELU,
                                  residual([conv(8, 3, 1, 1), NORM], [norm(2, 1e-5, 0.1, False)]), RELU, FLATTEN], seed=18, momentum=0.9,
         normalize=HALF3, freeze=["0", "1", "3.1", "3.4", "5.0", "5.4", "5.1.weight", "7.1", "7.shortcut"], freezeBatchNorm=True),
    case("freeze-shortcut", WIDE, 4, [conv(6, bias=False), residual([conv(6, 3, 1, 1), NORM], [conv(6, 1)]), RELU, FLATTEN, linear(8), norm(1, 1e-5, 0.1),
                                      RELU], seed=19, normalize=HALF3, freeze=["0", "1.?.*", "5"], freezeBatchNorm=True),
    case("freeze-joins", WIDE, 4, [conv(6, bias=False), concat([], [conv(4, 1), NORM]), RELU, gate(adaptive(1), conv(10, 1), SIGMOID),
                                   concat([conv(4, 1)], [conv(5, 3, 1, 1), NORM, RELU]), gate(adaptive(1), FLATTEN, linear(9), SIGMOID), FLATTEN],
         seed=20, momentum=0.9, normalize=HALF3, freeze=["0", "1", "4.1", "5"]),
    case("freeze-middle", WIDE, 4, [conv(5, 3, 1, 1), RELU, pool(), conv(6), RELU, FLATTEN, linear(12), RELU, linear(8), RELU], seed=44, lr=0.05,
         momentum=0.9, weight_decay=0.05, normalize=HALF3, freeze=["3.weight", "6", "8.bias"]),
    case("freeze-first", WIDE, 4, [conv(5), RELU, pool(), conv(6), RELU, FLATTEN, linear(12), RELU], seed=44, normalize=HALF3, optimizer=adam("adamw"),
         freeze=["0*", "3.*"]),
    case("freeze-norms", WIDE, 4, [conv(6), group_norm(3), RELU, conv(4), layer_norm("2d", 1e-6), layer_scale(0.5), spread(4, 3, 1, 1, groups=4),
                                   layer_norm(normalizedShape=[5, 4]), FLATTEN, linear(12), layer_norm(normalizedShape=[])], seed=18, lr=0.01,
         normalize=HALF3, freeze=["1.weight", "4", "5", "6.weight", "7.bias"]),
]


GROUPS = [
    case("groups-sgd", WIDE, 4, [conv(5, 3, 1, 1), RELU, pool(), conv(6), RELU, FLATTEN, linear(12), RELU, linear(8), RELU], seed=44, normalize=HALF3,
         epochs=4, optimizer=sgd(0.02, 0.9, 0.05) | {"groups": [{"parameters": ["0", "6.bias"], "learningRate": 0.1, "weightDecay": 0.0},
                                                                {"parameters": ["8.*"], "weightDecay": 0.2}]},
         schedule={"type": "warmup", "steps": 5, "startFactor": 0.1, "then": {"type": "cosine", "minLearningRate": 0.005}}),
    case("groups-adamw", WIDE, 4, [conv(5, bias=False), NORM, RELU, residual([conv(5, 3, 1, 1, bias=False), NORM]), RELU, FLATTEN], seed=20, normalize=HALF3, epochs=3,
         optimizer=adam("adamw", weightDecay=0.1, groups=[{"parameters": ["1", "3.1"], "weightDecay": 0.0}, {"parameters": ["6"], "learningRate": 0.05}]),
         freeze=["0"], clipGradients={"value": 0.05}, accumulateSteps=2, ema={"decay": 0.6}, schedule={"type": "exponential", "gamma": 0.5}),
    case("groups-rmsprop", SQUARE, 5, [conv(4), RELU, pool(), FLATTEN], seed=35, normalize=HALF2, clipGradients={"norm": 1.1},
         optimizer={"type": "rmsprop", "learningRate": 0.002, "epsilon": 1e-3, "groups": [{"parameters": ["0.*"], "learningRate": 0.01}]},
         schedule={"type": "oneCycle", "maxLearningRate": 0.02}),
]


class LayerNorm2d(nn.LayerNorm):
    """As torchvision's: over the channels of each pixel."""
    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class LayerScale(nn.Module):
    def __init__(self, channels, init):
        super().__init__()
        self.init = init
        self.gamma = nn.Parameter(torch.full((channels,), init))

    def forward(self, x):
        return x * (self.gamma if x.dim() == 2 else self.gamma.view(-1, 1, 1))


class Residual(nn.Module):
    def __init__(self, layers, shortcut):
        super().__init__()
        for i, layer in enumerate(layers):
            self.add_module(str(i), layer)
        self.count, self.shortcut = len(layers), nn.Sequential(*shortcut)

    def forward(self, x):
        y = x
        for i in range(self.count):
            y = self.get_submodule(str(i))(y)
        return y + self.shortcut(x)


class Concat(nn.ModuleList):
    def forward(self, x):
        return torch.cat([branch(x) for branch in self], 1)


class Gate(nn.Sequential):
    """Multiplies each channel by the factor that its layers give."""
    def forward(self, x):
        return x * super().forward(x).reshape(x.shape[:2] + (1,) * (x.dim() - 2))


def build(layers, image):
    return nn.Sequential(*build_on(layers, torch.zeros((1,) + image))).train()


def build_on(layers, x):
    """The input size of each layer, from running the layers before it on x."""
    modules = []
    for layer in layers:
        a = {k: v for k, v in layer.items() if k not in ("type", "out")}
        a |= {k: tuple(v) for k, v in a.items() if k in ("kernel", "stride", "padding", "dilation", "size", "scaleFactor") and isinstance(v, list)}
        a |= {k: None for k, v in a.items() if k == "momentum" and v == "cumulative"}
        module = {"conv2d": lambda: nn.Conv2d(x.shape[1], layer["out"], a["kernel"], a["stride"], a.get("padding", 0), bias=a.get("bias", True),
                                              dilation=a.get("dilation", 1), groups=a.get("groups", 1)),
                  "maxPool2d": lambda: nn.MaxPool2d(a["kernel"], a["stride"], a.get("padding", 0), a.get("dilation", 1),
                                                    ceil_mode=a.get("ceilMode", False)),
                  "avgPool2d": lambda: nn.AvgPool2d(a["kernel"], a["stride"], a.get("padding", 0), ceil_mode=a.get("ceilMode", False),
                                                    count_include_pad=a.get("countIncludePad", True)),
                  "adaptiveAvgPool2d": lambda: nn.AdaptiveAvgPool2d(layer["out"]),
                  "upsample": lambda: nn.Upsample(a.get("size"), a.get("scaleFactor")),
                  "relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "flatten": nn.Flatten,
                  "leakyRelu": lambda: nn.LeakyReLU(a["negativeSlope"]),
                  "gelu": lambda: nn.GELU(approximate=a["approximate"]),
                  "silu": nn.SiLU, "hardswish": nn.Hardswish, "relu6": nn.ReLU6, "identity": nn.Identity,
                  "softplus": lambda: nn.Softplus(a["beta"], a["threshold"]),
                  "hardtanh": lambda: nn.Hardtanh(a["minVal"], a["maxVal"]),
                  "linear": lambda: nn.Linear(x.shape[1], layer["out"], bias=a["bias"]),
                  "residual": lambda: Residual(build_on(a["layers"], x), build_on(a["shortcut"], x)),
                  "concat": lambda: Concat(nn.Sequential(*build_on(branch, x)) for branch in a["branches"]),
                  "gate": lambda: Gate(*build_on(a["layers"], x)),
                  "dropout": lambda: nn.Dropout(a["p"]),
                  "dropout2d": lambda: nn.Dropout2d(a["p"]),
                  "groupNorm": lambda: nn.GroupNorm(a["groups"], x.shape[1], a["eps"], a["affine"]),
                  "layerNorm": lambda: nn.LayerNorm(a["normalizedShape"] or x.shape[1:], a["eps"], a["affine"]),
                  "layerNorm2d": lambda: LayerNorm2d(x.shape[1], a["eps"], a["affine"]),
                  "layerScale": lambda: LayerScale(x.shape[1], a["initValue"]),
                  "batchNorm1d": lambda: nn.BatchNorm1d(x.shape[1], **a),
                  "batchNorm2d": lambda: nn.BatchNorm2d(x.shape[1], **a)}[layer["type"]]()
        with torch.no_grad():
            x = module.eval()(x)                                           # eval mode draws no random numbers and changes no state
        modules.append(module)
    return modules


def batches(x, y, shuffle, drop_last=False):
    """One pass over a set, with the draws of a DataLoader."""
    torch.empty((), dtype=torch.int64).random_()
    order = torch.arange(len(y))
    if shuffle:
        generator = torch.Generator()
        generator.manual_seed(int(torch.empty((), dtype=torch.int64).random_()))
        order = torch.randperm(len(y), generator=generator)
    for k in order.split(BATCH):
        if len(k) == BATCH or not drop_last:
            yield x[k], y[k]


def average(job, net):
    """The model with the averages of net's weights; net itself if the job has no averages."""
    if "ema" not in job:
        return net
    decay = job["ema"]["decay"]
    return torch.optim.swa_utils.AveragedModel(net, avg_fn=lambda averaged, new, count: decay * averaged + (1 - decay) * new)


def update_average(averaged, net):
    """With the buffers of net, as PyTorch 2 has them."""
    averaged.update_parameters(net)
    for mine, its in zip(averaged.module.buffers(), net.buffers()):
        mine.copy_(its)


def is_named(name, patterns):
    """Whether a pattern matches the name or that of a module it belongs to."""
    parts = name.split(".")
    return any(fnmatch.fnmatchcase(".".join(parts[:n]), pattern) for n in range(1, len(parts) + 1) for pattern in patterns)


def freeze(job, net):
    for name, parameter in net.named_parameters():
        parameter.requires_grad_(not is_named(name, job.get("freeze", [])))


def parameter_groups(job, net):
    """The parameters in no group come first."""
    given = job["optimizer"].get("groups", [])
    groups = [{"params": []}]
    for group in given:
        groups.append({"params": []} | {there: group[here] for here, there in (("learningRate", "lr"), ("weightDecay", "weight_decay")) if here in group})
    for name, parameter in net.named_parameters():
        groups[next((i + 1 for i, group in enumerate(given) if is_named(name, group["parameters"])), 0)]["params"].append(parameter)
    return groups


def train_mode(job, net):
    """Frozen batch norms stay in evaluation mode if the job says so."""
    net.train()
    for name, module in net.named_modules() if job.get("freezeBatchNorm") else []:
        parameters = list(module.parameters())
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and not any(p.requires_grad for p in parameters) and (
                parameters or is_named(name, job["freeze"])):
            module.eval()


def record(job, image, classes):
    """Trains the job and returns the tensors to keep."""
    data, keep = np.random.default_rng(0), {}
    regression = job.get("loss", {}).get("type") == "mse"
    for part, n in (("train", TRAIN), ("test", TEST)):
        keep[part + "_x"] = torch.from_numpy(data.integers(0, 256, (n,) + image, dtype=np.uint8))
        keep[part + "_y"] = torch.from_numpy(data.standard_normal((n, classes), dtype=np.float32) if regression
                                             else data.integers(0, classes, n, dtype=np.uint8))

    def pixels(x):
        x = x.to(torch.float32).div(255)
        if "normalize" in job:
            mean, std = (torch.tensor(job["normalize"][k], dtype=torch.float32).view(-1, 1, 1) for k in ("mean", "std"))
            x = (x - mean) / std
        return x

    train, test = ((pixels(keep[p + "_x"]), keep[p + "_y"] if regression else keep[p + "_y"].to(torch.int64)) for p in ("train", "test"))
    torch.manual_seed(job["seed"])
    net = build(job["layers"], image)
    keep.update({"init." + k: v.clone() for k, v in net.state_dict().items()})
    freeze(job, net)
    loss_fn = make_loss(job.get("loss", cross_entropy()))
    optimizer = optimizers.make(job["optimizer"], parameter_groups(job, net))
    steps = TRAIN // BATCH if job.get("dropLast") else -(-TRAIN // BATCH)
    group, clip = job.get("accumulateSteps", 1), job.get("clipGradients", {})
    after_step, after_epoch = schedules.schedulers(job.get("schedule"), optimizer, job["epochs"], -(-steps // group))
    averaged = average(job, net)
    losses, test_loss, errors = [], [], []
    for epoch in range(job["epochs"]):
        train_mode(job, net)
        optimizer.zero_grad()
        for i, (x, y) in enumerate(batches(*train, job["shuffle"], job.get("dropLast", False))):
            loss = loss_fn(net(x), y)
            (loss / group).backward()
            if not losses:
                keep.update({"grad." + k: v.grad * group for k, v in net.named_parameters() if v.requires_grad})
            losses.append(loss.detach())
            if (i + 1) % group == 0 or i + 1 == steps:
                if "norm" in clip:
                    nn.utils.clip_grad_norm_(net.parameters(), clip["norm"])
                if "value" in clip:
                    nn.utils.clip_grad_value_(net.parameters(), clip["value"])
                optimizer.step()
                optimizer.zero_grad()
                for scheduler in after_step if len(losses) < job["epochs"] * steps else []:
                    scheduler.step()
                if averaged is not net:
                    update_average(averaged, net)
        net.eval()
        averaged.eval()
        total, predictions, error = 0.0, [], 0.0
        with torch.no_grad():
            for x, y in batches(*test, False):
                out = averaged(x)
                total += loss_fn(out, y).item()
                predictions.append(out.argmax(1))
                if regression:
                    error += nn.functional.l1_loss(out, y, reduction="sum").item()
        test_loss.append(total)
        errors.append(error / (TEST * classes))
        for scheduler in after_epoch:
            scheduler.step()
    keep["losses"], keep["test_loss"] = torch.stack(losses), torch.tensor(test_loss, dtype=torch.float64)
    if regression:
        keep["test_mean_absolute_error"] = torch.tensor(errors, dtype=torch.float64)
    else:
        keep["test_predictions"] = torch.cat(predictions).to(torch.uint8)
    final = net if averaged is net else averaged.module
    keep.update({"final." + k: v.clone() for k, v in final.state_dict().items()})
    return keep


def main():
    target = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "layers")
    os.makedirs(target, exist_ok=True)
    torch.set_num_threads(1)
    for job, image, classes in CASES + LOOPS + FROZEN + GROUPS:
        if sys.argv[2:] and job["name"] not in sys.argv[2:]:
            continue
        path = os.path.join(target, job["name"])
        optimizers.save_file(record(job, image, classes), path + ".safetensors")
        with open(path + ".json", "w") as f:
            f.write(json.dumps(job, indent=2) + "\n")


if __name__ == "__main__":
    main()
