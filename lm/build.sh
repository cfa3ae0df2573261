#!/bin/sh
# Makes the models that are built into majuscule: sh lm/build.sh CORPORA [OUTPUT]
#
# CORPORA holds the files named below (lm/README.md says what they are); OUTPUT is this folder unless given. The same
# corpora give the same bytes. Takes about a minute. MAJUSCULE names another binary than target/release/majuscule.
set -eu
lm=$(dirname "$0")
corpora=$1
output=${2:-$lm}
majuscule=${MAJUSCULE:-$lm/../target/release/majuscule}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The counts of corpora that are read alike: count LANG NAME OPTION… CORPUS…
count() {
    lang=$1 name=$2
    shift 2
    "$majuscule" lexicon build --lang "$lang" -o "$scratch/$lang.$name.tsv" "$@"
}

# The model of all counts of a language and of the word lists. Words seen once or twice, most often in lower case, stay
# lower-cased without an entry.
model() {
    lang=$1
    set --
    for counts in "$scratch/$lang".*.tsv "$lm/../lexicons/demonyms.$lang.txt" "$lm/../lexicons/acronyms.$lang.txt" \
        "$lm/../lexicons/acronyms.txt" "$lm/../lexicons/mixed.txt" "$lm/../lexicons/names.txt" "$lm/../lexicons/places.txt"; do
        if [ -f "$counts" ]; then set -- "$@" --lexicon "$counts"; fi
    done
    "$majuscule" train majority --lang "$lang" --lower-min-count 3 --pack "$output/$lang.majority" "$@"
}

en=$corpora/train/en
# Speakers' names, times and escapes go; what is said stays.
sed -E '/^#/d; s/^\*\*[^*]*\*\* ?//; s/\\\[[0-9:]*\\\]//g; s/\\//g' "$en/changelog.txt" >"$scratch/changelog.txt"
count en speech --split "$scratch/changelog.txt"
count en europarl "$corpora/train.en.europarl"
count en open "$en/commonvoice.txt" "$en/wikisplit.tok" "$en/wiki.val.tok" "$en/opensubtitles.en" "$en"/earnings22/*.nlp
model en

es=$corpora/train/es
sed '/^#/d' "$es/parlamint.txt" >"$scratch/parlamint.txt"
count es parlamint --split "$scratch/parlamint.txt"
count es open "$es/europarl.es" "$es/opensubtitles.es" "$es/commonvoice.txt"
model es

fr=$corpora/train/fr
count fr open "$fr/europarl.fr" "$fr/opensubtitles.fr" "$fr/commonvoice.txt"
model fr

nl=$corpora/train/nl
count nl open "$nl"/alpino.*.tok "$nl/opensubtitles.nl" "$nl/commonvoice.txt" "$nl/tatoeba.nl"
model nl

pt=$corpora/train/pt
for bosque in publico-CP folha-CF; do sed '/^#/d' "$pt/bosque.$bosque" >"$scratch/bosque.$bosque"; done
count pt open "$pt/opensubtitles.pt" "$pt/opensubtitles.pt_br" "$pt/commonvoice.txt" "$scratch"/bosque.* "$pt/gsd.train" \
    "$pt/porttinari.dev" "$pt/porttinari.test"
model pt
