"""What PyTorch makes of values that are not finite.

    python3 not_finite.py [PREFIX] > not-finite.jsonl      only the rows whose name begins with PREFIX, if it is given

Networks, images and parameters are those of NonFiniteCase and NonFiniteCases in src/main/java/io/trainyard/device/check, by the same formulas. A
line is one row: its name, its layers, the probabilities (with mse: the outputs) of all samples before training, the losses of an epoch of one sample a step, the
test loss (a sum of the samples' losses) behind it, and of each parameter's gradient in the first step which of its values are finite (.),
NaN (N), and infinite (+ and -), "3. 2N" for three that are finite and two that are NaN. A gradient is the change by a step of SGD with learning rate 1.
"""
import itertools
import json
import math
import sys

import torch
from torch import nn

from layers import LayerNorm2d, LayerScale

IMAGE, CLASSES, SAMPLES, WIDTH, CHANNELS = (3, 4, 4), 2, 4, 18, 17
FIRST_CHANNEL = [[255], [255, 0, 0], [0, 255, 128], [255] * 15 + [128]]
MASKS_SEED, LARGE, LABELS = 5, 1e20, [0, 1, 0, 1]
TARGETS = [(i * 37 % 101 - 50) / 100 for i in range(SAMPLES * CLASSES)]
NAN, INF = math.nan, math.inf
JAVA = {LARGE: "1.0E20", -LARGE: "-1.0E20", INF: "Infinity", -INF: "-Infinity"}     # how Java writes them


def conv(out, kernel, groups=1):
    return {"type": "conv2d", "out": out, "kernel": kernel, "groups": groups}


def pool(kind, kernel, stride, **options):
    return {"type": kind, "kernel": kernel, "stride": stride, **options}


def concat(*branches):
    return {"type": "concat", "branches": [list(branch) for branch in branches]}


def gate(*layers):
    return {"type": "gate", "layers": list(layers)}


def residual(*layers):
    return {"type": "residual", "layers": list(layers)}


RELU, NORM, FLATTEN = {"type": "relu"}, {"type": "batchNorm2d"}, {"type": "flatten"}
ACTIVATIONS = {"relu": [RELU], "leakyRelu": [{"type": "leakyRelu", "negativeSlope": 0.1}],
               "gelu": [{"type": "gelu", "approximate": "none"}], "gelu by tanh": [{"type": "gelu", "approximate": "tanh"}],
               "tanh": [{"type": "tanh"}], "sigmoid": [{"type": "sigmoid"}], "silu": [{"type": "silu"}],
               "softplus": [{"type": "softplus", "beta": 1, "threshold": 20}], "hardswish": [{"type": "hardswish"}],
               "hardtanh": [{"type": "hardtanh", "minVal": -0.25, "maxVal": 0.5}], "relu6": [{"type": "relu6"}],
               "identity": [{"type": "identity"}]}
VECTORS = ACTIVATIONS | {"linear": [{"type": "linear", "out": 5}], "dropout": [{"type": "dropout", "p": 0.5}], "residual": [residual(RELU)]}
IMAGES = ACTIVATIONS | {
    "conv2d": [conv(3, 3)], "conv2d in groups": [conv(CHANNELS, 2, CHANNELS)],
    "maxPool2d": [pool("maxPool2d", 2, 2)], "maxPool2d overlapping": [pool("maxPool2d", 3, 1)], "maxPool2d with gaps": [pool("maxPool2d", 1, 3)],
    "maxPool2d, then relu": [pool("maxPool2d", 2, 2), RELU], "relu, then maxPool2d": [RELU, pool("maxPool2d", 2, 2)],
    "avgPool2d": [pool("avgPool2d", 2, 2)], "avgPool2d overlapping": [pool("avgPool2d", 3, 1)],
    "adaptiveAvgPool2d": [{"type": "adaptiveAvgPool2d", "out": 2}], "adaptiveAvgPool2d uneven": [{"type": "adaptiveAvgPool2d", "out": 3}],
    "conv2d of the same size": [{"type": "conv2d", "out": 3, "kernel": [2, 3], "padding": "same"}],
    "maxPool2d with padding": [pool("maxPool2d", 3, 2, padding=1)], "maxPool2d with dilation": [pool("maxPool2d", 2, 1, dilation=2)],
    "maxPool2d of what is left": [pool("maxPool2d", [3, 1], [2, 3], ceilMode=True)],
    "avgPool2d with padding": [pool("avgPool2d", 3, 2, padding=1)],
    "avgPool2d without its padding": [pool("avgPool2d", 3, 2, padding=1, countIncludePad=False)],
    "avgPool2d of what is left": [pool("avgPool2d", [3, 2], [2, 3], padding=1, ceilMode=True)],
    "upsample": [{"type": "upsample", "scaleFactor": 2}], "upsample by a fraction": [{"type": "upsample", "scaleFactor": [1.6, 0.7]}],
    "batchNorm2d": [NORM], "batchNorm2d, then relu": [NORM, RELU],
    "batchNorm2d, not affine": [NORM | {"eps": 0.01, "momentum": 0.5, "affine": False}],
    "groupNorm": [{"type": "groupNorm", "groups": CHANNELS, "eps": 1e-5, "affine": True}],
    "groupNorm of one group, not affine": [{"type": "groupNorm", "groups": 1, "eps": 0.1, "affine": False}],
    "layerNorm": [{"type": "layerNorm", "eps": 1e-5}], "layerNorm of rows": [{"type": "layerNorm", "normalizedShape": [4], "eps": 1e-5}],
    "layerNorm2d": [{"type": "layerNorm2d", "eps": 1e-6}], "layerScale": [{"type": "layerScale", "initValue": 0.5}],
    "dropout": [{"type": "dropout", "p": 0.5}], "dropout2d": [{"type": "dropout2d", "p": 0.5}],
    "residual": [residual(RELU, conv(CHANNELS, 1))], "concat": [concat([], [conv(CHANNELS, 1), RELU])],
    "gate": [gate({"type": "adaptiveAvgPool2d", "out": 1}, conv(CHANNELS, 1), {"type": "sigmoid"})], "residual, batchNorm2d, relu": [residual(conv(CHANNELS, 1), NORM), RELU]}


LOSSES = {"label smoothing": (0.2, None), "class weights": (0.0, [0.5, 2.0]), "class weights of 0": (0.0, [0.0, 2.0]), "both": (0.2, [0.5, 0.0])}
MSE = "mse"


def rows():
    """(name, layers, parameter, index, value, first), and the loss's label smoothing and class weights, or MSE"""
    for name, tested in VECTORS.items():
        layers = [FLATTEN, {"type": "linear", "out": WIDTH}, *tested, {"type": "linear", "out": CLASSES}]
        for value in (NAN, INF, -INF, LARGE, -LARGE):
            yield f"{name} of vectors, given {JAVA.get(value, 'NaN')}", layers, "1.bias", 1, value, 0
        yield f"{name} of vectors, given NaN last", layers, "1.bias", WIDTH - 1, NAN, 0
        yield f"{name} of vectors, given gradients of NaN", layers, f"{len(layers) - 1}.bias", 0, NAN, 0
    for name, tested in IMAGES.items():
        end = [*tested, FLATTEN, {"type": "linear", "out": CLASSES}]
        layers, behind_relu = [conv(CHANNELS, 1), *end], [conv(CHANNELS, 1), RELU, *end]
        for value in (NAN, INF, -INF):
            yield f"{name}, given a channel of {JAVA.get(value, 'NaN')}", layers, "0.bias", 1, value, 0
        for first in (1, 3):
            yield f"{name}, given infinities of both signs and NaN, sample {first} first", layers, "0.weight", 0, INF, first
        for first in (1, 3):
            yield f"{name}, given 0, infinity and NaN, sample {first} first", behind_relu, "0.weight", 0, -INF, first
        yield f"{name}, given gradients of NaN", layers, f"{len(layers) - 1}.bias", 0, NAN, 0
    for name, loss in ({f"crossEntropy with {name}": loss for name, loss in LOSSES.items()} | {MSE: MSE}).items():
        for value in (NAN, INF, -INF, LARGE):
            yield f"{name}, given {JAVA.get(value, 'NaN')}", [FLATTEN, {"type": "linear", "out": CLASSES}], "1.bias", 1, value, 0, loss


class Residual(nn.Module):
    def __init__(self, layers):
        super().__init__()
        for i, layer in enumerate(layers):
            self.add_module(str(i), layer)
        self.layers = layers

    def forward(self, x):
        y = x
        for layer in self.layers:
            y = layer(y)
        return y + x


class Concat(nn.ModuleList):
    def forward(self, x):
        return torch.cat([branch(x) for branch in self], 1)


class Gate(nn.Sequential):
    def forward(self, x):
        return x * super().forward(x)


class OneByOne(nn.Module):
    """PyTorch's vectorized loops give another gradient for NaN than its scalar loops and CUDA, which follow the formula."""
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return torch.cat([self.function(value) for value in x.reshape(-1).split(1)]).view_as(x)


def build(layers, x):
    """The input size of each layer, from running the layers before it on x."""
    modules = []
    for layer in layers:
        a = {k: v for k, v in layer.items() if k != "type"}
        a |= {k: tuple(v) for k, v in a.items() if isinstance(v, list) and k != "layers"}
        module = {"conv2d": lambda: nn.Conv2d(x.shape[1], a["out"], a["kernel"], groups=a.get("groups", 1), padding=a.get("padding", 0)),
                  "maxPool2d": lambda: nn.MaxPool2d(a["kernel"], a["stride"], a.get("padding", 0), a.get("dilation", 1),
                                                    ceil_mode=a.get("ceilMode", False)),
                  "avgPool2d": lambda: nn.AvgPool2d(a["kernel"], a["stride"], a.get("padding", 0), ceil_mode=a.get("ceilMode", False),
                                                    count_include_pad=a.get("countIncludePad", True)),
                  "upsample": lambda: nn.Upsample(scale_factor=a["scaleFactor"]),
                  "adaptiveAvgPool2d": lambda: nn.AdaptiveAvgPool2d(a["out"]), "batchNorm2d": lambda: nn.BatchNorm2d(x.shape[1], **a),
                  "relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "flatten": nn.Flatten,
                  "leakyRelu": lambda: nn.LeakyReLU(a["negativeSlope"]), "gelu": lambda: nn.GELU(approximate=a["approximate"]),
                  "groupNorm": lambda: nn.GroupNorm(a["groups"], x.shape[1], a["eps"], a["affine"]),
                  "layerNorm": lambda: nn.LayerNorm(a.get("normalizedShape") or x.shape[1:], a["eps"]),
                  "layerNorm2d": lambda: LayerNorm2d(x.shape[1], a["eps"]), "layerScale": lambda: LayerScale(x.shape[1], a["initValue"]),
                  "silu": nn.SiLU, "softplus": lambda: nn.Softplus(a["beta"], a["threshold"]),
                  "hardswish": lambda: OneByOne(nn.Hardswish()), "relu6": lambda: OneByOne(nn.ReLU6()),
                  "hardtanh": lambda: OneByOne(nn.Hardtanh(a["minVal"], a["maxVal"])), "identity": nn.Identity,
                  "linear": lambda: nn.Linear(x.shape[1], a["out"]), "residual": lambda: Residual(build(a["layers"], x)),
                  "concat": lambda: Concat(nn.Sequential(*build(branch, x)) for branch in layer["branches"]), "gate": lambda: Gate(*build(a["layers"], x)),
                  "dropout": lambda: nn.Dropout(a["p"]), "dropout2d": lambda: nn.Dropout2d(a["p"])}[layer["type"]]()
        with torch.no_grad():
            x = module.eval()(x)
        modules.append(module.train())
    return modules


def images():
    area, elements = IMAGE[1] * IMAGE[2], math.prod(IMAGE)
    pixels = []
    for i in range(SAMPLES * elements):
        channel = FIRST_CHANNEL[i // elements]
        pixels.append(channel[i % area % len(channel)] if i % elements < area else i * 73 % 251)
    x = torch.tensor(pixels, dtype=torch.uint8).view(SAMPLES, *IMAGE).to(torch.float32).div(255)
    return (x - torch.tensor(128, dtype=torch.float32).div(255)) / torch.tensor(0.5)


def load(net, parameter, index, value):
    drawn = 0
    with torch.no_grad():
        for name, tensor in net.state_dict().items():
            if name.endswith("num_batches_tracked"):
                continue
            values = [(i * 37 % 101 - 50) / 100 for i in range(drawn, drawn + tensor.numel())]
            drawn += tensor.numel()
            module = net.get_submodule(name.rpartition(".")[0])
            middle = 0
            if isinstance(module, (nn.BatchNorm2d, nn.GroupNorm, nn.LayerNorm)) and name.endswith(("weight", "running_var")):
                middle = 1
            elif isinstance(module, LayerScale):
                middle = module.init
            tensor.copy_((torch.tensor(values, dtype=torch.float32) + middle).view_as(tensor))
            if name == parameter:
                tensor.view(-1)[index] = value


def train(net, x, y, order, loss_fn):
    torch.manual_seed(MASKS_SEED)
    net.train()
    losses = []
    for n in order:
        net.zero_grad()
        loss = loss_fn(net(x[n:n + 1]), y[n:n + 1])
        loss.backward()
        with torch.no_grad():
            for p in net.parameters():
                p.sub_(p.grad)
        losses.append(loss.item())
    return losses


def pattern(values):
    kinds = ("." if math.isfinite(v) else "N" if v != v else "+" if v > 0 else "-" for v in values)
    return " ".join(f"{len(list(run))}{kind}" for kind, run in itertools.groupby(kinds))


def record(name, layers, parameter, index, value, first, loss=(0.0, None)):
    numbers = loss == MSE
    smoothing, weights = (0.0, None) if numbers else loss
    loss_fn = nn.MSELoss() if numbers else nn.CrossEntropyLoss(
        weight=None if weights is None else torch.tensor(weights), label_smoothing=smoothing)
    x, y, order = images(), torch.tensor(TARGETS).view(SAMPLES, CLASSES) if numbers else torch.tensor(LABELS), [(first + i) % SAMPLES for i in range(SAMPLES)]
    net = nn.Sequential(*build(layers, torch.zeros((1,) + IMAGE)))
    load(net, parameter, index, value)
    before = {k: v.detach().clone() for k, v in net.named_parameters()}
    with torch.no_grad():
        outputs = net.eval()(x)
        probabilities = (outputs if numbers else outputs.softmax(1)).view(-1).tolist()
    train(net, x, y, order[:1], loss_fn)
    gradients = {k: pattern((before[k] - v.detach()).view(-1).tolist()) for k, v in net.named_parameters()}
    net = nn.Sequential(*build(layers, torch.zeros((1,) + IMAGE)))
    load(net, parameter, index, value)
    losses = train(net, x, y, order, loss_fn)
    with torch.no_grad():
        test_loss = sum(loss_fn(net.eval()(x[n:n + 1]), y[n:n + 1]).item() for n in range(SAMPLES))
    short = lambda v: float(f"{v:.6g}")
    return {"name": name, "layers": layers, "probabilities": [short(p) for p in probabilities], "losses": [short(v) for v in losses],
            "test_loss": short(test_loss), "gradients": gradients}


if __name__ == "__main__":
    torch.set_num_threads(1)
    for row in rows():
        if not row[0].startswith(sys.argv[1] if len(sys.argv) > 1 else ""):
            continue
        print(json.dumps(record(*row)))
