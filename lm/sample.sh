#!/bin/sh
# Takes English text of all kinds, as much of each as serves a model best: sh lm/sample.sh CORPORA OUTPUT [small]
#
# CORPORA holds the files named below (lm/README.md says what they are). OUTPUT gets 12.5 million words, or 4.5 million with `small`, in
# shuffled stretches of 16 sentences. MAJUSCULE names another binary than target/release/majuscule.
set -eu
corpora=$1
output=$2
size=${3:-large}
. "$(dirname "$0")/take.sh"
en=$corpora/train/en

# So many thousand words of corpora, in stretches of so many sentences: take LARGE SMALL STRETCH NAME OPTION… CORPUS…
take() {
    thousands=$1
    if [ "$size" = small ]; then thousands=$2; fi
    shift 2
    take_words en "$thousands" "$@"
}

changelog "$corpora"
take 3000 900 16 speech --split "$scratch/changelog.txt"
take 4000 700 16 europarl "$corpora/train.en.europarl"
take 2000 700 16 wiki "$en/wikisplit.tok" "$en/wiki.val.tok" "$en/wikitext2.valid.tok" "$en/wikitext2.test.tok"
take 900 300 16 calls "$en"/earnings22/*.nlp
take 700 350 16 eltec --split "$en/eltec.txt"
take 500 250 16 sgd --split "$en/sgd.txt"
take 300 200 16 ami --split "$en/ami.txt"
take 250 120 16 spacelog --split "$en/spacelog.txt"
take 900 300 1 tatoeba "$en/tatoeba.txt"
take 600 300 1 voice "$en/commonvoice.txt"
take 600 600 1 small --split "$en/ewt.txt" "$en/opensubtitles.en" "$en/taskmaster4.txt"
"$majuscule" corpus shuffle --stretch 16 --lang en "$scratch"/en.* >"$output"
