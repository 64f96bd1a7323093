"""Networks in the style of the tutorials, which docs/clients/trainyard_torch.py must convert."""
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    """Two convolutions and three linear layers, one pooling module for both, functions for the rest."""
    SHAPE = (3, 32, 32)

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = x.view(-1, 16 * 5 * 5)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


class Digits(nn.Module):
    """Dropout, and a last log-softmax."""
    SHAPE = (1, 28, 28)

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, 1)
        self.conv2 = nn.Conv2d(8, 16, 3, 1)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(2304, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.max_pool2d(x, 2)
        x = torch.flatten(self.dropout1(x), 1)
        x = self.dropout2(F.relu(self.fc1(x)))
        return F.log_softmax(self.fc2(x), dim=1)


class Stack(nn.Module):
    """A sequence within a module."""
    SHAPE = (1, 28, 28)

    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(nn.Linear(28 * 28, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, x):
        return self.linear_relu_stack(self.flatten(x))


class Block(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.downsample = None
        if stride > 1:
            self.downsample = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        identity = x
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class Residuals(nn.Module):
    """Residual blocks with and without a convolution in the shortcut."""
    SHAPE = (3, 32, 32)

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, 1, 1)
        self.layer1 = nn.Sequential(Block(8, 8, 1), Block(8, 16, 2))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16, 10)

    def forward(self, x):
        return self.fc(torch.flatten(self.avgpool(self.layer1(self.conv1(x))), 1))


class Normed(nn.Sequential):
    """Each way to normalise, and the newer activations."""
    SHAPE = (1, 28, 28)

    def __init__(self):
        super().__init__(
            nn.Conv2d(1, 6, 3, 2), nn.GroupNorm(3, 6), nn.Hardtanh(-2, 1.5), nn.Conv2d(6, 6, 3, groups=6), nn.SiLU(), nn.LayerNorm([11, 11], 1e-4),
            nn.Flatten(), nn.Linear(6 * 11 * 11, 24), nn.BatchNorm1d(24, 1e-3, None), nn.Hardswish(), nn.Identity(), nn.Linear(24, 16),
            nn.Softplus(2), nn.LayerNorm(16, elementwise_affine=False), nn.ReLU6(), nn.Linear(16, 10))


class Branched(nn.Module):
    """Concatenated branches, one of them densely, a gate of vectors, and means over the pixels."""
    SHAPE = (3, 32, 32)

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, 2)
        self.dense1 = nn.Conv2d(8, 4, 3, padding=1)
        self.dense2 = nn.Conv2d(12, 4, 3, padding=1)
        self.excite = nn.Sequential(nn.Linear(16, 4), nn.ReLU(), nn.Linear(4, 16), nn.Sigmoid())
        self.fc = nn.Linear(16, 10)

    def forward(self, x):
        x = torch.relu(self.conv(x))
        first = self.dense1(x)
        second = self.dense2(torch.cat([x, first], 1))
        x = torch.cat([x, first, second], dim=1)
        factors = self.excite(x.mean((2, 3)))
        x = x * factors.view(x.size(0), 16, 1, 1)
        return self.fc(x.mean([-1, -2]))


NETWORKS = [Net, Digits, Stack, Residuals, Normed, Branched]
