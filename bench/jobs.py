"""The compared jobs: fields for Trainyard and arguments for bench/train_torch.py."""

HALF = {"mean": [0.5] * 3, "std": [0.5] * 3}

# network: (dataset, job, arguments of the PyTorch script)
JOBS = {
    "tudui": ("cifar10", {"dataset": "cifar10", "batchSize": 64, "optimizer": {"type": "sgd", "learningRate": 0.01}},
              ["--batch", "64", "--lr", "0.01"]),
    "lenet": ("cifar10", {"dataset": {"name": "cifar10", "normalize": HALF}, "batchSize": 4, "shuffle": True,
                          "optimizer": {"type": "sgd", "learningRate": 0.001, "momentum": 0.9}},
              ["--batch", "4", "--lr", "0.001", "--momentum", "0.9", "--shuffle", "--normalize"]),
    "fashion": ("fashion-mnist", {"dataset": "fashion-mnist", "batchSize": 100,
                                  "optimizer": {"type": "sgd", "learningRate": 0.01}},
                ["--batch", "100", "--lr", "0.01"]),
    "signs": ("signs", {"dataset": "signs", "batchSize": 32, "shuffle": True,
                        "optimizer": {"type": "sgd", "learningRate": 0.01}},
              ["--batch", "32", "--lr", "0.01", "--shuffle"]),
    # A narrow network with vector kernels; not in the PyTorch script.
    "small": ("shapes28", {"dataset": "shapes28", "batchSize": 16, "shuffle": True,
                           "network": {"layers": [{"type": "maxPool2d", "kernel": 2}, {"type": "conv2d", "out": 6, "kernel": 3},
                                                  {"type": "relu"}, {"type": "maxPool2d", "kernel": 2}, {"type": "flatten"},
                                                  {"type": "linear", "out": 10}]},
                           "optimizer": {"type": "sgd", "learningRate": 0.01, "momentum": 0.9}}, []),
    # Compared with resnet18_peer.py.
    "resnet18-cifar": ("cifar10", {"dataset": {"name": "cifar10", "normalize": HALF}, "batchSize": 512, "shuffle": True,
                                   "optimizer": {"type": "sgd", "learningRate": 0.01, "momentum": 0.9}}, []),
}
