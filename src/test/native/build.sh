#!/usr/bin/env bash
# Builds the fake libcuda, libcudnn, libcublas, libnvrtc and libnvidia-ml into target/fake-cuda (see README.md).
# Compiles only changed files, on all processors; a second build waits for the first.
#
#   build.sh            the fake libraries
#   build.sh true ...   skips the build, for any argument `true` (Maven's values of skipTests and maven.test.skip)
#
#   CXX   the compiler; g++ unless set
set -euo pipefail

for argument in "$@"; do
  if [[ $argument == true ]]; then exit 0; fi
done

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
readonly here root
readonly kernels=$root/src/main/resources/io/trainyard/device/cuda
readonly out=$root/target/fake-cuda
readonly objects=$out/objects
readonly compiler=${CXX:-g++}

say() { echo "fake CUDA libraries: $*" >&2; }

if [[ $(uname -sm) != "Linux x86_64" ]]; then
  say "left out: JCuda has natives for 64-bit Linux on x86 only, and this is $(uname -sm). The tests of the CUDA device are skipped."
  exit 0
fi
if ! command -v "$compiler" >/dev/null; then
  say "there is no $compiler (package g++ of Debian and Ubuntu), so the tests of the CUDA device cannot run."
  if [[ ${CI:-} == true ]]; then exit 1; fi
  exit 0
fi

if command -v flock >/dev/null; then
  exec 8<"${BASH_SOURCE[0]}"
  flock 8
fi
mkdir -p "$objects" "$out/missing-symbol"

# Warnings are errors: what compiles here compiles without any. Kernels are compiled as NVRTC compiles them, without
# fused multiplication and addition, and call fibres.cpp where an address is misaligned; cuDNN's and cuBLAS's loops for the processor of this machine.
common=(-std=c++17 -O2 -fPIC -Wall -Wextra -Werror -U_FORTIFY_SOURCE -pthread)
readonly common
readonly kernel_flags=(-fsanitize=alignment -ffp-contract=off -fno-strict-aliasing -Wno-unused-function -Wno-unused-parameter
  -Wno-unknown-pragmas -Wno-sign-compare -Wno-unused-const-variable -Wno-psabi)
readonly loop_flags=(-O3 -march=native -ffp-contract=fast -fno-trapping-math -fno-math-errno)

newest_header=$(find "$here" -name '*.h' -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2-)
readonly newest_header

# compile <object> <source> [flag...]
compile() {
  local object=$objects/$1 source=$2
  shift 2
  if [[ $object -nt $source && $object -nt $newest_header && $object -nt ${BASH_SOURCE[0]} ]]; then return; fi
  while (($(jobs -pr | wc -l) >= $(nproc))); do wait -n; done
  {
    "$compiler" "${common[@]}" "$@" -c "$source" -o "$object.new" && mv "$object.new" "$object"
  } &
}

# The text of the kernels with a table of them, once for each kind of values: generate <float|bfloat16> [flag...]
generate() {
  local kind=$1 generated=$objects/kernels_$1.cpp file
  shift
  if [[ $generated -nt ${BASH_SOURCE[0]} && -z $(find "$kernels" "$here"/kernels/*.cu -newer "$generated" -print -quit) ]]; then return; fi
  {
    for file in "$kernels"/*.cuh "$kernels"/*.cu "$here"/kernels/*.cu; do
      [[ -e $file ]] || continue
      echo "#line 1 \"${file#"$root"/}\""
      cat "$file"
    done
  } | "$compiler" -std=c++17 "$@" -x c++ -E - >"$objects/$kind.text"
  {
    echo '#include "kernels/host_cuda.h"'
    echo "namespace trainyard::${kind}_program {"
    # In the other program there are functions of the same names. What is __shared__ lies in the block's memory.
    sed -E -e 's/extern "C" *__global__/__global__/' \
      -e 's/__shared__ +([^;[]*[^A-Za-z_0-9;[])([A-Za-z_][A-Za-z_0-9]*)((\[[^];]*\])*);/auto\& \2 = ::trainyard::shared<\1 \3, __COUNTER__>();/' \
      "$objects/$kind.text"
    echo "}"
    echo "const std::vector<trainyard::Kernel>& trainyard::${kind}Kernels() {"
    echo "    using namespace trainyard::${kind}_program;"
    echo "    static const std::vector<Kernel> all{"
    grep -v '^#' "$objects/$kind.text" | tr '\n' ' ' |
      grep -oE 'extern "C" +__global__ +void +(__[a-z_]+__\([^)]*\) +)*[A-Za-z_0-9]+' |
      sed -E 's/.* ([A-Za-z_0-9]+)$/        Invoke<\&\1>::named("\1"),/'
    echo "    };"
    echo "    return all;"
    echo "}"
  } >"$generated"
}

# link <library> <its own name> <version script> <object...> [flag...]
link() {
  local library=$out/$1 soname=$2 script=$3 object
  shift 3
  local stale=false
  for object in "$@"; do
    if [[ $object == *.o && ! $library -nt $object ]]; then stale=true; fi
  done
  if [[ -e $library && $stale == false && $library -nt ${BASH_SOURCE[0]} ]]; then return; fi
  local map=$objects/${library##*/}.map
  [[ $library == "$out"/lib* ]] || map=$map.variant
  echo "$script" >"$map"
  "$compiler" -shared -pthread -Wl,-Bsymbolic -Wl,-soname,"$soname" -Wl,-z,defs \
    -Wl,--version-script="$map" -o "$library.new" "$@" -Wl,-rpath,"\$ORIGIN:\$ORIGIN/.."
  mv "$library.new" "$library"
}

generate float
generate bfloat16 -DTRAINYARD_BF16

# of <folder>: the objects of its sources
of() {
  local source
  for source in "$here/$1"/*.cpp; do echo "$objects/$1_$(basename "$source" .cpp).o"; done
}

for source in "$here"/{driver,kernels,nvrtc,nvml}/*.cpp; do
  compile "$(basename "$(dirname "$source")")_$(basename "$source" .cpp).o" "$source"
done
for kind in float bfloat16; do
  compile "kernels_$kind.o" "$objects/kernels_$kind.cpp" -I"$here" "${kernel_flags[@]}"
  # A second time under other names, with calls of driver/traffic.cpp at each access to memory.
  compile "counted_$kind.o" "$objects/kernels_$kind.cpp" -I"$here" "${kernel_flags[@]}" \
    -D${kind}_program=counted_${kind}_program -D${kind}Kernels=counted${kind^}Kernels \
    -fsanitize=thread --param tsan-instrument-func-entry-exit=0 -fno-threadsafe-statics
done
for source in "$here"/{cudnn,cublas}/*.cpp; do
  compile "$(basename "$(dirname "$source")")_$(basename "$source" .cpp).o" "$source" "${loop_flags[@]}"
done
while (($(jobs -pr | wc -l) > 0)); do wait -n; done

mapfile -t driver < <(of driver; of kernels; echo "$objects"/{kernels,counted}_{float,bfloat16}.o | tr ' ' '\n')
mapfile -t cudnn < <(of cudnn)
mapfile -t cublas < <(of cublas)
mapfile -t nvrtc < <(of nvrtc)
mapfile -t nvml < <(of nvml)

link libcuda.so.1 libcuda.so.1 'libcuda.so.1 { global: cu*; trainyard_fake_*; _ZN9trainyard*; local: *; };' "${driver[@]}"
readonly with_driver=("$out/libcuda.so.1")
link libcudnn.so.9 libcudnn.so.9 'libcudnn.so.9 { global: cudnn*; local: *; };' "${cudnn[@]}" "${with_driver[@]}"
# A cuDNN without one of the functions that are needed, as if it were too old.
link missing-symbol/libcudnn.so.9 libcudnn.so.9 \
  'libcudnn.so.9 { global: cudnn*; local: cudnnBackendFinalize; *; };' "${cudnn[@]}" "${with_driver[@]}"
link libcublas.so.13 libcublas.so.13 'libcublas.so.13 { global: cublas*; local: *; };' "${cublas[@]}" "${with_driver[@]}"
link libnvrtc.so.13 libnvrtc.so.13 'libnvrtc.so.13 { global: nvrtc*; local: *; };' "${nvrtc[@]}" "${with_driver[@]}"
link libnvidia-ml.so.1 libnvidia-ml.so.1 'libnvidia_ml.so.1 { global: nvml*; local: *; };' "${nvml[@]}" "${with_driver[@]}"
# They hold nothing; NVIDIA's cuBLAS and NVRTC open theirs by name.
link libcublasLt.so.13 libcublasLt.so.13 '{ local: *; };'
link libnvrtc-builtins.so.13.0 libnvrtc-builtins.so.13.0 '{ local: *; };'
