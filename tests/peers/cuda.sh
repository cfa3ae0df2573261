#!/usr/bin/env bash
# Builds majuscule with the feature cuda on a machine without a GPU, and tries it: the toolkit comes from NVIDIA's packages on PyPI, and
# in place of the driver stands a library that says that there is no GPU. What it does then: `--device cuda:0` is a clear error, and `auto`
# takes the processor.
#
# Usage: cuda.sh [FOLDER]     (target/cuda by default; about 5 GB, and a quarter of an hour on two cores)
#
# On a machine with CUDA 12 or 13 and its driver, `cargo build --release --features cuda` is all that is needed.
set -euo pipefail
cd "$(dirname "$0")/../.."
place=${1:-target/cuda}
mkdir -p "$place"
place=$(cd "$place" && pwd)

[ -x "$place/venv/bin/pip" ] || python3 -m venv "$place/venv"
# The compiler, its headers and libraries are of one version.
"$place/venv/bin/pip" install -q "nvidia-cuda-nvcc==13.0.*" "nvidia-cuda-crt==13.0.*" "nvidia-nvvm==13.0.*" \
  "nvidia-cuda-runtime==13.0.*" "nvidia-cuda-cccl==13.0.*" "nvidia-cuda-nvrtc==13.0.*" "nvidia-cublas==13.0.*" nvidia-curand
packages=$(echo "$place"/venv/lib/python3*/site-packages/nvidia/cu13)

# A toolkit as one folder, with the names that a linker looks for.
kit="$place/kit"
rm -rf "$kit"
mkdir -p "$kit/lib64"
for part in bin include nvvm; do ln -s "$packages/$part" "$kit/$part"; done
for library in "$packages"/lib/*.so.* "$packages"/lib/*.a; do
  name=$(basename "$library")
  ln -s "$library" "$kit/lib64/$name"
  ln -sf "$library" "$kit/lib64/${name%%.so.*}.so"
done

# A driver for which there is no GPU: each of its functions returns CUDA_ERROR_NO_DEVICE.
{
  grep -oE '\bcu[A-Z][A-Za-z0-9_]*' "$packages/include/cuda.h"
  # These have a header of their own, which no package brings.
  printf '%s\n' cuProfilerInitialize cuProfilerStart cuProfilerStop
} | sort -u |
  sed 's/.*/int &(void) { return 100; }/' >"$place/driver.c"
cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$kit/lib64/libcuda.so.1" "$place/driver.c"
ln -sf libcuda.so.1 "$kit/lib64/libcuda.so"

export CUDA_HOME="$kit" CUDA_PATH="$kit" CUDA_COMPUTE_CAP=${CUDA_COMPUTE_CAP:-90} PATH="$kit/bin:$PATH"
export LD_LIBRARY_PATH="$kit/lib64:${LD_LIBRARY_PATH:-}"
export CARGO_TARGET_DIR="$place/target"
RUSTFLAGS="-L native=$kit/lib64" cargo build --release --features cuda

program="$CARGO_TARGET_DIR/release/majuscule"
text="$place/text"
printf 'The minister met Anna in Lisbon.\nShe then went to Paris.\nThey talked about NATO.\n' >"$text"
train=("$program" train bert --encoder tests/data/toy-bert --epochs 1 --held-out 0 --force -o "$place/model" "$text")
if "${train[@]}" --device cuda:0 2>"$place/error"; then
  echo "cuda.sh: a GPU was found: run the tests of the method on it instead" >&2
  exit 1
fi
cat "$place/error"
grep -q -- "--device cuda:0: there is no such GPU here" "$place/error"
"${train[@]}" --device auto
printf 'anna met us in lisbon\n' | "$program" restore --model "$place/model"
echo "cuda.sh: built, linked and tried without a GPU"
