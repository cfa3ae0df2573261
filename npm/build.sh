#!/usr/bin/env bash
# Builds the npm package into npm/dist: WebAssembly, JavaScript, types and models. Prints the size of each part.
#
# Exit status 3: there is no compiler for WebAssembly here, and none to be had.
set -euo pipefail
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-../target}
mkdir -p "$target/wasm"
target=$(cd "$target/wasm" && pwd)
rust=$target/rust

missing() { echo "npm/build.sh: $*" >&2; exit 3; }

. ./rust.sh

# Compiles the core with features into a file; more options go to cargo, and `instructions` to the compiler.
compile() {
  local out=$1 features=$2
  shift 2
  # No path of this machine is in the messages, and two builds are equal.
  RUSTFLAGS="--remap-path-prefix=$(cd .. && pwd)=majuscule --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=registry --remap-path-prefix=$rust=rust ${instructions:-}" \
    cargo build --locked --profile wasm "${std[@]}" --target wasm32-unknown-unknown -p majuscule-npm --no-default-features \
    --features "$features" "$@"
  cp "$target/wasm32-unknown-unknown/wasm/majuscule_npm.wasm" "$out"
}

command -v node >/dev/null || missing "no Node: 20.16 or later is needed"
export CARGO_TARGET_DIR=$target
CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$(find "$(rustc --print sysroot)" -name rust-lld | head -1)
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER
compiler_for wasm32-unknown-unknown std,panic_abort
rm -rf dist
mkdir -p dist/models
# Networks compute with vectors.
instructions=-Ctarget-feature=+simd128 compile dist/majuscule.wasm all
small=()
for package in base text lm format methods restore; do small+=(--config "profile.wasm.package.majuscule-$package.opt-level=\"s\""); done
compile dist/majuscule.text.wasm "" "${small[@]}"
if command -v wasm-opt >/dev/null; then
  for core in dist/*.wasm; do
    wasm-opt -O3 --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals \
      --enable-multivalue --enable-reference-types --enable-simd "$core" -o "$core"
  done
else
  echo "npm/build.sh: no wasm-opt here: the code is a twentieth larger than it could be"
fi
cp package.json index.d.ts README.md ./*.js ../LICENSE-* dist
cp ../lm/en.{accurate,fast} ../lm/languages/*/*.{accurate,fast} dist/models
node tools/finish.mjs dist
