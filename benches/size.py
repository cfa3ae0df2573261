#!/usr/bin/env python3
"""Measures the quality of smaller models of maxent: python3 benches/size.py CORPORA --lines 200000 [--protocol PROTOCOL] [--look-ahead N]

CORPORA holds train.en.europarl to train on and dev/en/ with the test sets of europarl. Each row is a model trained with that --size and
the default settings of `train maxent`; the last column is its loss of F against the first row. --lines draws this number of lines of the
corpus at random, the same ones in every run. Needs only Python 3.
"""

import argparse
import itertools
import json
import os
import subprocess
import tempfile

MAJUSCULE = os.environ.get("MAJUSCULE", "target/dist/majuscule")
# The first is more features than the corpus has features with a useful weight.
SIZES = ["4000000", "8MB", "4MB", "2MB", "1MB", "500kB"]
TESTS = ["europarl.devtest2006", "europarl.test2006"]

# The bytes of a feature in the table of weights: its fingerprint, four weights, and a fourth of a bucket.
BYTES_A_FEATURE = 7


def run(*arguments):
    return subprocess.run([MAJUSCULE, *arguments], check=True, capture_output=True, text=True).stdout


def train(corpus, size, options, folder):
    """Trains a model of this size; returns its packed file, the bytes of the file and the number of features."""
    model, packed = os.path.join(folder, "model"), os.path.join(folder, "packed")
    # The lines are in random order.
    run("train", "maxent", "--shuffle", "0", *options, "--size", size, "--force", "-o", model, "--pack", packed, corpus)
    weights = os.path.getsize(os.path.join(model, "weights.bin"))
    return packed, os.path.getsize(packed), weights // BYTES_A_FEATURE


def drawn(corpus, lines, folder):
    """Returns the corpus, or a file with `lines` of its lines, drawn at random."""
    if lines is None:
        return corpus
    path = os.path.join(folder, "corpus.txt")
    command = [MAJUSCULE, "corpus", "shuffle", corpus]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as shuffled, open(path, "wb") as out:
        out.writelines(itertools.islice(shuffled.stdout, lines))
    return path


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora", help="the folder of corpora")
    parser.add_argument("--protocol", default="rei", help="what is trained on and evaluated under (rei)")
    parser.add_argument("--look-ahead", default="3", help="words of right context (3)")
    parser.add_argument("--train", default="train.en.europarl", help="the file to train on, within the folder")
    parser.add_argument("--lines", type=int, help="train on so many lines of it, drawn at random (all)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table(args, drawn(os.path.join(args.corpora, args.train), args.lines, folder))


def table(args, corpus):
    tests = [os.path.join(args.corpora, "dev", "en", name) for name in TESTS]
    options = ["--protocol", args.protocol, "--look-ahead", args.look_ahead]
    row("`--size`", "bytes", "features", "F", "SER", "loss of F")
    row("---", *("---:" for _ in range(5)))
    largest = None
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            packed, length, features = train(corpus, size, options, folder)
            d = json.loads(run("evaluate", "--model", packed, "--protocol", args.protocol, "--json", *tests))
            largest = d["f"] if largest is None else largest
            figures = [f"{100 * d['f']:.2f}", f"{d['ser']:.4f}".lstrip("0"), f"{100 * (largest - d['f']):.2f}"]
            row(size, f"{length:,}", f"{features:,}", *figures)


if __name__ == "__main__":
    main()
