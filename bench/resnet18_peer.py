#!/usr/bin/env python3
"""ResNet-18 for CIFAR-10 in PyTorch, as fast as it is usually made: the peer of the job resnet18-cifar.

    resnet18_peer.py --device cuda --batch 512 --precision bf16 [--compile] [--steps 60]
    resnet18_peer.py --device cpu --batch 32 --precision fp32 --layout plain --threads 2 --steps 15

Random images on the device, channels_last unless asked otherwise, cuDNN's search, SGD with momentum; bf16 is autocast's. Prints a JSON object
with median_step_micros, the median over windows of steps after a warm-up in which everything is compiled.
"""
import argparse, contextlib, json, statistics, time
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


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--device", default="cpu")
    p.add_argument("--batch", type=int, default=512)
    p.add_argument("--precision", choices=["fp32", "tf32", "bf16"], default="fp32")
    p.add_argument("--compile", action="store_true")
    p.add_argument("--layout", choices=["channels_last", "plain"], default="channels_last")
    p.add_argument("--threads", type=int, default=0, help="of the CPU; 0 for PyTorch's own choice")
    p.add_argument("--steps", type=int, default=60)
    p.add_argument("--window", type=int, default=5)
    p.add_argument("--images", type=int, default=20_000)
    a = p.parse_args()
    torch.manual_seed(0)
    if a.threads:
        torch.set_num_threads(a.threads)
    layout = torch.channels_last if a.layout == "channels_last" else torch.contiguous_format
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = a.precision == "tf32"
    device = torch.device(a.device)
    images = torch.rand(a.images, 3, 32, 32, device=device).contiguous(memory_format=layout)
    labels = torch.randint(10, (a.images,), device=device)
    net = resnet18().to(device, memory_format=layout)
    forward = torch.compile(net) if a.compile else net
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    sync = torch.cuda.synchronize if device.type == "cuda" else (lambda: None)

    def step(i):
        at = i * a.batch % (a.images - a.batch + 1)
        half = torch.autocast(device.type, torch.bfloat16) if a.precision == "bf16" else contextlib.nullcontext()
        with half:
            loss = F.cross_entropy(forward(images[at:at + a.batch]), labels[at:at + a.batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

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
                      "layout": a.layout, "threads": torch.get_num_threads(),
                      "torch": torch.__version__}))


if __name__ == "__main__":
    main()
