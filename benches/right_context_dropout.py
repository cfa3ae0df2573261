#!/usr/bin/env python3
"""Measures dropout of right context: python3 benches/right_context_dropout.py TRAIN NAME=TEST... [--protocols text rei ...]

Trains maxent on TRAIN with and without it, under each protocol and with one and three words of look-ahead, and prints SER on each test as a Markdown
table: with the look-ahead of training, and with none, as live text has it. Needs only Python 3 and a program built with training, target/dist/majuscule
or the one that the variable MAJUSCULE names. Takes half a minute of CPU time for each training on 1.3 million words, and two minutes under asr.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
MAJUSCULE = os.environ.get("MAJUSCULE", str(TOP / "target/dist/majuscule"))
FRACTIONS = ["0.25", "0"]


def ser(model, protocol, look_ahead, test):
    command = [MAJUSCULE, "evaluate", "--model", model, "--protocol", protocol, "--look-ahead", look_ahead, "--json", test]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["ser"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("train", help="cased text")
    parser.add_argument("tests", nargs="+", metavar="NAME=TEST", help="a test text and its name in the table")
    parser.add_argument("--protocols", nargs="+", default=["text", "batista", "rei", "susanto", "asr"])
    options = parser.parse_args()
    tests = [test.split("=", 1) for test in options.tests]
    headings = [f"{name}, {at}" for name, _ in tests for at in ("as trained", "look-ahead 0")]
    print(f"| protocol | look-ahead | dropout | {' | '.join(headings)} |")
    print("| --- | ---: | ---: |" + " ---: |" * len(headings))
    with tempfile.TemporaryDirectory() as folder:
        for protocol in options.protocols:
            for look_ahead in ["1", "3"]:
                for fraction in FRACTIONS:
                    model = f"{folder}/{protocol}-{look_ahead}-{fraction}"
                    command = [MAJUSCULE, "train", "maxent", "--shuffle", "0", "--protocol", protocol, "--look-ahead", look_ahead]
                    command += ["--right-context-dropout", fraction, options.train, "-o", model]
                    subprocess.run(command, check=True)
                    found = [ser(model, protocol, at, test) for _, test in tests for at in (look_ahead, "0")]
                    cells = [f"{100 * value:.2f}" for value in found]
                    print(f"| `{protocol}` | {look_ahead} | {fraction} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
