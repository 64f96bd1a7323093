#!/usr/bin/env python3
"""Writes small networks of torchvision's blocks as other programs save them, and the losses of training them further.

    python3 fine_tuning.py DIR      DIR is the folder golden/fine-tuning

Needs torch, torchvision and numpy. Recorded with torch 1.13.1 and torchvision 0.14.1. DIR/<name>.safetensors is the state_dict() of a module with 7 classes,
drawn after manual_seed(1) and trained for a step. A line of DIR/jobs.jsonl: the file's name, the job's network, which has 10 classes, `except`, and the
losses of STEPS steps of the module with 10 classes, drawn after manual_seed(0), after load_state_dict() of all but the last layer.
"""
import json
import os
import struct
import sys

import torch
from torch import nn
from torchvision import models
from torchvision.models.convnext import CNBlockConfig, ConvNeXt
from torchvision.models.resnet import BasicBlock, conv1x1
from torchvision.models.vgg import make_layers

import torchvision_networks as known
from torchvision_networks import layer

STEPS, SGD = 2, {"learningRate": 0.05, "momentum": 0.9, "weightDecay": 0.0005}


class ResNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, 2, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.layer1 = nn.Sequential(BasicBlock(8, 8))
        self.layer2 = nn.Sequential(BasicBlock(8, 16, 2, nn.Sequential(conv1x1(8, 16, 2), nn.BatchNorm2d(16))))
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        x = self.layer2(self.layer1(torch.relu(self.bn1(self.conv1(x)))))
        return self.fc(x.mean((2, 3)))


class VGG(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = make_layers([8, "M", 8, "M"], batch_norm=True)
        self.classifier = nn.Sequential(nn.Linear(512, 16), nn.ReLU(), nn.Dropout(0), nn.Linear(16, 16), nn.ReLU(), nn.Dropout(0), nn.Linear(16, classes))

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def resnet_layers(net):
    def block(name, b):
        inner = [layer(b.conv1, "conv1"), layer(b.bn1, "bn1"), {"type": "relu"}, layer(b.conv2, "conv2"), layer(b.bn2, "bn2")]
        found = {"type": "residual", "name": name, "layers": inner}
        if b.downsample is not None:
            found["shortcut"] = [layer(b.downsample[0], "0"), layer(b.downsample[1], "1")]
        return [found, {"type": "relu"}]
    return ([layer(net.conv1, "conv1"), layer(net.bn1, "bn1"), {"type": "relu"}] + block("layer1.0", net.layer1[0]) + block("layer2.0", net.layer2[0])
            + [{"type": "adaptiveAvgPool2d", "out": 1}, {"type": "flatten"}, layer(net.fc, "fc")])


def vgg_layers(net):
    features = [layer(m, f"features.{i}") for i, m in enumerate(net.features)]
    return features + [{"type": "flatten"}] + [layer(m, f"classifier.{i}") for i, m in enumerate(net.classifier) if not isinstance(m, nn.Dropout)]


def mobilenet(classes):
    return models.MobileNetV2(classes, width_mult=0.1, inverted_residual_setting=[[1, 16, 1, 1], [6, 24, 2, 2]], dropout=0)


def mobilenet_layers(net):
    layers = []
    for i, b in enumerate(net.features):
        inner = [(n, m) for n, m in b.named_modules() if not list(m.children())]
        if getattr(b, "use_res_connect", False):
            layers.append({"type": "residual", "name": f"features.{i}", "layers": [layer(m, n) for n, m in inner]})
        else:
            layers += [layer(m, f"features.{i}.{n}") for n, m in inner]
    return layers + [{"type": "adaptiveAvgPool2d", "out": 1}, {"type": "flatten"}, layer(net.classifier[1], "classifier.1")]


def convnext(classes):
    return ConvNeXt([CNBlockConfig(8, 16, 1), CNBlockConfig(16, None, 1)], layer_scale=0.1, num_classes=classes)


def convnext_layers(net):
    layers = []
    for i, stage in enumerate(net.features):
        for j, m in enumerate(stage):
            name = f"features.{i}.{j}"
            if hasattr(m, "layer_scale"):
                inner = [known.pointwise(b, f"block.{k}") if isinstance(b, nn.Linear) else layer(b, f"block.{k}")
                         for k, b in enumerate(m.block) if type(b).__name__ != "Permute"]
                layers.append({"type": "residual", "name": name, "layers": inner + [{"type": "layerScale", "name": "scale", "initValue": 0.1}]})
            else:
                layers.append(layer(m, name))
    return layers + [{"type": "adaptiveAvgPool2d", "out": 1}] + [layer(m, f"classifier.{i}") for i, m in enumerate(net.classifier)]


NETWORKS = {"resnet": (ResNet, resnet_layers, "fc"), "vgg": (VGG, vgg_layers, "classifier.6"),
            "mobilenet-v2": (mobilenet, mobilenet_layers, "classifier.1"), "convnext": (convnext, convnext_layers, "classifier.2")}


def save(state, path):
    """The safetensors format, which this installation has no package for."""
    header, offset, content = {"__metadata__": {"format": "pt"}}, 0, []
    for name, tensor in state.items():
        content.append(tensor.contiguous().numpy().tobytes())
        header[name] = {"dtype": {torch.float32: "F32", torch.int64: "I64"}[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + len(content[-1])]}
        offset += len(content[-1])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(content))


def draw(make, classes, seed):
    net = make(classes)
    torch.manual_seed(seed)
    for m in net.modules():
        if hasattr(m, "reset_parameters"):
            m.reset_parameters()
    return net.train()


def train(net, x, y, batches):
    optimizer, losses = torch.optim.SGD(net.parameters(), SGD["learningRate"], SGD["momentum"], weight_decay=SGD["weightDecay"]), []
    for k in batches:
        loss = nn.functional.cross_entropy(net(x[k]), y[k])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    torch.set_num_threads(1)
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    x, y = known.images()
    lines = []
    for name, (make, layers, last) in NETWORKS.items():
        before = draw(make, 7, 1)
        train(before, x, y % 7, [torch.arange(16)])
        save(before.state_dict(), os.path.join(folder, name + ".safetensors"))
        net = draw(make, 10, 0)
        torch.empty((), dtype=torch.int64).random_()                           # a DataLoader's base seed
        generator = torch.Generator()
        generator.manual_seed(int(torch.empty((), dtype=torch.int64).random_()))
        order = torch.randperm(known.IMAGES, generator=generator).split(known.BATCH)[:STEPS]
        loaded = {k: v for k, v in before.state_dict().items() if not k.startswith(last + ".")}
        missing = net.load_state_dict(loaded, strict=False)
        assert not missing.unexpected_keys and missing.missing_keys == [last + ".weight", last + ".bias"]
        losses = train(net, x, y, order)
        lines.append({"file": name, "network": {"layers": layers(net)}, "except": [last], "losses": losses})
    with open(os.path.join(folder, "jobs.jsonl"), "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    main()
