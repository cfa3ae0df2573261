#!/usr/bin/env python3
"""Trains the same models as KenLM's lmplz on the same text, and prints the largest differences in log10.

Usage: kenlm.py FOLDER [PROGRAM [LMPLZ]]

FOLDER holds text.en.txt and the models of lmplz (.arpa.xz: o2, o3 and o5, o3.prune012, o3.prune001, and tiny.fallback from the
first 40 lines), and query.txt with the output of `query -v sentence` (query.oN.txt). PROGRAM is majuscule, by default the newest
build of cargo. LMPLZ is KenLM's program; if it is named, models with a limited vocabulary (--limit_vocab_file) are compared too,
which the folder lacks. Exits with 1 if any value differs by more than 1e-5.
"""

import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TOLERANCE = 1e-5
ROOT = Path(__file__).resolve().parents[2]
FALLBACK_LINES = 40


def main():
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    program = sys.argv[2] if len(sys.argv) > 2 else newest_build()
    text = folder / "text.en.txt"
    worst = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        few = scratch / "few.txt"
        few.write_bytes(b"".join(text.read_bytes().splitlines(keepends=True)[:FALLBACK_LINES]))
        models = [
            ("o2", text, ["--order", "2"]),
            ("o3", text, ["--order", "3"]),
            ("o5", text, ["--order", "5"]),
            ("o3.prune012", text, ["--order", "3", "--prune", "0,1,2"]),
            ("o3.prune001", text, ["--order", "3", "--prune", "0,0,1"]),
            ("tiny.fallback", few, ["--order", "3", "--discount-fallback"]),
        ]
        for name, corpus, settings in models:
            ours = scratch / f"{name}.arpa"
            subprocess.run([program, "lm", "train", "--plain", corpus, "--force", "-o", ours, *settings], check=True)
            worst = max(worst, compare(name, arpa(folder / f"{name}.arpa.xz"), arpa(ours)))
            query = folder / f"query.{name}.txt"
            if query.exists():
                worst = max(worst, compare_scores(program, ours, folder / "query.txt", query))
                binary = scratch / f"{name}.bin"
                subprocess.run([program, "lm", "convert", ours, "--force", "-o", binary], check=True)
                worst = max(worst, compare_scores(program, binary, folder / "query.txt", query))
        if len(sys.argv) == 4:
            worst = max(worst, compare_limited(sys.argv[3], program, text, scratch))
        else:
            print("limited vocabularies are skipped: no LMPLZ is named")
    print(f"largest of all: {worst:.2e}")
    sys.exit(0 if worst <= TOLERANCE else 1)


def compare_limited(lmplz, program, text, scratch):
    """Compares models whose vocabulary is every third word, with and without pruning."""
    words = sorted({word for line in text.open("rb") for word in line.split()})
    listed = scratch / "words.txt"
    listed.write_bytes(b"\n".join(words[::3] + [b"not-in-the-text"]))
    worst = 0.0
    for prune in ["0", "0 1"]:
        theirs, ours = scratch / "theirs.arpa", scratch / "ours.arpa"
        limit = ["-o", "3", "-S", "100M", "--limit_vocab_file", listed, "--prune", *prune.split()]
        subprocess.run([lmplz, *limit, "--text", text, "--arpa", theirs], check=True, stderr=subprocess.DEVNULL)
        limit = ["--order", "3", "--vocabulary-list", listed, "--unknown", "prune", "--prune", prune.replace(" ", ",")]
        subprocess.run([program, "lm", "train", "--plain", text, "--force", "-o", ours, *limit], check=True)
        worst = max(worst, compare(f"limited vocabulary, prune {prune}", arpa(theirs), arpa(ours)))
    return worst


def newest_build():
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    builds = [target / profile / "majuscule" for profile in ("debug", "release")]
    builds = [build for build in builds if build.exists()]
    if not builds:
        sys.exit("no majuscule is built: run cargo build, or name the program")
    return max(builds, key=lambda build: build.stat().st_mtime)


def arpa(path):
    """Returns all n-grams of a file: a map of words to (log10 p, log10 back-off)."""
    if not path.exists():
        # Small files may be uncompressed.
        path = path.with_suffix("") if path.suffix == ".xz" else path
    data = path.read_bytes()
    if data.startswith(b"\xfd7zXZ"):
        data = lzma.decompress(data)
    ngrams = {}
    for line in data.decode("utf-8").split("\n"):
        columns = line.split("\t")
        if len(columns) >= 2:
            back_off = float(columns[2]) if len(columns) > 2 else 0.0
            ngrams[columns[1]] = (float(columns[0]), back_off)
    return ngrams


def compare(name, theirs, ours):
    for ngram in theirs.keys() ^ ours.keys():
        print(f"{name}: \"{ngram}\" is only in {'theirs' if ngram in theirs else 'ours'}")
        return float("inf")
    probability, back_off = (
        max((abs(theirs[ngram][i] - ours[ngram][i]), ngram) for ngram in theirs) for i in range(2)
    )
    print(
        f"{name}: {len(theirs)} n-grams, largest difference of a probability {probability[0]:.2e} ({probability[1]}), "
        f"of a back-off {back_off[0]:.2e} ({back_off[1]})"
    )
    return max(probability[0], back_off[0])


def compare_scores(program, model, text, query):
    command = [program, "lm", "score", "--plain", model, text]
    ours = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    theirs = query.read_text().splitlines()
    theirs = [line for line in theirs if line.startswith("Total:")]
    if len(ours) != len(theirs):
        print(f"{query.name}: {len(theirs)} sentences, but {len(ours)} are scored")
        return float("inf")
    worst = 0.0
    for number, (our, their) in enumerate(zip(ours, theirs), 1):
        our, their = our.split(), their.split()
        if our[2:] != their[2:]:
            print(f"{query.name}, line {number}: OOV {our[3]}, but theirs is {their[3]}")
            return float("inf")
        worst = max(worst, abs(float(our[1]) - float(their[1])))
    print(f"{query.name}: {len(theirs)} sentences, largest difference {worst:.2e} ({model.suffix[1:]})")
    return worst


if __name__ == "__main__":
    main()
