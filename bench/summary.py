#!/usr/bin/env python3
"""Summarizes the results of bench/on-gpu.sh.

    summary.py check FILE            output of check-device --json: counts, failures, the benchmark's table
    summary.py kernels FILE.csv N    output of ncu --csv: the last N kernels by name, with their sum
    summary.py start FILE            output of train --json: the time from the claim to the first losses
"""
import collections, csv, datetime, json, sys


def lines(path):
    with open(path) as f:
        return [json.loads(line) for line in f if line.startswith("{")]


def check(path):
    outcomes, failed = collections.Counter(), []
    for line in lines(path):
        if line["event"] == "check":
            outcomes[line["outcome"]] += 1
            if line["outcome"] == "failed":
                failed.append(line)
        elif "medianStepMicros" in line:
            print(f"  {line['network']}, {line['batchSize']}, {line['precision']}: {line['medianStepMicros']:.1f} us a step, "
                  f"p95 {line['p95StepMicros']:.1f}; tests {line['testMillis']:.1f} ms")
        elif "notMeasured" in line:
            print(f"  {line['network']}, {line['batchSize']}, {line['precision']}: not measured: {line['notMeasured']}")
    if outcomes:
        print("  " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
    for line in failed[:10]:
        print(f"  FAILED {line['group']} {line['name']}: {line['detail'][:200]}")


def kernels(path, last):
    with open(path) as f:
        table = csv.DictReader(line for line in f if not line.startswith("=="))
        rows = [(row["Kernel Name"], float(row["Metric Value"].replace(",", "")) / (1000 if row["Metric Unit"] == "ns" else 1))
                for row in table][-int(last):]
    micros, counts = collections.Counter(), collections.Counter()
    for name, taken in rows:
        micros[name] += taken
        counts[name] += 1
    print(f"  the last {len(rows)} kernels take {sum(micros.values()):.1f} us")
    for name, taken in micros.most_common(20):
        print(f"  {taken:9.1f} us {counts[name]:4d}x {name[:120]}")


def start(path):
    times = {}
    for line in lines(path):
        times.setdefault(line["type"], datetime.datetime.fromisoformat(line["time"].replace("Z", "+00:00")))
    if "stepLosses" in times:
        print(f"  from the claim to the first losses: {(times['stepLosses'] - times['claimed']).total_seconds():.2f} s")


if __name__ == "__main__":
    {"check": check, "kernels": kernels, "start": start}[sys.argv[1]](*sys.argv[2:])
