#!/usr/bin/env python3
"""Compares the counts of majuscule with those of NIST's sclite on random transcripts.

    tests/peers/sclite.py target/release/majuscule [--sclite sclite] [--cases 300] [REFERENCE HYPOTHESIS ...]

Needs an installed sclite (SCTK). The random transcripts have alternatives, optional words, ignored segments, missing channels and
utterances in another order; named pairs of files are compared too. sclite is run with -D, so that words in parentheses are
optional. sclite may choose another alignment of the same cost. If the counts differ, their cost (4 for a substitution, 3 for a
deletion or an insertion) must therefore be the same; such cases are counted separately.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def sclite(program, reference, hypothesis):
    kind = lambda path: path.name.removesuffix(".filt").rsplit(".", 1)[1]
    command = [program, "-D", "-r", reference, kind(reference), "-h", hypothesis, kind(hypothesis), "-o", "rsum", "stdout"]
    if kind(reference) == "trn":
        command += ["-i", "spu_id"]
    out = subprocess.run(command, capture_output=True, text=True, errors="replace").stdout
    found = re.search(r"Sum[^|]*\|\s*\d+\s+(\d+)\s*\|\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)", out)
    return tuple(map(int, found.groups())) if found else None


def majuscule(program, reference, hypothesis):
    command = [program, "score", "--align", "--json", reference, hypothesis]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()
    found = json.loads(done.stdout)["word_errors"]
    return tuple(found[key] for key in ["reference", "correct", "substitutions", "deletions", "insertions"])


def cost(counts):
    return 4 * counts[2] + 3 * (counts[3] + counts[4])


def text(draw, depth=0, alternatives=True):
    words = []
    for _ in range(draw.randint(0 if depth == 0 else 1, 8 if depth == 0 else 2)):
        what = draw.random()
        if alternatives and depth < 3 and what < 0.12:
            parts = [text(draw, depth + 1) for _ in range(draw.randint(2, 3))]
            if draw.random() < 0.3:
                parts.append("@")
            words.append("{ " + " / ".join(parts) + draw.choice([" }", "}"]))
        elif alternatives and depth == 0 and what < 0.2:
            words.append(f"({draw.choice('abcdefg')})")
        else:
            words.append(draw.choice("abcdefg"))
    return " ".join(words)


def utterances(draw, folder):
    names = [f"s{k % 3}-{k}" for k in range(draw.randint(1, 6))]
    plain = draw.random() < 0.5
    reference = [f"{text(draw, alternatives=not plain)} ({name})" for name in names]
    hypothesis = [f"{text(draw, alternatives=False)} ({name.upper()})" for name in names]
    draw.shuffle(hypothesis)
    return write(folder, "trn", reference, "trn", hypothesis)


def segments(draw, folder):
    reference, hypothesis = [], []
    for channel in ["A", "B"][: draw.randint(1, 2)]:
        at = 0.0
        for _ in range(draw.randint(1, 5)):
            at += draw.choice([0, 0, 0.5])
            end = at + draw.randint(1, 4)
            said = "IGNORE_TIME_SEGMENT_IN_SCORING" if draw.random() < 0.15 else text(draw) or "a"
            reference.append(f"r {channel} s {at:.2f} {end:.2f} {said}")
            at = end
        if channel == "B" and draw.random() < 0.3:
            continue
        heard = sorted(draw.uniform(0, at + 1) for _ in range(draw.randint(1, 25)))
        for begin in heard:
            word = lambda: f"r {channel} {begin:.2f} 0.20 {draw.choice('abcdefg')}"
            if draw.random() < 0.1:
                hypothesis += [f"r {channel} * * <ALT_BEGIN>", word(), f"r {channel} * * <ALT>", word(), f"r {channel} * * <ALT_END>"]
            else:
                hypothesis.append(word())
    return write(folder, "stm", reference, "ctm", hypothesis)


def write(folder, kind, reference, other, hypothesis):
    files = folder / f"ref.{kind}", folder / f"hyp.{other}"
    for file, lines in zip(files, [reference, hypothesis]):
        file.write_text("\n".join(lines) + "\n")
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("majuscule")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--sclite", default="sclite")
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    draw = random.Random(args.seed)
    equal = ties = wrong = none = 0

    def compare(reference, hypothesis, name):
        nonlocal equal, ties, wrong, none
        expected, found = sclite(args.sclite, reference, hypothesis), majuscule(args.majuscule, reference, hypothesis)
        if expected is None or expected[0] == 0:
            none += 1
        elif expected == found:
            equal += 1
        elif isinstance(found, tuple) and cost(expected) == cost(found):
            ties += 1
        else:
            wrong += 1
            print(f"{name}: sclite {expected}, majuscule {found}")
            if args.cases:
                print(reference.read_text() + "--\n" + hypothesis.read_text() if wrong <= 3 else "")

    for reference, hypothesis in zip(args.files[::2], args.files[1::2]):
        compare(reference, hypothesis, f"{reference.name} {hypothesis.name}")
    with tempfile.TemporaryDirectory() as folder:
        for case in range(args.cases):
            compare(*(utterances, segments)[case % 2](draw, Path(folder)), f"case {case}")
    print(f"{equal} equal, {ties} that cost as much, {wrong} not equal; {none} without words or that sclite refuses")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
