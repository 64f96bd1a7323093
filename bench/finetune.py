"""Fine-tuning of torchvision's ResNet-18 from a file on 500 photos at 224 x 224, compared with the same script in PyTorch.

The photos are images of CIFAR-10, enlarged to 500 x 375 pixels, ImageNet's mean size, and saved as JPEG. Both sides decode,
scale and crop them, train three epochs and test after each. The weights are drawn by torchvision: the time does not depend on
their values."""
import json, os, statistics, tempfile

from runs import Run, Table, head, trainyard, versions

MUST, AIM = 1, 1.5
PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "finetune_peer.py")
VARIANTS = {"eager": [], "channels_last": ["--memory-format", "channels_last"]}
PHOTOS, TESTS = 500, 100


def compare(a):
    """Prints the table; returns the rows that missed their required values."""
    torch = versions(a)
    photos, tests, epochs = (40, 20, 1) if a.tiny else (PHOTOS, TESTS, 3)
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data", "photos")
        weights = os.path.join(folder, "checkpoints", "resnet18.safetensors")
        os.makedirs(os.path.dirname(weights))
        Run([a.python, PEER, "--photos", data, "--weights", weights, "--draw", os.path.join(a.data, "cifar10"), str(photos), str(tests)],
            a.clock)
        head(a, f"PyTorch {torch['torch']}")
        table = Table("Trainyard", "PyTorch", "ratio")
        mine, steps = [], []
        theirs, their_steps = {variant: [] for variant in VARIANTS}, {variant: [] for variant in VARIANTS}
        for round_ in range(a.rounds):
            run = Run(trainyard("train", job(folder, round_, epochs), "--data", os.path.join(folder, "data"), "--device", a.device, "--threads",
                                str(a.threads), "--json", "--checkpoints", os.path.dirname(weights)), a.clock)
            mine.append(run.seconds)
            steps.append(run.median("medianStepMicros"))
            for variant, more in VARIANTS.items():
                peer = Run([a.python, PEER, "--photos", data, "--weights", weights, "--epochs",
                            str(epochs), "--threads", str(a.threads or os.cpu_count()), *more], a.clock)
                theirs[variant].append(peer.seconds)
                their_steps[variant].append(peer.median("median_step_micros"))
        best = min(theirs, key=lambda variant: statistics.median(theirs[variant]))
        for variant in VARIANTS:
            must, aim = (MUST, AIM) if variant == best else (None, None)
            table.row(f"resnet18, {photos} photos, {epochs} epochs and tests, s; PyTorch {variant}", mine, theirs[variant], must, aim, digits=1)
            table.row(f"a step of 32 photos, microseconds; PyTorch {variant}", steps, their_steps[variant])
    return table.missed


def job(folder, round_, epochs):
    path = os.path.join(folder, f"finetune-{round_}.json")
    with open(path, "w") as f:
        json.dump({"id": f"finetune-{round_}", "network": "resnet18", "epochs": epochs, "batchSize": 32,
                   "shuffle": True, "initFrom": "resnet18.safetensors", "except": ["fc"],
                   "optimizer": {"type": "sgd", "learningRate": 0.001, "momentum": 0.9},
                   "dataset": {"name": "photos", "resize": 256, "centerCrop": 224,
                               "normalize": {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}}}, f)
    return path
