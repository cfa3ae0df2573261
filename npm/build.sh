#!/usr/bin/env bash
# Builds the npm package into npm/dist: WebAssembly, JavaScript, types and models. Prints the size of each part.
#
# The compiler and the standard library's sources are Debian's packages of Rust for the web, which are unpacked into the
# folder of the build and not installed: rustup's toolchain has its standard library for WebAssembly, if it has one, only
# by download. Where rustup's own target wasm32-unknown-unknown is installed, that is used instead.
#
# Exit status 3: there is no compiler for WebAssembly here, and none to be had.
set -euo pipefail
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-../target}
mkdir -p "$target/wasm"
target=$(cd "$target/wasm" && pwd)
rust=$target/rust

missing() { echo "npm/build.sh: $*" >&2; exit 3; }

# Unpacks Debian's packages once.
unpack_rust() {
  [ -e "$rust/done" ] && return
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || missing "no target wasm32-unknown-unknown, and no apt-get to get one"
  rm -rf "$rust" "$target/debs"
  mkdir -p "$rust" "$target/debs"
  local std llvm package
  newest_std() { apt-cache depends libstd-rust-web-dev 2>/dev/null | grep -o 'libstd-rust-web-[0-9][0-9.]*' | head -1; }
  # A fresh machine has no lists of packages.
  std=$(newest_std) || { apt-get update -qq || true; std=$(newest_std) || true; }
  [ -n "$std" ] || missing "this system has no packages rustc-web and libstd-rust-web-dev"
  llvm=$(apt-cache depends rustc-web "$std" | grep -o 'libllvm[0-9]*' | sort -u)
  # shellcheck disable=SC2086
  (cd "$target/debs" && apt-get download -qq rustc-web libstd-rust-web-dev "$std" rust-web-src $llvm) ||
    missing "the packages rustc-web and rust-web-src cannot be had"
  for package in "$target"/debs/*.deb; do
    case $package in
      */rust-web-src*) dpkg --fsys-tarfile "$package" | tar -x -C "$rust" --wildcards './usr/src/rustc-*/library' ./usr/lib/rustlib/src ;;
      *) dpkg -x "$package" "$rust" ;;
    esac
  done
  rm -r "$target/debs"
  touch "$rust/done"
}

# Compiles the core with features into a file; more options go to cargo.
compile() {
  local out=$1 features=$2
  shift 2
  (
    # In a subshell: they would have everything else compiled again.
    export CARGO_TARGET_DIR=$target
    # No path of this machine is in the messages, and two builds are equal.
    export RUSTFLAGS="--remap-path-prefix=$(cd .. && pwd)=majuscule --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=registry --remap-path-prefix=$rust=rust"
    local std=()
    if ! [ -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" ]; then
      linker=$(find "$(rustc --print sysroot)" -name rust-lld | head -1)
      export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$linker
      LD_LIBRARY_PATH=$(echo "$rust"/usr/lib/*-linux-gnu)
      export LD_LIBRARY_PATH RUSTC=$rust/usr/bin/rustc RUSTC_BOOTSTRAP=1
      std=(-Z build-std=std,panic_abort)
    fi
    cargo build --locked --profile wasm "${std[@]}" --target wasm32-unknown-unknown -p majuscule-npm --no-default-features \
      --features "$features" "$@"
  )
  cp "$target/wasm32-unknown-unknown/wasm/majuscule_npm.wasm" "$out"
}

command -v node >/dev/null || missing "no Node: 20.16 or later is needed"
if ! [ -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" ]; then unpack_rust; fi
rm -rf dist
mkdir -p dist/models
compile dist/majuscule.wasm all
compile dist/majuscule.text.wasm "" --config 'profile.wasm.package.majuscule.opt-level="s"'
if command -v wasm-opt >/dev/null; then
  for core in dist/*.wasm; do
    wasm-opt -O3 --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals \
      --enable-multivalue --enable-reference-types "$core" -o "$core"
  done
else
  echo "npm/build.sh: no wasm-opt here: the code is a twentieth larger than it could be"
fi
cp package.json index.d.ts README.md ./*.js ../LICENSE-* dist
cp ../lm/en.{accurate,fast} ../lm/languages/*.{accurate,fast} dist/models
node tools/finish.mjs dist
