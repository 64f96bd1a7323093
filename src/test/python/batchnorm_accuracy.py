#!/usr/bin/env python3
"""How far batch norm's statistics are from those computed in float64, of PyTorch and of a checkpoint of this project.

    batchnorm_accuracy.py train_signs.h5 [CHECKPOINT.safetensors LOSS_OF_STEP_1]

The job is one epoch, two batches of 540, of the dataset signs that is not shuffled, with seed 3 and learning rate 0:

    {"network": {"layers": [{"type": "conv2d", "out": 16, "kernel": 3}, {"type": "batchNorm2d"}, {"type": "flatten"},
     {"type": "linear", "out": 6}]}, "dataset": "signs", "epochs": 1, "batchSize": 540, "seed": 3,
     "optimizer": {"type": "sgd", "learningRate": 0}}

Prints for each the largest error of a running mean over a tenth of its deviation and of a running variance relative to
itself, and the relative error of the first loss.
"""
import json, sys
import h5py, numpy, torch
from torch import nn

BATCH = 540


def network():
    torch.manual_seed(3)
    return nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.Flatten(), nn.Linear(16 * 62 * 62, 6))


def run(net, images, labels):
    net.train()
    losses = []
    with torch.no_grad():
        for at in range(0, len(images), BATCH):
            losses.append(nn.functional.cross_entropy(net(images[at:at + BATCH]), labels[at:at + BATCH]).item())
    return net[1].running_mean.double(), net[1].running_var.double(), losses[0]


def saved(path):
    data = open(path, "rb").read()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])

    def tensor(name):
        first, end = header[name]["data_offsets"]
        return torch.from_numpy(numpy.frombuffer(data[begin + first:begin + end], "<f4").astype("f8"))
    return tensor("1.running_mean"), tensor("1.running_var")


def main():
    with h5py.File(sys.argv[1]) as file:
        pixels = numpy.array(file["train_set_x"]).transpose(0, 3, 1, 2).copy()
        labels = torch.from_numpy(numpy.array(file["train_set_y"]).astype("i8").ravel())
    images = torch.from_numpy(pixels).float() / 255
    mean, variance, loss = run(network().double(), images.double(), labels)

    def tell(what, found_mean, found_variance, found_loss):
        print(json.dumps({"what": what,
                          "mean": ((found_mean - mean).abs() / (0.1 * variance.sqrt())).max().item(),
                          "variance": ((found_variance - variance) / variance).abs().max().item(),
                          "loss": abs(found_loss - loss) / loss}))
    for threads in (1, 2):
        torch.set_num_threads(threads)
        tell("PyTorch %s, %d threads" % (torch.__version__, threads), *run(network(), images, labels))
    if len(sys.argv) > 2:
        tell("checkpoint", *saved(sys.argv[2]), float(sys.argv[3]))


if __name__ == "__main__":
    main()
