#!/usr/bin/env python3
"""The time of a step on a packed dataset that is larger than memory, compared with a step on a dataset in the process's memory.

    bench/larger.py --folder DIR [--gigabytes 10] [--resident 1] [--steps 600] [--rounds 3] [--cold]

Generates a dataset of images of CIFAR-10's size in DIR, which temporarily needs twice its size: as x_train.npy in channels-last
order, and packed by `./trainyard dataset convert`. A smaller dataset (--resident), also in channels-last order, is copied into
memory. Each round trains the networks on both, one after the other, shuffled; a row is the median over the rounds of the
median time of a step, without the first third, in which Java compiles.

--cold drops the packed file from the page cache before the steps start, so that each sample is read from the disk, as in the
first epoch on a machine without free memory. This works only for a dataset of more than half of the memory: a smaller one is
mapped completely before the first step, and mapped pages are not dropped.

Also prints the packing rate, the time from the start of the process to the first step, and the rate at which dd reads the
first 2 GiB of the file with an empty and a warm page cache. Run it on an idle machine.
"""
import argparse, json, os, statistics, subprocess, tempfile, time

from runs import head_line, trainyard

ROWS = {
    "tudui, batch 64": {"network": "tudui", "batchSize": 64},
    "lenet, batch 64": {"network": "lenet", "batchSize": 64},
    "one linear layer, batch 100": {"network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}, "batchSize": 100},
}
SAMPLE = 32 * 32 * 3
TESTS = 100
DD_MEGABYTES = 2048  # of the file's begin


def npy(path, descr, shape, chunks):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(11 + len(text)) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text.encode())
        for chunk in chunks:
            f.write(chunk)


def noise(samples):
    """Fast noise that does not repeat within a page."""
    block = os.urandom(64 << 20)
    left, turn = samples * SAMPLE, 0
    while left:
        take = min(left, len(block) - turn)
        yield block[turn:turn + take]
        left, turn = left - take, (turn + 4099) % (1 << 20)


def make(folder, samples):
    os.makedirs(folder)
    for part, count in (("train", samples), ("test", TESTS)):
        npy(f"{folder}/x_{part}.npy", "|u1", f"({count}, 32, 32, 3)", noise(count))
        npy(f"{folder}/y_{part}.npy", "|u1", f"({count},)", [bytes(i % 10 for i in range(count))])
    with open(f"{folder}/dataset.json", "w") as f:
        json.dump({"kind": "arrays", "layout": "NHWC", "classes": 10}, f)


def forget(path):
    """Drops the file from the page cache, except mapped pages."""
    with open(path, "rb") as f:
        os.fsync(f.fileno())
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def dd(path):
    begin = time.perf_counter()
    subprocess.run(["dd", f"if={path}", "of=/dev/null", "bs=1M", f"count={DD_MEGABYTES}"], check=True, capture_output=True)
    return min(os.path.getsize(path), DD_MEGABYTES << 20) / (time.perf_counter() - begin) / 1e6


class Steps:
    """A training that is stopped after some steps: seconds until the first event, and microseconds per step."""

    def __init__(self, a, dataset, row, cold):
        with tempfile.TemporaryDirectory() as folder:
            job = os.path.join(folder, "job.json")
            with open(job, "w") as f:
                json.dump({"id": "steps", "epochs": 1, "shuffle": True, "dataset": dataset, "reportEverySteps": 20, **row}, f)
            begin = time.perf_counter()
            process = subprocess.Popen(trainyard("train", job, "--data", a.folder, "--device", "cpu", "--json", "--checkpoints",
                                                 os.path.join(folder, "checkpoints")), stdout=subprocess.PIPE, text=True)
            times = []
            try:
                for line in process.stdout:
                    event = json.loads(line) if line.startswith("{") else {}
                    if event.get("type") == "started" and cold:
                        forget(f"{a.folder}/packed/packed.safetensors")
                    if "losses" in event:
                        if not times:
                            self.start = time.perf_counter() - begin
                        times.append((event["firstStep"] + len(event["losses"]), event["elapsedMicros"]))
                        if times[-1][0] >= a.steps:
                            break
            finally:
                process.kill()
                process.wait()
        spans = [(t2 - t1) / (s2 - s1) for (s1, t1), (s2, t2) in zip(times, times[1:])]
        self.micros = statistics.median(spans[len(spans) // 3:])
        self.mean = statistics.mean(spans[len(spans) // 3:])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--folder", required=True)
    p.add_argument("--gigabytes", type=float, default=10)
    p.add_argument("--resident", type=float, default=1)
    p.add_argument("--steps", type=int, default=600)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--cold", action="store_true")
    p.add_argument("--row", choices=ROWS, nargs="+", default=list(ROWS))
    a = p.parse_args()
    subprocess.run(trainyard("--version"), check=True, capture_output=True)  # builds, if it must
    packed = f"{a.folder}/packed/packed.safetensors"
    print(head_line("Trainyard", f"{a.gigabytes:g} GB of images 3x32x32, {a.resident:g} GB resident, {a.steps} steps"))
    if not os.path.exists(packed):
        make(f"{a.folder}/source", int(a.gigabytes * 1e9 / SAMPLE))
        begin = time.perf_counter()
        subprocess.run(trainyard("dataset", "convert", f"{a.folder}/source", f"{a.folder}/packed"), check=True)
        seconds = time.perf_counter() - begin
        print(f"packed in {seconds:.0f} s, {os.path.getsize(packed) / seconds / 1e6:.0f} MB/s")
        for file in os.listdir(f"{a.folder}/source"):
            os.remove(f"{a.folder}/source/{file}")
    if not os.path.exists(f"{a.folder}/resident"):
        make(f"{a.folder}/resident", int(a.resident * 1e9 / SAMPLE))
    forget(packed)
    print(f"dd, empty page cache: {dd(packed):.0f} MB/s; again: {dd(packed):.0f} MB/s")
    print("\n| job | in memory, µs per step | packed | ratio of medians; of means |\n|---|---|---|---|")
    starts = []
    for name in a.row:
        pairs = [(Steps(a, "resident", ROWS[name], False), Steps(a, "packed", ROWS[name], a.cold)) for _ in range(a.rounds)]
        ours, theirs = (statistics.median(pair[i].micros for pair in pairs) for i in (1, 0))
        means = statistics.median(pair[1].mean for pair in pairs) / statistics.median(pair[0].mean for pair in pairs)
        starts += [pair[1].start for pair in pairs]
        print(f"| {name} | {theirs:,.0f} | {ours:,.0f} | {ours / theirs:.3f}; {means:.3f} |", flush=True)
    print(f"\nfrom the start of the process to the first event, packed: {statistics.median(starts):.1f} s")


if __name__ == "__main__":
    main()
