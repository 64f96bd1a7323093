#!/usr/bin/env python3
"""Trains ResNet-18 for CIFAR-10 for a few steps: the golden of the built-in network resnet18-cifar, in the form of the other networks' golden curves.

    python3 resnet18_cifar.py DIR > resnet18-cifar.jsonl      DIR holds CIFAR-10's binary version

Needs torch and numpy. Recorded with torch 2.13.0+cpu. The network is kuangliu/pytorch-cifar's ResNet18(), rewritten with the same names. It is trained on the first
IMAGES images of each of the five training files, in batches of BATCH, shuffled, and tested on the first TESTED of the test file.

`exact` is what the same job gives in float64. Some of the millions of inputs of the ReLUs are as near to 0 as rounding errors, and fall on one side or
the other by chance, so from the fourth step on the losses differ by up to a third of a percent.
"""
import hashlib
import json
import os
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

IMAGES, BATCH, EPOCHS, TESTED = 4, 8, 2, 12
LR, MOMENTUM, WEIGHT_DECAY = 0.001, 0.9, 0.0005
MEAN, STD = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)


class BasicBlock(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.shortcut = nn.Sequential()
        if stride != 1 or channels != out:
            self.shortcut = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        out = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(out + self.shortcut(x))


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.layer1 = nn.Sequential(BasicBlock(64, 64, 1), BasicBlock(64, 64, 1))
        self.layer2 = nn.Sequential(BasicBlock(64, 128, 2), BasicBlock(128, 128, 1))
        self.layer3 = nn.Sequential(BasicBlock(128, 256, 2), BasicBlock(256, 256, 1))
        self.layer4 = nn.Sequential(BasicBlock(256, 512, 2), BasicBlock(512, 512, 1))
        self.linear = nn.Linear(512, 10)

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.layer4(self.layer3(self.layer2(self.layer1(out))))
        return self.linear(F.avg_pool2d(out, 4).flatten(1))


def read(folder, name, count):
    records = np.fromfile(os.path.join(folder, name), np.uint8, count * 3073).reshape(count, 3073)
    return records[:, 1:].reshape(-1, 3, 32, 32), records[:, 0].astype(np.int64)


def pixels(images, kind):
    x = torch.from_numpy(images.copy()).to(torch.float32).div(255)
    mean, std = (torch.tensor(v, dtype=torch.float32).view(-1, 1, 1) for v in (MEAN, STD))
    return ((x - mean) / std).to(kind)


def sha256(net):
    return hashlib.sha256(b"".join(v.to(torch.float32).numpy().tobytes() for v in net.state_dict().values())).hexdigest()


def train(folder, kind):
    """Yields the training's events, with parameters and pixels as `kind`."""
    parts = [read(folder, "data_batch_%d.bin" % i, IMAGES) for i in range(1, 6)]
    x, y = pixels(np.concatenate([p[0] for p in parts]), kind), torch.from_numpy(np.concatenate([p[1] for p in parts]))
    images, labels = read(folder, "test_batch.bin", TESTED)
    test_x, test_y = pixels(images, kind), torch.from_numpy(labels)

    torch.manual_seed(0)
    net = ResNet18().to(kind)
    yield {"event": "init", "sha256": sha256(net), "first": net.conv1.weight.flatten()[:5].tolist(),
           "parameters": ["%s %s" % (name, "x".join(map(str, v.shape)) or "scalar") for name, v in net.state_dict().items()]}
    optimizer = torch.optim.SGD(net.parameters(), lr=LR, momentum=MOMENTUM, weight_decay=WEIGHT_DECAY)
    step = 0
    for epoch in range(EPOCHS):
        net.train()
        torch.empty((), dtype=torch.int64).random_()                       # a DataLoader's base seed
        generator = torch.Generator()
        generator.manual_seed(int(torch.empty((), dtype=torch.int64).random_()))
        for k in torch.randperm(len(y), generator=generator).split(BATCH):
            loss = F.cross_entropy(net(x[k]), y[k])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            yield {"event": "step", "epoch": epoch, "step": step, "loss": loss.item()}
        net.eval()
        torch.empty((), dtype=torch.int64).random_()
        with torch.no_grad():
            outs = [(net(a), b) for a, b in zip(test_x.split(BATCH), test_y.split(BATCH))]
        yield {"event": "epoch", "epoch": epoch, "test_loss": sum(F.cross_entropy(o, b).item() for o, b in outs),
               "test_accuracy": sum(int((o.argmax(1) == b).sum()) for o, b in outs) / len(test_y)}


def main():
    torch.set_num_threads(1)
    print(json.dumps({"command": "python3 resnet18_cifar.py DIR", "torch": torch.__version__}))
    for line, exact in zip(*(list(train(sys.argv[1], kind)) for kind in (torch.float32, torch.float64))):
        for field in ("loss", "test_loss"):
            if field in line:
                line["exact"] = exact[field]
        print(json.dumps(line))


if __name__ == "__main__":
    main()
