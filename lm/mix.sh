#!/bin/sh
# Takes text of all kinds for a small network of one language: sh lm/mix.sh de|en|es|fr|it|nl|pt CORPORA OUTPUT
#
# CORPORA holds the files named below (lm/README.md says what they are). Parliament is at most a third of the words of OUTPUT, and everyday and spoken
# text, news and treebanks are drawn several times. The German, Spanish, French and Italian text has no licence that a model would inherit but
# attribution. MAJUSCULE names another binary than target/release/majuscule.
set -eu
lang=$1
text=$2/train/$1
output=$3
. "$(dirname "$0")/take.sh"

# Corpora so many times, in stretches of so many sentences: draw N STRETCH NAME OPTION… CORPUS…
draw() {
    count=$1 run=$2 kind=$3
    shift 3
    take_words "$lang" 100000 "$run" "$kind.1" "$@"
    for time in $(seq 2 "$count"); do cp "$scratch/$lang.$kind.1" "$scratch/$lang.$kind.$time"; done
}

case $lang in
de)
    draw 1 16 novels --split "$text/eltec.txt" "$text/gerdracor.txt"
    draw 2 1 tatoeba "$text/tatoeba.txt"
    draw 3 1 voice "$text/commonvoice.txt"
    draw 4 16 news "$text/germeval2014.txt"
    draw 1 16 parliament --split "$text/europarl-2000.txt"
    draw 2 16 manuals --split "$text/rustbook.txt" "$text/opensource-guide.txt"
    ;;
en)
    changelog "$2"
    take_words en 5000 16 podcasts --split "$scratch/changelog.txt"
    take_words en 3500 16 europarl "$2/train.en.europarl"
    take_words en 1000 16 novels --split "$text/eltec.txt"
    take_words en 1000 16 assistants --split "$text/sgd.txt"
    take_words en 250 16 space --split "$text/spacelog.txt"
    draw 1 16 talks --split "$text/bitcointranscripts.txt"
    draw 1 16 meetings --split "$text/ami.txt"
    draw 2 16 calls "$text"/earnings22/*.nlp
    draw 2 16 wiki "$text/wikisplit.tok" "$text/wiki.val.tok" "$text/wikitext2.valid.tok" "$text/wikitext2.test.tok"
    draw 2 1 tatoeba "$text/tatoeba.txt"
    draw 2 1 voice "$text/commonvoice.txt"
    draw 4 16 everyday --split "$text/ewt.txt" "$text/opensubtitles.en" "$text/taskmaster4.txt"
    ;;
es)
    sed '/^#/d' "$text/parlamint.txt" >"$scratch/parlamint.txt"
    # The agenda of the parliament is in capitals.
    take_words es 1200 16 parlamint --drop-shouted --split "$scratch/parlamint.txt"
    take_words es 600 16 europarl --drop-shouted "$text/europarl.es" "$text/europarl-2000.txt"
    take_words es 1200 16 novels --split "$text/eltec.txt"
    draw 2 1 tatoeba "$text/tatoeba.txt"
    draw 4 1 voice "$text/commonvoice.txt"
    draw 4 16 news "$text/ancora-cess.txt" "$text/opensubtitles.es"
    ;;
fr)
    sed '/^#/d' "$text/an-mariage.txt" >"$scratch/an-mariage.txt"
    take_words fr 2600 16 europarl "$text/europarl.fr"
    draw 1 16 debate --split "$scratch/an-mariage.txt"
    draw 1 16 novels --split "$text/eltec.txt"
    draw 2 1 tatoeba "$text/tatoeba.txt"
    draw 2 1 voice "$text/commonvoice.txt"
    draw 4 16 subtitles "$text/opensubtitles.fr"
    ;;
it)
    draw 1 16 europarl --split "$text/europarl-1996-2001.txt"
    draw 2 16 novels --split "$text/eltec.txt"
    draw 6 16 news --split "$text/wikinews.txt"
    draw 6 1 voice "$text/commonvoice.txt"
    draw 3 16 manuals --split "$text/guide-pa.txt" "$text/markit.txt" "$text/opensource-guide.txt" "$text/react-docs.txt"
    ;;
nl)
    draw 1 16 europarl "$text/europarl-2000.txt"
    draw 1 16 council --split "$text/handelingen-tk70.txt"
    draw 1 16 alpino "$text"/alpino.*.tok
    draw 2 1 everyday "$text/tatoeba.nl" "$text/commonvoice.txt"
    draw 4 16 subtitles "$text/opensubtitles.nl"
    ;;
pt)
    for bosque in publico-CP folha-CF; do sed '/^#/d' "$text/bosque.$bosque" >"$scratch/bosque.$bosque"; done
    draw 1 16 europarl "$text/europarl-2000.txt"
    take_words pt 800 16 novels --split "$text/eltec.txt"
    draw 3 16 news "$scratch"/bosque.* "$text/gsd.train" "$text/porttinari.dev" "$text/porttinari.test"
    draw 3 1 voice "$text/commonvoice.txt"
    draw 4 16 subtitles "$text/opensubtitles.pt" "$text/opensubtitles.pt_br"
    ;;
*)
    echo "mix.sh: $lang: expected de, en, es, fr, it, nl or pt" >&2
    exit 1
    ;;
esac
# Every sixth sentence with an acronym once more, its letters apart, as people spell them.
LC_ALL=C.UTF-8
export LC_ALL
grep -hE '\b[A-Z]{3,5}\b' "$scratch/$lang".* | grep '[a-z] [a-z]' | awk 'NR % 6 == 1' |
    sed -E ':letter; s/\b([A-Z])([A-Z]{1,4})\b/\1 \2/; t letter' >"$scratch/spelled"
"$majuscule" corpus shuffle --stretch 16 --lang "$lang" "$scratch/$lang".* "$scratch/spelled" >"$output"
