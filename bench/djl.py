"""The CPU device compared with DJL on PyTorch's engine, the usual choice in Java.

DJL's libtorch is the official build, with MKL. The loop in bench/djl keeps the data in memory and does not use DJL's Trainer,
which takes as much time. Maven builds it in bench/djl/target.
"""
import os, shutil, subprocess, tempfile

from jobs import JOBS
from runs import JAVA, Run, Table, head, ours

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "djl")
EPOCHS = {"tudui": 4, "lenet": 4, "fashion": 4, "signs": 100}


def build():
    wrapper = os.path.join(FOLDER, "..", "..", "mvnw")
    maven = wrapper if subprocess.run([wrapper, "-v"], capture_output=True).returncode == 0 else shutil.which("mvn")
    subprocess.run([maven or wrapper, "-q", "-f", os.path.join(FOLDER, "pom.xml"), "package"], check=True)


def run(a, *arguments):
    target = os.path.join(FOLDER, "target")
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else JAVA[0]
    os.environ["DJL_CACHE_DIR"] = os.path.join(target, "cache")  # where it unpacks its native libraries, once
    return Run([java, "--enable-native-access=ALL-UNNAMED", "-cp",
                os.path.join(target, "classes") + ":" + os.path.join(target, "libraries", "*"),
                "io.trainyard.bench.DjlPeer", *arguments], a.clock)


def train(a, name, threads, epochs):
    dataset, _, arguments = JOBS[name]
    return run(a, "--model", name, "--dataset", dataset, "--data", os.path.join(a.data, dataset), "--epochs", str(epochs),
               "--threads", str(threads), *arguments)


def step_micros(run):
    return run.median("median_step_micros")


def compare(a):
    """Prints the table, without required values."""
    build()
    product = run(a, "--matrix", "512" if a.tiny else "2048", "--threads", str(a.threads or os.cpu_count())).lines[0]
    head(a, f"{product['product']}, a large matrix product at {product['gflops']} GFLOP/s")
    table, threads = Table("Trainyard", "DJL", "ratio"), {}
    with tempfile.TemporaryDirectory() as folder:
        for name, epochs in EPOCHS.items():
            epochs = 2 if a.tiny else epochs
            counts = [a.threads] if a.threads else sorted({1, os.cpu_count()})
            threads[name] = min(counts, key=lambda n: step_micros(train(a, name, n, 1)))
            pairs = [(ours(a, name, folder, epochs), train(a, name, threads[name], epochs)) for _ in range(a.rounds)]
            table.row(f"{name}, microseconds per step", [m.median("medianStepMicros") for m, _ in pairs],
                      [step_micros(t) for _, t in pairs])
        pairs = [(ours(a, "lenet", folder, 1), train(a, "lenet", threads["lenet"], 1)) for _ in range(a.rounds)]
        table.row("lenet, 1 epoch with test and start, seconds", [m.seconds for m, _ in pairs],
                  [t.seconds for _, t in pairs], digits=1)
    return table.missed
