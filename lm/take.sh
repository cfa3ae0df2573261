# For lm/sample.sh and lm/sample.multilingual.sh, which source it: a folder for scratch files, and a part of a corpus.
majuscule=${MAJUSCULE:-$(dirname "$0")/../target/release/majuscule}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# So many thousand words of corpora of a language, in stretches of so many sentences: take_words LANG WORDS STRETCH NAME OPTION… CORPUS…
take_words() {
    lang=$1 words=${2}000 stretch=$3 name=$4
    shift 4
    "$majuscule" corpus shuffle --stretch "$stretch" --lang "$lang" "$@" >"$scratch/shuffled"
    awk -v words="$words" '{ sum += NF; print } sum > words { exit }' "$scratch/shuffled" >"$scratch/$lang.$name"
}
