"""Images of CIFAR-10's number, size and format, of noise: for timing where the real ones are not at hand."""
import os, random


def make(root, tiny=False):
    """Writes root/cifar10, where it is not there."""
    folder = os.path.join(root, "cifar10")
    files = {f"data_batch_{i}.bin": 10_000 for i in range(1, 6)} | {"test_batch.bin": 10_000}
    os.makedirs(folder, exist_ok=True)
    for number, (name, images) in enumerate(files.items()):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            noise = random.Random(number)
            with open(path + ".part", "wb") as f:
                for i in range(images // 100 if tiny else images):
                    f.write(bytes([i % 10]) + noise.randbytes(3072))
            os.rename(path + ".part", path)
