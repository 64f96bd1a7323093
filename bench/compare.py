#!/usr/bin/env python3
"""Trainyard beside PyTorch: the same jobs, alternating in one run, on the data resident in both.

    bench/compare.py --python VENV/bin/python --peer train_torch.py --data DIR [--rounds 3] [--threads 0] [--gate]
    bench/compare.py --device cuda --python VENV/bin/python --peer train_torch.py [--rounds 1]

--python has torch, h5py, numpy and pillow; --peer is the same job as a PyTorch script; --data holds cifar10,
fashion-mnist and signs. Prints a Markdown table: for each job the median over the rounds of each side's median step,
and of each side's pass over the test set; tudui against PyTorch's channels_last, too; tudui beside a busy neighbour, a
process that computes all the time; the whole tudui job of two epochs, start of the process included, against the
script with the tutorials' DataLoader. A ratio above 1 means that Trainyard is faster; "must" is what the project asks
of it. Then the largest resident memory of a tudui job.

With --device cuda the table is of a GPU: tudui and lenet beside PyTorch's eager step, its CUDA graph and its compiled
step, ResNet-18, the tutorial's whole job, and what publishing events costs. It needs no data: images of CIFAR-10's size
and format are made, where --data does not have them. gpu.py says what is compared with what.

--threads N gives both sides N threads. 0 leaves it to each: Trainyard's own rule; for PyTorch the better of one and all
processors, tried before. --gate exits with 1 when a ratio is below what it must be. --minutes bounds the whole.
--tiny makes everything so small that the figures mean nothing: to try the script, with --table gpu on any device.
With APP set, the application that was built into that folder runs instead of ./trainyard.
"""
import argparse, os, subprocess, sys

import cpu, gpu
from runs import Clock, TimeOver, trainyard


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--peer", default="../shared/peers/train_torch.py")
    p.add_argument("--data", default=None)
    p.add_argument("--device", default="cpu")
    p.add_argument("--table", choices=["cpu", "gpu"])
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--threads", type=int, default=0)
    p.add_argument("--minutes", type=float, default=60)
    p.add_argument("--tiny", action="store_true")
    p.add_argument("--gate", action="store_true")
    a = p.parse_args()
    a.clock = Clock(a.minutes)
    table = a.table or ("cpu" if a.device == "cpu" else "gpu")
    if table == "cpu":
        a.data = a.data or "../shared/data"
    if not os.environ.get("APP"):
        subprocess.run(trainyard("--version"), check=True, capture_output=True)  # builds, if it must
    try:
        missed = (cpu if table == "cpu" else gpu).compare(a)
    except TimeOver:
        sys.exit(f"\nthe rest is missing: {a.minutes} minutes are over (--minutes)")
    if missed:
        print("\nbelow what it must be: " + "; ".join(missed))
        if a.gate:
            sys.exit(1)


if __name__ == "__main__":
    main()
