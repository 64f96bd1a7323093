#!/usr/bin/env python3
"""Fine-tunes torchvision's ResNet-18 on a folder of photos, as the tutorials do, to compare with a job with `initFrom`.

    finetune_peer.py --photos DIR --weights resnet18.safetensors [--epochs 2] [--batch 32] [--threads 2] [--workers 0]
    finetune_peer.py --photos DIR --weights resnet18.safetensors --draw CIFAR10 500 100

--draw writes the photos, from images of CIFAR-10, and the weights of resnet18() with seed 0.

DIR has train/ and test/, with a folder for each class. Prints a JSON object with the losses of all steps, the accuracies of
the tests and median_step_micros, the median over all steps but those of the first epoch.
"""
import argparse, json, os, statistics, struct, time
import numpy, torch, torchvision
from PIL import Image
from torch.nn import functional as F
from torchvision import transforms

TYPES = {"F32": torch.float32, "I64": torch.int64}


def save(path, state):
    header, data = {}, b""
    for name, tensor in state.items():
        raw = tensor.numpy().tobytes()
        kind = next(kind for kind, dtype in TYPES.items() if dtype == tensor.dtype)
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def load(path):
    with open(path, "rb") as f:
        raw = f.read()
    size, = struct.unpack_from("<Q", raw)
    state = {}
    for name, entry in json.loads(raw[8:8 + size]).items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        kind = numpy.float32 if entry["dtype"] == "F32" else numpy.int64
        state[name] = torch.from_numpy(numpy.frombuffer(raw[begin:end], kind).copy()).reshape(entry["shape"])
    return state


def draw_photos(cifar10, root, photos, tests):
    for part, name, count in (("train", "data_batch_1.bin", photos), ("test", "test_batch.bin", tests)):
        with open(os.path.join(cifar10, name), "rb") as f:
            raw = f.read(count * 3073)
        for i in range(count):
            label, pixels = raw[i * 3073], raw[i * 3073 + 1:(i + 1) * 3073]
            planes = [Image.frombytes("L", (32, 32), pixels[c * 1024:(c + 1) * 1024]) for c in range(3)]
            folder = os.path.join(root, part, f"class{label}")
            os.makedirs(folder, exist_ok=True)
            Image.merge("RGB", planes).resize((500, 375), Image.BICUBIC).save(os.path.join(folder, f"{i:04}.jpg"), quality=90)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--photos", required=True)
    p.add_argument("--weights", required=True)
    p.add_argument("--draw", nargs=3, metavar=("CIFAR10", "PHOTOS", "TESTS"))
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--threads", type=int, default=0)
    p.add_argument("--workers", type=int, default=0)
    p.add_argument("--memory-format", choices=["channels_last", "contiguous"], default="contiguous")
    a = p.parse_args()
    torch.manual_seed(0)
    if a.draw:
        draw_photos(a.draw[0], a.photos, int(a.draw[1]), int(a.draw[2]))
        save(a.weights, torchvision.models.resnet18(weights=None).state_dict())
        return
    if a.threads:
        torch.set_num_threads(a.threads)
    layout = {"channels_last": torch.channels_last, "contiguous": torch.contiguous_format}[a.memory_format]
    pixels = transforms.Compose([transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor(),
                                 transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
    train, test = (torchvision.datasets.ImageFolder(f"{a.photos}/{part}", pixels) for part in ("train", "test"))
    net = torchvision.models.resnet18(weights=None)
    net.load_state_dict(load(a.weights))
    net.fc = torch.nn.Linear(net.fc.in_features, len(train.classes))
    net.to(memory_format=layout)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.001, momentum=0.9)
    loader = torch.utils.data.DataLoader(train, batch_size=a.batch, shuffle=True, num_workers=a.workers)
    tests = torch.utils.data.DataLoader(test, batch_size=a.batch, num_workers=a.workers)
    losses, accuracies, micros = [], [], []
    for epoch in range(a.epochs):
        net.train()
        for x, y in loader:
            begin = time.perf_counter()
            loss = F.cross_entropy(net(x.to(memory_format=layout)), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if epoch > 0 or a.epochs == 1:
                micros.append((time.perf_counter() - begin) * 1e6)
        net.eval()
        with torch.no_grad():
            right = sum((net(x.to(memory_format=layout)).argmax(1) == y).sum().item() for x, y in tests)
        accuracies.append(right / len(test))
    print(json.dumps({"event": "done", "losses": losses, "accuracies": accuracies, "median_step_micros": statistics.median(micros),
                      "torch": torch.__version__, "torchvision": torchvision.__version__, "threads": torch.get_num_threads()}))


if __name__ == "__main__":
    main()
