#!/usr/bin/env python3
"""User datasets and PyTorch's results with them: own_data.py DIR writes into DIR

  leaves/train.csv, leaves/test.csv   rows of four numbers and the name of a class
  houses/train.csv, houses/test.csv   rows of two numbers, a colour, and two numbers to predict
  flags/flags.npz                     images, uint8 in (N, H, W, C), with labels
  losses.json                         by dataset: the job, the loss of each step, the test loss sum of each epoch
  continued.json                      by schedule: a job of 2 epochs, and the losses of 2 more, after torch.save and torch.load of all state

The files are read with csv and numpy, independently of Trainyard.
"""

import csv
import io
import json
import math
import pathlib
import sys

import numpy
import torch
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler, random_split

SPECIES = ["ash", "beech", "oak"]


def write_leaves(folder, random):
    folder.mkdir(parents=True, exist_ok=True)
    centres = numpy.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
    for part, rows in ("train", 90), ("test", 30):
        with open(folder / f"{part}.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["length", "width", "species", "stalk length", "stalk width"])
            for _ in range(rows):
                species = random.integers(3)
                values = centres[species] + random.normal(0, 0.4, 4)
                values = [f"{value:.3g}" for value in values]
                writer.writerow(values[:2] + [SPECIES[species]] + values[2:])


def read_leaves(folder, part, mean, std):
    with open(folder / f"{part}.csv", newline="") as file:
        rows = list(csv.reader(file))[1:]
    x = torch.tensor([[float(v) for v in row[:2] + row[3:]] for row in rows], dtype=torch.float32)
    y = torch.tensor([SPECIES.index(row[2]) for row in rows])
    return TensorDataset((x - torch.tensor(mean)) / torch.tensor(std), y)


def write_houses(folder, random):
    folder.mkdir(parents=True, exist_ok=True)
    for part, rows in ("train", 80), ("test", 25):
        with open(folder / f"{part}.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["area", "colour", "price", "rooms", "age"])
            for _ in range(rows):
                area, colour, rooms = random.uniform(40, 200), random.integers(3), random.integers(1, 7)
                price = 1500 * area + 20000 * colour + 9000 * rooms + random.normal(0, 5000)
                age = 60 - 0.2 * area + 10 * colour + random.normal(0, 3)
                writer.writerow([f"{area:.4g}", ["red", "grey", "blue"][colour], f"{price:.6g}", rooms, f"{age:.3g}"])


def read_houses(folder, part):
    with open(folder / f"{part}.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    colours = [[row["colour"] == colour for colour in ["blue", "grey", "red"]] for row in rows]
    x = torch.tensor([[(float(row["area"]) - 120) / 46, *one_hot, (float(row["rooms"]) - 3.5) / 1.7] for row, one_hot in zip(rows, colours)])
    return x, torch.tensor([[float(row["price"]), float(row["age"])] for row in rows])


def train_houses(folder):
    """Targets standardized by the training part after the split; predictions of the test part in original units."""
    description = {"kind": "csv", "targets": ["price", "age"], "oneHot": {"colour": ["blue", "grey", "red"]},
                   "normalize": {"mean": [120, 0, 0, 0, 3.5], "std": [46, 1, 1, 1, 1.7]}}
    (folder / "dataset.json").write_text(json.dumps(description) + "\n")
    x, y = read_houses(folder, "train")
    final_x, _ = read_houses(folder, "test")
    train_set, validation = (part.indices for part in random_split(x, [0.75, 0.25], generator=torch.Generator().manual_seed(6)))
    mean, std = y[train_set].mean(0), y[train_set].std(0, unbiased=False)
    torch.manual_seed(3)
    model = mlp(x.shape[1], 2, False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    criterion = torch.nn.MSELoss()
    trained = DataLoader(TensorDataset(x[train_set], (y[train_set] - mean) / std), batch_size=8, shuffle=True)
    tested = DataLoader(TensorDataset(x[validation], (y[validation] - mean) / std), batch_size=8)
    losses, sums, best = [], [], None
    for _ in range(3):
        for inputs, targets in trained:
            optimizer.zero_grad()
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        with torch.no_grad():
            sums.append(sum(criterion(model(inputs), targets).item() for inputs, targets in tested))
            if sums[-1] == min(sums):
                best = (model(final_x) * std + mean).tolist()
    job = {
        "dataset": {"name": "houses", "split": {"validation": 0.25, "seed": 6}, "standardizeTargets": True},
        "network": {"layers": json_layers(2, False)},
        "loss": {"type": "mse"},
        "epochs": 3,
        "batchSize": 8,
        "shuffle": True,
        "seed": 3,
        "optimizer": {"type": "sgd", "learningRate": 0.05, "momentum": 0.9},
    }
    return {"job": job, "losses": losses, "testLossSums": sums, "mean": mean.tolist(), "std": std.tolist(), "predictions": best}


def write_flags(folder, random):
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {}
    for part, images in ("train", 60), ("test", 20):
        y = random.integers(0, 4, images)
        x = random.integers(0, 120, (images, 6, 7, 3))
        for n in range(images):
            if y[n] < 3:
                x[n, :, :, y[n]] += 100  # a colour
            else:
                x[n, ::2] += 100  # stripes
        arrays["x_" + part] = x.astype(numpy.uint8)
        arrays["y_" + part] = y
    numpy.savez_compressed(folder / "flags.npz", **arrays)


def read_flags(folder, part, mean, std):
    arrays = numpy.load(folder / "flags.npz")
    x = torch.from_numpy(arrays["x_" + part]).permute(0, 3, 1, 2).contiguous().float() / 255
    shape = (1, 3, 1, 1)
    x = (x - torch.tensor(mean).reshape(shape)) / torch.tensor(std).reshape(shape)
    return TensorDataset(x, torch.from_numpy(arrays["y_" + part]))


def mlp(inputs, outputs, flatten):
    layers = [torch.nn.Flatten()] if flatten else []
    return torch.nn.Sequential(
        *layers, torch.nn.Linear(inputs, 16), torch.nn.ReLU(), torch.nn.Linear(16, outputs)
    )


def json_layers(outputs, flatten):
    layers = [{"type": "flatten"}] if flatten else []
    return layers + [{"type": "linear", "out": 16}, {"type": "relu"}, {"type": "linear", "out": outputs}]


def order(samples, balanced):
    if not balanced:
        return {"shuffle": True}
    labels = torch.tensor([int(y) for _, y in samples])
    return {"sampler": WeightedRandomSampler((1 / torch.bincount(labels).double())[labels], len(samples), replacement=True)}


def train(name, read, inputs, outputs, flatten, folder, description, balanced=False):
    mean, std = description["normalize"]["mean"], description["normalize"]["std"]
    (folder / "dataset.json").write_text(json.dumps(description) + "\n")
    torch.manual_seed(3)
    model = mlp(inputs, outputs, flatten)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    criterion = torch.nn.CrossEntropyLoss()
    samples, tests = read(folder, "train", mean, std), read(folder, "test", mean, std)
    if balanced:
        samples, tests = random_split(samples, [0.75, 0.25], generator=torch.Generator().manual_seed(2))
    train_set = DataLoader(samples, batch_size=8, **order(samples, balanced))
    test_set = DataLoader(tests, batch_size=8)
    losses, sums = [], []
    for _ in range(3):
        model.train()
        for x, y in train_set:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            sums.append(sum(criterion(model(x), y).item() for x, y in test_set))
    job = {
        "dataset": name,
        "network": {"layers": json_layers(outputs, flatten)},
        "epochs": 3,
        "batchSize": 8,
        **({"sampler": "balanced"} if balanced else {"shuffle": True}),
        "seed": 3,
        "optimizer": {"type": "sgd", "learningRate": 0.1, "momentum": 0.9},
    }
    if balanced:
        job["dataset"] = {"name": name, "split": {"validation": 0.25, "seed": 2}}
    return {"job": job, "losses": losses, "testLossSums": sums}


def one_cycle(optimizer, epochs, steps, state):
    last = -1
    if state:
        optimizer.load_state_dict(state["optimizer"])
        last = state["epoch"] * steps - 1
    return torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.2, epochs * steps, cycle_momentum=False, last_epoch=last)


def cosine(optimizer, epochs, steps, state):
    """CosineAnnealingLR in closed form: its own get_lr() goes on from the last rate, whatever the total is."""
    last = -1
    if state:
        optimizer.load_state_dict(state["optimizer"])
        last = state["epoch"] - 1
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda e: (1 + math.cos(math.pi * e / epochs)) / 2, last_epoch=last)


def stepped(optimizer, epochs, steps, state):
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    if state:
        optimizer.load_state_dict(state["optimizer"])
        scheduler.load_state_dict(state["scheduler"])
    return scheduler


SCHEDULES = [
    (stepped, {"type": "step", "stepSize": 1, "gamma": 0.5}, False),
    (cosine, {"type": "cosine"}, False),
    (one_cycle, {"type": "oneCycle", "maxLearningRate": 0.2, "cycleMomentum": False}, True),
]


def continue_training(schedule, spec, each_step, folder, description, balanced=False):
    """Trains 2 epochs, saves all, loads all into new objects, and trains to epoch 4 with the schedule of 4 epochs."""
    mean, std = description["normalize"]["mean"], description["normalize"]["std"]
    torch.manual_seed(3)
    losses, saved, state = [], io.BytesIO(), None
    for total in 2, 4:
        model = mlp(4, 3, False)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        samples = read_leaves(folder, "train", mean, std)
        train_set = DataLoader(samples, batch_size=8, **order(samples, balanced))
        test_set = DataLoader(read_leaves(folder, "test", mean, std), batch_size=8)
        if saved.tell():
            state = torch.load(io.BytesIO(saved.getvalue()))
            model.load_state_dict(state["model"])
            torch.set_rng_state(state["random"])
        scheduler = schedule(optimizer, total, len(train_set), state)
        losses = []
        for _ in range(state["epoch"] if state else 0, total):
            for x, y in train_set:
                optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
                if each_step and scheduler.last_epoch + 1 < total * len(train_set):
                    scheduler.step()
                losses.append(loss.item())
            if not each_step:
                scheduler.step()
            for _ in test_set:
                pass
        keys = {"epoch": total, "model": model.state_dict(), "optimizer": optimizer.state_dict(), "random": torch.get_rng_state()}
        if not isinstance(scheduler, torch.optim.lr_scheduler.LambdaLR):
            keys["scheduler"] = scheduler.state_dict()
        torch.save(keys, saved)
    job = {
        "dataset": "leaves",
        "network": {"layers": json_layers(3, False)},
        "epochs": 2,
        "batchSize": 8,
        **({"sampler": "balanced"} if balanced else {"shuffle": True}),
        "seed": 3,
        "optimizer": {"type": "sgd", "learningRate": 0.1, "momentum": 0.9},
        "schedule": spec,
    }
    return {"job": job, "losses": losses}


def main():
    folder = pathlib.Path(sys.argv[1])
    random = numpy.random.default_rng(13)
    write_leaves(folder / "leaves", random)
    write_flags(folder / "flags", random)
    write_houses(folder / "houses", random)
    normalize = {"mean": [5.8, 3.1, 3.8, 1.2], "std": [0.83, 0.43, 1.76, 0.76]}
    leaves = {"kind": "csv", "label": "species", "classNames": SPECIES, "normalize": normalize}
    normalize = {"mean": [0.3, 0.3, 0.3], "std": [0.2, 0.2, 0.2]}
    flags = {"kind": "arrays", "file": "flags.npz", "layout": "NHWC", "classes": 4, "normalize": normalize}
    results = [
        train("leaves", read_leaves, 4, 3, False, folder / "leaves", leaves),
        train("flags", read_flags, 6 * 7 * 3, 4, True, folder / "flags", flags),
        train("leaves", read_leaves, 4, 3, False, folder / "leaves", leaves, balanced=True),
        train_houses(folder / "houses"),
    ]
    more = [continue_training(*schedule, folder / "leaves", leaves) for schedule in SCHEDULES]
    more.append(continue_training(*SCHEDULES[0], folder / "leaves", leaves, balanced=True))
    (folder / "continued.json").write_text("\n".join(json.dumps(result) for result in more) + "\n")
    (folder / "losses.json").write_text("\n".join(json.dumps(result) for result in results) + "\n")


main()
