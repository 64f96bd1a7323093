"""Runs Trainyard and its peers as processes, and writes tables of what they say."""
import contextlib, json, os, platform, shlex, statistics, subprocess, sys, time

from jobs import JOBS

LAUNCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "trainyard")
# What the launcher gives Java, for machines that have the built application and no launcher.
JAVA = ["java", "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "--add-modules",
        "jdk.incubator.vector", "-XX:+UseParallelGC"]


def trainyard(*arguments):
    """A command; with APP set, of the application that was built into that folder."""
    app = os.environ.get("APP")
    if not app:
        return [LAUNCHER, *arguments]
    return [*JAVA, *shlex.split(os.environ.get("TRAINYARD_JAVA_OPTS", "")), "-jar", f"{app}/quarkus-run.jar", *arguments]


class TimeOver(Exception):
    pass


class Clock:
    """A bound on all runs together."""
    def __init__(self, minutes):
        self.end = time.monotonic() + minutes * 60

    def left(self):
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeOver()
        return left


class Run:
    """A process that prints JSON objects, one a line."""

    def __init__(self, command, clock, expected=(0,)):
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, errors = process.communicate(timeout=clock.left())
        except subprocess.TimeoutExpired:
            raise TimeOver() from None
        finally:
            process.kill()
            process.wait()
        if process.returncode not in expected:
            sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{errors[-4000:]}\n{out[-2000:]}")
        self.seconds = time.perf_counter() - begin
        self.lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]

    def values(self, field):
        return [line[field] for line in self.lines if field in line]

    def finished(self):
        """What a job said when it was done."""
        return next(line for line in reversed(self.lines) if "parametersSha256" in line)

    def median(self, field):
        """Without the first epoch, in which both sides warm up, when there are several."""
        values = self.values(field)
        return statistics.median(values[1:] or values)


def job_file(name, folder, job_id, epochs, **more):
    path = os.path.join(folder, job_id + ".json")
    with open(path, "w") as f:
        json.dump({"id": job_id, "network": name, "epochs": epochs, **JOBS[name][1], **more}, f)
    return path


def ours(a, name, folder, epochs, **more):
    path = job_file(name, folder, name, epochs, **more)
    return Run(trainyard("train", path, "--data", a.data, "--device", a.device, "--threads", str(a.threads), "--json",
                         "--checkpoints", os.path.join(folder, "checkpoints")), a.clock)


def peer(a, name, threads, *more, epochs):
    dataset, _, arguments = JOBS[name]
    return Run([a.python, a.peer, "--model", name, "--dataset", dataset, "--data", os.path.join(a.data, dataset),
                "--epochs", str(epochs), "--threads", str(threads), "--device", a.device, *arguments, *more], a.clock)


@contextlib.contextmanager
def busy_neighbour():
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


class Table:
    def __init__(self):
        self.missed = []
        print("| what | Trainyard | PyTorch | ratio | must |\n|---|---|---|---|---|")

    def row(self, what, mine, theirs, must=None, digits=0):
        m, t = max(statistics.median(mine), 0.5 * 10**-digits), statistics.median(theirs)  # what rounds to 0
        print(f"| {what} | {m:.{digits}f} | {t:.{digits}f} | {t / m:.2f} | {must or ''} |", flush=True)
        if must and t / m < must:
            self.missed.append(what)
