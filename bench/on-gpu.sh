#!/usr/bin/env bash
# Checks and measures the CUDA device on a machine with an NVIDIA GPU, in three parts of a few minutes each. Results are printed
# as they arrive, and the archive is written again after each part, so an interrupted run is useful, too.
#
#   APP=DIR bash bench/on-gpu.sh correctness|speed|why...
#
#   correctness   check-device: golden and determinism first, then layers, losses, optimizers, divergence, memory   (2 minutes)
#   speed         every built-in network in each precision, next to PyTorch on the same machine                     (6 minutes)
#   why           kernels and their times by Nsight Compute, memcheck, a job from a message, a second process       (3 minutes)
#
#   APP      the built application: a folder with quarkus-run.jar
#   PEER     the PyTorch script (default: bench/train_torch.py)
#   OUT      the folder for results.tar.xz (default: bench/results); above 16 MB it is reported
#   PYTHON   a Python with torch, numpy and pillow (default: python3)
#   DEVICE   the GPU (default: cuda:0)
#   CUDA_LIBRARIES  folders of NVIDIA's libraries, if Trainyard does not find them
#
# Requires Java 25, but no Maven, network or data. ncu and compute-sanitizer are skipped with a message if they are not installed.
# Exits with 1 if a part failed.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/.." && pwd)
out=${OUT:-$here/results}
python=${PYTHON:-python3}
device=${DEVICE:-cuda:0}
peer=${PEER:-$here/train_torch.py}
[[ $# -gt 0 ]] || { sed -n '2,21s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 2; }
: "${APP:?the folder of the built application, with quarkus-run.jar}"
work=$(mktemp -d)
results=$work/results
mkdir -p "$out" "$results"
java=(java "@$root/src/main/jvm/flags" "-XX:ErrorFile=$results/hs_err_%p.log" -jar "$APP/quarkus-run.jar")
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$work/cache}
failed=0
SECONDS=0

say() { echo "[$SECONDS s] $*"; }

pack() {
  tar -C "$results" -cf - . | xz -3 >"$out/results.new" && mv "$out/results.new" "$out/results.tar.xz"
  local bytes
  bytes=$(stat -c %s "$out/results.tar.xz" 2>/dev/null || stat -f %z "$out/results.tar.xz")
  ((bytes < 16000000)) || say "results.tar.xz has $bytes bytes"
}
finish() {
  pack
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 143' TERM INT

# part NAME SECONDS COMMAND...: bounded, its output in files of that name
part() {
  local name=$1 seconds=$2 begin=$SECONDS status=0
  shift 2
  timeout --kill-after=5 "$seconds" "$@" >"$results/$name.out" 2>"$results/$name.err" || status=$?
  say "$name: exit status $status after $((SECONDS - begin)) s"
  if [[ $status != 0 ]]; then
    failed=1
    grep -v '^$' "$results/$name.err" | tail -n 3 | cut -c1-300
  fi
  return 0
}

check() {
  local name=$1 seconds=$2
  shift 2
  part "$name" "$seconds" "${java[@]}" check-device "$device" --json --minutes "$(awk "BEGIN { print ($seconds - 6) / 60 }")" "$@"
  "$python" "$here/summary.py" check "$results/$name.out"
}

correctness() {
  local precision
  check golden 80 --only golden,determinism
  pack
  for precision in fp32 tf32 bf16; do # correctness needs no quiet machine
    check "layers-$precision" 120 --only layers --precision "$precision" &
    check "divergence-$precision" 120 --only divergence --precision "$precision" &
  done
  check losses 120 --only losses,optimizers &
  wait
  check memory 40 --only memory
}

# of_peer NAME COMMAND...
of_peer() {
  local name=$1
  shift
  part "$name" 60 "$@"
  echo "  PyTorch, $name: $(grep -o '"median_step_micros": [0-9.]*' "$results/$name.out" | tail -n 1)"
}

speed() {
  local torch=("$python" "$peer" --device cuda --dataset random --epochs 9 --every 1000000 --no-test --max-steps 2500 --cuda-graph)
  local resnet=("$python" "$here/resnet18_peer.py" --device cuda --cuda-graph) precision model
  local tuned=(--channels-last --tf32)
  for precision in fp32 tf32 bf16; do
    check "benchmark-$precision" 70 --only benchmark --precision "$precision"
    case $precision in
      fp32 | tf32)
        for model in "tudui --batch 64" "lenet --batch 4 --momentum 0.9" "fashion --batch 100" "signs --batch 32"; do
          # shellcheck disable=SC2086 # words of a command line
          if [[ $precision == fp32 ]]; then
            of_peer "${model%% *}-fp32" "${torch[@]}" --model $model
          else
            of_peer "${model%% *}-tf32" "${torch[@]}" "${tuned[@]}" --model $model
          fi
        done
        of_peer "resnet18-128-$precision" "${resnet[@]}" --batch 128 --precision "$precision"
        ;;
      bf16)
        of_peer resnet18-512-bf16 "${resnet[@]}" --batch 512 --precision bf16
        of_peer resnet18-512-bf16-compiled "${resnet[@]}" --batch 512 --precision bf16 --compile
        of_peer resnet18-128-bf16-compiled "${resnet[@]}" --batch 128 --precision bf16 --compile
        ;;
    esac
    pack
  done
}

# job NAME NETWORK BATCH PRECISION
job() {
  cat >"$work/$1.json" <<EOF
{"id": "$1", "network": "$2", "epochs": 2, "batchSize": $3, "precision": "$4", "dataset": "shapes32",
 "optimizer": {"type": "sgd", "learningRate": 0.01, "momentum": 0.9}}
EOF
}

# profile NAME KERNELS: the kernels of one job's first steps. The timer of algorithms would measure the profiler, so it is off.
profile() {
  local name=$1
  CUDA_TIMED_ALGORITHMS=off part "profile-$name" 60 ncu --clock-control none --metrics gpu__time_duration.sum --launch-count "$2" --kill yes \
    --csv --log-file "$results/profile-$name.csv" "${java[@]}" train "$work/$name.json" --device "$device" --checkpoints "$work/of-$name"
  "$python" "$here/summary.py" kernels "$results/profile-$name.csv" 200
}

why() {
  job first lenet 4 fp32
  job second lenet 4 fp32
  job tudui tudui 64 fp32
  job resnet resnet18-cifar 512 bf16
  job message lenet 4 fp32
  for name in first second; do # the second finds the kernels compiled
    part "train-$name" 60 "${java[@]}" train "$work/$name.json" --device "$device" --checkpoints "$work/of-$name" --json
    "$python" "$here/summary.py" start "$results/train-$name.out"
  done
  if command -v ncu >/dev/null; then
    profile tudui 600
    profile resnet 900
  else
    say "profiles are left out: there is no ncu"
  fi
  if command -v compute-sanitizer >/dev/null; then
    part memcheck 90 compute-sanitizer --tool memcheck --error-exitcode 9 "${java[@]}" check-device "$device" --only losses
    tail -n 1 "$results/memcheck.out"
  else
    say "memcheck is left out: there is no compute-sanitizer"
  fi
  pack
  "${java[@]}" broker --dir "$work/kafka" --port 19092 >"$results/broker.out" 2>&1 &
  local broker=$! worker
  "${java[@]}" worker --kafka localhost:19092 --device "$device" --checkpoints "$work/of-worker" >"$results/worker.out" 2>&1 &
  worker=$!
  part message 80 "${java[@]}" submit "$work/message.json" --kafka localhost:19092 --watch
  tail -n 1 "$results/message.out" | cut -c1-200
  kill "$worker" "$broker" 2>/dev/null
  wait "$worker" "$broker" 2>/dev/null
}

part devices 30 "${java[@]}" devices
head -n 1 "$results/devices.out" | cut -c1-300
grep -q "^${device%%:*}:" "$results/devices.out" || [[ $device == cpu || $device == reference ]] \
  || { say "there is no $device: see the line above" && exit 1; }
"$python" -c 'import torch; print("PyTorch", torch.__version__, "cuDNN", torch.backends.cudnn.version())' 2>/dev/null || say "there is no PyTorch"
for name in "$@"; do
  case $name in
    correctness | speed | why) "$name" ;;
    *) echo "on-gpu.sh: \"$name\" is none of correctness, speed, why" >&2 && exit 2 ;;
  esac
done
say "done"
exit $failed
