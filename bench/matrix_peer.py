#!/usr/bin/env python3
"""The speed of products of large matrices on this machine, an upper bound for networks of convolutions.

    matrix_peer.py [--size 2048] [--threads 2]

Prints a JSON object for each implementation: torch.mm with its BLAS, numpy with its own, and oneDNN through PyTorch, because
the BLAS may be a generic one. Each is the best of some repetitions in float32.
"""
import argparse, json, os, re, time
import numpy as np
import torch


def blas():
    """The BLAS of the PyTorch build, and the library that is loaded."""
    built = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
    with open("/proc/self/maps") as f:
        loaded = {os.path.basename(line.split()[-1]) for line in f if re.search(r"blas|mkl_rt|blis", line.split()[-1])}
    return ", ".join([built[1] if built else "unknown", *sorted(loaded)])


def gflops(size, product, seconds=2):
    best, end = 0, time.perf_counter() + seconds
    while not best or time.perf_counter() < end:
        begin = time.perf_counter()
        product()
        best = max(best, 2 * size**3 / (time.perf_counter() - begin) / 1e9)
    return round(best, 1)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--size", type=int, default=2048)
    p.add_argument("--threads", type=int, default=os.cpu_count())
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    left, right = torch.rand(a.size, a.size), torch.rand(a.size, a.size)
    products = {f"torch.mm ({blas()})": lambda: torch.mm(left, right),
                "numpy": lambda x=left.numpy(), y=right.numpy(): np.matmul(x, y)}
    if torch.backends.mkldnn.is_available():
        x, y = left.to_mkldnn(), right.to_mkldnn()
        products["oneDNN"] = lambda: torch.nn.functional.linear(x, y)
    for name, product in products.items():
        print(json.dumps({"product": name, "gflops": gflops(a.size, product), "size": a.size, "threads": a.threads}),
              flush=True)


if __name__ == "__main__":
    main()
