"""Waiting times of users: first epochs, whole runs from the start of the process, two workers, the demo, the commands."""
import tempfile, time

import fleet
from runs import Run, Table, Watched, best_threads, head, job_file, ours, peer, trainyard, versions

# Duration of the first epoch divided by that of the third: (required, goal).
FIRST = {"in a ready worker": (1.5, 1.1), "in train, cold": (2.5, 1.5)}
FIRST_OF = {"lenet": "", "fashion": "", "signs": " (34 steps)"}

# network: (epochs, required ratio, goal); epochs of signs are short.
WHOLE = {"tudui": (1, 1.9, 2.5), "lenet": (1, 3, 5), "fashion": (1, 2, 3), "signs": (20, 1.5, 3)}

# network: (epochs, other fields of the job)
TOGETHER = {"lenet": (3, {"batchSize": 16}), "tudui": (2, {})}
MUST_TOGETHER, AIM_TOGETHER = 0.9, 1.0

MUST_DEMO_SECONDS, AIM_DEMO_SECONDS, MUST_DEMO_MEGABYTES = 45, 30, 1000
MUST_COMMAND_SECONDS, MUST_WORKER_SECONDS = 1, 2


def compare(a):
    """Prints the tables; returns the rows that missed their required values."""
    head(a, f"PyTorch {versions(a)['torch']}; workers are idle for {a.rest:g} s before a job arrives")
    with tempfile.TemporaryDirectory() as folder:
        return start(a, folder) + first_epochs(a, folder) + whole_runs(a, folder) + together(a)


def first_epochs(a, folder):
    """Each measurement has a new worker, because a worker is warm after one job."""
    table = Table("third epoch, millis", "first epoch, millis", "first / third")
    for name, remark in FIRST_OF.items():
        runs = {where: [] for where in FIRST}
        for _ in range(a.rounds):
            runs["in a ready worker"].append(fleet.epoch_millis(fleet.on_a_worker(a, name, 3)))
            runs["in train, cold"].append(fleet.epoch_millis(ours(a, name, folder, 3).lines))
        for where, (must, aim) in FIRST.items():
            table.row(f"{name}{remark}, {where}; at most", [epochs[2] for epochs in runs[where]],
                      [epochs[0] for epochs in runs[where]], must, aim, digits=1, at_most=True)
    return table.missed


def whole_runs(a, folder):
    """From the start of the process to its end, with tests; includes the import of PyTorch."""
    table = Table("Trainyard", "PyTorch", "ratio")
    for name, (epochs, must, aim) in WHOLE.items():
        threads = best_threads(a, name)
        pairs = [(ours(a, name, folder, epochs), peer(a, name, threads, "--loader", "dataloader", epochs=epochs))
                 for _ in range(a.rounds)]
        table.row(f"{name}, {epochs} epoch{'s' * (epochs > 1)} with tests and start, seconds; PyTorch with its DataLoader",
                  [m.seconds for m, _ in pairs], [t.seconds for _, t in pairs], must, aim, digits=1)
    return table.missed


def together(a):
    """Both sides train the same samples, so the ratio of the seconds is that of the samples per second."""
    table = Table("two workers at once", "one, one after the other", "ratio")
    for name, (epochs, more) in TOGETHER.items():
        pairs = [tuple(fleet.two_jobs_seconds(a, name, 1 if a.tiny else epochs, workers, **more) for workers in (2, 1))
                 for _ in range(a.rounds)]
        table.row(f"two jobs of {name} with {more or 'its usual batch'}, seconds from the first `claimed` to the last `finished`",
                  [two for two, _ in pairs], [one for _, one in pairs], MUST_TOGETHER, AIM_TOGETHER, digits=1)
    return table.missed


def start(a, folder):
    jobs_of_demo = ["--data", a.data, "--jobs", job_file("signs", folder, "signs", 1)] if a.tiny else []
    demos = [Watched(trainyard("demo", "--exit", "--port", "0", "--kafka-port", "0", *jobs_of_demo), a.clock)
             for _ in range(a.rounds)]
    helps, jobs, workers = [], [], []
    for _ in range(a.rounds):
        with fleet.Fleet(a) as running:
            time.sleep(a.rest)  # new processes still compile their code
            workers.append(running.worker())
            time.sleep(a.rest)
            helps.append(Run(trainyard("--help"), a.clock).seconds)
            jobs.append(Run(trainyard("jobs", "--kafka", running.kafka), a.clock).seconds)
    table = Table("Trainyard")
    table.limit("demo --exit, seconds", [demo.seconds for demo in demos], MUST_DEMO_SECONDS, AIM_DEMO_SECONDS, digits=1)
    table.limit("demo, largest resident memory, MB", [demo.peak_megabytes for demo in demos], MUST_DEMO_MEGABYTES, digits=0)
    table.limit("--help, seconds", helps, MUST_COMMAND_SECONDS)
    table.limit("jobs with a broker, seconds", jobs, MUST_COMMAND_SECONDS)
    table.limit("a worker until it is ready, seconds", workers, MUST_WORKER_SECONDS)
    return table.missed
