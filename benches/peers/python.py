#!/usr/bin/env python3
"""Measures the Python package beside the program, on the same text and cores.

    pip install ./python && cargo build --release && python3 benches/peers/python.py TEXT

TEXT has one sentence per line, such as a file of a corpus; it is lower-cased and repeated to 100,000 sentences. All figures are of
one run, and ratios are what counts: the machine may be busy. $MAJUSCULE names the program (target/release/majuscule). Prints a table.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

MAJUSCULE = os.environ.get("MAJUSCULE", "target/release/majuscule")
SENTENCES = 100_000
SHORT = "the president met angela merkel in lisbon on monday morning"


def seconds(work, times=1):
    """Returns the seconds of a call: the best of several."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def fresh(code):
    """Returns the seconds that a statement takes in a new interpreter, which prints them."""
    timed = f"import time\nstart = time.perf_counter()\n{code}\nprint(time.perf_counter() - start)"
    return min(float(subprocess.run([sys.executable, "-c", timed], check=True, capture_output=True, text=True).stdout) for _ in range(5))


def row(what, figure):
    print(f"| {what} | {figure} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", help="a text in English, one sentence per line")
    options = parser.parse_args()
    import majuscule

    with open(options.text, encoding="utf-8") as file:
        lines = [line.strip().lower() for line in file if line.strip()]
    if not lines:
        parser.error(f"{options.text} has no sentences")
    texts = (lines * (SENTENCES // len(lines) + 1))[:SENTENCES]
    words = sum(len(text.split()) for text in texts)
    print("| figure | value |\n| --- | ---: |")
    row("import", f"{1e3 * fresh('import majuscule'):.1f} ms")
    row("load('en')", f"{1e3 * (fresh('import majuscule; majuscule.load()') - fresh('import majuscule')):.1f} ms")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "texts.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(text + "\n" for text in texts)
        for preset in ("fast", "accurate"):
            model = majuscule.load("en", preset=preset)
            call = seconds(lambda: [model.restore(SHORT) for _ in range(1000)], 20) / 1000
            row(f"`{preset}`: one text of 10 words", f"{1e6 * call:.1f} µs")
            empty = seconds(lambda: [model.restore("") for _ in range(1000)], 20) / 1000
            row(f"`{preset}`: an empty text", f"{1e6 * empty:.1f} µs")
            for threads in (1, 2):
                arguments = [MAJUSCULE, "restore", "-q", "--preset", preset, "--context", "line", "--threads", str(threads), path]
                program = seconds(lambda: subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL), 3)
                package = seconds(lambda: model.restore(texts, threads=threads), 3)
                row(f"`{preset}`, {threads} threads: program", f"{words / program / 1e6:.2f} M words/s")
                row(f"`{preset}`, {threads} threads: list", f"{words / package / 1e6:.2f} M words/s, {program / package:.2f} of the program")


if __name__ == "__main__":
    main()
