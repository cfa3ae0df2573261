#!/usr/bin/env python3
"""Trains maxent with each of its solvers on the same lines, and prints CPU time, memory and scores as Markdown.

Usage: liblinear.py PROGRAM TRAIN TEST … [--lines N] [--size N] [--protocols P …] [--costs C …]

PROGRAM is majuscule with the feature liblinear; TRAIN and TEST are cased text, one sentence per line. All solvers get the same
features: those with the largest weights after one pass of AdaGrad over all features. The time of a solver is therefore the time
of its process without that pass and without the counting of words. Counting is measured (train maxent --weights, which learns
nothing); of the rest of AdaGrad's time with one epoch, half is that pass and half is its own training.
"""

import argparse
import json
import os
import subprocess
import tempfile

SOLVERS = [
    ("AdaGrad", []),
    ("AdaGrad, averaged, 3 epochs", ["--average", "--epochs", "3"]),
    ("LIBLINEAR -s 0", ["--solver", "liblinear"]),
    ("LIBLINEAR -s 7", ["--solver", "liblinear-dual"]),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("train", metavar="TRAIN")
    parser.add_argument("test", metavar="TEST", nargs="+")
    parser.add_argument("--lines", type=int, default=100000)
    parser.add_argument("--size", type=int, default=300000, help="features that are kept")
    parser.add_argument("--protocols", nargs="+", default=["text", "rei"])
    parser.add_argument("--memory", default="12G")
    parser.add_argument("--costs", type=float, nargs="+", default=[1.0])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text")
        with open(args.train, "rb") as lines, open(text, "wb") as out:
            out.writelines(line for line, _ in zip(lines, range(args.lines)))
        row("protocol", "solver", "CPU s", "of it the solver", "MB", "F", "SER")
        row("---", "---", "---:", "---:", "---:", "---:", "---:")
        for protocol in args.protocols:
            one(args, folder, text, protocol)


def one(args, folder, text, protocol):
    model = os.path.join(folder, "model")
    common = [args.program, "train", "maxent", "--protocol", protocol, "--force", "-o", model, text]
    nothing = os.path.join(folder, "nothing")
    with open(nothing, "w", encoding="utf-8") as file:
        file.write("bias\t0\t0\t0\t0\n")
    no_ends = os.path.join(folder, "no-ends")
    with open(no_ends, "w", encoding="utf-8") as file:
        file.write("bias\t0\n")
    counting = timed([*common, "--weights", nothing, "--begin-weights", no_ends])[0]
    selection = None
    for name, settings in variants(args):
        seconds, memory = timed([*common, "--size", str(args.size), *settings])
        selection = selection or counting + (seconds - counting) / 2
        score = subprocess.run(
            [args.program, "evaluate", "--model", model, "--protocol", protocol, "--json", *args.test],
            check=True, capture_output=True, text=True,
        )
        score = json.loads(score.stdout)
        row(protocol, name, f"{seconds:.1f}", f"{seconds - selection:.1f}", f"{memory:.0f}", f"{100 * score['f']:.2f}", f"{score['ser']:.4f}")


def variants(args):
    for name, settings in SOLVERS:
        if "--solver" not in settings:
            yield name, settings
            continue
        for cost in args.costs:
            yield f"{name}, C {cost:g}", [*settings, "--cost", str(cost), "--solver-memory", args.memory]


def timed(command):
    """Returns the CPU seconds and the peak megabytes of a process."""
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
