#!/bin/sh
# Takes Spanish, French, Dutch and Portuguese text of all kinds for a network of the four: sh lm/sample.multilingual.sh CORPORA OUTPUT
#
# CORPORA holds the files named below (lm/README.md says what they are). The folder OUTPUT gets es.txt, fr.txt, nl.txt and pt.txt, 7 million words in
# all, in shuffled stretches of sentences. MAJUSCULE names another binary than target/release/majuscule.
set -eu
corpora=$1
output=$2
. "$(dirname "$0")/take.sh"

es=$corpora/train/es
sed '/^#/d' "$es/parlamint.txt" >"$scratch/parlamint.txt"
take_words es 800 16 parlamint --drop-shouted --split "$scratch/parlamint.txt"
take_words es 400 16 europarl --drop-shouted "$es/europarl.es"
take_words es 180 16 news "$es/ancora-cess.txt"
take_words es 250 16 eltec --split "$es/eltec.txt"
take_words es 300 1 tatoeba "$es/tatoeba.txt"
take_words es 90 1 voice "$es/commonvoice.txt"
take_words es 80 16 subtitles "$es/opensubtitles.es"

fr=$corpora/train/fr
sed '/^#/d' "$fr/an-mariage.txt" >"$scratch/an-mariage.txt"
take_words fr 900 16 europarl "$fr/europarl.fr"
take_words fr 300 16 assembly --split "$scratch/an-mariage.txt"
take_words fr 200 16 eltec --split "$fr/eltec.txt"
take_words fr 300 1 tatoeba "$fr/tatoeba.txt"
take_words fr 250 1 voice "$fr/commonvoice.txt"
take_words fr 90 16 spoken "$fr/opensubtitles.fr" "$fr/parisstories.txt" "$fr/rhapsodie.txt"

nl=$corpora/train/nl
take_words nl 550 16 europarl "$nl/europarl-2000.txt"
take_words nl 70 16 chamber --split "$nl/handelingen-tk70.txt"
take_words nl 290 1 tatoeba "$nl/tatoeba.nl"
take_words nl 220 1 voice "$nl/commonvoice.txt"
take_words nl 40 16 subtitles "$nl/opensubtitles.nl"

pt=$corpora/train/pt
for bosque in publico-CP folha-CF; do sed '/^#/d' "$pt/bosque.$bosque" >"$scratch/bosque.$bosque"; done
take_words pt 400 16 news "$scratch"/bosque.* "$pt/gsd.train" "$pt/porttinari.dev" "$pt/porttinari.test"
take_words pt 560 16 europarl "$pt/europarl-2000.txt"
take_words pt 250 16 eltec --split "$pt/eltec.txt"
take_words pt 190 1 voice "$pt/commonvoice.txt"
take_words pt 150 16 subtitles "$pt/opensubtitles.pt" "$pt/opensubtitles.pt_br"

mkdir -p "$output"
for lang in es fr nl pt; do
    take_words "$lang" 99999 16 all "$scratch/$lang".*
    mv "$scratch/$lang.all" "$output/$lang.txt"
done
