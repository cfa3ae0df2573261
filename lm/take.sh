# For lm/build.sh, lm/mix.sh, lm/sample.sh and lm/sample.multilingual.sh, which source it: the program, a folder for scratch files, and parts of corpora.
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

# What is said in the Changelog podcasts, without speakers' names, times and escapes, in the folder for scratch files: changelog CORPORA
changelog() {
    sed -E '/^#/d; s/^\*\*[^*]*\*\* ?//; s/\\\[[0-9:]*\\\]//g; s/\\//g' "$1/train/en/changelog.txt" >"$scratch/changelog.txt"
}
