#!/usr/bin/env python3
"""The network size from which a GPU is faster: lenet, up to eight times as wide, in batches of 4 to 1024, on two devices.

    bench/sweep.py [--device cuda:0] [--against cpu] [--minutes 5]

Prints a Markdown table of the results of `check-device --only sweep`: microseconds per step on both devices, and the ratio.
Cells that were not measured in time are marked, and the exit status is 1. With APP set, the application in that folder runs.
"""
import argparse, sys

from runs import Clock, Run, TimeOver, trainyard


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--device", default="cuda:0")
    p.add_argument("--against", default="cpu")
    p.add_argument("--minutes", type=float, default=5)
    a = p.parse_args()
    try:
        run = Run(trainyard("check-device", a.device, "--only", "sweep", "--against", a.against, "--minutes",
                            str(a.minutes), "--json"), Clock(a.minutes + 1), expected=(0, 1))
    except TimeOver:
        sys.exit(f"no result within {a.minutes} minutes")
    about = run.lines[0]
    micros = {(line["device"], line["network"], line["batchSize"]): line.get("medianStepMicros")
              for line in run.lines if "batchSize" in line}
    devices, networks, batches = (list(dict.fromkeys(keys)) for keys in zip(*micros))
    print(f"{about['date']}, {about['device']} ({about['description']}) and {devices[-1]}; Java {about['java']}; "
          "microseconds per step\n")
    print("| | " + " | ".join(f"batch {batch}" for batch in batches) + " |")
    print("|---|" + "---|" * len(batches))
    for network in networks:
        cells = []
        for batch in batches:
            first, other = (micros.get((device, network, batch)) for device in (devices[0], devices[-1]))
            cells.append(f"{first:.0f} / {other:.0f}: **{other / first:.1f}x**" if first and other else "not measured")
        print(f"| {network} | " + " | ".join(cells) + " |")
    if not run.lines[-1].get("allPassed"):
        sys.exit("not all could be measured")


if __name__ == "__main__":
    main()
