#!/usr/bin/env bash
# Checks the manifests on the cluster of KUBECONFIG, then trains on it. `./trainyard verify --cluster` runs this.
#
#   verify.sh [--keep]    --keep: leaves the namespace trainyard-verify in place for inspection
#
#   KUBECONFIG     a cluster on which cluster-wide objects may be created, such as one of kind
#   IMAGE          the image of src/main/docker/Dockerfile.jvm on its nodes (default: registry.example.org/trainyard:0.2.0)
#   WORKER_IMAGE   the image of its target worker (default: IMAGE, or registry.example.org/trainyard-worker:0.2.0)
#   TEST_PATIENCE  a factor (whole number) for time limits
#
# Requires kubectl 1.32 or newer. The nodes need these images and apache/kafka:4.3.1, and 2 GiB of free memory. Objects of kinds that the
# cluster does not know (Strimzi's, KEDA's, CloudNativePG's, the Prometheus operator's) are listed, not checked.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

readonly namespace=trainyard-verify
readonly image=${IMAGE:-registry.example.org/trainyard:0.2.0}
readonly worker_image=${WORKER_IMAGE:-${IMAGE:-registry.example.org/trainyard-worker:0.2.0}}
readonly patience=${TEST_PATIENCE:-1}
readonly unavailable_status=69 # EX_UNAVAILABLE of sysexits.h
kubectl=target/kubectl/usr/bin/kubectl
[[ -x $kubectl ]] || kubectl=kubectl
keep=false
[[ ${1:-} != --keep ]] || keep=true
work=$(mktemp -d)
readonly kubectl keep work

say() { echo "verify --cluster: $*"; }
fail() {
  say "FAILED: $*" >&2
  { k get pods --output wide && k get events --sort-by=.lastTimestamp | tail -n 30; } >&2 || true
  k logs --selector app.kubernetes.io/name=trainyard --prefix --tail=20 >&2 || true
  exit 1
}
k() { "$kubectl" --namespace "$namespace" --request-timeout=60s "$@"; }
seconds() { echo $(($1 * patience)); }

# await SECONDS WHAT COMMAND...    runs the command until it succeeds
await() {
  local limit what=$2
  limit=$((SECONDS + $(seconds "$1")))
  shift 2
  until "$@" >"$work/await" 2>&1; do
    ((SECONDS < limit)) || { cat "$work/await" >&2 && fail "$what did not happen within the time limit"; }
    sleep 1
  done
}

finish() {
  if [[ -n ${created:-} ]]; then "$kubectl" delete namespace trainyard --wait=false >/dev/null 2>&1 || true; fi
  [[ -z ${forwarder:-} ]] || kill "$forwarder" 2>/dev/null || true
  if ! $keep && [[ -f $work/fleet.yaml ]]; then
    "$kubectl" delete --ignore-not-found --wait --timeout="$(seconds 120)s" --filename "$work/fleet.yaml" >/dev/null 2>&1 || true
  fi
  rm -rf "$work" k8s/.verify
}

# Sends each object of a rendered folder to the API server, which validates it and stores nothing.
dry_run() {
  local what=$1 folder=$2 status=0 unknown
  "$kubectl" kustomize "$folder" >"$work/rendered.yaml"
  "$kubectl" apply --server-side --force-conflicts --dry-run=server --filename "$work/rendered.yaml" \
    >"$work/accepted" 2>"$work/refused" || status=$?
  unknown=$(sed -n 's/.*no matches for kind "\([^"]*\)" in version "\([^"]*\)".*/\1 (\2)/p' "$work/refused" | sort -u | paste -sd, -)
  if grep -v '^Warning: \|no matches for kind\|ensure CRDs are installed first' "$work/refused" | grep -q .; then
    cat "$work/refused" >&2
    fail "the API server refuses objects of $what"
  fi
  [[ $status == 0 || -n $unknown ]] || fail "the dry run of $what ended with status $status"
  say "$what: $(wc -l <"$work/accepted") objects accepted${unknown:+; not checked, their kinds are not installed: $unknown}"
}

dry_runs() {
  local folder
  # Objects of a namespace need it to exist.
  if "$kubectl" create namespace trainyard >/dev/null 2>&1; then created=true; fi
  for folder in k8s/overlays/*; do dry_run "${folder#k8s/}" "$folder"; done
  # A component extends an overlay.
  for folder in k8s/components/*; do
    [[ $folder != */strimzi ]] || continue # part of each overlay
    mkdir -p "k8s/.verify"
    printf 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: trainyard\nresources: [../overlays/cpu]\n%s\n' \
      "components: [../${folder#k8s/}]" >k8s/.verify/kustomization.yaml
    dry_run "${folder#k8s/}" k8s/.verify
    rm -r k8s/.verify
  done
}

# Forwards a port of this machine to the dashboard's Service, and sets `dashboard` to its address.
forward() {
  local log=$work/forward
  "$kubectl" --namespace "$namespace" port-forward service/trainyard-dashboard :80 >"$log" 2>&1 &
  forwarder=$!
  await 30 "port-forward to the dashboard" grep -q 'Forwarding from 127' "$log"
  dashboard=http://localhost:$(sed -n 's/.*127.0.0.1:\([0-9]*\) .*/\1/p' "$log" | head -n 1)
}
get() { curl -sf --max-time 20 "$dashboard/api/v1/$1"; }
submit() {
  local id
  for id in "${@:2}"; do
    echo "{\"id\": \"$id\", \"network\": \"lenet\", \"dataset\": \"shapes32\", \"epochs\": $1, \"batchSize\": 4}" |
      curl -sf --max-time 20 "$dashboard/api/v1/jobs" -H 'X-Trainyard: verify' --data-binary @- >/dev/null ||
      fail "the dashboard does not accept the job $id"
  done
}
cancel() { curl -sf --max-time 20 -X POST "$dashboard/api/v1/jobs/$1/cancel" -H 'X-Trainyard: verify' >/dev/null; }
field() { get "jobs/$1" | jq -r "$2"; }
is() { [[ $(field "$1" .summary.state) == "$2" ]]; }
continues() { is "$1" running && [[ $(field "$1" .summary.attempt) -gt 1 ]]; }
has_checkpoint() { [[ $(field "$1" '.checkpoints | length') != 0 ]]; }

# Worker pods that are not being deleted, as NAME COST.
workers() {
  k get pods --selector app.kubernetes.io/component=worker --output json | jq -r '.items[]
    | select(.metadata.deletionTimestamp == null)
    | "\(.metadata.name) \(.metadata.annotations["controller.kubernetes.io/pod-deletion-cost"] // "none")"'
}
idle_workers() { workers | awk '$2 == 0' | wc -l; }
are_marked() { [[ $(idle_workers) == "$1" ]]; }
are_workers() { [[ $(workers | wc -l) == "$1" ]]; }
are_ready() { [[ $(k get deployment trainyard-worker --output 'jsonpath={.status.readyReplicas}') == "$1" ]]; }

train_one() {
  submit 2 first
  await 120 "the end of the first job" is first finished
  say "a job is trained: test accuracy $(field first .summary.testAccuracy), on $(field first .summary.worker)"
}

# Two of three workers are busy: a Deployment of two keeps them.
scale_in() {
  submit 100000 long-1 long-2
  await 60 "the start of long-1" is long-1 running
  await 60 "the start of long-2" is long-2 running
  # A job counts after a minute.
  await 120 "the marks of busy workers" are_marked 1
  k scale deployment/trainyard-worker --replicas=2 >/dev/null
  await 90 "the removal of a worker" are_workers 2
  await 60 "two workers" are_ready 2
  local id
  for id in long-1 long-2; do
    [[ $(field "$id" '.summary | .state + " " + (.attempt | tostring)') == "running 1" ]] || fail "scaling in interrupted the job $id"
  done
  say "scaling in removed the idle worker of three"
}

restart() {
  local id
  for id in long-1 long-2; do await 60 "a checkpoint of $id" has_checkpoint "$id"; done
  k rollout restart deployment/trainyard-worker >/dev/null
  k rollout status deployment/trainyard-worker --timeout="$(seconds 300)s" >/dev/null || fail "the rolling restart does not end"
  for id in long-1 long-2; do
    await 120 "the continuation of $id" continues "$id"
    [[ $(field "$id" '[.attempts[] | select(.firstStep == 1)] | length') == 1 ]] || fail "$id was restarted from its first step"
    cancel "$id"
    await 60 "the end of $id" is "$id" cancelled
  done
  say "a rolling restart lost no job: both continued from their checkpoints"
}

trap finish EXIT
trap 'exit 130' INT
unavailable() { say "$*" >&2 && exit "$unavailable_status"; }
for program in "$kubectl" curl jq; do
  command -v "$program" >/dev/null || unavailable "needs $program; ./trainyard verify --install installs kubectl and jq"
done
[[ -n ${KUBECONFIG:-} ]] || unavailable "set KUBECONFIG to the configuration of a cluster, such as one of kind"
"$kubectl" --request-timeout=20s version >"$work/version" 2>&1 ||
  unavailable "the cluster of $KUBECONFIG does not answer: $(tail -n 1 "$work/version")"
say "$(sed -n 's/^Server/server/p' "$work/version")"

dry_runs
"$kubectl" kustomize src/test/kubernetes/fleet | sed "s|image: registry.example.org/trainyard:.*|image: $image|
  s|image: registry.example.org/trainyard-worker:.*|image: $worker_image|" >"$work/fleet.yaml"
"$kubectl" apply --filename "$work/fleet.yaml" >/dev/null
for deployment in broker trainyard-dashboard trainyard-worker; do
  k rollout status "deployment/$deployment" --timeout="$(seconds 240)s" >/dev/null || fail "$deployment is not ready"
done
say "broker, dashboard and three workers are ready after ${SECONDS} s"
forward
train_one
scale_in
restart
say "passed in ${SECONDS} s"
