"""The warm CPU device compared with PyTorch: all built-in networks except ResNet, on real data."""
import os, statistics, tempfile

from runs import Run, Table, Watched, best_threads, head, job_file, ours, peer, trainyard, versions

# Enough steps for the median to be that of compiled code: Java compiles its kernels during the first second.
EPOCHS = {"tudui": 6, "lenet": 6, "fashion": 5, "signs": 200}
MUST = {"tudui": 1.75, "lenet": 5, "fashion": 2.2, "signs": 2.2}
MUST_TEST, MUST_CHANNELS_LAST, MUST_WHOLE = 2, 1.2, 1.7

# The requirement for tudui is also met if it reaches this fraction of the speed of a large matrix product.
MUST_OF_PRODUCT = 0.85

# A step with 64 images: three products for each layer, without the gradient of the images.
TUDUI_GFLOP = 4.43

MATRIX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "matrix_peer.py")


def compare(a):
    """Prints the table; returns the rows that missed their required values."""
    epochs = dict.fromkeys(EPOCHS, 2) if a.tiny else EPOCHS
    with tempfile.TemporaryDirectory() as folder:
        head(a, f"PyTorch {versions(a)['torch']}")
        table, products = Table("Trainyard", "PyTorch", "ratio"), []
        for name in EPOCHS:
            pairs = []
            for _ in range(a.rounds):
                pairs.append((ours(a, name, folder, epochs[name]),
                              peer(a, name, best_threads(a, name), epochs=epochs[name])))
                if name == "tudui":
                    products.append(multiply(a))
            steps(table, step_of(name), pairs, MUST[name])
            table.row(f"{name}, milliseconds per test", [m.median("testMillis") for m, _ in pairs],
                      [t.median("test_seconds") * 1e3 for _, t in pairs], MUST_TEST)
            if name == "tudui":
                tudui = statistics.median(m.median("medianStepMicros") for m, _ in pairs)
        pairs = [(ours(a, "tudui", folder, epochs["tudui"]),
                  peer(a, "tudui", best_threads(a, "tudui"), "--channels-last", epochs=epochs["tudui"]))
                 for _ in range(a.rounds)]
        steps(table, "tudui, microseconds per step; PyTorch channels_last", pairs, MUST_CHANNELS_LAST)
        pairs = [(ours(a, "tudui", folder, 2),
                  peer(a, "tudui", best_threads(a, "tudui"), "--loader", "dataloader", epochs=2))
                 for _ in range(a.rounds)]
        table.row("tudui, 2 epochs with tests and start, seconds; PyTorch with its DataLoader",
                  [m.seconds for m, _ in pairs], [t.seconds for _, t in pairs], MUST_WHOLE, digits=1)
        beside_products(table, tudui, products)
        job = Watched(trainyard("train", job_file("tudui", folder, "tudui", 2), "--data", a.data, "--threads",
                                str(a.threads), "--json", "--checkpoints", os.path.join(folder, "checkpoints")), a.clock)
        print(f"\nlargest resident memory of tudui: {job.peak_megabytes:.0f} MB")
    return table.missed


def step_of(name):
    return f"{name}, microseconds per step"


def steps(table, what, pairs, must=None):
    table.row(what, [m.median("medianStepMicros") for m, _ in pairs],
              [t.median("median_step_micros") for _, t in pairs], must)


def multiply(a):
    """GFLOP/s of each implementation of the matrix product."""
    run = Run([a.python, MATRIX, "--threads", str(a.threads or os.cpu_count()), "--size", "512" if a.tiny else "2048"],
              a.clock)
    return {line["product"]: line["gflops"] for line in run.lines}


def beside_products(table, tudui_micros, products):
    """Prints the speed of tudui relative to a matrix product; a sufficient one meets the requirement."""
    medians = {name: statistics.median(product[name] for product in products) for name in products[0]}
    rate = TUDUI_GFLOP / tudui_micros * 1e6
    share = rate / max(medians.values())
    print("\nGFLOP/s of a large matrix product: " + "; ".join(f"{name} {value:.1f}" for name, value in medians.items())
          + f". tudui computes at {rate:.1f}, {share:.2f} of the best; required: {MUST_OF_PRODUCT}, or a ratio of "
          f"{MUST['tudui']}", flush=True)
    if share >= MUST_OF_PRODUCT and step_of("tudui") in table.missed:
        table.missed.remove(step_of("tudui"))
