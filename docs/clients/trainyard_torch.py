#!/usr/bin/env python3
"""Between PyTorch's modules and the networks of Trainyard's jobs, both ways.

  trainyard_torch.py to-json  FILE.py:NAME   --input 3x32x32 [--output FILE]
  trainyard_torch.py to-torch NETWORK.json   --input 3x32x32 [--checkpoint FILE.safetensors] [--output FILE.pt]

`to-json` calls a class or function of a Python file that creates an `nn.Module` without arguments, such as a tutorial's
`Net`, traces its `forward` with torch.fx, and prints `{"layers": [...]}` for a job's `network`. Before printing, it
converts the layers back into a module and compares both on random input. `to-torch` creates a module from such a file,
or from a whole job, and loads a checkpoint into it; `--output` saves its `state_dict()` for `torch.load`.

In a program: `to_json(module, shape)`, `to_module(layers, shape)`, `load(module, shape, checkpoint)`, the last for a module
of your own class with any parameter names. Requires only PyTorch, 1.13 or newer.
"""
import argparse
import functools
import importlib.util
import json
import math
import operator
import sys

import torch
from torch import fx, nn
from torch.fx.passes.shape_prop import ShapeProp
from torch.nn import functional as F


class Unsupported(Exception):
    """A part of a module or network that has no equivalent on the other side."""


# ---------------------------------------------------------------- layers of one kind, both ways

def _pair(value):
    """A number if rows and columns agree, otherwise [rows, columns], as in a job."""
    values = list(value) if isinstance(value, (tuple, list, torch.Size)) else [value, value]
    return values[0] if values[0] == values[1] else values


def _both(value):
    return tuple(value) if isinstance(value, list) else (value, value)


def _changed(**fields):
    """The fields that differ from a job's default; each is given as (value, default)."""
    return {name: value for name, (value, default) in fields.items() if value != default}


def _pool_fields(kernel, stride, padding, ceil_mode):
    kernel = _pair(kernel)
    return {"kernel": kernel,
            **_changed(stride=(kernel if stride is None else _pair(stride), kernel), padding=(_pair(padding), 0),
                       ceilMode=(bool(ceil_mode), False))}


def _max_pool(kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    if return_indices:
        raise Unsupported("max pooling with return_indices is not supported")
    return {"type": "maxPool2d", **_pool_fields(kernel_size, stride, padding, ceil_mode),
            **_changed(dilation=(_pair(dilation), 1))}


def _avg_pool(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    if divisor_override is not None:
        raise Unsupported("average pooling with divisor_override is not supported")
    return {"type": "avgPool2d", **_pool_fields(kernel_size, stride, padding, ceil_mode),
            **_changed(countIncludePad=(bool(count_include_pad), True))}


def _adaptive_avg_pool(output_size):
    if output_size is None or isinstance(output_size, (tuple, list)) and None in output_size:
        raise Unsupported("adaptive pooling with the size None is not supported")
    return {"type": "adaptiveAvgPool2d", "out": _pair(output_size)}


def _upsample(size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None, antialias=False):
    if mode != "nearest":
        raise Unsupported("upsampling by %s is not supported; allowed is nearest" % mode)
    return {"type": "upsample", **({"scaleFactor": _pair(scale_factor)} if size is None else {"size": _pair(size)})}


def _conv(m):
    if m.padding_mode != "zeros":
        raise Unsupported("convolution with padding_mode %s is not supported; allowed is zeros" % m.padding_mode)
    padding = m.padding if isinstance(m.padding, str) else _pair(m.padding)
    return {"type": "conv2d", "out": m.out_channels, "kernel": _pair(m.kernel_size),
            **_changed(stride=(_pair(m.stride), 1), padding=(0 if padding == "valid" else padding, 0),
                       dilation=(_pair(m.dilation), 1), groups=(m.groups, 1), bias=(m.bias is not None, True))}


def _batch_norm(kind):
    def fields(m):
        if not m.track_running_stats:
            raise Unsupported("batch norm without running statistics is not supported by any device")
        momentum = "cumulative" if m.momentum is None else m.momentum
        return {"type": kind, **_changed(eps=(m.eps, 1e-5), momentum=(momentum, 0.1), affine=(m.affine, True))}
    return fields


def _layer_norm(m):
    return {"type": "layerNorm", "normalizedShape": list(m.normalized_shape),
            **_changed(eps=(m.eps, 1e-5), affine=(m.elementwise_affine, True))}


def _leaky_relu(slope=0.01, inplace=False):
    return {"type": "leakyRelu", **_changed(negativeSlope=(slope, 0.01))}


def _gelu(approximate="none"):
    return {"type": "gelu", **_changed(approximate=(approximate, "none"))}


def _hardtanh(min_val=-1.0, max_val=1.0, inplace=False):
    return {"type": "hardtanh", **_changed(minVal=(min_val, -1), maxVal=(max_val, 1))}


def _softplus(beta=1, threshold=20):
    return {"type": "softplus", **_changed(beta=(beta, 1), threshold=(threshold, 20))}


def _dropout(kind):
    return lambda p=0.5, training=True, inplace=False: {"type": kind, "p": p} if p > 0 else {"type": "identity"}


def _plain(kind):
    return lambda *_, **__: {"type": kind}


def _flatten(start_dim=1, end_dim=-1):
    if start_dim != 1 or end_dim != -1:
        raise Unsupported("flatten of dimensions %d to %d is not supported; allowed is 1 to -1" % (start_dim, end_dim))
    return {"type": "flatten"}


MODULES = {  # class: the function that makes a layer of a module
    nn.Conv2d: _conv,
    nn.Linear: lambda m: {"type": "linear", "out": m.out_features, **_changed(bias=(m.bias is not None, True))},
    nn.MaxPool2d: lambda m: _max_pool(m.kernel_size, m.stride, m.padding, m.dilation, m.ceil_mode, m.return_indices),
    nn.AvgPool2d: lambda m: _avg_pool(m.kernel_size, m.stride, m.padding, m.ceil_mode, m.count_include_pad, m.divisor_override),
    nn.AdaptiveAvgPool2d: lambda m: _adaptive_avg_pool(m.output_size),
    nn.Upsample: lambda m: _upsample(m.size, m.scale_factor, m.mode),
    nn.BatchNorm1d: _batch_norm("batchNorm1d"),
    nn.BatchNorm2d: _batch_norm("batchNorm2d"),
    nn.GroupNorm: lambda m: {"type": "groupNorm", "groups": m.num_groups,
                             **_changed(eps=(m.eps, 1e-5), affine=(m.affine, True))},
    nn.LayerNorm: _layer_norm,
    nn.Flatten: lambda m: _flatten(m.start_dim, m.end_dim),
    nn.Dropout: lambda m: _dropout("dropout")(m.p),
    nn.Dropout2d: lambda m: _dropout("dropout2d")(m.p),
    nn.LeakyReLU: lambda m: _leaky_relu(m.negative_slope),
    nn.GELU: lambda m: _gelu(m.approximate),
    nn.Hardtanh: lambda m: _hardtanh(m.min_val, m.max_val),
    nn.Softplus: lambda m: _softplus(m.beta, m.threshold),
    **{cls: _plain(kind) for cls, kind in {nn.ReLU: "relu", nn.ReLU6: "relu6", nn.Tanh: "tanh", nn.Sigmoid: "sigmoid", nn.SiLU: "silu",
                                           nn.Hardswish: "hardswish", nn.Identity: "identity"}.items()},
}

FUNCTIONS = {  # function, or name of a tensor method: the function that makes a layer of the arguments after the tensor
    F.max_pool2d: _max_pool, torch.max_pool2d: _max_pool, F.avg_pool2d: _avg_pool, F.interpolate: _upsample,
    F.adaptive_avg_pool2d: _adaptive_avg_pool, torch.flatten: _flatten, "flatten": _flatten,
    F.leaky_relu: _leaky_relu, F.gelu: _gelu, F.hardtanh: _hardtanh, F.softplus: _softplus,
    F.dropout: _dropout("dropout"), F.dropout2d: _dropout("dropout2d"),
    **{f: _plain(kind) for kind, functions in {
        "relu": (F.relu, torch.relu, torch.relu_, "relu", "relu_"), "relu6": (F.relu6,), "tanh": (torch.tanh, torch.tanh_, F.tanh, "tanh"),
        "sigmoid": (torch.sigmoid, F.sigmoid, "sigmoid"), "silu": (F.silu,), "hardswish": (F.hardswish,)}.items() for f in functions},
}

ADDITIONS = (operator.add, operator.iadd, torch.add, "add", "add_")
PRODUCTS = (operator.mul, operator.imul, torch.mul, "mul", "mul_")
CONCATS = (torch.cat, torch.concat)
MEANS = (torch.mean, "mean")
UNSQUEEZES = (operator.getitem, torch.unsqueeze, "unsqueeze", "expand_as")
RESHAPES = ("view", "reshape", torch.reshape)
LOG_SOFTMAX = (F.log_softmax, torch.log_softmax, "log_softmax")

class LayerNorm2d(nn.LayerNorm):
    """Layer norm over the channels of each pixel, as in torchvision."""

    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class LayerScale(nn.Module):
    """Multiplies each channel by a trained factor."""

    def __init__(self, channels, init_value):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((channels,), init_value))

    def forward(self, x):
        return x * self.gamma.view(-1, *[1] * (x.dim() - 2))


def _momentum(layer):
    """PyTorch's momentum: None for a mean over all batches."""
    momentum = layer.get("momentum", 0.1)
    return None if momentum == "cumulative" else momentum


BUILDERS = {  # type: the function that makes a module of a layer and its input shape, without the batch
    "conv2d": lambda l, s: nn.Conv2d(
        s[0], l["out"], _both(l["kernel"]), _both(l.get("stride", 1)),
        l["padding"] if isinstance(l.get("padding"), str) else _both(l.get("padding", 0)),
        _both(l.get("dilation", 1)), l.get("groups", 1), l.get("bias", True)),
    "linear": lambda l, s: nn.Linear(s[-1], l["out"], l.get("bias", True)),
    "maxPool2d": lambda l, s: nn.MaxPool2d(
        _both(l["kernel"]), _both(l.get("stride", l["kernel"])), _both(l.get("padding", 0)), _both(l.get("dilation", 1)),
        ceil_mode=l.get("ceilMode", False)),
    "avgPool2d": lambda l, s: nn.AvgPool2d(
        _both(l["kernel"]), _both(l.get("stride", l["kernel"])), _both(l.get("padding", 0)), l.get("ceilMode", False),
        l.get("countIncludePad", True)),
    "adaptiveAvgPool2d": lambda l, s: nn.AdaptiveAvgPool2d(_both(l["out"])),
    "upsample": lambda l, s: nn.Upsample(
        size=_both(l["size"]) if "size" in l else None, scale_factor=_both(l["scaleFactor"]) if "scaleFactor" in l else None),
    "batchNorm1d": lambda l, s: nn.BatchNorm1d(s[0], l.get("eps", 1e-5), _momentum(l), l.get("affine", True)),
    "batchNorm2d": lambda l, s: nn.BatchNorm2d(s[0], l.get("eps", 1e-5), _momentum(l), l.get("affine", True)),
    "groupNorm": lambda l, s: nn.GroupNorm(l["groups"], s[0], l.get("eps", 1e-5), l.get("affine", True)),
    "layerNorm": lambda l, s: nn.LayerNorm(l.get("normalizedShape") or list(s), l.get("eps", 1e-5), l.get("affine", True)),
    "layerNorm2d": lambda l, s: LayerNorm2d(s[0], l.get("eps", 1e-5), l.get("affine", True)),
    "layerScale": lambda l, s: LayerScale(s[0], l.get("initValue", 1e-6)),
    "flatten": lambda l, s: nn.Flatten(),
    "dropout": lambda l, s: nn.Dropout(l.get("p", 0.5)),
    "dropout2d": lambda l, s: nn.Dropout2d(l.get("p", 0.5)),
    "relu": lambda l, s: nn.ReLU(), "relu6": lambda l, s: nn.ReLU6(), "tanh": lambda l, s: nn.Tanh(),
    "sigmoid": lambda l, s: nn.Sigmoid(), "silu": lambda l, s: nn.SiLU(), "hardswish": lambda l, s: nn.Hardswish(),
    "identity": lambda l, s: nn.Identity(),
    "leakyRelu": lambda l, s: nn.LeakyReLU(l.get("negativeSlope", 0.01)),
    "gelu": lambda l, s: nn.GELU(approximate=l.get("approximate", "none")),
    "hardtanh": lambda l, s: nn.Hardtanh(l.get("minVal", -1.0), l.get("maxVal", 1.0)),
    "softplus": lambda l, s: nn.Softplus(l.get("beta", 1), l.get("threshold", 20)),
}


# ---------------------------------------------------------------- from a module to layers

class _Traced:
    """A module's forward as a graph, read backwards from its output. Each layer has its PyTorch name as "from"."""

    def __init__(self, module, shape):
        self.module = module.eval()
        graph = fx.symbolic_trace(module)
        ShapeProp(graph).propagate(torch.zeros(2, *shape))
        inputs = [node for node in graph.graph.nodes if node.op == "placeholder"]
        if len(inputs) != 1:
            raise Unsupported("forward has %d arguments; allowed is one, the batch" % len(inputs))
        self.input = inputs[0]
        self.output = next(node for node in graph.graph.nodes if node.op == "output").args[0]
        if not isinstance(self.output, fx.Node):
            raise Unsupported("forward returns %s; allowed is one tensor" % type(self.output).__name__)
        self.first_use = {}
        self.befores = {}
        self.concats = {tuple(node.args[0]): node for node in graph.graph.nodes if self._target(node) in CONCATS}
        for node in graph.graph.nodes:
            if node.op == "call_module":
                self.first_use.setdefault(node.target, node)

    def layers(self):
        end = self.output
        if self._target(end) in LOG_SOFTMAX or isinstance(self._module(end), nn.LogSoftmax):
            end = end.args[0]  # the loss, cross-entropy, includes it
        return self._between(self.input, end)

    def _module(self, node):
        return self.module.get_submodule(node.target) if node.op == "call_module" else None

    @staticmethod
    def _target(node):
        return node.target if node.op in ("call_function", "call_method") else None

    def _between(self, start, end):
        layers, node = [], end
        while node is not start:
            if node.op in ("placeholder", "get_attr"):
                raise Unsupported("%s is used where a layer's output is expected" % node.name)
            before = self._before(node)
            layers += self._layers(node, before)[::-1]
            node = before
        return layers[::-1]

    def _before(self, node):
        """The input tensor of a layer; for a join of branches, the tensor at which they begin."""
        if node not in self.befores:
            self.befores[node] = self._fork(node) if self._joins(node) else self._input(node)
        return self.befores[node]

    @staticmethod
    def _input(node):
        tensor = node.args[0] if node.args else None
        tensor = tensor[0] if isinstance(tensor, (list, tuple)) and len(tensor) == 1 else tensor  # torch.cat of one
        if not isinstance(tensor, fx.Node):
            raise Unsupported("%s does not have one input tensor; a job's network joins branches by addition, torch.cat"
                              " over the channels, or multiplication by a factor of each channel" % node.name)
        return tensor

    def _joins(self, node):
        target = self._target(node)
        return target in ADDITIONS + PRODUCTS or target in CONCATS and len(node.args[0]) > 1

    def _fork(self, node):
        *others, last = (list(self._path(branch)) for branch in self._branches(node))
        return next(n for n in last if all(n in path for path in others))

    def _branches(self, node):
        target = self._target(node)
        if target in CONCATS:
            if (node.args[1:] or tuple(node.kwargs.values())) not in ((1,), (-len(node.meta["tensor_meta"].shape) + 1,)):
                raise Unsupported("%s joins along another dimension than the channels, 1" % node.name)
            parts = tuple(node.args[0])
            for n in range(len(parts) - 1, 0, -1):  # a dense block concatenates again what an earlier layer has concatenated
                if parts[:n] in self.concats:
                    return (self.concats[parts[:n]], *parts[n:])
            return parts
        if len(node.args) != 2 or node.kwargs or not all(isinstance(a, fx.Node) for a in node.args):
            raise Unsupported("%s does not %s two tensors of the network" % (node.name, "add" if target in ADDITIONS else "multiply"))
        if target in PRODUCTS:  # the values, then their factors
            return node.args if node.args[0] in self._path(node.args[1]) else node.args[::-1]
        return node.args

    def _path(self, node):
        while True:
            yield node
            if node is self.input:
                return
            node = self._before(node)

    def _layers(self, node, before):
        if not self._joins(node):
            return self._layer(node)
        branches = [self._between(before, branch) for branch in self._branches(node)]
        if self._target(node) in CONCATS:
            return [{"type": "concat", "from": node.name, "branches": branches}]
        if self._target(node) in PRODUCTS:
            if branches[0]:
                raise Unsupported("%s multiplies by factors that are not computed from the multiplied tensor" % node.name)
            return [{"type": "gate", "from": node.name, "layers": branches[1]}]
        branches.sort(key=lambda layers: (not layers, self._first_made(layers)))  # the random numbers are drawn in the order of creation
        return [{"type": "residual", "from": node.name, "layers": branches[0], "shortcut": branches[1]}]

    def _first_made(self, layers):
        order = [name for name, _ in self.module.named_modules()]
        return min((order.index(n) for n in _sources(layers) if n in order), default=math.inf)

    def _layer(self, node):
        module = self._module(node)
        if module is not None:
            make = next((make for cls, make in MODULES.items() if type(module) is cls), None)
            if make is None:
                raise Unsupported("%s is a %s, which a job's network does not support" % (node.target, type(module).__name__))
            first = self.first_use[node.target] is node
            if not first and any(True for _ in module.parameters()):
                raise Unsupported("%s is used twice; layers of a job's network do not share weights" % node.target)
            return [{**make(module), "from": node.target if first else node.name, "module": first}]
        return [{**layer, "from": node.name} for layer in self._call(node)]

    def _call(self, node):
        target = self._target(node)
        name = getattr(target, "__name__", target)
        before, after = (tuple(n.meta["tensor_meta"].shape) for n in (self._input(node), node))
        if target in RESHAPES + UNSQUEEZES and len(after) > len(before) and math.prod(before) == math.prod(after):
            return []  # factors of channels for a multiplication, which needs no ones behind them
        if target in CONCATS or target == "expand_as" and math.prod(before[2:]) == 1:
            return []
        if target in RESHAPES:
            if after != (before[0], math.prod(before[1:])):
                raise Unsupported("%s reshapes to %s from %s; allowed is a vector per sample" % (node.name, after, before))
            return [{"type": "flatten"}]
        if target in MEANS:
            return self._mean(node, len(before))
        if name == "stochastic_depth":
            if node.args[1] > 0:
                raise Unsupported("%s has the probability %s; stochastic depth is not supported, so give it 0" % (node.name, node.args[1]))
            return []
        if target not in FUNCTIONS:
            raise Unsupported("%s calls %s, which a job's network does not support" % (node.name, name))
        return [FUNCTIONS[target](*node.args[1:], **node.kwargs)]

    @staticmethod
    def _mean(node, rank):
        dim, keep = (lambda input, dim=None, keepdim=False, **_: (dim, keepdim))(*node.args, **node.kwargs)
        over = sorted(d % rank for d in (dim if isinstance(dim, (tuple, list)) else [] if dim is None else [dim]))
        if rank != 4 or over != [2, 3]:
            raise Unsupported("%s is a mean over the dimensions %s; allowed is rows and columns, (2, 3)" % (node.name, dim))
        return [{"type": "adaptiveAvgPool2d", "out": 1}] + ([] if keep else [{"type": "flatten"}])


def _inside(layer):
    """The lists of layers inside a layer."""
    return {"residual": lambda: [layer["layers"], layer["shortcut"]], "concat": lambda: layer["branches"],
            "gate": lambda: [layer["layers"]]}.get(layer["type"], lambda: [])()


def _sources(layers):
    """The PyTorch names of all layers that are modules, nested ones included."""
    for layer in layers:
        for branch in _inside(layer):
            yield from _sources(branch)
        if layer.get("module"):
            yield layer["from"]


def _common(layers):
    """The common beginning of all modules' names: the name of the enclosing module, in parts."""
    parts = [name.split(".")[:-1] for name in _sources(layers)]
    return next((parts[0][:n] for n in range(min(map(len, parts), default=0), 0, -1) if all(p[:n] == parts[0][:n] for p in parts)), [])


def _named(layers, around, prefix, names, taken=None, unnamed=""):
    """Names the layers relative to the enclosing ones.

    around: the parts of PyTorch's names to omit; prefix: the job's name of the enclosing layers; names: receives the
    job's name of each layer by PyTorch's; taken: names of layers in other branches; unnamed: what precedes the index of a
    layer without a name"""
    result, taken = [], set() if taken is None else taken
    for index, layer in enumerate(layers):
        kind, source, is_module, branches = layer["type"], layer["from"], layer.get("module"), _inside(layer)
        layer = {field: value for field, value in layer.items() if field not in ("type", "from", "module")}
        inner = around
        if branches:
            own = _common(sum(branches, []))
            if len(own) > len(around):
                inner, source, is_module = own, ".".join(own), True
        name = _free(".".join(source.split(".")[len(around):]) if is_module else source, taken)
        if kind == "residual":
            shortcut = max(inner, _common(layer["shortcut"]), key=len)
            layer["shortcut"] = _named(layer["shortcut"], shortcut, prefix + name + ".shortcut.", names)
            if not layer["shortcut"]:
                del layer["shortcut"]
        if kind == "concat":
            inside = set()
            layer["branches"] = [_named(branch, inner, prefix + name + ".", names, inside, "%d." % i)
                                 for i, branch in enumerate(layer["branches"])]
        elif branches:
            layer["layers"] = _named(layer["layers"], inner, prefix + name + ".", names)
        else:
            names[source] = prefix + name
        result.append({"type": kind, **({} if name == unnamed + str(index) else {"name": name}), **layer})
    return result


def _free(name, taken):
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _convert(module, shape):
    """The layers, and the job's name of each by PyTorch's."""
    names = {}
    was_training = module.training
    try:
        return _named(_Traced(module, shape).layers(), [], "", names), names
    finally:
        module.train(was_training)


def to_json(module, shape):
    """The network of a job that computes the same as `module`.

    shape: of one sample, such as (3, 32, 32). Raises Unsupported, with the place, if there is no such network."""
    layers, names = _convert(module, shape)
    _compare(module, to_module(layers, shape), names, shape)
    return {"layers": layers}


def draws_alike(module, shape):
    """Whether the initial weights of the job's network and of the module are equal for the same seed: if __init__ creates
    the layers in the order in which forward uses them."""
    _, names = _convert(module, shape)
    drawn = [name for name, part in module.named_modules() if name in names and any(True for _ in part.parameters())]
    return drawn == [name for name in names if name in drawn]


def _compare(module, ours, names, shape):
    ours.load_state_dict(_renamed(module.state_dict(), names))
    batch = torch.randn(2, *shape, generator=torch.Generator().manual_seed(0))
    was_training = module.training
    with torch.no_grad():
        expected, found = module.eval()(batch), ours.eval()(batch)
    module.train(was_training)
    # a final log-softmax belongs to the loss, so outputs are compared after one
    distance = (expected.log_softmax(1) - found.log_softmax(1)).abs().max().item()
    if not distance < 1e-4:
        raise Unsupported("the layers and the module differ by %g on random input" % distance)


def _renamed(state, names):
    renamed = {}
    for key, tensor in state.items():
        layer, _, tail = key.rpartition(".")
        if layer not in names:
            raise Unsupported("%s does not belong to a layer that forward uses" % key)
        renamed["%s.%s" % (names[layer], tail)] = tensor
    return renamed


# ---------------------------------------------------------------- from layers to a module

class Layers(nn.Module):
    """A sequence of layers with the names that checkpoints use."""

    def __init__(self, layers, shape):
        super().__init__()
        self.sequence, self.shape = self._add(layers, shape)

    def _add(self, layers, shape, unnamed=""):
        sequence, sample = [], torch.zeros(2, *shape)
        for index, layer in enumerate(layers):
            module = _built(layer, tuple(sample.shape[1:]))
            with torch.no_grad():
                sample = module.eval()(sample)
            module.train()
            sequence.append(module)
            self._place(layer.get("name") or unnamed + str(index), module)
        return sequence, tuple(sample.shape[1:])

    def _place(self, name, module):
        *around, last = name.split(".")
        parent = self
        for part in around:
            parent = parent._modules.setdefault(part, nn.Module())
        parent._modules[last] = module

    def forward(self, batch):
        for module in self.sequence:
            batch = module(batch)
        return batch


class Residual(Layers):
    """The sum of two lists of layers; an empty second list is the input itself."""

    def __init__(self, layer, shape):
        super().__init__(layer["layers"], shape)
        self._modules["shortcut"] = Layers(layer.get("shortcut") or [], shape)

    def forward(self, batch):
        return super().forward(batch) + self._modules["shortcut"](batch)


class Concat(Layers):
    """The channels of all lists of layers; an empty list is the input itself."""

    def __init__(self, layer, shape):
        super().__init__([], shape)
        self.sequences = [self._add(branch, shape, "%d." % i)[0] for i, branch in enumerate(layer["branches"])]

    def forward(self, batch):
        return torch.cat([functools.reduce(lambda x, module: module(x), sequence, batch) for sequence in self.sequences], 1)


class Gate(Layers):
    """Multiplies each channel by the factor that the layers give."""

    def __init__(self, layer, shape):
        super().__init__(layer["layers"], shape)

    def forward(self, batch):
        return batch * super().forward(batch).reshape(*batch.shape[:2], *[1] * (batch.dim() - 2))


BUILDERS.update(residual=Residual, concat=Concat, gate=Gate)


def _built(layer, shape):
    if layer["type"] not in BUILDERS:
        raise Unsupported("layers of type %s are not supported; allowed are %s" % (layer["type"], ", ".join(sorted(BUILDERS))))
    return BUILDERS[layer["type"]](layer, shape)


def to_module(layers, shape):
    """A module of a job's layers. After `torch.manual_seed(seed)` its weights are those of a job with this seed."""
    return Layers(layers, shape)


# ---------------------------------------------------------------- checkpoints

DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "F64": torch.float64, "I64": torch.int64}


def read_checkpoint(path):
    """The tensors of a safetensors file, by name."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        body = bytearray(file.read())
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = torch.frombuffer(body, dtype=DTYPES[entry["dtype"]], count=math.prod(entry["shape"]),
                                         offset=begin).reshape(entry["shape"]).clone()
        if end > len(body):
            raise Unsupported("%s ends within %s" % (path, name))
    return tensors


def load(module, shape, path):
    """Loads a checkpoint into the module from which its job's network was made."""
    _, names = _convert(module, shape)
    back = {ours: theirs for theirs, ours in names.items()}
    state = {}
    for key, tensor in read_checkpoint(path).items():
        layer, _, tail = key.rpartition(".")
        if layer not in back:
            raise Unsupported("%s has %s, which this module does not have" % (path, key))
        state["%s.%s" % (back[layer], tail)] = tensor
    module.load_state_dict(state)


# ---------------------------------------------------------------- the command

def _make(place):
    path, _, name = place.partition(":")
    if not name:
        raise Unsupported("%s has no class name; write FILE.py:NAME" % place)
    spec = importlib.util.spec_from_file_location("user_network", path)
    source = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(source)
    made = getattr(source, name)
    module = made if isinstance(made, nn.Module) else made()
    if not isinstance(module, nn.Module):
        raise Unsupported("%s is a %s; it must be an nn.Module, or return one" % (place, type(module).__name__))
    return module


def _shape(text):
    return tuple(int(size) for size in text.split("x"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    there = commands.add_parser("to-json", help="a module as a job's network")
    there.add_argument("module", metavar="FILE.py:NAME")
    back = commands.add_parser("to-torch", help="a job's network as a module")
    back.add_argument("network", metavar="NETWORK.json")
    back.add_argument("--checkpoint", metavar="FILE.safetensors")
    for command in (there, back):
        command.add_argument("--input", type=_shape, required=True, metavar="CxHxW", help="the shape of one sample, such as 3x32x32 or 12")
        command.add_argument("--output", metavar="FILE")
    arguments = parser.parse_args()
    try:
        (_to_json if arguments.command == "to-json" else _to_torch)(arguments)
    except (Unsupported, fx.proxy.TraceError, OSError, AttributeError) as e:
        sys.exit("trainyard_torch.py: %s" % e)


def _to_json(arguments):
    module = _make(arguments.module)
    text = json.dumps(to_json(module, arguments.input), indent=1)
    if not draws_alike(module, arguments.input):
        print("trainyard_torch.py: __init__ creates the layers in another order than forward uses them, so the same seed"
              " gives other initial weights", file=sys.stderr)
    if arguments.output:
        with open(arguments.output, "w") as file:
            file.write(text + "\n")
    else:
        print(text)


def _to_torch(arguments):
    with open(arguments.network) as file:
        job = json.load(file)
    network = job.get("network", job)
    if not isinstance(network, dict) or "layers" not in network:
        raise Unsupported("%s has no layers; ./trainyard network show NAME --json writes those of a built-in network" % arguments.network)
    module = to_module(network["layers"], arguments.input)
    if arguments.checkpoint:
        module.load_state_dict(read_checkpoint(arguments.checkpoint))
    if arguments.output:
        torch.save(module.state_dict(), arguments.output)
    print(module)


if __name__ == "__main__":
    main()
