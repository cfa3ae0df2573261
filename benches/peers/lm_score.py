#!/usr/bin/env python3
"""Scores one text under one model with majuscule and with KenLM's Python package, and prints words per second as Markdown.

Usage: lm_score.py MODEL.arpa TEXT [--program PROGRAM] [--kenlm-model FILE] [--repeat N]

KenLM loads an ARPA file as its probing model, the fastest that it has; --kenlm-model names one of its binaries instead, made
from the same file. TEXT has one sentence per line, and both split words at white space. KenLM is timed inside Python, from line
to score, without loading; majuscule is timed as a whole process, with the binary that `lm convert` made from the model. Both use
one thread. They take turns, and the fastest run of each counts. Without the package (pip install kenlm) the script prints a
message and times only majuscule.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="an ARPA file")
    parser.add_argument("text", type=Path, help="a sentence a line")
    parser.add_argument("--program", type=Path, default=default_program(), help="majuscule (default: %(default)s)")
    parser.add_argument("--kenlm-model", type=Path, help="a binary of KenLM, made from the same ARPA file")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs of each (default: %(default)s)")
    arguments = parser.parse_args()
    if not arguments.program.exists():
        sys.exit(f"{arguments.program} is not there: run cargo build --profile dist, or name it with --program")
    lines = arguments.text.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line.split()]
    words = sum(len(line.split()) for line in lines)
    peer = load(arguments.kenlm_model or arguments.model)
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "model.bin"
        subprocess.run([arguments.program, "lm", "convert", arguments.model, "--force", "-o", binary], check=True)
        empty = Path(folder) / "empty.txt"
        empty.touch()
        ours, theirs, opening = [], [], []
        for _ in range(arguments.repeat):
            seconds, _ = score(arguments.program, binary, empty)
            opening.append(seconds)
            seconds, our_scores = score(arguments.program, binary, arguments.text)
            ours.append(seconds)
            if peer:
                seconds, their_scores = timed(lambda: [peer.score(line) for line in lines])
                theirs.append(seconds)
    print(f"{words} words in {len(lines)} sentences, CPU seconds, the fastest of {arguments.repeat} runs")
    print()
    print("| system | seconds | million words a second | ratio |")
    print("| --- | ---: | ---: | ---: |")
    row("majuscule lm score, whole process", min(ours), words, theirs)
    row("its start and opening of the model", min(opening), None, [])
    if peer:
        row("KenLM in Python, scoring alone", min(theirs), words, theirs)
        if len(our_scores) == len(their_scores):
            # KenLM sums the words of a sentence in 32 bits, so long sentences differ by more.
            counts = [len(line.split()) + 1 for line in lines]
            largest = max(abs(one - other) / count for one, other, count in zip(our_scores, their_scores, counts))
            print(f"\nLargest difference of a sentence: {largest:.1e} in log10 for each of its words.")
        else:
            print(f"\n{len(our_scores)} scores, but {len(their_scores)} of KenLM: the lines are read otherwise.")


def default_program():
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "majuscule"


def load(model):
    """Returns KenLM's model, or None if the package is not installed."""
    try:
        import kenlm
    except ImportError:
        print("kenlm is not installed (pip install kenlm): it is left out", file=sys.stderr)
        return None
    return kenlm.LanguageModel(str(model))


def score(program, model, text):
    """Returns the CPU seconds of the process, and its scores."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "lm", "score", "--plain", model, text]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, [float(line.split()[1]) for line in out.splitlines()]


def timed(work):
    """Returns the CPU seconds of this process for the work, and the result of the work."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def row(system, seconds, words, theirs):
    speed = f"{words / seconds / 1e6:.2f}" if words else ""
    ratio = f"{min(theirs) / seconds:.2f}" if theirs else ""
    print(f"| {system} | {seconds:.3f} | {speed} | {ratio} |")


if __name__ == "__main__":
    main()
