#!/bin/sh
# Makes a small network from scratch, of the method cnn-bilstm: sh lm/network.small.sh en|multilingual CORPORA [OUTPUT]
#
# CORPORA holds the files that lm/sample.sh or lm/sample.multilingual.sh names. OUTPUT, lm/networks unless given, gets en.small or multilingual.small.
# The program must have the feature neural; on one core it takes an hour. An interrupted run goes on from its checkpoint if SCRATCH names a folder to
# keep. MAJUSCULE names another binary than target/release/majuscule.
set -eu
lm=$(realpath "$(dirname "$0")")
name=$1
corpora=$(realpath "$2")
output=$(realpath -m "${3:-$lm/networks}")
. "$lm/scratch.sh"
case $name in
en)
    [ -f sample.txt ] || sh "$lm/sample.sh" "$corpora" sample.txt
    # So that live text, which waits for few words, gets the most from them.
    set -- --epochs 2 --held-out 0.004 --right-context-dropout 0.25 --lang en sample.txt
    ;;
multilingual)
    [ -f multi/pt.txt ] || sh "$lm/sample.multilingual.sh" "$corpora" multi
    set -- --epochs 4 --held-out 0.006 --subwords 16000 --lang es,fr,nl,pt --locale root multi/es.txt multi/fr.txt multi/nl.txt multi/pt.txt
    ;;
*)
    echo "network.small.sh: $name: expected en or multilingual" >&2
    exit 1
    ;;
esac
# Large buffers come again in every step: the C library keeps them.
export MALLOC_MMAP_THRESHOLD_=4000000000 MALLOC_TRIM_THRESHOLD_=4000000000
[ -f "$name/majuscule.json" ] || "$MAJUSCULE" train cnn-bilstm --marks --protocol windows --checkpoint "$name.checkpoint" --log "$name.log" "$@" -o "$name"
mkdir -p "$output"
"$MAJUSCULE" compact "$name" --force --pack "$output/$name.small"
