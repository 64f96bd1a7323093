#!/usr/bin/env python3
"""Small jobs one after another and in parallel on a worker with slots, with the packaged broker and worker.

    bench/slots.py [--slots 1,2,4,8] [--jobs 8] [--epochs 4] [--network lenet] [--dataset shapes32] [--rounds 2] [--threads 0]

Prints a Markdown table of the samples per second of all jobs together, from the first `started` to the last `finished`,
including checkpoints, tests and the time between two jobs. Rounds alternate between the numbers of slots; before each, the
worker trains a job that does not count. With APP set, the application in that folder runs instead of ./trainyard.
"""
import argparse, os, statistics, sys, time

import fleet
from runs import Clock


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slots", default="1,2,4,8")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--network", default="lenet")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--dataset", default="shapes32")
    parser.add_argument("--data", default=".")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rest", type=float, default=1)
    a = parser.parse_args()
    a.clock = Clock(a.minutes)
    return a


def rate(a, slots):
    """Samples per second, and the threads of each job."""
    with fleet.Fleet(a) as one:
        one.worker("worker", "--slots", str(slots))
        one.run(a.network, 1, ids=("warm",), dataset=a.dataset)
        before = len(one.lines)
        ids = [f"job-{i}" for i in range(a.jobs)]
        counted = lambda kind: [(at, event) for at, event in one.lines[before:] if event["type"] == kind and event["job"] in ids]
        one.run(a.network, a.epochs, ids=ids, dataset=a.dataset)
        while len(counted("finished")) < a.jobs:
            a.clock.left()
            time.sleep(0.05)
        started, finished = counted("started"), counted("finished")
        images = sum(event["trainSamples"] for _, event in started) * a.epochs
        return images / (finished[-1][0] - started[0][0]), {event["threads"] for _, event in started}


def main():
    a = arguments()
    settings = [int(number) for number in a.slots.split(",")]
    rates, threads, loads = {}, {}, []
    for _ in range(a.rounds):
        for number in settings:
            loads.append(os.getloadavg()[0])
            images, threads[number] = rate(a, number)
            rates.setdefault(number, []).append(images)
            print(f"{number} slots: {images:.0f} samples/s, {threads[number]} threads, load before {loads[-1]:.1f}", file=sys.stderr)
    first = statistics.median(rates[settings[0]])
    print(f"{a.jobs} x {a.network}, {a.epochs} epochs each; load before each run {min(loads):.1f} to {max(loads):.1f}\n")
    print("| slots | threads of each job | samples/s in total | in each round | relative to the first line |")
    print("|---|---|---|---|---|")
    for number in settings:
        middle = statistics.median(rates[number])
        rounds = ", ".join(f"{one:,.0f}" for one in rates[number])
        print(f"| {number} | {', '.join(map(str, sorted(threads[number])))} | {middle:,.0f} | {rounds} | {middle / first:.2f} |")


if __name__ == "__main__":
    main()
