"""Random images with the number, size and format of CIFAR-10, for timing without data; and the first real images, for
testing the scripts."""
import gzip, os, random


def make(root, images=10_000):
    """Writes root/cifar10 unless it exists: five training files and one test file with this number of images each."""
    folder = os.path.join(root, "cifar10")
    files = [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]
    os.makedirs(folder, exist_ok=True)
    for number, name in enumerate(files):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            noise = random.Random(number)
            with open(path + ".part", "wb") as f:
                for i in range(images):
                    f.write(bytes([i % 10]) + noise.randbytes(3072))
            os.rename(path + ".part", path)


def cut(root, folder, images=500):
    """Writes the first images of each file of cifar10 and fashion-mnist; signs has few enough."""
    for dataset in ("cifar10", "fashion-mnist"):
        os.makedirs(os.path.join(folder, dataset))
        for name in os.listdir(os.path.join(root, dataset)):
            copy = os.path.join(folder, dataset, name)
            if name.endswith(".bin"):
                with open(os.path.join(root, dataset, name), "rb") as source, open(copy, "wb") as target:
                    target.write(source.read(images // 5 * 3073))
            elif name.endswith(".gz"):  # the header is the kind, the number of images, and for images their size
                header, bytes_each = (16, 784) if "images" in name else (8, 1)
                with gzip.open(os.path.join(root, dataset, name)) as source, gzip.open(copy, "wb") as target:
                    kept = source.read(header + images * bytes_each)
                    target.write(kept[:4] + images.to_bytes(4, "big") + kept[8:])
    os.symlink(os.path.abspath(os.path.join(root, "signs")), os.path.join(folder, "signs"))
