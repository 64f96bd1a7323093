#!/usr/bin/env bash
# Puts the classes that Trainyard loads while it starts into archives beside the packaged application, parsed, verified
# and linked (class data sharing). A start with one maps a file instead; a start without one, or with another Java, is
# slower and does the same.
#
#   archive-classes.sh APP    APP: the folder with quarkus-run.jar
#
#   APP/plain.jsa    for commands that run on Java's standard modules
#   APP/compute.jsa  for commands that compute, with jdk.incubator.vector: an archive is of one set of modules
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
  tail -n 20 "$2" >&2
  exit 1
}

# The demo loads what a worker, the dashboard, the broker and the commands that ask Kafka load.
echo '{"id": "classes", "network": "signs", "dataset": "shapes64", "epochs": 1, "batchSize": 100}' >"$work/job.json"
"$java" @"$flags" --add-modules jdk.incubator.vector -XX:DumpLoadedClassList="$work/classes" -jar "$app/quarkus-run.jar" \
  demo --exit --port 0 --kafka-port 0 --dir "$work/demo" --jobs "$work/job.json" >"$work/demo.log" 2>&1 ||
  fail "the demo has failed" "$work/demo.log"

# NAME OPTION...
archive() {
  "$java" @"$flags" "${@:2}" -Xshare:dump -XX:+AOTClassLinking -XX:SharedClassListFile="$work/classes" \
    -XX:SharedArchiveFile="$app/$1.jsa" -cp "$app/quarkus-run.jar" >"$work/$1.log" 2>&1
}
archive plain &
plain=$!
archive compute --add-modules jdk.incubator.vector || fail "Java has not made compute.jsa" "$work/compute.log"
wait "$plain" || fail "Java has not made plain.jsa" "$work/plain.log"
