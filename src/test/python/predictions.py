#!/usr/bin/env python3
"""PyTorch's predictions with a network that Trainyard trained: the golden of `./trainyard predict` and of jobs of kind "evaluate".

    python3 predictions.py CHECKPOINT --cifar10 DIR                        the test set of CIFAR-10, binary version
    python3 predictions.py CHECKPOINT --images FILE                        test_x and test_y (uint8) of a .safetensors file
    python3 predictions.py CHECKPOINT --images FILE --make-images N        the same, of N random images written to FILE first
    ... --compare OURS.csv                                                 prints the largest difference of a probability instead of the CSV

CHECKPOINT is a model file in a job's folder: <job>/checkpoints/step-<n>-<attempt>.safetensors, with the job in <job>/spec.json. It is loaded with
load_state_dict as it is. Standard output is the CSV; standard error the test loss (the sum of the batches' means) and the accuracy, overall and by class.

Needs torch, numpy and safetensors. Recorded with torch 2.13.0+cpu.
"""
import argparse
import json
import os
import sys
from collections import OrderedDict

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from layers import build, conv, linear, pool, FLATTEN, RELU

BUILT_IN = {
    "tudui": [("model.%d" % i, layer) for i, layer in enumerate(
        [conv(32, 5, 1, 2), pool(), conv(32, 5, 1, 2), pool(), conv(64, 5, 1, 2), pool(), FLATTEN, linear(64), linear(10)])],
    "lenet": [("conv1", conv(6, 5)), ("relu1", RELU), ("pool1", pool()), ("conv2", conv(16, 5)), ("relu2", RELU), ("pool2", pool()), ("flatten", FLATTEN),
              ("fc1", linear(120)), ("relu3", RELU), ("fc2", linear(84)), ("relu4", RELU), ("fc3", linear(10))],
}


def network(spec, image):
    """The job's network, its modules under the names of its state_dict."""
    if isinstance(spec, str):
        named = BUILT_IN[spec]
    else:
        named = [(layer.get("name") or str(i), layer) for i, layer in enumerate(spec["layers"])]
    tree = OrderedDict()
    for (name, _), module in zip(named, build([layer for _, layer in named], image)):
        node = tree
        *parents, last = name.split(".")
        for parent in parents:
            node = node.setdefault(parent, OrderedDict())
        node[last] = module

    def module_of(node):
        return nn.Sequential(OrderedDict((k, module_of(v)) for k, v in node.items())) if isinstance(node, dict) else node

    return module_of(tree)


def cifar10(folder):
    raw = np.fromfile(os.path.join(folder, "test_batch.bin"), np.uint8).reshape(-1, 3073)
    return torch.from_numpy(raw[:, 1:].reshape(-1, 3, 32, 32).copy()), torch.from_numpy(raw[:, 0].copy())


def random_images(n, image):
    data = np.random.default_rng(0)
    return {"test_x": torch.from_numpy(data.integers(0, 256, (n,) + image, dtype=np.uint8)),
            "test_y": torch.from_numpy(data.integers(0, 10, n, dtype=np.uint8))}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("checkpoint")
    p.add_argument("--cifar10")
    p.add_argument("--images")
    p.add_argument("--make-images", type=int)
    p.add_argument("--compare")
    a = p.parse_args()
    torch.set_num_threads(1)
    with open(os.path.join(os.path.dirname(os.path.abspath(a.checkpoint)), "..", "spec.json")) as f:
        job = json.load(f)
    if a.make_images:
        image = {"shapes28": (1, 28, 28), "shapes32": (3, 32, 32)}[job["dataset"]["name"]]
        save_file(random_images(a.make_images, image), a.images)
        os.chmod(a.images, 0o644)
    if a.images:
        kept = load_file(a.images)
        pixels, labels = kept["test_x"], kept["test_y"]
    else:
        pixels, labels = cifar10(a.cifar10)

    x = pixels.to(torch.float32).div(255)
    if "normalize" in job["dataset"]:
        mean, std = (torch.tensor(job["dataset"]["normalize"][k], dtype=torch.float32).view(-1, 1, 1) for k in ("mean", "std"))
        x = (x - mean) / std
    y = labels.to(torch.int64)
    net = network(job["network"], tuple(x.shape[1:]))
    net.load_state_dict(load_file(a.checkpoint))
    net.eval()
    logits, loss = [], 0.0
    with torch.no_grad():
        for k in torch.arange(len(y)).split(job["batchSize"]):
            logits.append(net(x[k]))
            loss += nn.functional.cross_entropy(logits[-1], y[k]).item()
    logits = torch.cat(logits)
    probabilities, predicted = logits.softmax(1).numpy(), logits.argmax(1)
    hit = predicted == y
    by_class = [round(float(hit[y == c].float().mean()), 6) for c in range(logits.shape[1])]
    print("test loss %.6f, %d of %d right, by class %s" % (loss, int(hit.sum()), len(y), by_class), file=sys.stderr)

    if a.compare:
        ours = np.loadtxt(a.compare, delimiter=",", skiprows=1, ndmin=2)
        same = (ours[:, 0] == np.arange(len(y))).all() and (ours[:, 1] == y.numpy()).all()
        print("largest difference of a probability %.3g, other predictions %d of %d, indices and labels %s" % (
            np.abs(ours[:, 3:] - probabilities).max(), int((ours[:, 2] != predicted.numpy()).sum()), len(y), "the same" if same else "DIFFER"))
        return
    print(",".join(["index", "label", "predicted"] + ["p%d" % c for c in range(logits.shape[1])]))
    for i, row in enumerate(probabilities):
        print(",".join([str(i), str(int(y[i])), str(int(predicted[i]))] + [str(v) for v in row]))


if __name__ == "__main__":
    main()
