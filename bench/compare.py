#!/usr/bin/env python3
"""Trainyard beside PyTorch: the same jobs, alternating in one run, on the data resident in both.

    bench/compare.py --python VENV/bin/python --peer train_torch.py --data DIR [--rounds 3] [--threads 0]

--python has torch, h5py, numpy and pillow; --peer is the same job as a PyTorch script; --data holds cifar10,
fashion-mnist and signs. Prints a Markdown table: the median over the rounds of each side's median step, in
microseconds, and their ratio (above 1: Trainyard is faster); then the whole tudui job of two epochs, start of the
process included, against the script with the tutorials' DataLoader.

--threads N gives both sides N threads. 0 leaves it to each: Trainyard's own rule, and all processors for PyTorch.
"""
import argparse, datetime, json, os, platform, statistics, subprocess, sys, tempfile, time

TRAINYARD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "trainyard")
HALF = {"mean": [0.5] * 3, "std": [0.5] * 3}
JOBS = {
    "tudui": ("cifar10", {"dataset": "cifar10", "batchSize": 64, "optimizer": {"type": "sgd", "learningRate": 0.01}},
              ["--batch", "64", "--lr", "0.01"]),
    "lenet": ("cifar10", {"dataset": {"name": "cifar10", "normalize": HALF}, "batchSize": 4, "shuffle": True,
                          "optimizer": {"type": "sgd", "learningRate": 0.001, "momentum": 0.9}},
              ["--batch", "4", "--lr", "0.001", "--momentum", "0.9", "--shuffle", "--normalize"]),
    "fashion": ("fashion-mnist", {"dataset": "fashion-mnist", "batchSize": 100,
                                  "optimizer": {"type": "sgd", "learningRate": 0.01}},
                ["--batch", "100", "--lr", "0.01"]),
    "signs": ("signs", {"dataset": "signs", "batchSize": 32, "shuffle": True,
                        "optimizer": {"type": "sgd", "learningRate": 0.01}},
              ["--batch", "32", "--lr", "0.01", "--shuffle"]),
}


def last_line(command):
    """The last line a command prints, as JSON, and how long the process took, in seconds."""
    begin = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=1800)
    return json.loads(done.stdout.splitlines()[-1]), time.perf_counter() - begin


def ours(a, name, epochs, folder):
    path = os.path.join(folder, name + ".json")
    with open(path, "w") as f:
        json.dump({"id": name, "network": name, "epochs": epochs, **JOBS[name][1]}, f)
    return last_line([TRAINYARD, "train", path, "--data", a.data, "--threads", str(a.threads), "--json",
                      "--checkpoints", os.path.join(folder, "checkpoints")])


def peer(a, name, epochs, *more):
    dataset, _, arguments = JOBS[name]
    return last_line([a.python, a.peer, "--model", name, "--dataset", dataset, "--data", os.path.join(a.data, dataset),
                      "--epochs", str(epochs), "--threads", str(a.threads), *arguments, *more])


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def row(what, mine, theirs, unit):
    m, t = statistics.median(mine), statistics.median(theirs)
    print(f"| {what} | {m:.{unit}f} | {t:.{unit}f} | {t / m:.2f} |", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--peer", default="../shared/peers/train_torch.py")
    p.add_argument("--data", default="../shared/data")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--threads", type=int, default=0)
    a = p.parse_args()
    subprocess.run([TRAINYARD, "--version"], check=True, capture_output=True)  # builds, if it must
    with tempfile.TemporaryDirectory() as folder:
        torch = peer(a, "signs", 1)[0]["torch"]
        print(f"{datetime.date.today()}, {processor()}, {os.cpu_count()} processors, PyTorch {torch}, "
              f"threads {a.threads or 'as each chooses'}, medians of {a.rounds} rounds\n")
        print("| job | Trainyard | PyTorch | ratio |\n|---|---|---|---|")
        for name, epochs in {"tudui": 2, "lenet": 2, "fashion": 2, "signs": 20}.items():
            mine, theirs = [], []
            for _ in range(a.rounds):
                mine.append(ours(a, name, epochs, folder)[0]["medianStepMicros"])
                theirs.append(peer(a, name, epochs)[0]["median_step_micros"])
            row(f"{name}, micros a step", mine, theirs, 0)
        mine, theirs = [], []
        for _ in range(a.rounds):
            mine.append(ours(a, "tudui", 2, folder)[1])
            theirs.append(peer(a, "tudui", 2, "--loader", "dataloader")[1])
        row("tudui, 2 epochs with tests and start, seconds; PyTorch with its DataLoader", mine, theirs, 1)


if __name__ == "__main__":
    main()
