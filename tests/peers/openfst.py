#!/usr/bin/env python3
"""Compares the best paths of `fst apply` with those of OpenFst (compose and shortestpath of pynini).

Usage: openfst.py MODEL TEXT [PROGRAM]

MODEL is a language model that majuscule reads, TEXT has one sentence per line, and PROGRAM is majuscule, by default the newest
build of cargo. Both sides read the machine that `fst build` writes. Exits with 1 if a cost differs by more than 1e-3; different
paths are printed. Without pynini (pip install pynini) the comparison is skipped, with exit code 0. OpenFst's Python has no
failure arcs, so only the transducer with epsilon arcs is compared.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOLERANCE = 1e-3
ROOT = Path(__file__).resolve().parents[2]


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        import pynini
    except ImportError as error:
        print(f"skipped: {error}; try pip install pynini")
        return
    model, text = sys.argv[1:3]
    program = sys.argv[3] if len(sys.argv) == 4 else newest_build()
    lines = [words for words in map(words_of, Path(text).read_text(encoding="utf-8").splitlines()) if words]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        machine, inputs, outputs = scratch / "t.fst", scratch / "t.in", scratch / "t.out"
        run(program, "fst", "build", model, "--force", "-o", machine, "--isymbols", inputs, "--osymbols", outputs)
        plain = scratch / "text.txt"
        plain.write_text("".join(" ".join(words) + "\n" for words in lines), encoding="utf-8")
        ours = run(program, "fst", "apply", machine, plain, "--n-best", "1").decode().split("\n\n")
        # The labels come from the text files, so that these are tested too.
        t = pynini.Fst.read(str(machine))
        isymbols = pynini.SymbolTable.read_text(str(inputs))
        osymbols = pynini.SymbolTable.read_text(str(outputs))
    assert t.input_symbols().checksum() == isymbols.checksum(), "the symbols inside and beside the machine differ"
    worst, others = 0.0, 0
    for words, our in zip(lines, ours):
        cost, forms = our.strip().split("\t")
        found, path = best(pynini, t, isymbols, osymbols, words)
        worst = max(worst, abs(float(cost) - found))
        if path != forms.split(" "):
            others += 1
            print(f"{cost}\t{forms}\n{found:.4f}\t{' '.join(path)}")
    print(f"{len(lines)} sentences: costs differ by {worst:.2e} at most, {others} other paths")
    sys.exit(worst > TOLERANCE)


def words_of(line):
    return re.findall(r"[^\W_]+(?:['-][^\W_]+)*", line.lower())


def best(pynini, t, isymbols, osymbols, words):
    """Returns the cost of OpenFst's best path for some words, and the words of the path."""
    unknown = isymbols.find("<unk>")
    labels = [isymbols.find(word) for word in words]
    s = pynini.Fst()
    s.add_states(len(words) + 1)
    s.set_start(0)
    s.set_final(len(words))
    for at, label in enumerate(labels):
        label = unknown if label < 0 else label
        s.add_arc(at, pynini.Arc(label, label, 0, at + 1))
    paths = pynini.shortestpath(pynini.compose(s, t)).paths()
    forms = [osymbols.find(label) for label in paths.olabels() if label]
    return float(str(paths.weight())), [word if form == "<unk>" else form for word, form in zip(words, forms)]


def run(*command):
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE).stdout


def newest_build():
    builds = [path for path in ROOT.glob("target/*/majuscule") if path.is_file()]
    if not builds:
        sys.exit("no majuscule under target/: build it, or name one")
    return str(max(builds, key=lambda path: path.stat().st_mtime))


if __name__ == "__main__":
    main()
