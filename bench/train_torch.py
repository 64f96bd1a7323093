#!/usr/bin/env python3
"""The built-in networks in PyTorch: the script with which Trainyard is compared, and the reference for its numbers.

    train_torch.py --model tudui   --dataset cifar10       --data DIR --epochs 10 --batch 64  --lr 0.01
    train_torch.py --model lenet   --dataset cifar10       --data DIR --epochs 2  --batch 4   --lr 0.001 --momentum 0.9 --shuffle --normalize
    train_torch.py --model fashion --dataset fashion-mnist --data DIR --epochs 2  --batch 100 --lr 0.01
    train_torch.py --model signs   --dataset signs         --data DIR --epochs 20 --batch 32  --lr 0.01 --shuffle
    train_torch.py --model tudui   --dataset random --no-test --max-steps 1000          for timing without data

Requires torch and numpy; h5py for signs, pillow for --loader dataloader, safetensors for --save-init and --save-final.

--loader resident keeps the dataset on the device as float32, the fastest way without further tools. --loader dataloader
does what PyTorch's tutorials do: a PIL image, ToTensor and collate for each sample. --compile uses torch.compile, --cuda-graph
captures the step, --channels-last and --tf32 change layout and precision.

Prints JSON objects, one a line:

    {"event": "step", "epoch": 0, "step": 1, "loss": 2.30}        each step; --every N prints each Nth
    {"event": "epoch", "epoch": 0, "test_loss", "test_accuracy", "per_class", "train_seconds", "test_seconds"}
    {"event": "done", "seconds", "steps", "median_step_micros", "sha256", "torch", "threads"}

loss is the mean over a batch, test_loss the sum of the batches' means, as the tutorials print it. sha256 is that of all
parameters as float32, little-endian, in order. On a GPU, median_step_micros is the median over windows of 100 steps, so that
compilation and cuDNN's search do not count.
"""
import argparse
import gzip
import hashlib
import json
import os
import statistics
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SHAPES = {"fashion": (1, 28, 28), "signs": (3, 64, 64)}  # others: CIFAR-10's
CIFAR10 = (3, 32, 32)


def tudui(classes):
    return nn.Sequential(nn.Conv2d(3, 32, 5, 1, 2), nn.MaxPool2d(2), nn.Conv2d(32, 32, 5, 1, 2), nn.MaxPool2d(2),
                         nn.Conv2d(32, 64, 5, 1, 2), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1024, 64),
                         nn.Linear(64, classes))


def lenet(classes):
    return nn.Sequential(nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Conv2d(6, 16, 5), nn.ReLU(),
                         nn.MaxPool2d(2, 2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84),
                         nn.ReLU(), nn.Linear(84, classes))


def fashion(classes):
    return nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Conv2d(6, 12, 5), nn.ReLU(),
                         nn.MaxPool2d(2, 2), nn.Flatten(), nn.Linear(192, 120), nn.ReLU(), nn.Linear(120, 60),
                         nn.ReLU(), nn.Linear(60, classes))


def signs(classes):
    return nn.Sequential(nn.Flatten(), nn.Linear(12288, 25), nn.ReLU(), nn.Linear(25, 16), nn.ReLU(),
                         nn.Linear(16, classes))


MODELS = {"tudui": tudui, "lenet": lenet, "fashion": fashion, "signs": signs}


def read_cifar10(root):
    def read(names):
        raw = b"".join(open(os.path.join(root, name), "rb").read() for name in names)
        rows = np.frombuffer(raw, np.uint8).reshape(-1, 3073)
        return rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0].astype(np.int64)

    return read([f"data_batch_{i}.bin" for i in range(1, 6)]), read(["test_batch.bin"])


def read_fashion_mnist(root):
    def part(name, offset):
        with gzip.open(os.path.join(root, name)) as f:
            return np.frombuffer(f.read(), np.uint8, offset=offset)

    def read(kind):
        return (part(f"{kind}-images-idx3-ubyte.gz", 16).reshape(-1, 1, 28, 28),
                part(f"{kind}-labels-idx1-ubyte.gz", 8).astype(np.int64))

    return read("train"), read("t10k")


def read_signs(root):
    import h5py

    def read(kind):
        with h5py.File(os.path.join(root, f"{kind}_signs.h5")) as f:
            images = np.array(f[f"{kind}_set_x"]).transpose(0, 3, 1, 2)
            return np.ascontiguousarray(images), np.array(f[f"{kind}_set_y"]).astype(np.int64).ravel()

    return read("train"), read("test")


DATASETS = {"cifar10": read_cifar10, "fashion-mnist": read_fashion_mnist, "signs": read_signs}


def random_images(model):
    """As many as CIFAR-10 has."""
    shape, generator = SHAPES.get(model, CIFAR10), np.random.default_rng(0)
    classes = 6 if model == "signs" else 10

    def make(count):
        return generator.integers(0, 256, (count, *shape), dtype=np.uint8), generator.integers(0, classes, count)

    return make(50_000), make(10_000)


class Images(Dataset):
    """Samples as torchvision gives them: a PIL image, then ToTensor and Normalize."""

    def __init__(self, images, labels, normalize):
        self.images = np.ascontiguousarray(images.transpose(0, 2, 3, 1))
        self.labels = labels
        self.normalize = normalize

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        from PIL import Image
        pixels = self.images[i]
        pixels = np.array(Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels))
        pixels = pixels if pixels.ndim == 3 else pixels[:, :, None]
        image = torch.from_numpy(pixels).permute(2, 0, 1).contiguous().to(torch.float32).div(255)
        return ((image - .5) / .5 if self.normalize else image), int(self.labels[i])


class Resident:
    """The dataset on the device, with the batches of a DataLoader with the same seed."""

    def __init__(self, images, labels, a, device, shuffle):
        self.images = torch.from_numpy(np.ascontiguousarray(images)).to(device).to(torch.float32).div(255)
        if a.normalize:
            self.images = (self.images - .5) / .5
        if a.channels_last:
            self.images = self.images.contiguous(memory_format=torch.channels_last)
        self.labels = torch.from_numpy(labels).to(device)
        self.batch = a.batch
        self.shuffle = shuffle

    def __iter__(self):
        torch.empty((), dtype=torch.int64).random_()  # the base seed of a DataLoader
        order = None
        if self.shuffle:
            generator = torch.Generator()
            generator.manual_seed(int(torch.empty((), dtype=torch.int64).random_()))
            order = torch.randperm(len(self.labels), generator=generator).to(self.images.device)
        for i in range(0, len(self.labels), self.batch):
            chosen = slice(i, i + self.batch) if order is None else order[i:i + self.batch]
            yield self.images[chosen], self.labels[chosen]


def captured(net, loss_fn, optimizer, step, a, shape, device):
    """The step as a CUDA graph; a smaller last batch runs without it."""
    images = torch.empty((a.batch, *shape), device=device)
    labels = torch.zeros(a.batch, dtype=torch.int64, device=device)
    if a.channels_last:
        images = images.contiguous(memory_format=torch.channels_last)
    initial = {name: value.clone() for name, value in net.state_dict().items()}
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            images.normal_()
            step(images, labels)
    torch.cuda.current_stream().wait_stream(stream)
    net.load_state_dict(initial)
    # Momentum buffers must exist before the capture: if it created them, each replay would set them to zero.
    for state in optimizer.state.values():
        if state.get("momentum_buffer") is not None:
            state["momentum_buffer"].zero_()
    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad()  # to None: the backward pass then allocates gradients in the graph's memory
    with torch.cuda.graph(graph):
        loss = loss_fn(net(images), labels)
        loss.backward()
        optimizer.step()
        result = loss.detach()
    del loss  # and its autograd nodes, which belong to the stream of the capture

    def replay(x, y):
        if len(y) != a.batch:
            return step(x, y)
        images.copy_(x)
        labels.copy_(y)
        graph.replay()
        return result.clone()

    return replay


def test(net, loss_fn, batches, classes, device):
    """Sum of the losses of the batches, number of correct samples, accuracy of each class."""
    loss, correct, correct_of, count_of = 0., 0, np.zeros(classes), np.zeros(classes)
    net.eval()
    with torch.no_grad():
        for x, y in batches:
            x, y = x.to(device), y.to(device)
            output = net(x)
            loss += loss_fn(output, y).item()
            hits = output.argmax(1) == y
            correct += int(hits.sum())
            correct_of += np.bincount(y[hits].cpu().numpy(), minlength=classes)
            count_of += np.bincount(y.cpu().numpy(), minlength=classes)
    return loss, correct, (correct_of / np.maximum(count_of, 1)).tolist()


def save(path, net):
    from safetensors.torch import save_file
    save_file({name: value.cpu().contiguous() for name, value in net.state_dict().items()}, path)


def sha256(net):
    digest = hashlib.sha256()
    for value in net.state_dict().values():
        digest.update(value.detach().cpu().contiguous().numpy().astype("<f4").tobytes())
    return digest.hexdigest()


def emit(**fields):
    print(json.dumps(fields), flush=True)


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", required=True, choices=MODELS)
    p.add_argument("--dataset", default="cifar10", choices=[*DATASETS, "random"])
    p.add_argument("--data", help="the folder of the dataset")
    p.add_argument("--epochs", type=int, default=1)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=.01)
    p.add_argument("--momentum", type=float, default=0)
    p.add_argument("--weight-decay", type=float, default=0)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--shuffle", action="store_true")
    p.add_argument("--normalize", action="store_true", help="to -1 to 1")
    p.add_argument("--device", default="cpu")
    p.add_argument("--threads", type=int, default=0, help="0: PyTorch's default")
    p.add_argument("--loader", choices=["dataloader", "resident", "random"], default="resident",
                   help="random: resident, with --dataset random")
    p.add_argument("--workers", type=int, default=0, help="of the DataLoader")
    p.add_argument("--every", type=int, default=1, help="print each Nth step")
    p.add_argument("--max-steps", type=int, default=0)
    p.add_argument("--no-test", action="store_true")
    p.add_argument("--channels-last", action="store_true")
    p.add_argument("--tf32", action="store_true")
    p.add_argument("--compile", action="store_true")
    p.add_argument("--cuda-graph", action="store_true")
    p.add_argument("--save-init", metavar="FILE")
    p.add_argument("--save-final", metavar="FILE")
    return p.parse_args()


def main():
    a = arguments()
    if a.threads:
        torch.set_num_threads(a.threads)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = a.tf32
    torch.backends.cudnn.benchmark = True
    device = torch.device(a.device)
    is_random = "random" in (a.loader, a.dataset)
    train_set, test_set = random_images(a.model) if is_random else DATASETS[a.dataset](a.data)
    train_set, test_set = [tuple(np.array(part) for part in each) for each in (train_set, test_set)]
    classes = int(max(train_set[1].max(), test_set[1].max())) + 1

    torch.manual_seed(a.seed)
    net = MODELS[a.model](classes)
    if a.save_init:
        save(a.save_init, net)
    net = net.to(device)
    if a.channels_last:
        net = net.to(memory_format=torch.channels_last)
    loss_fn = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=a.lr, momentum=a.momentum, weight_decay=a.weight_decay)

    def eager(x, y):
        loss = loss_fn(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    step = torch.compile(eager) if a.compile else eager
    if a.cuda_graph:
        step = captured(net, loss_fn, optimizer, eager, a, train_set[0].shape[1:], device)
    if a.loader == "dataloader":
        train_batches = DataLoader(Images(*train_set, a.normalize), batch_size=a.batch, shuffle=a.shuffle,
                                   num_workers=a.workers)
        test_batches = DataLoader(Images(*test_set, a.normalize), batch_size=a.batch)
    else:
        train_batches = Resident(*train_set, a, device, a.shuffle)
        test_batches = Resident(*test_set, a, device, False)
    sync = torch.cuda.synchronize if device.type == "cuda" else (lambda: None)

    begin, steps, micros = time.perf_counter(), 0, []
    for epoch in range(a.epochs):
        net.train()
        losses = []
        sync()
        epoch_begin = last = time.perf_counter()
        for x, y in train_batches:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            loss = step(x, y)
            steps += 1
            losses.append((steps, loss.detach()))
            if device.type == "cpu":
                now = time.perf_counter()
                micros.append((now - last) * 1e6)
                last = now
            elif len(losses) % 100 == 0:
                sync()
                now = time.perf_counter()
                micros.append((now - last) * 1e6 / 100)
                last = now
            if a.max_steps and steps >= a.max_steps:
                break
        sync()
        train_seconds = time.perf_counter() - epoch_begin
        if not micros:
            micros.append(train_seconds * 1e6 / len(losses))
        for number, loss in losses:
            if number % a.every == 0:
                emit(event="step", epoch=epoch, step=number, loss=float(loss))
        test_begin = time.perf_counter()
        test_loss, correct, per_class = test(net, loss_fn, () if a.no_test else test_batches, classes, device)
        sync()
        emit(event="epoch", epoch=epoch, test_loss=test_loss, test_accuracy=correct / len(test_set[1]),
             per_class=per_class, train_seconds=round(train_seconds, 4),
             test_seconds=round(time.perf_counter() - test_begin, 4))
        if a.max_steps and steps >= a.max_steps:
            break
    if a.save_final:
        save(a.save_final, net)
    emit(event="done", seconds=round(time.perf_counter() - begin, 4), steps=steps,
         median_step_micros=round(statistics.median(micros), 1), sha256=sha256(net), torch=torch.__version__,
         threads=torch.get_num_threads())


if __name__ == "__main__":
    main()
