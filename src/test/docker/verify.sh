#!/usr/bin/env bash
# Builds the images of src/main/docker, starts compose.yaml with them, and trains jobs there: ./trainyard verify --images.
#
# Images of registries that are not on this machine are replaced: the base images by Debian, with the Java of JAVA_HOME,
# the certificates and the Maven repository of this machine; Kafka, PostgreSQL and Prometheus by Dockerfile.services. Grafana and
# kafka-exporter are not started. What was built is removed at the end.
#
#   COMPOSE       the command of Docker Compose (default: docker compose)
#   KEEP_IMAGES   true: keep the images
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
readonly root
readonly work=$root/target/images project=trainyard-verify debian=trainyard-verify/debian
readonly skipped="grafana kafka-exporter"
read -r -a compose <<<"${COMPOSE:-docker compose}"
compose+=(--project-name "$project" --project-directory "$root" --file "$root/compose.yaml")
readonly compose
built=()
docker_pid=""

say() { echo "$(date +%T) $*"; }

fail() {
  say "FAILED: $*" >&2
  "${compose[@]}" logs --tail 40 >&2 || true
  exit 1
}

cleanup() {
  "${compose[@]}" down --volumes --timeout 20 >/dev/null 2>&1 || true
  if [[ ${KEEP_IMAGES:-} != true && ${#built[@]} -gt 0 ]]; then
    docker image rm --force "${built[@]}" >/dev/null 2>&1 || true
  fi
  [[ -z $docker_pid ]] || kill "$docker_pid"
}
trap cleanup EXIT

# await SECONDS WHAT COMMAND...
await() {
  local deadline=$((SECONDS + $1 * ${TEST_PATIENCE:-1})) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS > deadline)); then fail "$what"; fi
    sleep 0.5
  done
}

# timed WHAT COMMAND...: its output is in target/images/log.
timed() {
  local begun=$SECONDS what=$1
  shift
  if ! "$@" >"$work/log" 2>&1; then
    tail -n 40 "$work/log" >&2
    fail "$what"
  fi
  say "$what: $((SECONDS - begun)) s"
}

has_image() { docker image inspect "$1" >/dev/null 2>&1; }
build() { timeout 1800 docker build --network host --label "$project" "$@"; }
# The image of an instruction FROM: from FILE LINE
from() { sed -n 's/^FROM \([^ ]*\).*/\1/p' "$root/src/main/docker/$1" | sed -n "$2p"; }

start_docker() {
  if docker info >/dev/null 2>&1; then return; fi
  dockerd >"$work/dockerd.log" 2>&1 &
  docker_pid=$!
  await 60 "Docker does not start: see $work/dockerd.log" docker info
}

# A Debian of the release that has the versions of the images, with this machine's certificates.
make_debian() {
  rm -rf "$work/debian"
  mmdebstrap --variant=minbase --include=ca-certificates trixie "$work/debian"
  tar -cf "$work/debian.tar" -C "$work/debian" --exclude=./etc/ssl/certs .
  tar -rhf "$work/debian.tar" -C / etc/ssl/certs
  rm -rf "$work/debian"
}

import_jdk() {
  local tar=$work/jdk.tar
  cp "$work/debian.tar" "$tar"
  tar -rhf "$tar" --transform='s|^\.|opt/java/openjdk|' --exclude=./lib/src.zip -C "$JAVA_HOME" .
  if [[ -d ~/.m2 ]]; then tar -rf "$tar" --transform='s|^|root/|' -C ~ .m2; fi
  docker import --change "LABEL $project=" --change 'ENV JAVA_HOME=/opt/java/openjdk' "$tar" "$1"
  rm "$tar"
}

base_images() {
  local image
  if [[ ! -f $work/debian.tar ]]; then timed "made a Debian" make_debian; fi
  for image in "$debian" "$(from Dockerfile.cuda 2)"; do
    if has_image "$image"; then continue; fi
    built+=("$image")
    timed "imported $image" docker import --change "LABEL $project=" "$work/debian.tar" "$image"
  done
  if ! has_image "$jdk"; then
    built+=("$jdk")
    timed "imported $jdk" import_jdk "$jdk"
  fi
}

service_images() {
  local service image
  for service in kafka postgres prometheus; do
    image=$("${compose[@]}" config --format json | jq -r ".services.$service.image")
    if has_image "$image"; then continue; fi
    built+=("$image")
    timed "built a stand-in for $image" build --target "$service" --build-arg "DEBIAN=$debian" --build-arg "JDK=$jdk" \
      --build-arg "TRAINYARD=$trainyard" --file "$root/src/test/docker/Dockerfile.services" --tag "$image" \
      "$root/src/test/docker"
  done
}

# A command in a container of its own, restricted like a pod, in the network of the fleet if there is one.
run_in_container() {
  docker run --rm --interactive --read-only --cap-drop ALL --security-opt no-new-privileges --memory 4g --volume /tmp --volume /work \
    --volume "$root/docs/examples:/jobs:ro" --env TRAINYARD_KAFKA=kafka:19092 "${network[@]}" "$trainyard" "$@"
}

job() { curl --silent --fail --max-time 10 "localhost:8080/api/v1/jobs/$1"; }
job_is() { [[ $(job "$1" | jq -r "$2") == true ]]; }
finished_in_prometheus() {
  local query="localhost:9090/api/v1/query?query=max%28trainyard_jobs_finished_total%29"
  [[ $(curl --silent --max-time 10 "$query" | jq -r '.data.result[0].value[1]') == "$1" ]]
}
restricted() {
  docker inspect "$1" | jq -e --argjson memory "$2" '.[0] | .Config.User == "10001:10001" and .HostConfig.ReadonlyRootfs
    and .HostConfig.CapDrop == ["ALL"] and .HostConfig.Memory == $memory and .State.Running'
}
container() { "${compose[@]}" ps --quiet "$1"; }

mkdir -p "$work"
jdk=$(from Dockerfile.jvm 1)
trainyard=$("${compose[@]}" config --format json | jq -r .services.dashboard.image)
worker=$("${compose[@]}" config --format json | jq -r .services.worker.image)
cuda=${trainyard/trainyard:/trainyard-cuda:}
readonly jdk trainyard worker cuda
network=(--network none)

begun=$SECONDS
start_docker
base_images
built+=("$project/build" "$trainyard" "$worker" "$cuda")
timed "built the application" build --file "$root/src/main/docker/Dockerfile.jvm" --target build --tag "$project/build" "$root"
timed "built the worker's image" build --file "$root/src/main/docker/Dockerfile.jvm" --target worker --tag "$worker" "$root"
timed "built the image of all commands" build --file "$root/src/main/docker/Dockerfile.jvm" --tag "$trainyard" "$root"
timed "built Dockerfile.cuda" build --file "$root/src/main/docker/Dockerfile.cuda" --tag "$cuda" \
  --build-arg "TRAINYARD=$worker" "$root"
timed "the CUDA image starts" docker run --rm --read-only --cap-drop ALL "$cuda" --version
service_images

timed "checked the device" run_in_container check-device cpu --no-bench --only golden,determinism,optimizers
timed "trained a job" run_in_container train /jobs/first.json

timed "started the fleet" "${compose[@]}" up --detach --no-build kafka postgres prometheus dashboard worker
network=(--network "${project}_default")
await 120 "the dashboard is not ready" curl --silent --fail localhost:8080/q/health/ready
restricted "$(container dashboard)" $((1 << 30)) >/dev/null || fail "the dashboard is not restricted"
first=$(container worker)
restricted "$first" $((4 << 30)) >/dev/null || fail "the worker is not restricted"

timed "trained a job of another container" run_in_container submit --watch /jobs/first.json
await 60 "Prometheus does not count the job" finished_in_prometheus 1

run_in_container submit - >"$work/job" \
  <<<'{"network": "fashion", "dataset": "shapes28", "epochs": 40, "optimizer": {"type": "adam"}}'
handed=$(tail -n 1 "$work/job")
await 120 "the job $handed does not start" job_is "$handed" '.summary.step > 200'
timed "started a second worker" "${compose[@]}" up --detach --no-build --no-recreate --scale worker=2 \
  kafka postgres prometheus dashboard worker
timed "stopped the first worker in mid-job" docker stop --time 45 "$first"
status=$(docker inspect --format '{{.State.ExitCode}}' "$first")
[[ $status == 0 || $status == 143 ]] || fail "the stopped worker has exit status $status"
await 120 "the job $handed is not handed over" job_is "$handed" '(.attempts | length) == 2'
await 300 "the job $handed does not finish" job_is "$handed" '.summary.state == "finished"'
job_is "$handed" '[.attempts[].worker] | unique | length == 2' || fail "one worker trained the whole job $handed"
await 60 "Prometheus does not count the second job" finished_in_prometheus 2
timed "checked the events" run_in_container events --check --complete
timed "stopped the fleet" "${compose[@]}" down --volumes

say "images (uncompressed):"
docker image ls --format '  {{.Repository}}:{{.Tag}} {{.Size}}' | grep -F -e "$trainyard" -e "$worker" -e "$cuda"
say "not run: $skipped"
say "the images were verified in $((SECONDS - begun)) s"
