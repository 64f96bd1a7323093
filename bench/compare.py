#!/usr/bin/env python3
"""Trainyard beside PyTorch: the same jobs, alternating in one run, on the data resident in both.

    bench/compare.py --python VENV/bin/python --peer train_torch.py --data DIR [--rounds 3] [--threads 0] [--gate]

--python has torch, h5py, numpy and pillow; --peer is the same job as a PyTorch script; --data holds cifar10,
fashion-mnist and signs. Prints a Markdown table: for each job the median over the rounds of each side's median step,
and of each side's pass over the test set; tudui against PyTorch's channels_last, too; tudui beside a busy neighbour, a
process that computes all the time; the whole tudui job of two epochs, start of the process included, against the
script with the tutorials' DataLoader. A ratio above 1 means that Trainyard is faster; "must" is what the project asks
of it. Then the largest resident memory of a tudui job.

--threads N gives both sides N threads. 0 leaves it to each: Trainyard's own rule; for PyTorch the better of one and all
processors, tried before. --gate exits with 1 when a ratio is below what it must be.
"""
import argparse, contextlib, datetime, json, os, platform, statistics, subprocess, sys, tempfile, time

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
# Enough steps that the median is of compiled code: Java compiles its kernels during the first second.
EPOCHS = {"tudui": 6, "lenet": 6, "fashion": 5, "signs": 200}
MUST = {"tudui": 1.75, "lenet": 4, "fashion": 2, "signs": 2}
MUST_TEST, MUST_CHANNELS_LAST, MUST_WHOLE = 2, 1.2, 1.7


class Run:
    """A process that prints JSON objects, one a line."""

    def __init__(self, command):
        begin = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            out, errors = process.communicate(timeout=1800)
        if process.returncode:
            sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{errors}")
        self.seconds = time.perf_counter() - begin
        self.lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]

    def median(self, field):
        """Without the first epoch, in which both sides warm up, when there are several."""
        values = [line[field] for line in self.lines if field in line]
        return statistics.median(values[1:] or values)


def ours(a, name, folder, epochs=None):
    path = os.path.join(folder, name + ".json")
    with open(path, "w") as f:
        json.dump({"id": name, "network": name, "epochs": epochs or EPOCHS[name], **JOBS[name][1]}, f)
    return Run([TRAINYARD, "train", path, "--data", a.data, "--threads", str(a.threads), "--json",
                "--checkpoints", os.path.join(folder, "checkpoints")])


def peer(a, name, threads, *more, epochs=None):
    dataset, _, arguments = JOBS[name]
    return Run([a.python, a.peer, "--model", name, "--dataset", dataset, "--data", os.path.join(a.data, dataset),
                "--epochs", str(epochs or EPOCHS[name]), "--threads", str(threads), *arguments, *more])


def best_threads(a, name):
    if a.threads:
        return a.threads
    counts = sorted({1, os.cpu_count()})
    return min(counts, key=lambda n: peer(a, name, n, epochs=1).median("median_step_micros"))


@contextlib.contextmanager
def busy_neighbour():
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def peak_mebibytes(a, folder):
    """Of a tudui job, looked at every tenth of a second."""
    path = os.path.join(folder, "tudui.json")
    process = subprocess.Popen([TRAINYARD, "train", path, "--data", a.data, "--threads", str(a.threads), "--json",
                                "--checkpoints", os.path.join(folder, "checkpoints")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        with contextlib.suppress(OSError, StopIteration), open(f"/proc/{process.pid}/status") as f:
            peak = max(peak, next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1024)
        time.sleep(0.1)
    return peak


class Table:
    def __init__(self):
        self.missed = []
        print("| what | Trainyard | PyTorch | ratio | must |\n|---|---|---|---|---|")

    def row(self, what, mine, theirs, must=None, digits=0):
        m, t = max(statistics.median(mine), 0.5 * 10**-digits), statistics.median(theirs)  # what rounds to 0
        print(f"| {what} | {m:.{digits}f} | {t:.{digits}f} | {t / m:.2f} | {must or ''} |", flush=True)
        if must and t / m < must:
            self.missed.append(what)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--peer", default="../shared/peers/train_torch.py")
    p.add_argument("--data", default="../shared/data")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--threads", type=int, default=0)
    p.add_argument("--gate", action="store_true")
    a = p.parse_args()
    subprocess.run([TRAINYARD, "--version"], check=True, capture_output=True)  # builds, if it must
    with tempfile.TemporaryDirectory() as folder:
        torch = peer(a, "signs", 1, epochs=1).lines[-1]["torch"]
        print(f"{datetime.date.today()}, {processor()}, {os.cpu_count()} processors, PyTorch {torch}, "
              f"threads {a.threads or 'as each does best'}, medians of {a.rounds} rounds\n")
        table = Table()
        for name in JOBS:
            threads = best_threads(a, name)
            pairs = [(ours(a, name, folder), peer(a, name, threads)) for _ in range(a.rounds)]
            table.row(f"{name}, micros a step", [m.median("medianStepMicros") for m, _ in pairs],
                      [t.median("median_step_micros") for _, t in pairs], MUST[name])
            table.row(f"{name}, millis a test", [m.median("testMillis") for m, _ in pairs],
                      [t.median("test_seconds") * 1e3 for _, t in pairs], MUST_TEST)
        pairs = [(ours(a, "tudui", folder), peer(a, "tudui", a.threads, "--channels-last")) for _ in range(a.rounds)]
        table.row("tudui, micros a step; PyTorch channels_last", [m.median("medianStepMicros") for m, _ in pairs],
                  [t.median("median_step_micros") for _, t in pairs], MUST_CHANNELS_LAST)
        for name in ("tudui", "fashion"):
            with busy_neighbour():
                pairs = [(ours(a, name, folder, 2), peer(a, name, a.threads, epochs=2))]
            table.row(f"{name} beside a busy neighbour, micros a step",
                      [m.median("medianStepMicros") for m, _ in pairs],
                      [t.median("median_step_micros") for _, t in pairs])
        pairs = [(ours(a, "tudui", folder, 2), peer(a, "tudui", a.threads, "--loader", "dataloader", epochs=2))
                 for _ in range(a.rounds)]
        table.row("tudui, 2 epochs with tests and start, seconds; PyTorch with its DataLoader",
                  [m.seconds for m, _ in pairs], [t.seconds for _, t in pairs], MUST_WHOLE, digits=1)
        print(f"\nlargest resident memory of tudui: {peak_mebibytes(a, folder):.0f} MiB")
    if table.missed:
        print("\nbelow what it must be: " + "; ".join(table.missed))
        if a.gate:
            sys.exit(1)


if __name__ == "__main__":
    main()
