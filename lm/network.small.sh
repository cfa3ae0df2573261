#!/bin/sh
# Makes a small network from scratch, of the method cnn-bilstm: sh lm/network.small.sh en|multilingual|de|es|fr|it|nl|pt CORPORA [OUTPUT]
#
# CORPORA holds the files that lm/sample.sh, lm/sample.multilingual.sh or lm/mix.sh names. OUTPUT, lm/networks unless given, gets LANG.small. A network
# of one language but English reads line breaks, and a lexicon of its text and lists. OPTIONS has more options of train for it: --hidden 192.
# The program must have the feature neural; on one core it takes an hour, for one language but English ten minutes. An interrupted run goes on from its checkpoint if SCRATCH names a folder to
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
    set -- --protocol windows --epochs 2 --held-out 0.004 --right-context-dropout 0.25 --lang en sample.txt
    ;;
multilingual)
    [ -f multi/pt.txt ] || sh "$lm/sample.multilingual.sh" "$corpora" multi
    set -- --protocol windows --epochs 4 --held-out 0.006 --subwords 16000 --lang es,fr,nl,pt --locale root multi/es.txt multi/fr.txt multi/nl.txt multi/pt.txt
    ;;
de | es | fr | it | nl | pt)
    [ -f "mix.$name" ] || sh "$lm/mix.sh" "$name" "$corpora" "mix.$name"
    lists=
    for list in "demonyms.$name" "acronyms.$name" acronyms mixed names places; do
        if [ -f "$lm/../lexicons/$list.txt" ]; then lists="$lists --list $lm/../lexicons/$list.txt"; fi
    done
    # More passes over less text. Unquoted: an option and a file each.
    epochs=2
    case $name in nl | pt) epochs=4 ;; fr) epochs=1 ;; esac
    set -- --protocol layouts --epochs "$epochs" --words 60000 --right-context-dropout 0.25 --lang "$name" $lists ${OPTIONS:-} "mix.$name"
    ;;
*)
    echo "network.small.sh: $name: expected en, multilingual, de, es, fr, it, nl or pt" >&2
    exit 1
    ;;
esac
# Large buffers come again in every step: the C library keeps them.
export MALLOC_MMAP_THRESHOLD_=4000000000 MALLOC_TRIM_THRESHOLD_=4000000000
[ -f "$name/majuscule.json" ] || "$MAJUSCULE" train cnn-bilstm --marks --checkpoint "$name.checkpoint" --log "$name.log" "$@" -o "$name"
mkdir -p "$output"
"$MAJUSCULE" compact "$name" --force --pack "$output/$name.small"
