#!/usr/bin/env python3
"""Rates and latencies of a fleet, and the cost of reliability, with the packaged broker and workers.

    bench/rates.py [--only NAME ...] [--scale 1.0] [--rounds 3] [--gate]

behind      a long job, then 10,000 short ones on the same topic, two workers: all of them end while the long one trains
short       2,000 jobs of about a second on four workers: each finished once, the rate, and the time between two jobs in
            parts; then `./trainyard events --check --complete`
latency     from a published command to its first step on an idle worker; from a computed step to its event at a consumer
checkpoints steps per second with a checkpoint every 5 seconds and every 100 steps, compared with the same job without,
            alternating
handover    from SIGTERM to a worker to the next attempt's first step on another worker
preemption  from a published high-priority job to its first step, on two busy workers
garbage     a gigabyte of records without meaning in topics of commands and events: worker, dashboard and readers continue;
            their memory

--scale 0.1 runs a tenth of everything. --dir is the folder of the broker and the store; its disk matters, because each job
waits for it several times. --gate exits with 1 if a required value is missed. --minutes limits the whole run. With APP set,
the application in that folder runs instead of ./trainyard.
"""
import argparse, contextlib, datetime, glob, json, os, queue, re, signal, statistics, subprocess, sys, tempfile, threading, time

import fleet
from runs import Clock, TimeOver, head_line, trainyard

HERE = os.path.dirname(os.path.abspath(__file__))
PREFIX = "trainyard."

# The smallest network on the smallest built-in dataset: 10,000 images of 28 x 28, 7,850 weights.
SMALL = {"network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}, "dataset": "shapes28", "batchSize": 1000}
LONG = {"network": "lenet", "dataset": "shapes32", "batchSize": 4, "epochs": 100_000, "checkpointEveryEpochs": 100_000}

MUST_OVERHEAD_MILLIS, MUST_FIRST_STEP_MILLIS, MUST_EVENT_MILLIS = 50, 100, 300
MUST_CHECKPOINT_PERCENT, MUST_HANDOVER_SECONDS, MUST_PREEMPTION_SECONDS = 1, 2, 2


def classpath():
    app = os.environ.get("APP") or os.path.join(HERE, "..", "target", "quarkus-app")
    return ":".join(os.path.join(app, "lib", folder, "*") for folder in (".", "main", "boot"))


def java():
    home = os.environ.get("JAVA_HOME")
    return os.path.join(home, "bin", "java") if home else "java"


class Probe:
    """A client that records when events arrive, see probe/Probe.java. Times are microseconds since 1970."""

    def __init__(self, kafka, clock):
        self.clock = clock
        self.answers = queue.Queue()
        self.events = []
        self.finished, self.ended = {}, set()  # job: its end events
        self.first_steps = {}  # (job, attempt): event
        self.dead = 0
        self.process = subprocess.Popen(
            [java(), "-Xmx512m", "--sun-misc-unsafe-memory-access=allow", "-cp", classpath(),
             os.path.join(HERE, "probe", "Probe.java"), kafka, PREFIX],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self.follow, daemon=True).start()
        self.answer()

    def follow(self):
        for text in self.process.stdout:
            line = json.loads(text)
            if "at" not in line:
                self.answers.put(line)
                continue
            kind = line.get("type")
            if line["topic"] == "dead-letter":
                self.dead += 1
            elif kind == "stepLosses" and line["firstStep"] == 1 or kind == "stepLosses" and line["attempt"] > 1:
                self.first_steps.setdefault((line["job"], line["attempt"]), line)
            elif kind in ("finished", "failed", "cancelled"):
                self.finished.setdefault(line["job"], []).append(line)
                self.ended.add(line["job"])
            self.events.append(line)
        self.answers.put(None)

    def order(self, *parts):
        self.process.stdin.write("\t".join(map(str, parts)) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self):
        try:
            answer = self.answers.get(timeout=self.clock.left())
        except queue.Empty:
            raise TimeOver() from None
        if answer is None:
            raise SystemExit("the probe has ended")
        return answer

    def submit(self, job, topic="commands.normal", count=None):
        """Publishes a job, or `count` jobs with a number in the id; returns the answer of the probe."""
        body = json.dumps(job)
        return self.order("send", topic, job["id"], body) if count is None else self.order("many", topic, count, job["id"], body)

    def control(self, job, desired_state):
        time_ = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        self.order("send", "control", job, json.dumps({"job": job, "desiredState": desired_state, "time": time_}))

    def wait(self, condition, what):
        while not condition():
            if self.clock.left() <= 0 or self.process.poll() is not None:
                raise SystemExit(f"in vain: {what}")
            time.sleep(0.02)

    def close(self):
        fleet.end(self.process)


class RatedFleet(fleet.Fleet):
    """A fleet with a probe that reads its events."""

    def listen(self, stack):
        self.probe = Probe(self.kafka, self.a.clock)
        stack.callback(self.probe.close)

    def named_worker(self, number):
        """Events name a worker by its id, which is the name of its process here."""
        self.worker(f"worker-{number}", "--id", f"worker-{number}")

    def workers(self, count):
        for i in range(count):
            self.named_worker(i)
        time.sleep(self.a.rest)  # new processes still compile their code

    def check(self, *more):
        return subprocess.run(trainyard("events", "--check", *more, "--kafka", self.kafka), capture_output=True, text=True,
                              timeout=self.a.clock.left()).stdout.strip()


class Rows:
    """A table of values with their required maximums. `missed` has the rows that exceed them."""

    def __init__(self):
        self.missed = []
        print("\n| measurement | value | at most |\n|---|---|---|", flush=True)

    def row(self, what, figure, most=None, digits=1):
        text = figure if isinstance(figure, str) else f"{figure:.{digits}f}"
        print(f"| {what} | {text} | {'' if most is None else most} |", flush=True)
        if most is not None and figure > most:
            self.missed.append(what)


def percentile(values, percent):
    return sorted(values)[min(len(values) - 1, int(len(values) * percent / 100))]


def spread(values):
    """Median and 95th percentile of microseconds, in milliseconds."""
    return f"{statistics.median(values) / 1e3:.1f} ({percentile(values, 95) / 1e3:.1f})" if values else "none"


def scaled(a, count, least=2):
    return max(least, round(count * a.scale))


def behind(a):
    count = scaled(a, 10_000, 20)
    with RatedFleet(a) as running:
        probe = running.probe
        running.workers(2)
        probe.submit({"id": "long", **LONG})
        probe.wait(lambda: ("long", 1) in probe.first_steps, "the long job to begin")
        sent = probe.submit({"id": "short-%d", "epochs": 1, **SMALL}, count=count)
        probe.wait(lambda: len(probe.ended) >= count, "all short jobs to end")
        after = [event for event in probe.events if event.get("job") == "long"]
        ends = [published for job, published in probe.finished.items() if job != "long"]
        probe.wait(lambda: [e for e in probe.events if e.get("job") == "long"][-1]["at"] > after[-1]["at"],
                   "another step of the long job")
        last = max(published[0]["at"] for published in ends)
        training = statistics.median(event["trainMillis"] for published in ends for event in published if "trainMillis" in event)
        probe.control("long", "cancel")
        probe.wait(lambda: "long" in probe.finished, "the long job's end")
        rows = Rows()
        seconds = (last - sent["begin"]) / 1e6
        rows.row(f"{count} short jobs behind a long one, two workers: finished, and finished twice",
                 f"{sum(published[0]['type'] == 'finished' for published in ends)}, {sum(len(published) > 1 for published in ends)}")
        rows.row("from the first command to the last `finished`, seconds", seconds)
        rows.row("jobs per second", count / seconds)
        rows.row("a short job's own time (`trainMillis`: 10 steps, a test, a checkpoint), median, milliseconds", training, digits=0)
        rows.row("events --check", running.check("--complete"))
        return rows.missed


PARTS = ["`finished` to the end of the ownership", "end of the ownership to the next ownership (poll, job's file, attempt)",
         "ownership to `claimed` (acknowledgement, ACCEPT, dataset)", "`claimed` to `started` (compile, load)",
         "`started` to the first step"]


def gaps(probe):
    """For each job that followed another on its worker: the time from `finished` to its first step, and its parts."""
    by_worker, marks = {}, {}
    for event in probe.events:
        job = event.get("job") or event.get("key")
        mark = marks.setdefault(job, {})
        if event["topic"] == "ownership":
            mark.setdefault("ended" if event["ends"] else "ownership", event["stamp"])
        elif event.get("type") in ("claimed", "started", "finished"):
            mark[event["type"]] = event["time"]
            if event["type"] == "claimed":
                by_worker.setdefault(event["source"], []).append(job)
    for (job, _), event in probe.first_steps.items():
        marks[job]["first"] = event["time"]
    whole, parts = [], {name: [] for name in PARTS}
    for jobs in by_worker.values():
        for before, job in zip(jobs, jobs[1:]):
            b, m = marks[before], marks[job]
            if not all(key in b for key in ("finished", "ended")) or not all(key in m for key in ("ownership", "claimed", "started", "first")):
                continue
            whole.append(m["first"] - b["finished"])
            times = [b["finished"], b["ended"], m["ownership"], m["claimed"], m["started"], m["first"]]
            for name, begin, end in zip(PARTS, times, times[1:]):
                parts[name].append(end - begin)
    return whole, parts


def short(a):
    count = scaled(a, 2000, 8)
    with RatedFleet(a) as running:
        probe = running.probe
        running.workers(4)
        job = {"id": "second-%d", "epochs": a.second_epochs, "checkpointEveryEpochs": 100_000, **SMALL}
        sent = probe.submit(job, count=count)
        probe.wait(lambda: len(probe.ended) >= count, "all jobs to end")
        probe.wait(lambda: sum(e["topic"] == "ownership" and e["ends"] for e in probe.events) >= count, "all ownerships to end")
        ends = list(probe.finished.values())
        seconds = (max(published[0]["at"] for published in ends) - sent["begin"]) / 1e6
        whole, parts = gaps(probe)
        steps = [e for e in probe.events if e.get("type") == "epochTested"]
        last_test = {}
        for event in steps:
            last_test[event["job"]] = max(last_test.get(event["job"], 0), event["time"])
        closing = [published[0]["time"] - last_test[job] for job, published in probe.finished.items() if job in last_test]
        rows = Rows()
        rows.row(f"{count} jobs of {a.second_epochs} epochs, four workers: finished, and finished twice",
                 f"{sum(published[0]['type'] == 'finished' for published in ends)}, {sum(len(published) > 1 for published in ends)}")
        rows.row("a job's own time (`trainMillis`), median, milliseconds",
                 statistics.median(published[0].get("trainMillis", 0) for published in ends), digits=0)
        rows.row("jobs per second", count / seconds, digits=2)
        rows.row("from one job's `finished` to the next one's first step on its worker, median, milliseconds",
                 statistics.median(whole) / 1e3, MUST_OVERHEAD_MILLIS)
        rows.row("the same, 95th percentile", percentile(whole, 95) / 1e3)
        for name, values in parts.items():
            rows.row("part: " + name + ", median (95th)", spread(values))
        rows.row("in addition: the last test to `finished` (checkpoint, outcome), median (95th)", spread(closing))
        rows.row("events --check", running.check("--complete"))
        return rows.missed


def latency(a):
    count = scaled(a, 100, 5)
    with RatedFleet(a) as running:
        probe = running.probe
        running.workers(1)
        waits, parts = [], []
        for i in range(count + 3):
            sent = probe.submit({"id": f"soon-{i}", "epochs": 1, **SMALL})
            probe.wait(lambda: any(e["topic"] == "ownership" and e["ends"] and e["key"] == f"soon-{i}" for e in probe.events[-40:]),
                       "a job's end")
            marks = {e.get("type"): e["time"] for e in probe.events[-60:] if e.get("job") == f"soon-{i}" and "time" in e}
            ownership = next(e["stamp"] for e in probe.events[-60:]
                           if e["topic"] == "ownership" and e["key"] == f"soon-{i}" and not e["ends"])
            first = probe.first_steps[f"soon-{i}", 1]["time"]
            if i >= 3:  # the first rounds include compilation
                waits.append(first - sent["begin"])
                parts.append([ownership - sent["begin"], marks["claimed"] - ownership, marks["started"] - marks["claimed"], first - marks["started"]])
            time.sleep(0.3 + (i % 10) / 50)  # idle again, at any moment of its round
        probe.events.clear()
        probe.submit({"id": "long", **LONG})
        probe.wait(lambda: ("long", 1) in probe.first_steps, "a step")
        time.sleep(max(3, 60 * a.scale))
        late = [e["at"] - e["time"] for e in probe.events if e.get("type") == "stepLosses" and e["job"] == "long"][10:]
        probe.control("long", "cancel")
        probe.wait(lambda: "long" in probe.finished, "the long job's end")
        rows = Rows()
        rows.row(f"command published to first step, idle worker, median of {count}, milliseconds",
                 statistics.median(waits) / 1e3, MUST_FIRST_STEP_MILLIS)
        rows.row("the same, 95th percentile", percentile(waits, 95) / 1e3)
        for i, name in enumerate(["published to ownership (poll, job's file, attempt)", *PARTS[2:]]):
            rows.row("part: " + name + ", median (95th)", spread([part[i] for part in parts]))
        rows.row(f"block of steps to its event at a reader, 99th percentile of {len(late)}, milliseconds",
                 percentile(late, 99) / 1e3, MUST_EVENT_MILLIS)
        rows.row("the same, median", statistics.median(late) / 1e3)
        return rows.missed


def checkpoints(a):
    """Steps of lenet, which are short and therefore show the cost of saving best."""
    epochs = scaled(a, 40, 2)
    kinds = {"without": {}, "every 5 seconds": {"checkpointEverySeconds": 5}, "every 100 steps": {"checkpointEverySteps": 100, "keepLast": 3}}
    job = {"network": "lenet", "dataset": "shapes32", "batchSize": 16, "checkpointEveryEpochs": 100_000, "epochs": epochs}
    seconds = {kind: [] for kind in kinds}
    saved = {}
    with RatedFleet(a) as running:
        probe = running.probe
        running.workers(1)
        probe.submit({"id": "warm", **job, "epochs": 2})
        probe.wait(lambda: "warm" in probe.finished, "the first job's end")
        for i in range(a.rounds):
            for kind, more in kinds.items():
                name = f"{kind.replace(' ', '-')}-{i}"
                begin = len(probe.events)
                probe.submit({"id": name, **job, **more})
                probe.wait(lambda: name in probe.finished, "a job's end")
                tests = [e for e in probe.events[begin:] if e.get("type") == "epochTested" and e["job"] == name]
                seconds[kind].append(sum(e["trainMillis"] for e in tests) / 1e3)
                saved[kind] = sum(e.get("type") == "checkpointSaved" and e["job"] == name for e in probe.events[begin:])
    steps = 400 * epochs
    rows = Rows()
    for kind, took in seconds.items():
        rows.row(f"lenet, batch 16, checkpoints {kind} ({saved[kind]} of them): steps per second, median of {a.rounds}",
                 steps / statistics.median(took), digits=0)
    for kind in list(kinds)[1:]:
        ratios = [with_ / without for with_, without in zip(seconds[kind], seconds["without"])]
        rows.row(f"{kind} compared with none, percent longer, median of {a.rounds} pairs", (statistics.median(ratios) - 1) * 100,
                 MUST_CHECKPOINT_PERCENT, digits=2)
    return rows.missed


HANDOVER_PARTS = ["SIGTERM to `released`: a step boundary, a checkpoint", "to `claimed` by the other: spec, ownership, ACCEPT",
                  "to `started`: compile, load", "to its first step"]


def handover(a):
    count = scaled(a, 10, 2)
    waits, parts = [], {name: [] for name in HANDOVER_PARTS}
    with RatedFleet(a) as running:
        probe = running.probe
        running.workers(2)
        for i in range(count):
            name = f"moved-{i}"
            probe.submit({"id": name, **LONG})
            probe.wait(lambda: (name, 1) in probe.first_steps, "a step")
            time.sleep(2)
            holder = probe.first_steps[name, 1]["source"].split("/")[-1]
            begin = time.time() * 1e6
            running.processes[holder].terminate()
            probe.wait(lambda: (name, 2) in probe.first_steps, "the next attempt's step")
            marks = {(e["type"], e["attempt"]): e["time"] for e in probe.events if e.get("job") == name and "attempt" in e}
            times = [begin, marks["released", 1], marks["claimed", 2], marks["started", 2], probe.first_steps[name, 2]["time"]]
            waits.append(times[-1] - begin)
            for part, start, end in zip(HANDOVER_PARTS, times, times[1:]):
                parts[part].append(end - start)
            probe.control(name, "cancel")
            probe.wait(lambda: name in probe.finished, "the job's end")
            running.named_worker(i + 2)
            time.sleep(a.rest)
    rows = Rows()
    rows.row(f"SIGTERM to the next attempt's first step, median of {count}, seconds", statistics.median(waits) / 1e6,
             MUST_HANDOVER_SECONDS, digits=2)
    rows.row("the same, maximum", max(waits) / 1e6, digits=2)
    for name, values in parts.items():
        rows.row("part: " + name + ", median (95th), milliseconds", spread(values))
    return rows.missed


PREEMPTION_PARTS = ["published to the other job's `released`: patience, a step boundary, a checkpoint",
                "to `claimed` by its worker: the other's command and ownership, poll, ACCEPT", "to `started`: compile", "to its first step"]


def preemption(a):
    count = scaled(a, 20, 3)
    waits, parts, others = [], {name: [] for name in PREEMPTION_PARTS}, 0
    with RatedFleet(a) as running:
        probe = running.probe
        running.workers(2)
        for i in range(count):
            there = [f"there-{i}-{number}" for number in range(2)]
            for name in there:
                probe.submit({"id": name, **LONG})
                probe.wait(lambda: (name, 1) in probe.first_steps, "a step")
            time.sleep(3 + i % 7 / 10)
            name = f"high-{i}"
            sent = probe.submit({"id": name, "epochs": 1, **SMALL}, topic="commands.high")
            probe.wait(lambda: name in probe.finished, "the end of the high-priority job")
            marks = {e["type"]: e["time"] for e in probe.events if e.get("job") == name and "attempt" in e}
            released = [e for e in probe.events if e.get("type") == "released" and e["job"] in there]
            times = [sent["begin"], min(e["time"] for e in released), marks["claimed"], marks["started"], probe.first_steps[name, 1]["time"]]
            others += len(released) - 1
            waits.append(times[-1] - times[0])
            for part, start, end in zip(PREEMPTION_PARTS, times, times[1:]):
                parts[part].append(end - start)
            probe.wait(lambda: (released[0]["job"], 2) in probe.first_steps, "the other job's next step")
            for other in there:
                probe.control(other, "cancel")
                probe.wait(lambda: other in probe.finished, "a job's end")
            probe.events.clear()
    rows = Rows()
    rows.row(f"high-priority job published to its first step, two busy workers, median of {count}, seconds",
             statistics.median(waits) / 1e6, MUST_PREEMPTION_SECONDS, digits=2)
    rows.row("the same, maximum", max(waits) / 1e6, digits=2)
    for name, values in parts.items():
        rows.row("part: " + name + ", median (95th), milliseconds", spread(values))
    rows.row("preempted jobs in addition to one for each", others, digits=0)
    return rows.missed


def resident(process):
    with open(f"/proc/{process.pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS")) * 1024 / 1e6


def garbage(a):
    megabytes = scaled(a, 1000, 10)
    topics = {"commands": ["commands.normal"], "events": ["jobs", "steps", "accuracy", "checkpoints"],
              "what workers say": ["workers", "ownership", "control"]}
    with RatedFleet(a) as running:
        probe = running.probe
        running.workers(1)
        running.start("dashboard", "dashboard", "--port", "0", "--kafka", running.kafka, ready=re.compile(r"http://"))
        follower = subprocess.Popen(trainyard("events", "--follow", "--kafka", running.kafka), stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
        running.stack.callback(fleet.end, follower)
        watched = {"worker": running.processes["worker-0"], "dashboard": running.processes["dashboard"], "events --follow": follower}
        probe.submit({"id": "before", "epochs": 1, **SMALL})
        probe.wait(lambda: "before" in probe.finished, "a job before it")
        rows = Rows()
        rows.row("resident memory at the start, MB: " + ", ".join(watched), ", ".join(f"{resident(p):.0f}" for p in watched.values()))
        for i, (what, names) in enumerate(topics.items()):
            dead = probe.dead
            said = probe.order("garbage", megabytes, i, *names)
            name = f"after-{i}"
            begin = said["begin"]
            probe.submit({"id": name, "epochs": 1, **SMALL})
            probe.wait(lambda: name in probe.finished or any(p.poll() is not None for p in watched.values()), "a job after it")
            seconds = (probe.finished[name][0]["at"] - begin) / 1e6 if name in probe.finished else float("nan")
            rows.row(f"{said['records']} records, {said['garbage'] / 1e6:.0f} MB, as {what}: published in seconds; a job behind them "
                     "finished after seconds; dead letters",
                     f"{(said['end'] - begin) / 1e6:.1f}; {seconds:.1f}; {probe.dead - dead}")
            rows.row(f"MB per second; records per second", f"{said['garbage'] / 1e6 / seconds:.1f}; {said['records'] / seconds:.0f}")
            rows.row("resident memory then, MB", ", ".join(f"{resident(p):.0f}" if p.poll() is None else f"ended with {p.returncode}"
                                                   for p in watched.values()))
        jobs = subprocess.run(trainyard("jobs", "--kafka", running.kafka), capture_output=True, text=True)
        rows.row("exit status of `jobs`", str(jobs.returncode))
        if any(p.poll() is not None for p in watched.values()):
            rows.missed.append("a process has ended")
        return rows.missed


TABLES = {table.__name__: table for table in (behind, short, latency, checkpoints, handover, preemption, garbage)}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES), metavar="NAME", help=", ".join(TABLES))
    p.add_argument("--scale", type=float, default=1.0)
    p.add_argument("--rounds", type=int, default=3, help="of alternating runs (default: %(default)s)")
    p.add_argument("--threads", type=int, default=1, help="of each worker (default: %(default)s)")
    p.add_argument("--second-epochs", type=int, default=60, help="epochs of a job of about a second (default: %(default)s)")
    p.add_argument("--device", default="cpu")
    p.add_argument("--data", default=tempfile.gettempdir(), help="the workers' data root; no job here reads a file")
    p.add_argument("--dir", default=None, help="where the broker's log and the store lie (default: where temporary files do)")
    p.add_argument("--rest", type=float, default=5)
    p.add_argument("--minutes", type=float, default=120)
    p.add_argument("--beside", default="quiet", help="what else the machine did, for the line above the tables")
    p.add_argument("--gate", action="store_true")
    a = p.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no process is left behind
    a.clock = Clock(a.minutes)
    if not os.environ.get("APP"):
        subprocess.run(trainyard("--version"), check=True, capture_output=True)  # builds, if it must
    jars = glob.glob(os.path.join(os.environ.get("APP") or os.path.join(HERE, "..", "target", "quarkus-app"), "lib", "**", "*kafka-clients-*.jar"),
                     recursive=True)
    kafka = re.search(r"kafka-clients-([\d.]+)\.jar", jars[0]).group(1) if jars else "?"
    version = subprocess.run([java(), "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    print(head_line(a.beside, f"{version}, Kafka {kafka}; a broker and workers with {a.threads} thread each on one machine; scale {a.scale:g}"),
          flush=True)
    missed = []
    try:
        for name in a.only:
            missed += TABLES[name](a)
    except TimeOver:
        sys.exit(f"\nthe rest is missing: {a.minutes} minutes are over (--minutes)")
    if missed:
        print("\nrequired values missed: " + "; ".join(missed))
        if a.gate:
            sys.exit(1)


if __name__ == "__main__":
    main()
