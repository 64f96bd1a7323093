#!/usr/bin/env python3
"""Trainyard beside PyTorch: the same jobs, alternating in one run.

    bench/compare.py --python VENV/bin/python --peer train_torch.py --data DIR [--rounds 3] [--threads 0] [--gate]
    bench/compare.py --table cold|resnet|djl ...
    bench/compare.py --device cuda --python VENV/bin/python --peer train_torch.py [--rounds 1]

--python has torch, h5py, numpy and pillow; --peer is the same job as a PyTorch script; --data holds cifar10,
fashion-mnist and signs. Each table is Markdown: for each row the median over the rounds on both sides, the ratio, what
the project asks of it (must) and what it would like (aim). A ratio above 1 means that Trainyard is faster.

--table cpu      the steady state, data resident in both: a step, and a pass over the test set; tudui against PyTorch's
                 channels_last, too, and against the speed of a large matrix product; a whole job; the largest memory
--table cold     what a person waits for: the demo, the commands, the first epoch beside the third in a ready worker and
                 in `train`, one epoch from the start of the process beside the tutorials' script with its DataLoader,
                 two jobs on two workers beside the same on one
--table resnet   resnet18-cifar, in batches of --batch, beside bench/resnet18_peer.py
--table networks VGG, MobileNetV2, ConvNeXt and one with each norm of a sample, as bench/resnet18_peer.py makes them of the job
--table djl      beside DJL on PyTorch's engine, from Java; needs Maven and no Python with torch
--table gpu      the one of --device cuda: tudui and lenet beside PyTorch's eager step, its CUDA graph and its compiled
                 step, ResNet-18, the tutorial's whole job, and what publishing events costs; gpu.py says what is compared
                 with what. It needs no data: images of CIFAR-10's size and format are made, where --data does not have
                 them

--busy N runs any of them beside N processes that compute all the time; the line above the table says so. --threads N
gives both sides N threads. 0 leaves it to each: Trainyard's own rule; for the other the better of one and all processors,
tried before. --precision bf16 is for the tables resnet and networks; the other side has it by autocast. --rest is how many
seconds workers are ready before their job comes. --gate exits with 1 when a row is not what it must be. --minutes bounds
the whole. --tiny makes everything so small that the figures mean nothing: to try the script, with --table gpu on any
device.
With APP set, the application that was built into that folder runs instead of ./trainyard.
"""
import argparse, os, signal, subprocess, sys, tempfile

import cold, cpu, djl, gpu, images, networks, resnet
from runs import Clock, TimeOver, busy_neighbours, trainyard

TABLES = {"cpu": cpu, "cold": cold, "resnet": resnet, "networks": networks, "djl": djl, "gpu": gpu}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--peer", default="../shared/peers/train_torch.py")
    p.add_argument("--data", default=None)
    p.add_argument("--device", default="cpu")
    p.add_argument("--table", choices=TABLES)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--threads", type=int, default=0)
    p.add_argument("--busy", type=int, choices=[0, 1, 2], default=0)
    p.add_argument("--batch", type=int, nargs="+", default=[32])
    p.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    p.add_argument("--rest", type=float, default=5)
    p.add_argument("--minutes", type=float, default=60)
    p.add_argument("--tiny", action="store_true")
    p.add_argument("--gate", action="store_true")
    a = p.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no process is left behind
    a.clock = Clock(a.minutes)
    a.best_threads = {}  # of the peer, for each network
    table = TABLES[a.table or ("cpu" if a.device == "cpu" else "gpu")]
    if not os.environ.get("APP"):
        subprocess.run(trainyard("--version"), check=True, capture_output=True)  # builds, if it must
    try:
        with tempfile.TemporaryDirectory() as few, busy_neighbours(a.busy):
            if table is not gpu:
                a.data = a.data or "../shared/data"
                if a.tiny:
                    images.cut(a.data, few)
                    a.data = few
            missed = table.compare(a)
    except TimeOver:
        sys.exit(f"\nthe rest is missing: {a.minutes} minutes are over (--minutes)")
    if missed:
        print("\nnot what it must be: " + "; ".join(missed))
        if a.gate:
            sys.exit(1)


if __name__ == "__main__":
    main()
