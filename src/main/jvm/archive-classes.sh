#!/usr/bin/env bash
# Puts the classes that Trainyard loads while it starts into an archive beside the packaged application, parsed, verified
# and linked (class data sharing). A start with it maps a file instead; a start without it, or with another Java, is
# slower and does the same.
#
#   archive-classes.sh APP [FLEET]    APP: the folder with quarkus-run.jar; the archive is APP/classes.jsa
#                                     FLEET: the folder of the whole application, if APP is the worker only
#
#   JAVA_HOME   the Java that will run the application
set -euo pipefail

readonly app=$1 fleet=${2:-}
readonly java=${JAVA_HOME:?the Java that will run the application}/bin/java
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
flags=("@$folder/flags" ${fleet:+"@$folder/worker-flags"})
work=$(mktemp -d)
readonly folder flags work
pids=()
finish() {
  [[ ${#pids[@]} == 0 ]] || kill "${pids[@]}" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

fail() {
  echo "cannot archive the classes: $1. The last lines of its log:" >&2
  tail -n 20 "$work/log" >&2
  exit 1
}
recorded=("$java" "${flags[@]}" -XX:DumpLoadedClassList="$work/classes" -jar "$app/quarkus-run.jar")
whole=("$java" "@$folder/flags" -jar "$fleet/quarkus-run.jar")
readonly recorded whole

# The demo loads what a worker, the dashboard, the broker and the commands that ask Kafka load.
record_demo() { "${recorded[@]}" demo --exit --port 0 --kafka-port 0 --dir "$work/demo" --jobs "$work/job.json"; }

# await PATTERN FILE: the first match
await() {
  for _ in {1..600}; do
    if grep -m 1 -o "$1" "$2" 2>/dev/null; then return; fi
    sleep 0.2
  done
  return 1
}

record_worker() {
  local kafka metrics path
  "${whole[@]}" broker --port 0 --dir "$work/kafka" >"$work/broker" &
  pids+=($!)
  kafka=$(await 'localhost:[0-9]*' "$work/broker") || return
  "${recorded[@]}" worker --kafka "$kafka" --device cpu --metrics-port 0 --checkpoints "$work/checkpoints" >"$work/worker" &
  pids+=($!)
  metrics=$(await 'http://localhost:[0-9]*' "$work/worker") || return
  for path in q/health/started q/health/ready metrics; do
    exec 3<>"/dev/tcp/localhost/${metrics##*:}" && printf 'GET /%s HTTP/1.0\r\n\r\n' "$path" >&3 && cat <&3 && exec 3>&-
  done
  "${whole[@]}" submit --watch --kafka "$kafka" "$work/job.json" && kill "${pids[1]}" && { wait "${pids[1]}" || true; }
}

echo '{"id": "classes", "network": "signs", "dataset": "shapes64", "epochs": 1, "batchSize": 100}' >"$work/job.json"
kind=${fleet:+worker}
"record_${kind:-demo}" >"$work/log" 2>&1 || fail "no classes were recorded"
"$java" "${flags[@]}" -Xshare:dump -XX:+AOTClassLinking -XX:SharedClassListFile="$work/classes" \
  -XX:SharedArchiveFile="$app/classes.jsa" -cp "$app/quarkus-run.jar" >"$work/log" 2>&1 ||
  fail "Java has made no archive"
