#!/bin/sh
# Makes the models that are built into majuscule: sh lm/build.sh CORPORA [OUTPUT]
#
# CORPORA holds the files named below and in lm/mix.sh (lm/README.md says what they are). The English models go to OUTPUT
# (this folder unless given), those of the other languages to OUTPUT/languages/LANG. The same corpora and program give the
# same bytes. Takes half an hour and, for the networks, about three hours of one core. The program must have the feature
# neural. MAJUSCULE names another binary than target/release/majuscule.
# ONLY=es makes the models of one language; with NGRAM=1 the language models LANG.ngram, which needs the program xz.
set -eu
lm=$(realpath "$(dirname "$0")")
corpora=$(realpath "$1")
output=$(realpath -m "${2:-$lm}")
. "$lm/take.sh"
majuscule=$(realpath "$majuscule")
export MAJUSCULE="$majuscule"

# Sentences of corpora that are read alike, stretches of them together: sentences LANG NAME OPTION… CORPUS…
sentences() {
    [ "${ONLY:-$1}" = "$1" ] || return 0
    lang=$1 name=$2
    shift 2
    "$majuscule" corpus shuffle --stretch 16 --lang "$lang" "$@" >"$scratch/$lang.$name"
}

# The two models of a language: `fast` of all its sentences by turns, and `accurate` of the text of lm/mix.sh:
# models LANG EPOCHS FEATURES MARK-FEATURES WORDS NETWORK-EPOCHS NETWORK-WORDS NETWORK-STATES [NETWORK-DROPOUT]
models() {
    [ "${ONLY:-$1}" = "$1" ] || return 0
    lang=$1
    lists= spellings=
    for list in mixed names places; do spellings="$spellings --spellings $lm/../lexicons/$list.txt"; done
    for list in demonyms.$lang acronyms.$lang acronyms mixed names places; do
        if [ -f "$lm/../lexicons/$list.txt" ]; then lists="$lists --list $lm/../lexicons/$list.txt"; fi
    done
    "$majuscule" corpus shuffle --stretch 16 --lang "$lang" "$scratch/$lang".* >"$scratch/all"
    if [ -n "${NGRAM:-}" ]; then
        ngram
        return
    fi
    case $lang in
    en) folder=$output ;;
    *) folder=$output/languages/$lang ;;
    esac
    mkdir -p "$folder"
    "$majuscule" train maxent --lang "$lang" --protocol mix --shuffle 0 --epochs "$2" --size "$3" --marks --mark-size "$4" --vocabulary "$5" --features \
        word,bigrams,trigrams,affixes,shape,profile,marks,ngrams --look-ahead 1 --right-context-dropout 0 $spellings \
        --force --pack "$folder/$lang.fast" "$scratch/all"
    network "$6" "$7" "$8" "${9:-0}"
}

# The network of a language, which reads line breaks, and a lexicon of its text and lists: network EPOCHS WORDS STATES DROPOUT
network() {
    sh "$lm/mix.sh" "$lang" "$corpora" "$scratch/mix.$lang"
    echo "$lang.accurate: $1 times $(wc -w <"$scratch/mix.$lang") words, 600,000 a minute"
    # The manifest names the file. Large buffers come again in every step: the C library keeps them.
    (
        cd "$scratch"
        export MALLOC_MMAP_THRESHOLD_=4000000000 MALLOC_TRIM_THRESHOLD_=4000000000
        "$majuscule" train cnn-bilstm --lang "$lang" --marks --protocol layouts --hidden "$3" --channels 128 --embedding 96 --subwords 12000 \
            --epochs "$1" --words "$2" --dropout "$4" --right-context-dropout 0.25 $lists --force -o network "mix.$lang"
    )
    "$majuscule" compact "$scratch/network" --force --pack "$folder/$lang.accurate"
}

# The language model of the preset ngram; the English one of text of all kinds.
ngram() {
    if [ "$lang" = en ]; then MAJUSCULE=$majuscule sh "$lm/sample.sh" "$corpora" "$scratch/all"; fi
    "$majuscule" lm train --lang "$lang" --order 3 --vocabulary 30000 --marks "$scratch/all" --force -o "$scratch/whole.lm"
    "$majuscule" lm prune "$scratch/whole.lm" --threshold 3e-7 --force -o "$scratch/pruned.lm"
    "$majuscule" train hmm --lang "$lang" --lm "$scratch/pruned.lm" --marks --map-weight 0.3 -o "$scratch/hmm" --force "$scratch/all"
    "$majuscule" compact "$scratch/hmm" --pack "$scratch/packed" --force
    xz -9e <"$scratch/packed" >"$output/$lang.ngram"
}

nl=$corpora/train/nl
sentences nl open "$nl"/alpino.*.tok "$nl/opensubtitles.nl" "$nl/commonvoice.txt" "$nl/tatoeba.nl" "$nl/europarl-2000.txt"
sentences nl split --split "$nl/handelingen-tk70.txt"
models nl 3 25000 20000 8000 4 60000 96

pt=$corpora/train/pt
for bosque in publico-CP folha-CF; do sed '/^#/d' "$pt/bosque.$bosque" >"$scratch/bosque.$bosque"; done
sentences pt open "$pt/opensubtitles.pt" "$pt/opensubtitles.pt_br" "$pt/commonvoice.txt" "$scratch"/bosque.* "$pt/gsd.train" \
    "$pt/porttinari.dev" "$pt/porttinari.test" "$pt/europarl-2000.txt"
# Conversation, twice, beside more text of the parliament than that; but the counts of n-grams are those of the text.
[ -n "${NGRAM:-}" ] || sentences pt spoken "$pt/opensubtitles.pt" "$pt/opensubtitles.pt_br" "$pt/commonvoice.txt"
models pt 3 25000 20000 8000 3 20000 128 0.1

de=$corpora/train/de
sentences de open "$de/commonvoice.txt" "$de/tatoeba.txt" "$de/germeval2014.txt"
sentences de split --split "$de/europarl-2000.txt" "$de/german-speeches.txt" "$de/debian-handbook.txt" "$de/rustbook.txt" \
    "$de/opensource-guide.txt" "$de/xquad.txt" "$de/eltec.txt" "$de/gerdracor.txt"
models de 3 25000 20000 8000 2 20000 128

it=$corpora/train/it
sentences it open "$it/commonvoice.txt"
sentences it split --split "$it/europarl-1996-2001.txt" "$it/eltec.txt" "$it/wikinews.txt" "$it/debian-handbook.txt" "$it/guide-pa.txt" \
    "$it/markit.txt" "$it/opensource-guide.txt" "$it/react-docs.txt"
models it 3 25000 20000 8000 3 20000 128 0.1

es=$corpora/train/es
sed '/^#/d' "$es/parlamint.txt" >"$scratch/parlamint.txt"
# The agenda of the parliament is in capitals.
sentences es parlamint --drop-shouted --split "$scratch/parlamint.txt"
sentences es open --drop-shouted "$es/europarl.es" "$es/opensubtitles.es" "$es/commonvoice.txt" "$es/europarl-2000.txt" \
    "$es/tatoeba.txt" "$es/ancora-cess.txt"
models es 1 35000 35000 8000 2 20000 128

fr=$corpora/train/fr
sed '/^#/d' "$fr/an-mariage.txt" >"$scratch/an-mariage.txt"
sentences fr open "$fr/europarl.fr" "$fr/opensubtitles.fr" "$fr/commonvoice.txt" "$fr/tatoeba.txt" "$fr/parisstories.txt" "$fr/rhapsodie.txt"
sentences fr split --split "$scratch/an-mariage.txt"
models fr 1 35000 35000 8000 2 20000 128

en=$corpora/train/en
changelog "$corpora"
sentences en speech --split "$scratch/changelog.txt"
sentences en europarl "$corpora/train.en.europarl"
sentences en novels --split "$en/eltec.txt"
sentences en talk --split "$en/ami.txt" "$en/sgd.txt" "$en/spacelog.txt" "$en/ewt.txt" "$en/taskmaster4.txt"
sentences en tatoeba "$en/tatoeba.txt"
# Twice, beside more text of the parliament than that.
for time in once twice; do
    sentences en "open.$time" "$en/commonvoice.txt" "$en/wikisplit.tok" "$en/wiki.val.tok" "$en"/wikitext2.*.tok "$en/opensubtitles.en" \
        "$en"/earnings22/*.nlp
done
models en 1 105000 80000 20000 2 25000 128
