#!/usr/bin/env python3
"""Publishes a job, follows it to its end, and prints the loss of each of its steps.

    python3 docs/clients/follow.py job.json --kafka localhost:9092

Needs the package confluent-kafka of PyPI, or Debian's python3-confluent-kafka. Ends with 0 if the job has finished,
with 1 if it has failed, was cancelled or is refused, with 2 if it cannot be published.
"""

import argparse
import json
import sys
import time

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

EVENTS = ("jobs", "steps", "accuracy", "dead-letter")
ENDS = ("finished", "failed", "cancelled")


class Follower:
    """Reads new records of all partitions as one stream."""

    def __init__(self, kafka, prefix):
        self.prefix = prefix
        self.consumer = Consumer({
            "bootstrap.servers": kafka,
            "group.id": prefix + "follow",  # required by the client; no offsets are committed
            "enable.auto.commit": False,
        })
        self.at = {}  # the next offset of each partition
        topics = self.consumer.list_topics(timeout=10).topics
        for name in EVENTS:
            topic = topics.get(prefix + name)
            if topic is None or topic.error is not None:
                raise LookupError(f"there is no topic {prefix}{name}; start a worker first")
            for partition in topic.partitions:
                self.at[prefix + name, partition] = self.end(prefix + name, partition)
        self.consumer.assign([TopicPartition(*place, offset) for place, offset in self.at.items()])

    def end(self, topic, partition):
        return self.consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=10)[1]

    def records(self, seconds):
        """New records, until none arrives for this time."""
        received = time.monotonic()
        while time.monotonic() < received + seconds:
            record = self.consumer.poll(1)
            if record is None:
                continue
            if record.error():
                raise KafkaException(record.error())
            received = time.monotonic()
            self.at[record.topic(), record.partition()] = record.offset() + 1
            yield record
        raise TimeoutError(f"no record arrived within {seconds} s")

    def remaining(self):
        """The records up to the topics' current ends: without an order between topics, losses may follow the job's end."""
        ends = {place: self.end(*place) for place in self.at}
        while any(self.at[place] < end for place, end in ends.items()):
            yield next(self.records(60))

    def close(self):
        self.consumer.close()


def publish(kafka, topic, job):
    failures = []
    producer = Producer({"bootstrap.servers": kafka, "acks": "all"})
    producer.produce(topic, key=job["id"], value=json.dumps(job), on_delivery=lambda error, _: failures.append(error))
    if producer.flush(30) or failures != [None]:
        raise LookupError(f"the job is not published: {failures or 'no answer'}")


def show(record, job, losses):
    """Prints a record of the job, and returns the job's end, or None."""
    if (record.key() or b"").decode(errors="replace").split("/")[0] != job["id"]:
        return None
    if record.topic().endswith("dead-letter"):
        reason = dict(record.headers() or []).get("reason", b"")
        print("refused:", reason.decode())
        return "refused"
    event = json.loads(record.value())
    if event["type"] == "stepLosses":
        for step, loss in enumerate(event["losses"], event["firstStep"]):
            losses[step] = float(loss)  # reads "NaN", too
            print("step", step, "loss", loss)
    elif event["type"] == "epochTested":
        print("epoch", event["epoch"], "test loss", event["testLoss"], "accuracy", event.get("testAccuracy"))
    else:
        print(event["type"], event.get("reason", ""))
    return event["type"] if event["type"] in ENDS else None


def follow(follower, job, patience):
    losses = {}  # by step: a resumed attempt repeats the steps after its checkpoint
    for record in follower.records(patience):
        end = show(record, job, losses)
        if end is not None:
            break
    for record in follower.remaining():
        show(record, job, losses)
    print(f"{job['id']} {end}: {len(losses)} steps, last loss {losses[max(losses)] if losses else 'none'}")
    return end


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("job", help="a file with one job, which has an id")
    arguments.add_argument("--kafka", default="localhost:9092")
    arguments.add_argument("--prefix", default="trainyard.")
    arguments.add_argument("--topic", default="commands.normal")
    arguments.add_argument("--patience", type=float, default=3600, help="the longest time without a record, in seconds")
    options = arguments.parse_args()
    with open(options.job, encoding="utf-8") as file:
        job = json.load(file)
    try:
        follower = Follower(options.kafka, options.prefix)
        publish(options.kafka, options.prefix + options.topic, job)
    except (LookupError, KafkaException) as failure:
        print(f"follow.py: {failure}", file=sys.stderr)
        return 2
    try:
        return 0 if follow(follower, job, options.patience) == "finished" else 1
    except TimeoutError as failure:
        print(f"follow.py: {failure}", file=sys.stderr)
        return 1
    finally:
        follower.close()


if __name__ == "__main__":
    sys.exit(main())
