#!/usr/bin/env bash
# Puts the classes that Trainyard loads while it starts into an archive beside the packaged application, parsed, verified
# and linked (class data sharing). A start with it maps a file instead; a start without it, or with another Java, is
# slower and does the same.
#
#   archive-classes.sh APP    APP: the folder with quarkus-run.jar; the archive is APP/classes.jsa
#
#   JAVA_HOME   the Java that will run the application
set -euo pipefail

readonly app=$1
readonly java=${JAVA_HOME:?the Java that will run the application}/bin/java
flags=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/flags
work=$(mktemp -d)
readonly flags work
trap 'rm -rf "$work"' EXIT

fail() {
  echo "cannot archive the classes: $1. The last lines of its log:" >&2
  tail -n 20 "$work/log" >&2
  exit 1
}

# The demo loads what a worker, the dashboard, the broker and the commands that ask Kafka load.
echo '{"id": "classes", "network": "signs", "dataset": "shapes64", "epochs": 1, "batchSize": 100}' >"$work/job.json"
"$java" @"$flags" -XX:DumpLoadedClassList="$work/classes" -jar "$app/quarkus-run.jar" \
  demo --exit --port 0 --kafka-port 0 --dir "$work/demo" --jobs "$work/job.json" >"$work/log" 2>&1 ||
  fail "the demo has failed"
"$java" @"$flags" -Xshare:dump -XX:+AOTClassLinking -XX:SharedClassListFile="$work/classes" \
  -XX:SharedArchiveFile="$app/classes.jsa" -cp "$app/quarkus-run.jar" >"$work/log" 2>&1 ||
  fail "Java has made no archive"
