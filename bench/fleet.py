"""Broker and workers as processes, to measure jobs on them."""
import contextlib, json, os, re, socket, statistics, subprocess, tempfile, threading, time

from runs import job_file, trainyard

BROKER_READY = re.compile(r"Kafka: localhost:\d+")
WORKER_READY = re.compile(r"worker=\S+ .*(takes commands|\bready\b)")


def free_port():
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def process(clock, *arguments, log, ready):
    """Starts a process and waits for a matching line in its log; returns both and the seconds from start to line."""
    begin = time.perf_counter()
    with open(log, "wb") as out:
        running = subprocess.Popen(trainyard(*arguments), stdout=out, stderr=out)
    try:
        while True:
            with open(log, errors="replace") as f:
                said = f.read()
            if ready.search(said):
                break
            if running.poll() is not None:
                raise SystemExit(f"{arguments[0]} ended with {running.returncode}:\n{said[-4000:]}")
            clock.left()
            time.sleep(0.01)
        yield running, time.perf_counter() - begin
    finally:
        end(running)


def end(running):
    running.terminate()
    try:
        running.wait(30)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()


class Fleet:
    """A new broker in a temporary folder, and a process that follows the events; no worker yet."""

    def __init__(self, a):
        self.a = a
        self.lines = []  # (seconds, event): at most 0.3 s after its publication
        self.processes = {}  # by the names of their logs

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self.folder = stack.enter_context(tempfile.TemporaryDirectory(dir=getattr(self.a, "dir", None)))
            port = free_port()
            self.kafka = f"localhost:{port}"
            stack.enter_context(process(self.a.clock, "broker", "--port", str(port), "--dir", self.path("kafka"),
                                        log=self.path("broker.log"), ready=BROKER_READY))
            self.listen(stack)
            self.stack = stack.pop_all()
        return self

    def listen(self, stack):
        follower = subprocess.Popen(trainyard("events", "--follow", "--kafka", self.kafka), stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL, text=True)
        stack.callback(end, follower)
        threading.Thread(target=self.follow, args=(follower.stdout,), daemon=True).start()

    def __exit__(self, *problem):
        return self.stack.__exit__(*problem)

    def path(self, name):
        return os.path.join(self.folder, name)

    def follow(self, lines):
        for line in lines:
            self.lines.append((time.perf_counter(), json.loads(line)))

    def worker(self, name="worker", *more):
        """Starts a worker; returns the seconds until it was ready."""
        a = self.a
        return self.start(name, "worker", "--kafka", self.kafka, *more, "--data", a.data, "--device", a.device,
                          "--threads", str(a.threads), "--checkpoints", self.path("checkpoints"), ready=WORKER_READY)

    def start(self, name, *arguments, ready):
        """Starts a process of the fleet; returns the seconds until its log had a line that matches."""
        running, seconds = self.stack.enter_context(process(self.a.clock, *arguments, log=self.path(name + ".log"), ready=ready))
        self.processes[name] = running
        return seconds

    def run(self, network, epochs, ids=("job",), **more):
        """Submits the job once for each id, after an idle time; returns when all have finished."""
        time.sleep(self.a.rest)
        files = [job_file(network, self.folder, job, epochs, **more) for job in ids]
        subprocess.run(trainyard("submit", *files, "--kafka", self.kafka), stdout=subprocess.DEVNULL, check=True,
                       timeout=self.a.clock.left())
        while len(self.of("finished")) < len(ids):
            if self.of("failed"):
                raise SystemExit(f"a job on a worker did not finish: {self.of('failed')[0][1]}")
            self.a.clock.left()
            time.sleep(0.05)

    def of(self, kind):
        return [(seconds, event) for seconds, event in self.lines if event["type"] == kind]


def epoch_millis(events):
    """Training time of each epoch without tests, from the rate, because trainMillis is in whole milliseconds."""
    samples = next(event["trainSamples"] for event in events if event.get("type") == "started")
    return [samples / event["samplesPerSecond"] * 1e3 for event in events if event.get("type") == "epochTested"]


def later_epochs(events):
    """The median without the first epoch, which contains the warm-up."""
    values = epoch_millis(events)
    return statistics.median(values[1:] or values)


def on_a_worker(a, network, epochs, **more):
    """Runs the job on a new fleet; returns its events."""
    with Fleet(a) as fleet:
        fleet.worker()
        fleet.run(network, epochs, **more)
        return [event for _, event in fleet.lines]


def two_jobs_seconds(a, network, epochs, workers, **more):
    """Seconds from the first `claimed` to the last `finished` of two copies of the job on this number of workers."""
    with Fleet(a) as fleet:
        for i in range(workers):
            fleet.worker(f"worker-{i}")
        fleet.run(network, epochs, ids=("first", "second"), **more)
        claimed, finished = fleet.of("claimed"), fleet.of("finished")
    claimants = {event["worker"] for _, event in claimed}
    if len(claimants) != workers:
        raise SystemExit(f"{len(claimants)} of {workers} workers took the two jobs: let them rest longer")
    return finished[-1][0] - claimed[0][0]
