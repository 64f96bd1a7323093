#!/usr/bin/env bash
# Everything that is to be measured on a machine with an NVIDIA GPU, in one call of less than ten minutes: the check of the
# device, the comparison with PyTorch, and where a GPU begins to pay. Needs the built application in $APP (a folder with
# quarkus-run.jar), java 25 and a Python with torch, numpy and pillow; no Maven, no data.
#
#   APP=DIR PEER=train_torch.py bash bench/on-gpu.sh [PART...]     check, compare, sweep, benchmark; all unless named
#
#   OUT      where results go (default: bench/results); a file a part, and a log of its errors
#   PYTHON   the Python that has torch (default: python3)
#   DEVICE   the GPU (default: cuda:0)
#   CUDA_LIBRARIES  folders of NVIDIA's libraries, where Trainyard does not find them by itself
#
# A part that fails or runs out of its minutes leaves what it has printed, and the others run. Ends with 1 if one failed.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${OUT:-$here/results}
python=${PYTHON:-python3}
device=${DEVICE:-cuda:0}
peer=${PEER:-$here/../../shared/peers/train_torch.py}
: "${APP:?the folder of the built application, with quarkus-run.jar}"
java=(java "@$here/../src/main/jvm/flags")
mkdir -p "$out"
failed=0

# part NAME SECONDS COMMAND...: bounded, into files of that name.
part() {
  local name=$1 seconds=$2 status=0
  shift 2
  local begin=$SECONDS
  timeout --kill-after=10 "$seconds" "$@" >"$out/$name.txt" 2>"$out/$name.log" || status=$?
  echo "$name: exit status $status after $((SECONDS - begin)) s, $(wc -l <"$out/$name.txt") lines in $out/$name.txt"
  [[ $status == 0 ]] || failed=1
}

trainyard() { part "$1" "$2" "${java[@]}" -jar "$APP/quarkus-run.jar" "${@:3}"; }

parts=("$@")
[[ $# -gt 0 ]] || parts=(check compare sweep benchmark)
trainyard devices 20 devices
for name in "${parts[@]}"; do
  case $name in
    check) trainyard check 100 check-device "$device" --no-bench --minutes 1.5 ;;
    compare)
      part compare 240 "$python" "$here/compare.py" --device "$device" --python "$python" --peer "$peer" --rounds 1 \
        --minutes 3.8
      ;;
    sweep) part sweep 100 "$python" "$here/sweep.py" --device "$device" --against cpu --minutes 1.5 ;;
    benchmark) trainyard benchmark 110 check-device "$device" --only benchmark --minutes 1.7 ;;
    *) echo "on-gpu.sh: \"$name\" is none of check, compare, sweep, benchmark" >&2 && exit 2 ;;
  esac
done
exit $failed
