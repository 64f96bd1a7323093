"""VGG, MobileNetV2, ConvNeXt (docs/examples) and a network with group and layer norms on the CPU, compared with PyTorch.
Random images of CIFAR-10's size."""
import json, os, statistics, tempfile

import images
from resnet import EAGER, PEER
from runs import Run, Table, head, trainyard, versions

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BATCH, MUST = 32, 1


def conv(out, stride=1):
    return {"type": "conv2d", "out": out, "kernel": 3, "padding": 1, "stride": stride}


NORMS = [conv(32), {"type": "groupNorm", "groups": 8}, {"type": "silu"}, conv(64, 2), {"type": "groupNorm", "groups": 1}, {"type": "silu"},
         conv(64, 2), {"type": "layerNorm", "normalizedShape": [64, 8, 8]}, {"type": "hardswish"}, {"type": "flatten"},
         {"type": "linear", "out": 128}, {"type": "layerNorm"}, {"type": "relu"}, {"type": "linear", "out": 10}]


def networks():
    for name in ("vgg11-bn", "mobilenet-v2", "convnext"):
        with open(os.path.join(ROOT, "docs", "examples", name + ".json")) as f:
            yield name, json.load(f)["network"]
    yield "groupNorm and layerNorm", {"layers": NORMS}


def compare(a):
    """Prints the table; returns the rows that missed their required values."""
    torch = versions(a)
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        images.make(data, 640)  # 3,200 for training: 100 steps of 32; Java compiles kernels in the first ones
        head(a, f"PyTorch {torch['torch']}")
        table = Table("Trainyard", "PyTorch", "ratio")
        for name, network in networks():
            job = os.path.join(folder, "job.json")
            with open(job, "w") as f:
                json.dump({"id": "timed", "network": network, "dataset": "cifar10", "epochs": 1 if a.tiny else 3, "batchSize": BATCH,
                           "precision": a.precision,
                           "optimizer": {"type": "sgd", "learningRate": 0.001, "momentum": 0.9}}, f)
            mine, theirs = [], {variant: [] for variant in EAGER}
            for _ in range(a.rounds):
                run = Run(trainyard("train", job, "--data", data, "--threads", str(a.threads), "--json", "--checkpoints",
                                    os.path.join(folder, "checkpoints")), a.clock)
                mine.append(run.median("medianStepMicros"))
                for variant, micros in theirs.items():
                    micros.append(peer(a, job, variant).median("median_step_micros"))
            best = min(theirs, key=lambda variant: statistics.median(theirs[variant]))
            for variant, micros in theirs.items():
                table.row(f"{name}, batch {BATCH}, {a.precision}, microseconds per step; PyTorch {variant}", mine, micros, MUST if variant == best else None)
    return table.missed


def peer(a, job, variant):
    steps = ["--steps", "1", "--window", "1"] if a.tiny else ["--steps", "20"]
    return Run([a.python, PEER, "--job", job, "--batch", str(BATCH), "--threads", str(a.threads or os.cpu_count()), "--images", "320",
                "--precision", a.precision, *steps, *EAGER[variant]], a.clock)
