# For lm/network.sh and lm/network.small.sh, which source it with `lm` set: the program by its whole path, and a folder for scratch files, in which they go
# on. SCRATCH names one to keep.
MAJUSCULE=$(realpath "${MAJUSCULE:-$lm/../target/release/majuscule}")
export MAJUSCULE
if [ -n "${SCRATCH:-}" ]; then
    mkdir -p "$SCRATCH"
    scratch=$(realpath "$SCRATCH")
else
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
fi
# The manifest names these files.
cd "$scratch"
