#!/bin/sh
# Makes the network of English for the preset best: sh lm/network.sh CORPORA ENCODER [OUTPUT]
#
# CORPORA holds the files that lm/sample.sh names, and ENCODER is the folder of all-MiniLM-L6-v2 (docs/book/src/training/bert.md). OUTPUT,
# lm/networks unless given, gets en.best. The program must have the feature neural. An interrupted run goes on from its checkpoints if SCRATCH
# names a folder to keep. MAJUSCULE names another binary than target/release/majuscule.
set -eu
lm=$(dirname "$0")
corpora=$1
encoder=$(realpath "$2")
output=$(realpath -m "${3:-$lm/networks}")
majuscule=$(realpath "${MAJUSCULE:-$lm/../target/release/majuscule}")
if [ -n "${SCRATCH:-}" ]; then
    mkdir -p "$SCRATCH"
    scratch=$(realpath "$SCRATCH")
else
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
fi
sample=$scratch/sample.txt
[ -f "$sample" ] || MAJUSCULE=$majuscule sh "$lm/sample.sh" "$corpora" "$sample"
# The manifest names these files.
cd "$scratch"
ln -sfn "$encoder" minilm
head -n 20102 sample.txt >sample.300000.txt
tail -n +20103 sample.txt | head -n 101488 >sample.next.txt
tail -n +121591 sample.txt | head -n 269526 >sample.more4.txt
# The first four layers learn from 0.3 million words, then from the next 1.5 million, then from 4 million more; the learning rate decays each time.
steps="--protocol windows --lang en --epochs 1 --frozen 0 --rate 3e-4 --head-rate 1e-3 --warm-up 50 --decay --batch-pieces 512"
if [ ! -f first/majuscule.json ]; then
    "$majuscule" train bert --encoder minilm --layers 4 --marks --piece last --precision bf16 $steps --checkpoint first.checkpoint sample.300000.txt -o first
fi
if [ ! -f second/majuscule.json ]; then
    "$majuscule" adapt first $steps --held-out 0.01 --checkpoint second.checkpoint sample.next.txt -o second
fi
if [ ! -f third/majuscule.json ]; then
    "$majuscule" adapt second $steps --held-out 0.01 --checkpoint third.checkpoint sample.more4.txt -o third
fi
mkdir -p "$output"
"$majuscule" compact third --force --pack "$output/en.best"
