# For scripts that compile for a target whose standard library rustup would have to download. They set `rust` to a folder that
# stays, and define `missing`, which ends them. `compiler_for TARGET CRATES` then sets what cargo needs, and `std` to its
# options; CRATES are those of the standard library.
#
# The compiler and the standard library's sources are Debian's packages of Rust for the web, which compile for other targets as well.
# They are unpacked and not installed. Where rustup has the target, that is used instead.

# Unpacks Debian's packages once.
unpack_rust() {
  [ -e "$rust/done" ] && return
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || missing "no apt-get to get a compiler for this target"
  local std llvm package debs=$rust.debs
  rm -rf "$rust" "$debs"
  mkdir -p "$rust" "$debs"
  newest_std() { apt-cache depends libstd-rust-web-dev 2>/dev/null | grep -o 'libstd-rust-web-[0-9][0-9.]*' | head -1; }
  # A fresh machine has no lists of packages, or those of a compiler that is too old.
  apt-get update -qq || true
  std=$(newest_std) || true
  [ -n "$std" ] || missing "this system has no packages rustc-web and libstd-rust-web-dev"
  llvm=$(apt-cache depends rustc-web "$std" | grep -o 'libllvm[0-9]*' | sort -u)
  # shellcheck disable=SC2086
  (cd "$debs" && apt-get download -qq rustc-web libstd-rust-web-dev "$std" rust-web-src $llvm) ||
    missing "the packages rustc-web and rust-web-src cannot be had"
  for package in "$debs"/*.deb; do
    case $package in
      */rust-web-src*) dpkg --fsys-tarfile "$package" | tar -x -C "$rust" --wildcards './usr/src/rustc-*/library' ./usr/lib/rustlib/src ;;
      *) dpkg -x "$package" "$rust" ;;
    esac
  done
  rm -r "$debs"
  touch "$rust/done"
}

# Refuses a compiler that is older than the library takes.
check_version() {
  local oldest found
  oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$(dirname "${BASH_SOURCE[0]}")/../Cargo.toml")
  found=$(LD_LIBRARY_PATH=$(echo "$rust"/usr/lib/*-linux-gnu) "$rust/usr/bin/rustc" --version | cut -d' ' -f2)
  [ "$(printf '%s\n' "$oldest" "$found" | sort --version-sort | head -1)" = "$oldest" ] ||
    missing "this system's compiler for other targets is rustc $found, and $oldest is needed"
}

compiler_for() {
  std=()
  [ -d "$(rustc --print sysroot)/lib/rustlib/$1" ] && return
  unpack_rust
  check_version
  LD_LIBRARY_PATH=$(echo "$rust"/usr/lib/*-linux-gnu)
  export LD_LIBRARY_PATH RUSTC=$rust/usr/bin/rustc RUSTC_BOOTSTRAP=1
  # shellcheck disable=SC2034
  std=(-Z "build-std=$2")
}
