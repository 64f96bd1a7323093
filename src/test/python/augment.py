#!/usr/bin/env python3
"""Records the output of torchvision's transforms for a training set, and trainings on it: the goldens of augmentation, in the form of layers.py.

    python3 augment.py [DIR]      writes DIR/augment-<case>.json and DIR/augment-<case>.safetensors; DIR is the folder "layers" beside this file if not given

Needs torch, torchvision, numpy, pillow and safetensors. Recorded with torch 2.13.0+cpu and torchvision 0.28.0. The wheel of torchvision is built for CUDA:
beside torch for CPU its own operators are missing, which transforms do not need.

The training set is read by a DataLoader without workers; its samples pass Compose([RandomCrop, RandomHorizontalFlip, ToTensor, Normalize, Cutout]), as
far as the case has them; the test set passes ToTensor and Normalize. Cutout is written after DeVries and Taylor's (2017), with its centre, first the row, drawn by
torch.randint. Besides what layers.py keeps, <case>.safetensors has `images`: the training samples of the first epoch in the order they came, float32.
"""
import json
import os
import sys

import torch

torch.library.register_fake = lambda *args, **named: lambda function: function     # for the missing operators

import numpy as np
from safetensors.torch import save_file
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms

import layers
from layers import BATCH, EPOCHS, FLATTEN, HALF3, RELU, TEST, TRAIN, WIDE, case, conv, dropout, linear, pool


class Cutout:
    def __init__(self, size):
        self.reach = size // 2

    def __call__(self, image):
        rows, columns = image.shape[1:]
        row, column = int(torch.randint(rows, (1,))), int(torch.randint(columns, (1,)))
        mask = torch.ones(rows, columns)
        mask[max(0, row - self.reach):row + self.reach, max(0, column - self.reach):column + self.reach] = 0
        return image * mask


class Images(Dataset):
    def __init__(self, x, y, transform):
        self.x, self.y, self.transform = x, y, transform

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.transform(transforms.functional.to_pil_image(self.x[i])), int(self.y[i])


def augmented(name, augment, **options):
    net = [conv(4), RELU, pool(), FLATTEN, linear(12), RELU, dropout(0.25), linear(4)]
    job, image, classes = case("augment-" + name, WIDE, 4, net, lr=0.05, **options)
    job["augment"] = augment
    return job, image, classes


CROP, FLIP, CUT = {"padding": 2}, {"p": 0.5}, {"size": 4}
CASES = [
    augmented("all", {"randomCrop": CROP, "horizontalFlip": FLIP, "cutout": CUT}, seed=3, shuffle=True, normalize=HALF3),
    augmented("crop", {"randomCrop": {"padding": 9}}, seed=4),
    augmented("flip-cutout", {"horizontalFlip": {"p": 0.3}, "cutout": {"size": 14}}, seed=2147483653, shuffle=True, normalize=HALF3),
]


def compose(job, image, training):
    steps, augment = [], job["augment"] if training else {}
    if "randomCrop" in augment:
        steps.append(transforms.RandomCrop(image[1:], padding=augment["randomCrop"]["padding"]))
    if "horizontalFlip" in augment:
        steps.append(transforms.RandomHorizontalFlip(augment["horizontalFlip"]["p"]))
    steps.append(transforms.ToTensor())
    if "normalize" in job:
        steps.append(transforms.Normalize(job["normalize"]["mean"], job["normalize"]["std"]))
    if "cutout" in augment:
        steps.append(Cutout(augment["cutout"]["size"]))
    return transforms.Compose(steps)


def record(job, image, classes):
    data, keep = np.random.default_rng(0), {}
    for part, n in (("train", TRAIN), ("test", TEST)):
        keep[part + "_x"] = torch.from_numpy(data.integers(0, 256, (n,) + image, dtype=np.uint8))
        keep[part + "_y"] = torch.from_numpy(data.integers(0, classes, n, dtype=np.uint8))
    train = DataLoader(Images(keep["train_x"], keep["train_y"], compose(job, image, True)), BATCH, shuffle=job["shuffle"])
    test = DataLoader(Images(keep["test_x"], keep["test_y"], compose(job, image, False)), BATCH)
    torch.manual_seed(job["seed"])
    net, o = layers.build(job["layers"], image), job["optimizer"]
    keep.update({"init." + k: v.clone() for k, v in net.state_dict().items()})
    loss_fn, losses, test_loss, images = nn.CrossEntropyLoss(), [], [], []
    optimizer = torch.optim.SGD(net.parameters(), lr=o["learningRate"], momentum=o["momentum"], weight_decay=o["weightDecay"])
    for epoch in range(EPOCHS):
        net.train()
        for x, y in train:
            if epoch == 0:
                images.append(x + 0.0)                                     # Cutout's product gives -0 for negative pixels
            loss = loss_fn(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            if not losses:
                keep.update({"grad." + k: v.grad.clone() for k, v in net.named_parameters()})
            optimizer.step()
            losses.append(loss.detach())
        net.eval()
        with torch.no_grad():
            outs = [(net(x), y) for x, y in test]
        test_loss.append(sum(loss_fn(out, y).item() for out, y in outs))
    keep["images"], keep["losses"] = torch.cat(images), torch.stack(losses)
    keep["test_loss"] = torch.tensor(test_loss, dtype=torch.float64)
    keep["test_predictions"] = torch.cat([out.argmax(1) for out, _ in outs]).to(torch.uint8)
    keep.update({"final." + k: v.clone() for k, v in net.state_dict().items()})
    return keep


def main():
    target = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "layers")
    os.makedirs(target, exist_ok=True)
    torch.set_num_threads(1)
    for job, image, classes in CASES:
        path = os.path.join(target, job["name"])
        save_file(record(job, image, classes), path + ".safetensors")
        os.chmod(path + ".safetensors", 0o644)
        with open(path + ".json", "w") as f:
            f.write(json.dumps(job, indent=2) + "\n")


if __name__ == "__main__":
    main()
