"""A job on a worker with a broker: what it takes beside the same job with no Kafka at all."""
import contextlib, os, socket, statistics, subprocess, time

from runs import Run, job_file, trainyard


def free_port():
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def process(*arguments, log):
    with open(log, "wb") as out:
        running = subprocess.Popen(trainyard(*arguments), stdout=out, stderr=out)
    try:
        yield running
    finally:
        running.terminate()
        try:
            running.wait(30)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def epoch_millis(run):
    """Of training alone, without tests; the first epoch has the warm-up."""
    values = [line["trainMillis"] for line in run.lines if "testMillis" in line]
    return statistics.median(values[1:] or values)


def on_a_worker(a, name, folder, epochs, **more):
    """Runs the job on a fleet of its own; returns its events."""
    port = free_port()
    kafka = f"localhost:{port}"
    path = job_file(name, folder, "on-a-worker", epochs, **more)
    log = lambda what: os.path.join(folder, what + ".log")
    with process("broker", "--port", str(port), "--dir", os.path.join(folder, "kafka"), log=log("broker")), \
            contextlib.ExitStack() as stack:
        submitted = False
        while not submitted:
            a.clock.left()
            submitted = subprocess.run(trainyard("submit", path, "--kafka", kafka), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, timeout=120).returncode == 0
        stack.enter_context(process("worker", "--kafka", kafka, "--data", a.data, "--device", a.device, "--threads",
                                    str(a.threads), "--checkpoints", os.path.join(folder, "fleet"),
                                    log=log("worker")))
        while True:
            events = Run(trainyard("events", "--job", "on-a-worker", "--kafka", kafka), a.clock)
            if events.values("parametersSha256"):
                return events
            if any("reason" in line for line in events.lines):
                raise SystemExit(f"the job on a worker did not finish: {events.lines[-1]}")
            a.clock.left()
            time.sleep(1)
