"""A GPU compared with PyTorch, on images of CIFAR-10's size:

- tudui, batch 64, and lenet, batch 4, in float32: PyTorch's eager step, the tutorials' loader, a CUDA graph (with data on
  the device, with and without channels_last; the better one is the requirement) and torch.compile. Rows with TF32 are
  compared with Trainyard's `tf32`.
- The tutorial's whole job, 10 epochs of 50,000 images with tests: whole processes on both sides, and the time of a running
  worker compared with the script without its start. Trainyard writes a checkpoint after each epoch, the script none.
- resnet18-cifar, batch 512, bf16: compared with bench/resnet18_peer.py.
- Publishing: epochs of lenet on a worker with a broker, compared with the same job without Kafka.
"""
import os, subprocess, tempfile

import fleet, images
from runs import Run, Table, head, ours, peer, trainyard, versions

GRAPH = ["--cuda-graph"]
TUNED = ["--cuda-graph", "--channels-last", "--tf32"]
EAGER = {"resident": [], "resident, channels_last": ["--channels-last"]}
GRAPHS = {"CUDA graph": GRAPH, "CUDA graph, channels_last": GRAPH + ["--channels-last"]}
MUST_GRAPH, MUST_WHOLE, MUST_RESNET, MUST_PUBLISHING_PERCENT = 1.0, 20, 0.8, 1.0


def device_description(a):
    """The device as Trainyard describes it, with driver and versions."""
    out = subprocess.run(trainyard("devices"), capture_output=True, text=True, timeout=120).stdout
    kind = a.device.split(":")[0]
    lines = [line.strip() for line in out.splitlines() if line.startswith(kind)]
    return lines[0] if lines else a.device


def compare(a):
    """Prints the table; returns the rows that missed their required values."""
    with tempfile.TemporaryDirectory() as folder:
        if not a.data:
            a.data = os.path.join(folder, "data")
        images.make(a.data, 100 if a.tiny else 10_000)
        head(a, f"{device_description(a)}; PyTorch {versions(a)['torch']}")
        table = Table("Trainyard", "PyTorch", "ratio")
        whole(a, table, folder)
        network(a, table, folder, "tudui", epochs=12, peer_steps=2000, loader_steps=400)
        network(a, table, folder, "lenet", epochs=3, peer_steps=6000, loader_steps=2000)
        resnet(a, table, folder)
        publishing(a, table, folder)
    return table.missed


def must(a, ratio):
    """Required values apply to GPUs only."""
    return ratio if a.device.startswith("cuda") and not a.tiny else None


def median(run):
    return run.median("medianStepMicros")


def network(a, table, folder, name, epochs, peer_steps, loader_steps):
    if a.tiny:
        epochs, peer_steps, loader_steps = 2, 20, 5
    resident = ["--loader", "resident", "--no-test", "--every", "1000", "--max-steps", str(peer_steps)]
    loader = ["--loader", "dataloader", "--no-test", "--every", "1000", "--max-steps", str(loader_steps)]
    peers = lambda options: [peer(a, name, a.threads, *options, epochs=1000).median("median_step_micros")
                             for _ in range(a.rounds)]
    mine = [median(ours(a, name, folder, epochs)) for _ in range(a.rounds)]
    what = f"{name}, microseconds per step; PyTorch "
    table.row(what + "with the tutorials' loader", mine, peers(loader), digits=1)
    for variant, options in EAGER.items():
        table.row(what + variant, mine, peers(resident + options), digits=1)
    if a.device.startswith("cuda"):
        graphs = {variant: peers(resident + options) for variant, options in GRAPHS.items()}
        best = min(graphs, key=lambda variant: min(graphs[variant]))
        for variant, micros in graphs.items():
            table.row(what + variant, mine, micros, must(a, MUST_GRAPH) if variant == best else None, digits=1)
    if not a.tiny:
        table.row(what + "compiled", mine, peers(resident + ["--compile"]), digits=1)
    if a.device.startswith("cuda"):
        tf32 = [median(ours(a, name, folder, epochs, precision="tf32")) for _ in range(a.rounds)]
        table.row(f"{name} in tf32, microseconds per step; PyTorch CUDA graph, channels_last, TF32", tf32,
                  peers(resident + TUNED), digits=1)


def whole(a, table, folder):
    epochs = 2 if a.tiny else 10
    mine = ours(a, "tudui", folder, epochs, checkpointEveryEpochs=1)
    theirs = peer(a, "tudui", a.threads, "--loader", "dataloader", "--every", "1000", epochs=epochs)
    what = f"tudui, {epochs} epochs with tests and checkpoints, seconds; "
    table.row(what + "the tutorial's script, from start to end", [mine.seconds], [theirs.seconds], digits=2)
    table.row(what + "the script without its start, a running worker", [mine.finished()["trainMillis"] / 1e3],
              [theirs.median("seconds")], must(a, MUST_WHOLE), digits=2)


def resnet(a, table, folder):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "resnet18_peer.py")
    gpu = a.device.startswith("cuda")
    precision, batch, steps = ("bf16", 512, 60) if gpu else ("fp32", 16, 5)
    if a.tiny:
        batch, steps = 16, 5
    mine = [median(ours(a, "resnet18-cifar", folder, 1 if a.tiny else 2, precision=precision, batchSize=batch))
            for _ in range(a.rounds)]
    common = [a.python, script, "--device", a.device, "--batch", str(batch), "--precision", precision, "--steps",
              str(steps)]
    what = f"resnet18-cifar, batch {batch}, {precision}, microseconds per step; PyTorch "
    for variant, options in {"eager": [], "compiled": ["--compile"]}.items():
        if variant == "compiled" and a.tiny:
            continue
        theirs = [Run(common + options, a.clock).median("median_step_micros") for _ in range(a.rounds)]
        table.row(what + variant, mine, theirs, must(a, MUST_RESNET) if variant == "compiled" else None, digits=1)


def publishing(a, table, folder):
    epochs = 2 if a.tiny else 8
    alone = fleet.later_epochs(ours(a, "lenet", folder, epochs).lines)
    published = fleet.later_epochs(fleet.on_a_worker(a, "lenet", epochs))
    percent = (published / alone - 1) * 100
    print(f"\nlenet, ms of training in an epoch: {alone:.1f} without Kafka, {published:.1f} on a worker that publishes its "
          f"events: {percent:+.1f} %; required: below {MUST_PUBLISHING_PERCENT} %", flush=True)
    if must(a, MUST_PUBLISHING_PERCENT) and percent > MUST_PUBLISHING_PERCENT:
        table.missed.append("publishing")
