#!/usr/bin/env python3
"""ResNet-18 for CIFAR-10 in PyTorch with the usual tuning, to compare with the job resnet18-cifar.

    resnet18_peer.py --device cuda --batch 512 --precision bf16 [--compile] [--cuda-graph] [--steps 60]
    resnet18_peer.py --batch 32 --threads 2 --memory-format contiguous --steps 20
    resnet18_peer.py --job docs/examples/vgg11-bn.json ...       the layers of a job's file instead

Random images on the device, channels_last by default, cuDNN's search, SGD with momentum; bf16 uses autocast. Prints a JSON
object with median_step_micros, the median over windows of steps after a warm-up that includes compilation.
"""
import argparse, contextlib, json, os, statistics, sys, time
import torch
from torch import nn
from torch.nn import functional as F


class BasicBlock(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out)
        self.conv2, self.bn2 = nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out)
        self.shortcut = nn.Sequential()
        if stride != 1 or channels != out:
            self.shortcut = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + self.shortcut(x))


def resnet18():
    layers, channels = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()], 64
    for stage in range(4):
        out = 64 << stage
        layers += [BasicBlock(channels, out, 1 if stage == 0 else 2), BasicBlock(out, out, 1)]
        channels = out
    return nn.Sequential(*layers, nn.AvgPool2d(4), nn.Flatten(), nn.Linear(512, 10))


def of_job(path):
    """The module of the job's layers, built by docs/clients/trainyard_torch.py."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "clients"))
    import trainyard_torch
    with open(path) as f:
        return trainyard_torch.to_module(json.load(f)["network"]["layers"], (3, 32, 32))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--job")
    p.add_argument("--device", default="cpu")
    p.add_argument("--batch", type=int, default=512)
    p.add_argument("--precision", choices=["fp32", "tf32", "bf16"], default="fp32")
    p.add_argument("--memory-format", choices=["channels_last", "contiguous"], default="channels_last")
    p.add_argument("--threads", type=int, default=0)
    p.add_argument("--compile", action="store_true")
    p.add_argument("--cuda-graph", action="store_true", help="capture the step once and replay it")
    p.add_argument("--steps", type=int, default=60)
    p.add_argument("--window", type=int, default=5)
    p.add_argument("--images", type=int, default=20_000)
    a = p.parse_args()
    if a.threads:
        torch.set_num_threads(a.threads)
    layout = {"channels_last": torch.channels_last, "contiguous": torch.contiguous_format}[a.memory_format]
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = a.precision == "tf32"
    device = torch.device(a.device)
    images = torch.rand(a.images, 3, 32, 32, device=device).contiguous(memory_format=layout)
    labels = torch.randint(10, (a.images,), device=device)
    net = (of_job(a.job) if a.job else resnet18()).to(device, memory_format=layout)
    forward = torch.compile(net) if a.compile else net
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    sync = torch.cuda.synchronize if device.type == "cuda" else (lambda: None)

    def half():
        # a graph cannot keep the converted weights of an earlier step
        return torch.autocast(device.type, torch.bfloat16, cache_enabled=not a.cuda_graph) if a.precision == "bf16" else contextlib.nullcontext()

    def train(x, y):
        with half():
            loss = F.cross_entropy(forward(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    def batch(i):
        at = i * a.batch % (a.images - a.batch + 1)
        return images[at:at + a.batch], labels[at:at + a.batch]

    if a.cuda_graph:
        x, y = (t.clone() for t in batch(0))
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(11):
                train(x, y)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            train(x, y)

    def step(i):
        if not a.cuda_graph:
            return train(*batch(i))
        for to, of in zip((x, y), batch(i)):
            to.copy_(of)
        graph.replay()

    for i in range(min(10, a.steps)):
        step(i)
    micros = []
    for first in range(0, a.steps, a.window):
        sync()
        begin = time.perf_counter()
        for i in range(first, first + a.window):
            step(i)
        sync()
        micros.append((time.perf_counter() - begin) * 1e6 / a.window)
    print(json.dumps({"event": "done", "median_step_micros": statistics.median(micros), "steps": a.steps,
                      "torch": torch.__version__, "threads": torch.get_num_threads()}))


if __name__ == "__main__":
    main()
