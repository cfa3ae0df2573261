#!/usr/bin/env bash
# Compiles the library for aarch64 and runs its tests of the engine there, and the program on an example, under qemu-user:
#
#     benches/aarch64.sh
#
# Debian's packages gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user are needed, and those that npm/rust.sh
# unpacks. Prints the result of the tests, and a sentence as each model restores it.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${CARGO_TARGET_DIR:-target}/aarch64"
CARGO_TARGET_DIR=$(cd "${CARGO_TARGET_DIR:-target}/aarch64" && pwd)
export CARGO_TARGET_DIR
rust=$CARGO_TARGET_DIR/rust

missing() { echo "benches/aarch64.sh: $*" >&2; exit 3; }

. npm/rust.sh

for program in aarch64-linux-gnu-gcc qemu-aarch64; do
  command -v $program >/dev/null || missing "no $program: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
done
target=aarch64-unknown-linux-gnu
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"
compiler_for $target std,panic_unwind,test

for processor in cortex-a53 max; do
  echo "== the tests of networks on $processor"
  QEMU_CPU=$processor cargo test --locked "${std[@]}" --target $target -p majuscule-methods --features network --lib -- network::
done

echo "== restoring"
cargo build --locked "${std[@]}" --target $target -p majuscule-cli --no-default-features --features lang-en
for model in accurate fast best; do
  MAJUSCULE_MODELS=lm/networks $CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER \
    "$CARGO_TARGET_DIR/$target/debug/majuscule" restore --lang en --preset $model <<<"we met angela merkel in lisbon"
done
