#!/usr/bin/env python3
"""Shapes and sizes of the built-in networks in PyTorch: the golden of `./trainyard network show`.

    python3 network_shapes.py > network-shapes.json

Of each network the input's shape, the parameters and the buffers in all, and of each of its modules that has parameters, in the order in which they are
called, the shape of its output for one sample, its parameters and buffers, and its multiplications (each output value takes as many as one of its weights'
filters or rows has elements; norms count as none). The networks are those of the tutorials, written anew with their names. num_batches_tracked is
a buffer of one value. Made with PyTorch 1.13.1.
"""
import json

import torch
from torch import nn

from resnet18_cifar import ResNet18


def tudui():
    return nn.ModuleDict({"model": nn.Sequential(
        nn.Conv2d(3, 32, 5, padding=2), nn.MaxPool2d(2), nn.Conv2d(32, 32, 5, padding=2), nn.MaxPool2d(2), nn.Conv2d(32, 64, 5, padding=2),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1024, 64), nn.Linear(64, 10))})


def convolutions(channels, out1, out2, side, fc1, fc2, last):
    return nn.ModuleDict({"conv1": nn.Conv2d(channels, out1, 5), "pool1": nn.MaxPool2d(2), "conv2": nn.Conv2d(out1, out2, 5), "pool2": nn.MaxPool2d(2),
                          "flatten": nn.Flatten(), "fc1": nn.Linear(out2 * side * side, fc1), "fc2": nn.Linear(fc1, fc2), last: nn.Linear(fc2, 10)})


def signs():
    return nn.ModuleDict({"flatten": nn.Flatten(), "fc1": nn.Linear(3 * 64 * 64, 25), "fc2": nn.Linear(25, 16), "fc3": nn.Linear(16, 6)})


NETWORKS = {"tudui": (tudui(), (3, 32, 32)), "lenet": (convolutions(3, 6, 16, 5, 120, 84, "fc3"), (3, 32, 32)),
            "fashion": (convolutions(1, 6, 12, 4, 120, 60, "out"), (1, 28, 28)), "signs": (signs(), (3, 64, 64)), "resnet18-cifar": (ResNet18(), (3, 32, 32))}


def describe(net, image):
    rows = []

    def note(name):
        def hook(module, _, output):
            multiplied = isinstance(module, (nn.Conv2d, nn.Linear))
            rows.append({"name": name, "output": list(output.shape[1:]), "parameters": sum(p.numel() for p in module.parameters()),
                         "buffers": sum(b.numel() for b in module.buffers()),
                         "multiplyAdds": output[0].numel() * module.weight[0].numel() if multiplied else 0})
        return hook

    for name, module in net.named_modules():
        if not list(module.children()) and list(module.parameters()):
            module.register_forward_hook(note(name))
    x = torch.zeros((1,) + image)
    with torch.no_grad():
        if isinstance(net, nn.ModuleDict):
            for module in net.values():
                x = module(x)
        else:
            net.eval()(x)
    return {"input": list(image), "parameters": sum(p.numel() for p in net.parameters()), "buffers": sum(b.numel() for b in net.buffers()), "layers": rows}


if __name__ == "__main__":
    print(json.dumps({name: describe(*network) for name, network in NETWORKS.items()}, indent=1))
