#!/usr/bin/env python3
"""Times bestpath(S o T) beside OpenFst (compose and shortestpath of pynini) on the same machine and sentences.

OpenFst composes and searches in one process; reading the machine is not counted, and OpenFst itself compiles each sentence.
majuscule is timed as whole processes, with the time to load: `fst apply` on the same file, and `restore --model` with the method
ngram, with epsilon arcs (the same paths) and failure arcs (exact), and with the method hmm. All figures are CPU time.
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a language model that majuscule reads")
    parser.add_argument("text", type=Path, help="text, a sentence a line")
    parser.add_argument("--lines", type=int, default=2000, help="OpenFst takes so many sentences of it (default: 2000)")
    parser.add_argument("--copies", type=int, default=20, help="majuscule takes the text so many times (default: 20)")
    parser.add_argument("--repeat", type=int, default=3, help="the fastest of so many runs counts (default: 3)")
    parser.add_argument("--program", default=ROOT / "target/dist/majuscule", help="majuscule")
    args = parser.parse_args()
    lines = [" ".join(words_of(line)) for line in args.text.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        machine = scratch / "t.fst"
        run(args.program, "fst", "build", args.model, "--force", "-o", machine)
        rows = []
        words, seconds = openfst(machine, lines[: args.lines], args.repeat)
        rows.append(("OpenFst, compose and shortestpath", words, seconds))
        text = scratch / "text.txt"
        text.write_text("".join(line + "\n" for line in lines) * args.copies, encoding="utf-8")
        words = sum(len(line.split()) for line in lines) * args.copies
        rows.append(("fst apply", words, timed(args.repeat, args.program, "fst", "apply", machine, text)))
        for name, method in [
            ("restore, ngram --arcs epsilon", ["ngram", "--arcs", "epsilon"]),
            ("restore, ngram --arcs failure", ["ngram", "--arcs", "failure"]),
            ("restore, hmm", ["hmm"]),
        ]:
            folder = scratch / "-".join(method).replace("--", "")
            run(args.program, "train", *method, "--lm", args.model, "--force", "-o", folder)
            rows.append((name, words, timed(args.repeat, args.program, "restore", "--model", folder, text)))
    peer = rows[0][1] / rows[0][2] if rows[0][2] else None
    print(f"{'':36}{'words':>10}{'CPU s':>8}{'words/s':>12}{'ratio':>8}")
    for name, words, seconds in rows:
        if not seconds:
            continue
        ratio = f"{words / seconds / peer:8.1f}" if peer else ""
        print(f"{name:36}{words:10}{seconds:8.2f}{words / seconds:12.0f}{ratio}")


def words_of(line):
    return re.findall(r"[^\W_]+(?:['-][^\W_]+)*", line.lower())


def openfst(machine, lines, repeat):
    """Returns the number of words and the fewest CPU seconds of OpenFst for them, or no seconds without pynini."""
    try:
        import pynini
    except ImportError as error:
        print(f"OpenFst is left out: {error}; try pip install pynini", file=sys.stderr)
        return 0, None
    t = pynini.Fst.read(str(machine))
    isymbols, osymbols = t.input_symbols(), t.output_symbols()
    known = [[word if isymbols.member(word) else "<unk>" for word in line.split()] for line in lines]
    best = None
    for _ in range(repeat):
        start = time.process_time()
        for words in known:
            s = pynini.accep(" ".join(words), token_type=isymbols)
            pynini.shortestpath(pynini.compose(s, t)).string(token_type=osymbols)
        seconds = time.process_time() - start
        best = seconds if best is None else min(best, seconds)
    return sum(map(len, known)), best


def timed(repeat, *command):
    """Returns the fewest CPU seconds of a command."""
    best = None
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(*command)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        best = seconds if best is None else min(best, seconds)
    return best


def run(*command):
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
