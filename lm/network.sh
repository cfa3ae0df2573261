#!/bin/sh
# Makes a network for the preset best: sh lm/network.sh en|multilingual CORPORA ENCODER [OUTPUT]
#
# CORPORA holds the files that lm/sample.sh or lm/sample.multilingual.sh names. ENCODER is the folder of all-MiniLM-L6-v2 for English and of
# multilingual-e5-small for Spanish, French, Dutch and Portuguese (docs/book/src/training/bert.md). OUTPUT, lm/networks unless given, gets en.best or
# multilingual.best. The program must have the feature neural; with cuda a network takes minutes, and hours without. An interrupted run goes on from its
# checkpoint if SCRATCH names a folder to keep. MAJUSCULE names another binary than target/release/majuscule.
set -eu
lm=$(realpath "$(dirname "$0")")
name=$1
corpora=$(realpath "$2")
encoder=$(realpath "$3")
output=$(realpath -m "${4:-$lm/networks}")
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
case $name in
en)
    ln -sfn "$encoder" minilm
    [ -f sample.txt ] || sh "$lm/sample.sh" "$corpora" sample.txt
    set -- --encoder minilm --epochs 1 --held-out 0.002 --lang en sample.txt
    ;;
multilingual)
    ln -sfn "$encoder" e5
    [ -f multi/pt.txt ] || sh "$lm/sample.multilingual.sh" "$corpora" multi
    set -- --encoder e5 --keep-subwords --epochs 2 --held-out 0.003 --lang es,fr,nl,pt --locale root multi/es.txt multi/fr.txt multi/nl.txt multi/pt.txt
    ;;
*)
    echo "network.sh: $name: expected en or multilingual" >&2
    exit 1
    ;;
esac
[ -f "$name/majuscule.json" ] || "$MAJUSCULE" train bert --layers 6 --marks --labelled-subword last --protocol windows --frozen 0 --batch-subwords 4096 --rate 6e-4 --head-rate 2e-3 --warm-up 200 --decay \
    --precision bf16 --checkpoint "$name.checkpoint" --log "$name.log" "$@" -o "$name"
mkdir -p "$output"
"$MAJUSCULE" compact "$name" --force --pack "$output/$name.best"
