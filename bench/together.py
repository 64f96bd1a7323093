#!/usr/bin/env python3
"""One job in 1, 2 and 4 processes of one thread each on this machine, over TCP on localhost, beside as many devices of one process,
which exchange nothing over a network, and what networks would make of it.

    bench/together.py [--rounds 3] [--job lenet:100 ...]

Processes share this machine's cores: with more processes than cores nothing gets faster, and what more they take is what it costs
to have them. Bytes a step are calculated from the parameters, and so is what other machines and networks would give: computing in N
machines takes an N-th, sending 2 (N - 1) / N times the parameters in float32 at the network's rate, and nothing goes on at the same
time. Latency, batch norms' rows and machines that wait for one another are left out.
"""
import argparse, json, os, secrets, socket, statistics, subprocess, tempfile

from runs import Clock, head_line, trainyard

GIGABITS = (1, 10, 25, 100)
EPOCHS = 6  # with one, half of the steps are those of a process that still compiles its code


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--job", nargs="*", default=["lenet:100", "tudui:64"], help="NETWORK:BATCH")
    p.add_argument("--processes", type=int, nargs="*", default=[1, 2, 4])
    p.add_argument("--minutes", type=float, default=9)
    a = p.parse_args()
    a.clock = Clock(a.minutes)
    print(head_line(f"load {os.getloadavg()[0]:.1f}", "one thread a process"), flush=True)
    for job in a.job:
        network, batch = job.split(":")
        with tempfile.TemporaryDirectory() as folder:
            measure(folder, network, int(batch), a)


def measure(folder, network, batch, a):
    micros = {n: [] for n in a.processes}
    within = {n: [] for n in a.processes if n > 1}
    parameters = 0
    for number in range(a.rounds):
        for n in a.processes:
            events = run(folder, f"{network}-{n}-{number}", network, batch, n, a)
            micros[n].append(events["finished"]["medianStepMicros"])
            parameters = sum(size(one["shape"]) for one in events["started"]["parameters"])
        for n in within:
            events = run(folder, f"{network}-{n}-{number}-within", network, batch, 1, a, devices=n)
            within[n].append(events["finished"]["medianStepMicros"])
    print(f"\n{network}, batches of {batch}, {parameters:,} numbers")
    for n in a.processes:
        sent = 2 * (n - 1) / n * parameters * 4
        print(f"{n} processes {told(micros[n])}, {sent / 1e6:8.2f} MB a step sent by each (calculated)")
    for n, one_process in within.items():
        print(f"{n} devices in one process {told(one_process)}")
    one = statistics.median(micros[a.processes[0]])
    for n in (2, 4, 8, 16):
        times = [one / (one / n + 2 * (n - 1) / n * parameters * 32 / (gigabits * 1e3)) for gigabits in GIGABITS]
        print(f"{n:2} machines, calculated: " + ", ".join(f"{t:.2f} at {g} Gbit/s" for t, g in zip(times, GIGABITS)))


def told(micros):
    return f"{statistics.median(micros):9.0f} us a step ({min(micros):.0f} to {max(micros):.0f})"


def size(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def run(folder, name, network, batch, processes, a, devices=1):
    path = os.path.join(folder, name + ".json")
    with open(path, "w") as f:
        where = {"devices": ["cpu"] * devices} if devices > 1 else {"device": "cpu"}
        json.dump({"id": name, "network": network, "dataset": "shapes32", "epochs": EPOCHS, "batchSize": batch, **where,
                   "optimizer": {"type": "sgd", "learningRate": 0.01, "momentum": 0.9}}, f)
    secret = os.path.join(folder, "secret")
    with open(secret, "w") as f:
        f.write(secrets.token_hex(32))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    near = ["--secret", secret, "--host", "127.0.0.1"]
    command = ["train", path, "--json", "--threads", str(processes * devices), "--checkpoints", os.path.join(folder, "store")]
    if processes > 1:
        command += ["--processes", str(processes), "--port", str(port), *near]
    members = [subprocess.Popen(trainyard("join", f"127.0.0.1:{port}", "--wait", "30", *near),
                                stderr=subprocess.DEVNULL) for _ in range(processes - 1)]
    try:
        out = subprocess.run(trainyard(*command), stdout=subprocess.PIPE, check=True, timeout=a.clock.left()).stdout
    finally:
        for member in members:
            member.terminate()
            member.wait()
    return {event["type"]: event for event in map(json.loads, out.splitlines())}


if __name__ == "__main__":
    main()
