#!/usr/bin/env python3
"""Steps of small networks in bfloat16 under torch.autocast on the CPU, next to float32's.

    python3 bfloat16.py > src/test/resources/golden/bfloat16.jsonl

A line for each network: the losses of its steps with factors, activations and their gradients in bfloat16 (`bf16`), and of the same in float32 (`fp32`), and the
sum of the losses of the test batches after them. Images are made by a formula, which Bfloat16GoldenTest.java has, too. Autocast on the CPU leaves batch norm's
parameters and statistics, the loss, the parameters and their gradients in float32, as Trainyard does.

Made on a processor with avx512_bf16: another one emulates it, and sums otherwise.
"""
import json

import torch
from torch import nn
from torch.nn import functional as F

STEPS, BATCH, TESTS, CLASSES, SIDE = 40, 16, 48, 10, 32
LR, MOMENTUM = 0.01, 0.9


def images(first, count):
    """(samples, 3, rows, columns) of bytes, and labels: a picture of squares for each class, with pseudo-noise."""
    n = torch.arange(first, first + count).view(-1, 1, 1, 1)
    c = torch.arange(3).view(1, -1, 1, 1)
    i = torch.arange(SIDE).view(1, 1, -1, 1)
    j = torch.arange(SIDE).view(1, 1, 1, -1)
    label = n % CLASSES
    square = (label * 37 + c * 101 + i // 8 * 61 + j // 8 * 149 + label * (i // 8 + 1) * (j // 8 + 3) * 29) % 256
    noise = (n * 7919 + c * 5381 + i * 171 + j * 113 + n * i * j % 97 * 53) % 256
    return ((square + noise) // 2).to(torch.uint8), label.flatten()


class Block(nn.Module):
    def __init__(self, layers, shortcut):
        super().__init__()
        self.layers = layers
        self.shortcut = shortcut

    def forward(self, x):
        return self.layers(x) + self.shortcut(x)


def lenet():
    return nn.Sequential(nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def tudui():
    return nn.Sequential(nn.Conv2d(3, 32, 5, 1, 2), nn.MaxPool2d(2), nn.Conv2d(32, 32, 5, 1, 2), nn.MaxPool2d(2),
                         nn.Conv2d(32, 64, 5, 1, 2), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1024, 64), nn.Linear(64, 10))


def resnet():
    def conv(i, o, size, stride):
        return nn.Conv2d(i, o, size, stride, size // 2, bias=False)

    def block(i, o, stride):
        layers = nn.Sequential(conv(i, o, 3, stride), nn.BatchNorm2d(o), nn.ReLU(), conv(o, o, 3, 1), nn.BatchNorm2d(o))
        shortcut = nn.Sequential() if i == o else nn.Sequential(conv(i, o, 1, stride), nn.BatchNorm2d(o))
        return nn.Sequential(Block(layers, shortcut), nn.ReLU())

    return nn.Sequential(conv(3, 16, 3, 1), nn.BatchNorm2d(16), nn.ReLU(), block(16, 16, 1), block(16, 32, 2),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))


def train(network, in_bfloat16):
    """(losses, the sum of the test batches' losses)"""
    torch.manual_seed(0)
    net = network()
    optimizer = torch.optim.SGD(net.parameters(), lr=LR, momentum=MOMENTUM)
    x, y = images(0, STEPS * BATCH)
    test_x, test_y = images(STEPS * BATCH, TESTS)
    scaled = lambda pixels: (pixels.to(torch.float32).div(255) - 0.5) / 0.5

    def loss_of(pixels, labels):
        with torch.autocast("cpu", torch.bfloat16, enabled=in_bfloat16):
            values = net(scaled(pixels))
        return F.cross_entropy(values.float(), labels)

    losses = []
    for at in range(0, STEPS * BATCH, BATCH):
        loss = loss_of(x[at:at + BATCH], y[at:at + BATCH])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        return losses, sum(loss_of(test_x[at:at + BATCH], test_y[at:at + BATCH]).item() for at in range(0, TESTS, BATCH))


def main():
    torch.set_num_threads(1)
    for network in (lenet, tudui, resnet):
        line = {"network": network.__name__, "torch": torch.__version__}
        for name, in_bfloat16 in (("bf16", True), ("fp32", False)):
            losses, test = train(network, in_bfloat16)
            line[name] = {"losses": losses, "test": test}
        print(json.dumps(line))


if __name__ == "__main__":
    main()
