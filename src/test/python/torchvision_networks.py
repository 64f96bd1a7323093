#!/usr/bin/env python3
"""Writes jobs with networks of torchvision, and the outputs of torchvision's modules for the same images.

    python3 torchvision_networks.py JOBS > torchvision.jsonl      JOBS is docs/examples

Needs torch, torchvision and numpy. Recorded with torch 1.13.1 and torchvision 0.14.1. A job's layers have the names of their modules; where all of them do,
`names` is the module's state_dict(). The modules start as PyTorch's layers do by themselves, in their order, and not as torchvision starts a whole network.

A line: the job's file, the module's number of parameters, its names, and the losses of STEPS steps with the job's own seed, batch and optimizer on the
first IMAGES images of pixel(i) and labels i % 10. They are drawn as a DataLoader draws them.

    python3 torchvision_networks.py --photos > torchvision-photos.jsonl

The networks for photos that are built in, as torchvision starts them after manual_seed(0): a line has the network's name, its number of parameters, its
names, the first INITIAL values of each parameter, and the losses of STEPS steps like those above, in batches of PHOTO_BATCH of PHOTOS images.
"""
import json
import os
import sys

import numpy as np
import torch
from torch import nn
from torchvision import models
from torchvision.models.convnext import CNBlock, CNBlockConfig, ConvNeXt
from torchvision.models.googlenet import BasicConv2d, Inception
from torchvision.models.resnet import BasicBlock, ResNet
from torchvision.ops import SqueezeExcitation

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/clients"))
import trainyard_torch  # noqa: E402

STEPS, BATCH, IMAGES, SHAPE, CLASSES = 2, 16, 64, (3, 32, 32), 10
PHOTO_BATCH, PHOTOS, PHOTO, INITIAL = 4, 8, (3, 224, 224), 3
NORMALIZE = {"mean": [0.5, 0.5, 0.5], "std": [0.25, 0.25, 0.25]}


def conv(m, name):
    spec = {"type": "conv2d", "name": name, "out": m.out_channels, "kernel": m.kernel_size[0], "stride": m.stride[0], "padding": m.padding[0],
            "groups": m.groups, "bias": m.bias is not None}
    return {k: v for k, v in spec.items() if v != {"stride": 1, "padding": 0, "groups": 1, "bias": True}.get(k)}


def pointwise(m, name):
    """A linear layer over the channels of each pixel."""
    return {"type": "conv2d", "name": name, "out": m.out_features, "kernel": 1}


SIMPLE = {nn.ReLU: {"type": "relu"}, nn.ReLU6: {"type": "relu6"}, nn.GELU: {"type": "gelu"}, nn.Flatten: {"type": "flatten"}}


def layer(m, name):
    if isinstance(m, nn.Conv2d):
        return conv(m, name)
    if isinstance(m, nn.Linear):
        return {"type": "linear", "name": name, "out": m.out_features}
    if isinstance(m, nn.BatchNorm2d):
        return {"type": "batchNorm2d", "name": name}
    if isinstance(m, nn.LayerNorm):
        return {"type": "layerNorm2d", "name": name, "eps": m.eps}
    if isinstance(m, nn.MaxPool2d):
        return {"type": "maxPool2d", "name": name, "kernel": m.kernel_size}
    if isinstance(m, nn.Dropout):
        return {"type": "dropout", "name": name, "p": m.p}
    return SIMPLE[type(m)] | {"name": name}


def vgg11_bn():
    """Its features; the classifier is one linear layer, as for images of 32 x 32 usual."""
    net = nn.Sequential()
    net.add_module("features", models.vgg11_bn().features)
    net.add_module("flatten", nn.Flatten())
    net.add_module("classifier", nn.Linear(512, CLASSES))
    layers = [layer(m, f"features.{i}") for i, m in enumerate(net.features)]
    return net, layers + [{"type": "flatten", "name": "flatten"}, layer(net.classifier, "classifier")], True


def mobilenet_v2():
    net = models.mobilenet_v2(num_classes=CLASSES)
    layers = []
    for i, block in enumerate(net.features):
        inner = [(n, m) for n, m in block.named_modules() if not list(m.children())]
        if getattr(block, "use_res_connect", False):
            layers.append({"type": "residual", "name": f"features.{i}", "layers": [layer(m, n) for n, m in inner]})
        else:
            layers += [layer(m, f"features.{i}.{n}") for n, m in inner]
    layers += [{"type": "adaptiveAvgPool2d", "name": "pool", "out": 1}, {"type": "flatten", "name": "flatten"}]
    return net, layers + [layer(m, f"classifier.{i}") for i, m in enumerate(net.classifier)], True


def convnext():
    """A stem for small images and three stages of narrow blocks. The layer scales start at 0.1, so that a few steps show their effect."""
    stages = [CNBlockConfig(32, 64, 2), CNBlockConfig(64, 128, 2), CNBlockConfig(128, None, 2)]
    net = ConvNeXt(stages, layer_scale=0.1, num_classes=CLASSES)
    layers = []
    for i, stage in enumerate(net.features):
        for j, m in enumerate(stage):
            name = f"features.{i}.{j}"
            if isinstance(m, CNBlock):
                inner = [pointwise(b, f"block.{k}") if isinstance(b, nn.Linear) else layer(b, f"block.{k}")
                         for k, b in enumerate(m.block) if type(b).__name__ != "Permute"]
                layers.append({"type": "residual", "name": name, "layers": inner + [{"type": "layerScale", "name": "scale", "initValue": 0.1}]})
            else:
                layers.append(layer(m, name))
    layers.append({"type": "adaptiveAvgPool2d", "name": "pool", "out": 1})
    return net, layers + [layer(m, f"classifier.{i}") for i, m in enumerate(net.classifier)], False


def traced(net, same_names=True):
    return net, trainyard_torch.to_json(net, SHAPE)["layers"], same_names


def densenet():
    """Three dense blocks of four layers each."""
    return traced(models.DenseNet(12, (4, 4, 4), 24, num_classes=CLASSES))


class Inceptions(nn.Module):
    """Two of GoogLeNet's blocks."""
    def __init__(self):
        super().__init__()
        self.conv1 = BasicConv2d(3, 32, kernel_size=3, stride=2, padding=1)
        self.inception3a = Inception(32, 16, 24, 32, 4, 8, 8)
        self.maxpool3 = nn.MaxPool2d(3, stride=2, padding=1)
        self.inception4a = Inception(64, 32, 32, 64, 8, 16, 16)
        self.fc = nn.Linear(128, CLASSES)

    def forward(self, x):
        return self.fc(self.inception4a(self.maxpool3(self.inception3a(self.conv1(x)))).mean((2, 3)))


def inception():
    return traced(Inceptions())


class SEBasicBlock(BasicBlock):
    """ResNet's block with squeeze-and-excitation before the sum."""
    def __init__(self, inplanes, planes, stride=1, downsample=None, *others, **options):
        super().__init__(inplanes, planes, stride, None, *others, **options)
        self.se = SqueezeExcitation(planes, planes // 16)
        self.downsample = downsample                                       # drawn after the other weights

    def forward(self, x):
        out = self.se(self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x))))))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


def se_resnet():
    return traced(ResNet(SEBasicBlock, [2, 2, 2, 2], num_classes=CLASSES), False)


def efficientnet():
    return traced(models.efficientnet_b0(num_classes=CLASSES, stochastic_depth_prob=0.0))


ADAMW = {"type": "adamw", "learningRate": 0.001, "weightDecay": 0.05}
SGD = {"type": "sgd", "learningRate": 0.01, "momentum": 0.9, "weightDecay": 0.0005}
NETWORKS = {"vgg11-bn": (vgg11_bn, SGD), "mobilenet-v2": (mobilenet_v2, SGD), "convnext": (convnext, ADAMW), "densenet": (densenet, SGD),
            "inception": (inception, SGD), "se-resnet18": (se_resnet, SGD), "efficientnet-b0": (efficientnet, SGD)}


def text(job):
    """A layer a line."""
    def lines(layers, indent):
        return "[\n" + ",\n".join(indent + one(layer, indent + "  ") for layer in layers) + "]" if layers else "[]"

    def one(layer, indent):
        if not any(isinstance(v, list) and v and isinstance(v[0], (dict, list)) for v in layer.values()):
            return json.dumps(layer)
        fields = []
        for k, v in layer.items():
            if k == "branches":
                v = "[" + ", ".join(lines(branch, indent) for branch in v) + "]"
            else:
                v = lines(v, indent) if k in ("layers", "shortcut") else json.dumps(v)
            fields.append(json.dumps(k) + ": " + v)
        return "{" + ", ".join(fields) + "}"

    head = json.dumps({k: v for k, v in job.items() if k != "network"})
    return head[:-1] + ',\n "network": {"layers": ' + lines(job["network"]["layers"], "  ") + "}}\n"


def images(count=IMAGES, shape=SHAPE):
    i = np.arange(count * int(np.prod(shape)), dtype=np.uint64)
    pixels = ((i * np.uint64(2654435761)) % np.uint64(1 << 32) >> np.uint64(24)).astype(np.uint8)
    x = torch.from_numpy(pixels.reshape(count, *shape)).to(torch.float32).div(255)
    mean, std = (torch.tensor(NORMALIZE[k], dtype=torch.float32).view(-1, 1, 1) for k in ("mean", "std"))
    return (x - mean) / std, torch.arange(count) % CLASSES


def losses(net, optimizer, exact):
    torch.manual_seed(0)
    for m in net.modules():
        if hasattr(m, "reset_parameters"):
            m.reset_parameters()
    return train(net, optimizer, torch.float64 if exact else torch.float32, images(), BATCH)


def train(net, optimizer, kind, samples, batch):
    net.to(kind).train()
    options = {"lr": optimizer["learningRate"], "weight_decay": optimizer["weightDecay"]}
    step = (torch.optim.SGD(net.parameters(), momentum=optimizer["momentum"], **options) if optimizer["type"] == "sgd"
            else torch.optim.AdamW(net.parameters(), **options))
    torch.empty((), dtype=torch.int64).random_()                           # a DataLoader's base seed
    generator = torch.Generator()
    generator.manual_seed(int(torch.empty((), dtype=torch.int64).random_()))
    (x, y), found = samples, []
    for k in torch.randperm(len(y), generator=generator).split(batch)[:STEPS]:
        loss = nn.functional.cross_entropy(net(x[k].to(kind)), y[k])
        step.zero_grad()
        loss.backward()
        step.step()
        found.append(loss.item())
    return found


def photos():
    for name in "resnet18", "resnet34", "resnet50", "mobilenet-v2":
        for exact in False, True:
            torch.manual_seed(0)
            net = getattr(models, name.replace("-", "_"))(num_classes=CLASSES)
            initial = {k: p.detach().flatten()[:INITIAL].tolist() for k, p in net.named_parameters()}
            found = train(net, SGD, torch.float64 if exact else torch.float32, images(PHOTOS, PHOTO), PHOTO_BATCH)
            if exact:
                print(name, "in float64:", found, file=sys.stderr)
            else:
                print(json.dumps({"network": name, "parameters": sum(p.numel() for p in net.parameters()), "losses": found,
                                  "names": list(net.state_dict()), "initial": initial}))


def main():
    torch.set_num_threads(1)
    if sys.argv[1] == "--photos":
        return photos()
    for name, (make, optimizer) in NETWORKS.items():
        net, layers, same_names = make()
        job = {"dataset": {"name": "shapes32", "normalize": NORMALIZE}, "epochs": 5, "batchSize": BATCH, "shuffle": True, "optimizer": optimizer,
               "network": {"layers": layers}}
        with open(os.path.join(sys.argv[1], name + ".json"), "w") as file:
            file.write(text(job))
        line = {"job": name + ".json", "parameters": sum(p.numel() for p in net.parameters()), "losses": losses(net, optimizer, False)}
        if same_names:
            line["names"] = list(net.state_dict())
        print(json.dumps(line))
        print(name, "in float64:", losses(make()[0], optimizer, True), file=sys.stderr)


if __name__ == "__main__":
    main()
