"""Runs Trainyard and PyTorch as processes, and prints tables of their results."""
import contextlib, datetime, json, os, platform, shlex, statistics, subprocess, sys, time

from jobs import JOBS

LAUNCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "trainyard")
# For machines with the built application and without the launcher: the same JVM options.
FLAGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", "main", "jvm", "flags")
JAVA = ["java", "@" + FLAGS]


def trainyard(*arguments):
    """A command line; with APP set, of the application in that folder."""
    app = os.environ.get("APP")
    if not app:
        return [LAUNCHER, *arguments]
    return [*JAVA, *shlex.split(os.environ.get("TRAINYARD_JAVA_OPTS", "")), "-jar", f"{app}/quarkus-run.jar", *arguments]


class TimeOver(Exception):
    pass


class Clock:
    """A time limit for all runs together."""
    def __init__(self, minutes):
        self.end = time.monotonic() + minutes * 60

    def left(self):
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeOver()
        return left


class Run:
    """A process that prints JSON objects, one per line."""

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
        """The last event of a job."""
        return next(line for line in reversed(self.lines) if "parametersSha256" in line)

    def median(self, field):
        """The median, without the first epoch (the warm-up) if there are several."""
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


def best_threads(a, name):
    """The number of threads with which the PyTorch script is fastest."""
    if a.threads:
        return a.threads
    if name not in a.best_threads:
        counts = sorted({1, os.cpu_count()})
        a.best_threads[name] = min(counts, key=lambda n: peer(a, name, n, epochs=1).median("median_step_micros"))
    return a.best_threads[name]


class Watched:
    """A process with measured duration and maximum memory, in megabytes."""

    def __init__(self, command, clock):
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.peak_megabytes = 0
        try:
            while process.poll() is None:
                with contextlib.suppress(OSError, StopIteration), open(f"/proc/{process.pid}/status") as f:
                    kibibytes = next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))
                    self.peak_megabytes = max(self.peak_megabytes, kibibytes * 1024 / 1e6)
                clock.left()
                time.sleep(0.02)
        finally:
            process.kill()
            process.wait()
        self.seconds = time.perf_counter() - begin
        if process.returncode:
            sys.exit(f"{' '.join(command)} ended with {process.returncode}")


@contextlib.contextmanager
def busy_neighbours(count):
    """Processes that compute all the time."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def processor():
    """The name of the CPU, and its widest vectors."""
    try:
        with open("/proc/cpuinfo") as f:
            lines = {line.split(":")[0].strip(): line.split(":")[1].strip() for line in f if ":" in line}
    except OSError:
        return platform.processor()
    widest = next((name for name in ("avx512f", "avx2", "avx") if name in lines.get("flags", "").split()), None)
    return lines.get("model name", platform.processor()) + (f" ({widest})" if widest else "")


def versions(a):
    """The version of PyTorch, and whether it has torch.compile."""
    code = "import json, torch; print(json.dumps({'torch': torch.__version__, 'compile': hasattr(torch, 'compile')}))"
    return Run([a.python, "-c", code], a.clock).lines[0]


def head_line(beside, other):
    """The line above a table: date, machine, load."""
    return f"{datetime.date.today()}, {processor()}, {os.cpu_count()} CPUs, {beside}; {other}"


def head(a, other):
    neighbours = ["idle machine", "next to one busy process", f"next to {a.busy} busy processes"][min(a.busy, 2)]
    print(head_line(neighbours, other) + f"; threads {a.threads or 'chosen by each side'}; medians of {a.rounds} rounds"
          + ("; TINY: these figures have no meaning" if a.tiny else ""), flush=True)


class Table:
    """A Markdown table of measurements with required values and goals. `missed` has the rows below their required values."""

    def __init__(self, *columns):
        self.missed = []
        columns = ["measurement", *columns, "must", "goal"]
        print("\n| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)

    def row(self, what, left, right, must=None, aim=None, digits=0, at_most=False):
        """Both sides and the ratio right / left, which must be at least `must`, or at most with `at_most`."""
        l, r = max(statistics.median(left), 0.5 * 10**-digits), statistics.median(right)  # avoids a division by 0
        print(f"| {what} | {l:.{digits}f} | {r:.{digits}f} | {r / l:.2f} | {must or ''} | {aim or ''} |", flush=True)
        if must and (r / l > must if at_most else r / l < must):
            self.missed.append(what)

    def limit(self, what, values, must, aim=None, digits=2):
        """A value of Trainyard alone, which must be below `must`."""
        value = statistics.median(values)
        print(f"| {what} | {value:.{digits}f} | {must} | {aim or ''} |", flush=True)
        if value >= must:
            self.missed.append(what)
