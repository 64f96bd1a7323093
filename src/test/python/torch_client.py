#!/usr/bin/env python3
"""Converts each network of tutorial_networks.py with docs/clients/trainyard_torch.py, both ways, together with a Java test.

    python3 torch_client.py DIR

Writes DIR/NAME-CxHxW.json, the job's network for images of this size, prints "made" and waits for a line on standard input. The test first
writes DIR/NAME.initial.safetensors, its initial weights for seed 0, DIR/NAME.safetensors, the weights after some
steps, DIR/NAME.images, float32, and DIR/NAME.probabilities, its prediction for them. Prints a line of JSON for each network:
how far the weights and the probabilities are from PyTorch's.
"""
import json
import os
import sys

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../../docs/clients")]

import trainyard_torch as client  # noqa: E402
from tutorial_networks import NETWORKS  # noqa: E402


def floats(path):
    return torch.frombuffer(bytearray(open(path, "rb").read()), dtype=torch.float32)


def place(make, folder):
    return os.path.join(folder, "%s-%dx%dx%d" % (make.__name__, *make.SHAPE))


def compare(make, folder):
    path = place(make, folder)
    torch.manual_seed(0)
    drawn = make()
    initial = make()
    client.load(initial, make.SHAPE, path + ".initial.safetensors")
    trained = make()
    client.load(trained, make.SHAPE, path + ".safetensors")
    again = client.to_module(json.load(open(path + ".json"))["layers"], make.SHAPE)
    again.load_state_dict(client.read_checkpoint(path + ".safetensors"))
    images = floats(path + ".images").reshape(-1, *make.SHAPE)
    with torch.no_grad():
        ours = floats(path + ".probabilities").reshape(images.shape[0], -1)
        of = lambda module: (module.eval()(images).softmax(1) - ours).abs().max().item()
        return {
            "network": make.__name__,
            "initial": max((a - b).abs().max().item() for a, b in zip(drawn.parameters(), initial.parameters())),
            "probabilities": max(of(trained), of(again)),
            "moved": max((a - b).abs().max().item() for a, b in zip(trained.parameters(), initial.parameters())),
        }


def main():
    folder = sys.argv[1]
    for make in NETWORKS:
        with open(place(make, folder) + ".json", "w") as file:
            json.dump(client.to_json(make(), make.SHAPE), file)
    print("made", flush=True)
    sys.stdin.readline()
    for make in NETWORKS:
        print(json.dumps(compare(make, folder)), flush=True)


if __name__ == "__main__":
    main()
