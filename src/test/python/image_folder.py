#!/usr/bin/env python3
"""Trains a small network on folders of generated images as torchvision's ImageFolder reads them.

    python3 image_folder.py > ../resources/golden/image-folder.jsonl

Needs torch, torchvision and numpy. Recorded with torch 1.13.1 and torchvision 0.14.1. A line for each training: which folder and transforms, each
step's loss, and each epoch's test loss (mean over the batches) and accuracy, in "validation" of the validation part, and of the test part with the
weights of the first epoch with the best one. The images are those that ImageFolderTrainingTest writes: PNGs of stripes,
of sizes that differ, some of them grey.
"""
import json
import os
import tempfile

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, random_split
from torchvision import transforms
from torchvision.datasets import ImageFolder

CLASSES = ["checks", "diagonal", "Horizontal", "vertical"]
BATCH, EPOCHS, SEED = 16, 6, 11


def image(number, kind):
    width, height = 30 + number * 7 % 20, 28 + number * 5 % 16
    y, x, c = np.mgrid[0:height, 0:width, 0:3]
    stripes = {
        "checks": x // 4 + y // 4, "diagonal": (x + y) // 4, "Horizontal": y // 4, "vertical": x // 4,
    }[kind] % 2
    pixels = 60 + (number * 37 + c * 53) % 80 + 90 * stripes + (x * 31 + y * 17 + number * 13 + c * 7 + x * y) % 23
    picture = Image.fromarray(pixels.astype(np.uint8))
    return picture.convert("L") if number % 9 == 0 else picture


def write(folder, numbers):
    for number in numbers:
        kind = CLASSES[number % 4]
        below = os.path.join(folder, kind, "more") if number % 10 == 3 else os.path.join(folder, kind)
        os.makedirs(below, exist_ok=True)
        image(number, kind).save(os.path.join(below, f"{number}.{'PNG' if number % 6 == 0 else 'png'}"))


def measure(net, loss_of, samples):
    net.eval()
    total, right = 0.0, 0
    testing = DataLoader(samples, BATCH)
    with torch.no_grad():
        for x, y in testing:
            out = net(x)
            total += loss_of(out, y).item()
            right += (out.argmax(1) == y).sum().item()
    return total / len(testing), right / len(samples)


def train(name, channels, rate, train_set, test_set, final=None):
    with torch.no_grad():       # the size of the lazy layer, without drawing from the generator
        size = nn.Flatten()(nn.MaxPool2d(2)(nn.Conv2d(channels, 8, 5, 2)(train_set[0][0][None]))).shape[1]
    torch.manual_seed(SEED)
    net = nn.Sequential(
        nn.Conv2d(channels, 8, 5, 2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(size, 24), nn.ReLU(), nn.Linear(24, 4))
    optimizer = torch.optim.SGD(net.parameters(), lr=rate, momentum=0.9)
    loss_of = nn.CrossEntropyLoss()
    training = DataLoader(train_set, BATCH, shuffle=True)
    losses, test_losses, accuracies, best = [], [], [], None
    for _ in range(EPOCHS):
        net.train()
        for x, y in training:
            optimizer.zero_grad()
            loss = loss_of(net(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        test_loss, accuracy = measure(net, loss_of, test_set)
        if accuracy > max(accuracies, default=-1):
            best = {name: value.clone() for name, value in net.state_dict().items()}
        test_losses.append(test_loss)
        accuracies.append(accuracy)
    row = {"case": name, "train": len(train_set), "test": len(test_set), "losses": losses, "testLosses": test_losses, "accuracies": accuracies}
    if final is not None:
        net.load_state_dict(best)
        row["best"] = accuracies.index(max(accuracies))
        row["finalLoss"], row["finalAccuracy"] = measure(net, loss_of, final)
        row["final"] = len(final)
    print(json.dumps(row))


def main():
    with tempfile.TemporaryDirectory() as folder:
        parts, whole = os.path.join(folder, "parts"), os.path.join(folder, "whole")
        write(os.path.join(parts, "train"), range(160))
        write(os.path.join(parts, "test"), range(160, 200))
        write(whole, range(200))

        colours = transforms.Compose([
            transforms.Resize([32, 30]), transforms.CenterCrop(28), transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.25] * 3)])
        train("parts", 3, 0.05, ImageFolder(os.path.join(parts, "train"), colours), ImageFolder(os.path.join(parts, "test"), colours))

        grey = transforms.Compose([
            transforms.Grayscale(), transforms.Resize(26), transforms.CenterCrop([24, 36]), transforms.ToTensor(),
            transforms.Normalize([0.5], [0.25])])
        images = ImageFolder(whole, grey)
        train("split", 1, 0.02, *random_split(images, [0.75, 0.25], generator=torch.Generator().manual_seed(3)))
        train_set, validation, final = random_split(images, [1 - 0.125 - 0.25, 0.125, 0.25], generator=torch.Generator().manual_seed(3))
        train("validation", 1, 0.02, train_set, validation, final)


if __name__ == "__main__":
    main()
