"""The CPU device beside PyTorch: every built-in network but ResNet, on the real data."""
import contextlib, datetime, os, subprocess, tempfile, time

from runs import Table, busy_neighbour, ours, peer, processor, trainyard

# Enough steps that the median is of compiled code: Java compiles its kernels during the first second.
EPOCHS = {"tudui": 6, "lenet": 6, "fashion": 5, "signs": 200}
MUST = {"tudui": 1.75, "lenet": 4, "fashion": 2, "signs": 2}
MUST_TEST, MUST_CHANNELS_LAST, MUST_WHOLE = 2, 1.2, 1.7


def best_threads(a, name):
    if a.threads:
        return a.threads
    counts = sorted({1, os.cpu_count()})
    return min(counts, key=lambda n: peer(a, name, n, epochs=1).median("median_step_micros"))


def peak_mebibytes(a, folder):
    """Of a tudui job, looked at every tenth of a second."""
    path = os.path.join(folder, "tudui.json")
    process = subprocess.Popen(trainyard("train", path, "--data", a.data, "--threads", str(a.threads), "--json",
                                         "--checkpoints", os.path.join(folder, "checkpoints")),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        with contextlib.suppress(OSError, StopIteration), open(f"/proc/{process.pid}/status") as f:
            peak = max(peak, next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1024)
        time.sleep(0.1)
    return peak


def compare(a):
    """Prints the table; returns the rows that missed what they must be."""
    with tempfile.TemporaryDirectory() as folder:
        torch = peer(a, "signs", 1, epochs=1).lines[-1]["torch"]
        print(f"{datetime.date.today()}, {processor()}, {os.cpu_count()} processors, PyTorch {torch}, "
              f"threads {a.threads or 'as each does best'}, medians of {a.rounds} rounds\n")
        table = Table()
        for name in EPOCHS:
            threads = best_threads(a, name)
            pairs = [(ours(a, name, folder, EPOCHS[name]), peer(a, name, threads, epochs=EPOCHS[name]))
                     for _ in range(a.rounds)]
            steps(table, f"{name}, micros a step", pairs, MUST[name])
            table.row(f"{name}, millis a test", [m.median("testMillis") for m, _ in pairs],
                      [t.median("test_seconds") * 1e3 for _, t in pairs], MUST_TEST)
        epochs = EPOCHS["tudui"]
        pairs = [(ours(a, "tudui", folder, epochs), peer(a, "tudui", a.threads, "--channels-last", epochs=epochs))
                 for _ in range(a.rounds)]
        steps(table, "tudui, micros a step; PyTorch channels_last", pairs, MUST_CHANNELS_LAST)
        for name in ("tudui", "fashion"):
            with busy_neighbour():
                pairs = [(ours(a, name, folder, 2), peer(a, name, a.threads, epochs=2))]
            steps(table, f"{name} beside a busy neighbour, micros a step", pairs)
        pairs = [(ours(a, "tudui", folder, 2), peer(a, "tudui", a.threads, "--loader", "dataloader", epochs=2))
                 for _ in range(a.rounds)]
        table.row("tudui, 2 epochs with tests and start, seconds; PyTorch with its DataLoader",
                  [m.seconds for m, _ in pairs], [t.seconds for _, t in pairs], MUST_WHOLE, digits=1)
        print(f"\nlargest resident memory of tudui: {peak_mebibytes(a, folder):.0f} MiB")
    return table.missed


def steps(table, what, pairs, must=None):
    table.row(what, [m.median("medianStepMicros") for m, _ in pairs],
              [t.median("median_step_micros") for _, t in pairs], must)
