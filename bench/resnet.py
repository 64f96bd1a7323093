"""resnet18-cifar on the CPU compared with PyTorch: eager, channels_last, and compiled if available. Random images."""
import os, statistics, tempfile

import images
from runs import Run, Table, head, ours, versions

MUST, AIM = 1.3, 2
PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "resnet18_peer.py")
EAGER = {"eager": ["--memory-format", "contiguous"], "channels_last": ["--memory-format", "channels_last"]}
COMPILED = {"compiled": ["--memory-format", "contiguous", "--compile"],
            "compiled, channels_last": ["--memory-format", "channels_last", "--compile"]}


def compare(a):
    """Prints the table; returns the rows that missed their required values."""
    torch = versions(a)
    with tempfile.TemporaryDirectory() as folder:
        a.data = os.path.join(folder, "data")
        images.make(a.data, max(a.batch) // 5 + 1 if a.tiny else 256)  # 1,280 for training: 40 steps of 32
        head(a, f"PyTorch {torch['torch']}" + ("" if torch["compile"] else " without torch.compile"))
        table = Table("Trainyard", "PyTorch", "ratio")
        for batch in a.batch:
            mine, theirs = [], {variant: [] for variant in EAGER | (COMPILED if torch["compile"] else {})}
            for _ in range(a.rounds):
                run = ours(a, "resnet18-cifar", folder, 1 if a.tiny else 2, batchSize=batch, precision=a.precision)
                mine.append(run.median("medianStepMicros"))
                for variant, micros in theirs.items():
                    micros.append(step_micros(a, batch, (EAGER | COMPILED)[variant]))
            best = min(theirs, key=lambda variant: statistics.median(theirs[variant]))
            for variant, micros in theirs.items():
                must, aim = (MUST, AIM) if variant == best else (None, None)
                table.row(f"resnet18-cifar, batch {batch}, {a.precision}, microseconds per step; PyTorch {variant}", mine, micros, must, aim)
    return table.missed


def step_micros(a, batch, options):
    steps = ["--steps", "1", "--window", "1"] if a.tiny else ["--steps", "20"]
    return Run([a.python, PEER, "--batch", str(batch), "--threads", str(a.threads or os.cpu_count()), "--images", "1280",
                "--precision", a.precision, *steps, *options], a.clock).median("median_step_micros")
