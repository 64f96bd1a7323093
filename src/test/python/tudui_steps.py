#!/usr/bin/env python3
"""200 steps of tudui on generated images: the reference of ./trainyard check-device.

    python3 tudui_steps.py > src/main/resources/io/trainyard/device/check/tudui-200-steps.txt
    python3 tudui_steps.py --study

GoldenRun.java makes the same images of the same random numbers. --study prints how far the losses are from float64's
when they are computed in float32, and with mistakes: a learning rate that is wrong by 0.1 %, factors rounded to TF32,
factors and activations rounded to bfloat16. The learning rate is chosen so that the first is far below the tolerance
of 1e-4, and the second far above: the network has just begun to learn, which makes small mistakes grow, and has not
learned so much that rounding grows as well.
"""
import argparse
import torch
import torch.nn.functional as F
from torch import nn

STEPS, BATCH, TESTS, LEARNING_RATE = 200, 64, 640, 0.006
SQUARES = 4


def images():
    """(train pixels, train labels, test pixels, test labels)"""
    g = torch.Generator()
    g.manual_seed(4)
    squares = torch.randint(256, (10, 3, SQUARES, SQUARES), generator=g)
    pictures = squares.repeat_interleave(32 // SQUARES, 2).repeat_interleave(32 // SQUARES, 3)
    parts = []
    for samples in (STEPS * BATCH, TESTS):
        labels = torch.randint(10, (samples,), generator=g)
        noise = torch.randint(256, (samples, 3, 32, 32), generator=g)
        parts += [((pictures[labels] + noise) // 2).to(torch.uint8), labels]
    return parts


def tudui():
    torch.manual_seed(0)
    f, c, p, l = nn.Flatten, nn.Conv2d, nn.MaxPool2d, nn.Linear
    return nn.Sequential(c(3, 32, 5, 1, 2), p(2), c(32, 32, 5, 1, 2), p(2), c(32, 64, 5, 1, 2), p(2), f(),
                         l(1024, 64), l(64, 10))


class Rounded(torch.autograd.Function):
    """Rounds to this many bits of mantissa, forward and backward."""
    @staticmethod
    def forward(ctx, x, bits):
        ctx.bits = bits
        return rounded(x, bits)

    @staticmethod
    def backward(ctx, gradient):
        return rounded(gradient, ctx.bits), None


def rounded(x, bits):
    drop = 23 - bits
    return ((x.contiguous().view(torch.int32) + (1 << (drop - 1))) & -(1 << drop)).view(torch.float32)


def forward(net, x, bits):
    if bits is None:
        return net(x)
    for layer in net:
        if isinstance(layer, nn.Conv2d):
            x = F.conv2d(Rounded.apply(x, bits), Rounded.apply(layer.weight, bits), layer.bias, padding=2)
        elif isinstance(layer, nn.Linear):
            x = F.linear(Rounded.apply(x, bits), Rounded.apply(layer.weight, bits), layer.bias)
        else:
            x = layer(x)
    return x


def train(data, dtype=torch.float32, learning_rate=LEARNING_RATE, bits=None):
    """(losses, test loss: the sum of the batches' means)"""
    x, y, test_x, test_y = data
    net = tudui().to(dtype)
    optimizer = torch.optim.SGD(net.parameters(), lr=learning_rate)
    scaled = lambda pixels: ((pixels.to(torch.float32).div(255) - 0.5) / 0.5).to(dtype)
    losses = []
    for i in range(0, STEPS * BATCH, BATCH):
        loss = F.cross_entropy(forward(net, scaled(x[i:i + BATCH]), bits), y[i:i + BATCH])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        test = sum(F.cross_entropy(forward(net, scaled(test_x[i:i + BATCH]), bits), test_y[i:i + BATCH]).item()
                   for i in range(0, TESTS, BATCH))
    return losses, test


def study(data):
    exact = torch.tensor(train(data, torch.float64)[0], dtype=torch.float64)
    print(f"float64: first {exact[0]:.3f}, step 100 {exact[99]:.3f}, last {exact[-1]:.3f}")
    for what, options in [("float32", {}), ("learning rate wrong by 0.1 %", {"learning_rate": LEARNING_RATE * 1.001}),
                          ("tf32", {"bits": 10}), ("bf16", {"bits": 7})]:
        distance = (torch.tensor(train(data, **options)[0], dtype=torch.float64) - exact).abs() / exact
        print(f"{what}: largest relative distance {distance.max():.1e}, in the first half "
              f"{distance[:STEPS // 2].max():.1e}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--study", action="store_true")
    a = p.parse_args()
    data = images()
    if a.study:
        study(data)
        return
    losses, test = train(data)
    print(f"# tudui, {STEPS} steps; made by src/test/python/tudui_steps.py with PyTorch {torch.__version__}")
    for loss in losses:
        print(f"loss {loss:.9g}")
    print(f"test_loss {test:.9g}")


if __name__ == "__main__":
    main()
