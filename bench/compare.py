#!/usr/bin/env python3
"""Compares Trainyard with PyTorch: the same jobs, alternating in one run.

    bench/compare.py --python VENV/bin/python --data DIR [--rounds 3] [--threads 0] [--gate]
    bench/compare.py --table cold|resnet|networks|finetune|djl ...
    bench/compare.py --device cuda --python VENV/bin/python [--rounds 1]

--python is a Python with torch, numpy, h5py and pillow. --data is a folder with the datasets cifar10, fashion-mnist and
signs. --peer is the PyTorch script, by default bench/train_torch.py. Each table is Markdown, with the median over the rounds
on both sides, the ratio, the required value (must) and the goal (aim). A ratio above 1 means that Trainyard is faster.

--table cpu      warm steps and tests, with the data in memory on both sides; tudui also with PyTorch's channels_last and
                 next to the speed of a large matrix product; a whole job; the largest memory
--table cold     the demo, commands, the first epoch next to the third in a ready worker and in `train`, one epoch from the
                 start of the process next to the tutorials' script with its DataLoader, two jobs on two workers and on one
--table resnet   resnet18-cifar in batches of --batch, with bench/resnet18_peer.py
--table networks VGG, MobileNetV2, ConvNeXt and a network with group and layer norms, with bench/resnet18_peer.py
--table finetune torchvision's ResNet-18 from a file, on 500 photos at 224 x 224; --python also needs torchvision
--table djl      DJL with PyTorch's engine, from Java; requires Maven but no torch
--table gpu      the table of --device cuda: tudui and lenet next to PyTorch's eager step, CUDA graph and compiled step,
                 ResNet-18, the tutorial's whole job, and the cost of publishing events; see gpu.py. It creates images of
                 CIFAR-10's size and format if --data does not contain them

--busy N runs N processes that compute all the time. --threads N gives both sides N threads; with 0, Trainyard uses its own
rule, and PyTorch one or all CPUs, whichever is faster. --precision bf16 applies to the tables resnet and networks; PyTorch
uses autocast. --rest is the number of seconds for which workers are ready before their job arrives. --gate exits with 1 if a
required value is missed. --minutes limits the whole run. --tiny makes everything so small that the figures have no meaning,
to test the script; with --table gpu on any device. With APP set, the application in that folder runs instead of ./trainyard.
"""
import argparse, os, signal, subprocess, sys, tempfile

import cold, cpu, djl, finetune, gpu, images, networks, resnet
from runs import Clock, TimeOver, busy_neighbours, trainyard

TABLES = {"cpu": cpu, "cold": cold, "resnet": resnet, "networks": networks, "finetune": finetune, "djl": djl, "gpu": gpu}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--peer", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "train_torch.py"))
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
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends child processes
    a.clock = Clock(a.minutes)
    a.best_threads = {}  # of the PyTorch script, for each network
    table = TABLES[a.table or ("cpu" if a.device == "cpu" else "gpu")]
    if not os.environ.get("APP"):
        subprocess.run(trainyard("--version"), check=True, capture_output=True)  # builds if necessary
    try:
        with tempfile.TemporaryDirectory() as few, busy_neighbours(a.busy):
            if table is not gpu:
                a.data = a.data or "../shared/data"
                if a.tiny:
                    images.cut(a.data, few)
                    a.data = few
            missed = table.compare(a)
    except TimeOver:
        sys.exit(f"\nthe remaining tables are missing: {a.minutes} minutes are over (--minutes)")
    if missed:
        print("\nrequired values missed: " + "; ".join(missed))
        if a.gate:
            sys.exit(1)


if __name__ == "__main__":
    main()
