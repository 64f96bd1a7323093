#!/usr/bin/env python3
"""Publishes values of your own metrics for a job, through the dashboard.

    python3 docs/clients/metrics.py signs-1 --step 750 macroF1=0.917 calibration/ece=0.031

In a program:

    with Metrics("signs-1", "http://localhost:8080") as metrics:
        metrics.log(750, macroF1=0.917, **{"calibration/ece": 0.031})

Requires only Python. With sign-in, set the access token in TRAINYARD_TOKEN. Values that are NaN or infinite are left out.
"""

import argparse
import json
import math
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone

MOST = 500  # records in one request
PERIOD = 2.0  # seconds between requests


class Metrics:
    """Collects values and sends them every two seconds and at the end."""

    def __init__(self, job, dashboard="http://localhost:8080"):
        self.address = f"{dashboard}/api/v1/jobs/{urllib.parse.quote(job, safe='')}/metrics"
        self.records = []
        self.sent = 0.0

    def log(self, step, **values):
        finite = {name: float(value) for name, value in values.items() if math.isfinite(value)}
        if finite:
            now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            self.records.append({"step": int(step), "time": now, "values": finite})
        if time.monotonic() >= self.sent + PERIOD or len(self.records) >= MOST:
            self.flush()

    def flush(self):
        """Sends what was collected; raises OSError with the dashboard's reason if it is refused."""
        while self.records:
            headers = {"Content-Type": "application/json", "X-Trainyard": "python"}
            if "TRAINYARD_TOKEN" in os.environ:
                headers["Authorization"] = "Bearer " + os.environ["TRAINYARD_TOKEN"]
            body = json.dumps(self.records[:MOST]).encode()
            try:
                urllib.request.urlopen(urllib.request.Request(self.address, body, headers), timeout=30).close()
            except urllib.error.HTTPError as refusal:
                raise OSError(refusal.read().decode(errors="replace")) from refusal
            del self.records[:MOST]
        self.sent = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.flush()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("job")
    arguments.add_argument("values", nargs="+", metavar="NAME=VALUE")
    arguments.add_argument("--step", type=int, required=True)
    arguments.add_argument("--dashboard", default="http://localhost:8080")
    options = arguments.parse_intermixed_args()
    try:
        with Metrics(options.job, options.dashboard) as metrics:
            metrics.log(options.step, **{name: float(value) for name, value in (text.split("=", 1) for text in options.values)})
    except (OSError, ValueError) as failure:
        print(f"metrics.py: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
