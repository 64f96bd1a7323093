#!/usr/bin/env python3
"""Small jobs one after another, and several at once: what a worker with slots computes, as packaged broker and worker.

    bench/slots.py [--slots 1,2,4,8] [--jobs 8] [--epochs 4] [--network lenet] [--dataset shapes32] [--rounds 2] [--threads 0]

Images a second of all jobs together, from the first `started` to the last `finished`: checkpoints, tests and whatever lies
between two jobs included. Rounds alternate between the numbers of slots;
before each the worker trains a job that does not count. Prints a Markdown table, with the load of the machine before each run. With APP set, the application that was built into that folder
runs instead of ./trainyard.
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
    """Images a second, and the threads of each job."""
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
    print("| slots | threads of each job | samples/s, all together | of them in each round | of the first line's |")
    print("|---|---|---|---|---|")
    for number in settings:
        middle = statistics.median(rates[number])
        rounds = ", ".join(f"{one:,.0f}" for one in rates[number])
        print(f"| {number} | {', '.join(map(str, sorted(threads[number])))} | {middle:,.0f} | {rounds} | {middle / first:.2f} |")


if __name__ == "__main__":
    main()
