#!/usr/bin/env python3
"""Start times of the packaged application with a running broker.

    bench/starts.py [--rounds 5] [--gate]

worker  from the start of the process until it claims commands
jobs    `./trainyard jobs` with 1,000 jobs on the topics
help    `./trainyard --help`, without a broker

Medians of alternating rounds. --device is that of the worker: `cpu`, which includes the compilation of its kernels, or
`reference`. --gate exits with 1 if a median misses its required value. APP is ignored, because the class archive requires the
launcher.
"""
import argparse, json, os, statistics, subprocess, sys

import fleet
from runs import Clock, Run, head_line, trainyard

JOBS = 1_000
MUST_SECONDS = {"worker": 2, "jobs": 1, "help": 1}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--device", default="cpu")
    p.add_argument("--minutes", type=float, default=10)
    p.add_argument("--gate", action="store_true")
    a = p.parse_args()
    a.clock = Clock(a.minutes)
    a.threads, a.rest = 0, 0
    print(head_line(f"load {os.getloadavg()[0]:.1f}", f"{JOBS} jobs, device {a.device}"), flush=True)
    with fleet.Fleet(a) as running:
        a.data = running.folder
        submit(running, a)
        seconds = measure(running, a)
    missed = False
    for what, must in MUST_SECONDS.items():
        median = statistics.median(seconds[what])
        missed |= median > must
        print(f"{what:7} {median:5.2f} s, required {must}: {' '.join(f'{one:.2f}' for one in seconds[what])}")
    sys.exit(1 if a.gate and missed else 0)


def submit(running, a):
    """Publishes commands that no worker of this fleet claims, because they are for another device."""
    path = running.path("jobs.yaml")
    with open(path, "w") as f:
        for i in range(JOBS):
            job = {"id": f"job-{i}", "network": "fashion", "dataset": "shapes28", "epochs": 1, "device": "cuda"}
            f.write("---\n" + json.dumps(job) + "\n")
    subprocess.run(trainyard("submit", path, "--kafka", running.kafka), stdout=subprocess.DEVNULL, check=True,
                   timeout=a.clock.left())


def measure(running, a):
    seconds = {what: [] for what in MUST_SECONDS}
    for number in range(a.rounds):
        name = f"worker-{number}"
        seconds["worker"].append(running.worker(name, "--id", name))
        fleet.end(running.processes[name])
        seconds["jobs"].append(Run(trainyard("jobs", "--kafka", running.kafka), a.clock).seconds)
        seconds["help"].append(Run(trainyard("--help"), a.clock).seconds)
    return seconds


if __name__ == "__main__":
    main()
