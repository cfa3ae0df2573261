#!/usr/bin/env python3
"""Measures the Python package beside the program, and beside other truecasers of Python, on the same text and cores.

    pip install ./python polars && python3 benches/peers/python.py TEXT
    pip install sacremoses truecase && python3 benches/peers/python.py TEXT --train CASED

TEXT has one sentence per line, such as a file of a corpus. All figures are of one run, and ratios are what counts: the machine may
be busy. The first table is of the program and the package; its text is lower-cased and repeated to 100,000 sentences. The program is
that inside the package, whose time has the start of an interpreter in it, unless $MAJUSCULE names another. With polars the table has a
column of texts, too.

The second table has the words per CPU second and the F of capitals of each truecaser. All get the same tokens in lower case, sentence by
sentence, in one process and on one thread. sacremoses learns from the text --train, one sentence per line, in true case; a sentence
gets its first capital by its detruecaser. PyPI's truecase has its own statistics. It gets the tokens, since its own tokeniser asks
for a download. A package that is not installed is left out.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

PROGRAM = [os.environ["MAJUSCULE"]] if "MAJUSCULE" in os.environ else [sys.executable, "-m", "majuscule"]
SENTENCES = 100_000
PIECE = re.compile(r"\w+(?:['’.-]\w+)*|[^\w\s]")
SHORT = "the president met angela merkel in lisbon on monday morning"


def seconds(work, times=1, clock=time.perf_counter):
    """Returns the seconds of a call: the best of several."""
    best = float("inf")
    for _ in range(times):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def fresh(code):
    """Returns the seconds that a statement takes in a new interpreter, which prints them."""
    timed = f"import time\nstart = time.perf_counter()\n{code}\nprint(time.perf_counter() - start)"
    return min(float(subprocess.run([sys.executable, "-c", timed], check=True, capture_output=True, text=True).stdout) for _ in range(5))


def row(what, figure):
    print(f"| {what} | {figure} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", help="a text in English in true case, one sentence per line")
    parser.add_argument("--train", metavar="CASED", help="another such text, from which sacremoses learns; adds the table of truecasers")
    options = parser.parse_args()
    lines = read(options.text)
    if not lines:
        parser.error(f"{options.text} has no sentences")
    beside_program(lines)
    if options.train:
        beside_truecasers(lines, read(options.train))


def read(path):
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip()]


def beside_program(lines):
    import majuscule

    lines = [line.lower() for line in lines]
    texts = (lines * (SENTENCES // len(lines) + 1))[:SENTENCES]
    words = sum(len(text.split()) for text in texts)
    column = column_of(texts)
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
                arguments = [*PROGRAM, "restore", "-q", "--preset", preset, "--context", "line", "--threads", str(threads), path]
                program = seconds(lambda: subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL), 3)
                package = seconds(lambda: model.restore(texts, threads=threads), 3)
                row(f"`{preset}`, {threads} threads: program", f"{words / program / 1e6:.2f} M words/s")
                row(f"`{preset}`, {threads} threads: list", f"{words / package / 1e6:.2f} M words/s, {program / package:.2f} of the program")
                if column is not None:
                    arrow = seconds(lambda: model.restore(column, threads=threads), 3)
                    row(f"`{preset}`, {threads} threads: column", f"{words / arrow / 1e6:.2f} M words/s, {package / arrow:.2f} of the list")


def column_of(texts):
    """Returns the texts as a column of polars; None if that is not there."""
    try:
        import polars
    except ImportError:
        return None
    return polars.Series(texts)


def beside_truecasers(lines, train):
    references = [tokens for tokens in map(PIECE.findall, lines) if tokens]
    given = [[token.lower() for token in tokens] for tokens in references]
    words = sum(any(map(str.isalnum, token)) for tokens in given for token in tokens)
    systems = [*majuscule_systems(given), *sacremoses_systems(given, train), *truecase_systems(given)]
    best = {name: float("inf") for name, _ in systems}
    for _ in range(5):
        # CPU time, in turns: all have one thread, and a busy machine slows all alike.
        for name, restore in systems:
            best[name] = min(best[name], seconds(restore, clock=time.process_time))
    print(f"\n{words} words in {len(given)} sentences\n")
    print("| truecaser | words per CPU second | F of capitals | the same inside sentences |\n| --- | ---: | ---: | ---: |")
    for name, restore in systems:
        found = restore()
        print(f"| {name} | {words / best[name]:,.0f} | {f_of_capitals(references, found):.3f} | {f_of_capitals(references, found, 1):.3f} |")


def majuscule_systems(given):
    import majuscule

    texts = [" ".join(tokens) for tokens in given]

    def system(preset):
        model = majuscule.load("en", preset=preset)
        restore = lambda: model.restore(texts, threads=1, case="ignore", sentence_start="always")
        return f"majuscule, `{preset}`", lambda: [text.split(" ") for text in restore()]

    return [system("fast"), system("accurate")]


def sacremoses_systems(given, train):
    try:
        from sacremoses import MosesDetruecaser, MosesTruecaser
    except ImportError as error:
        return left_out("sacremoses", error)
    truecaser, detruecaser = MosesTruecaser(is_asr=True), MosesDetruecaser()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tokens.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(" ".join(PIECE.findall(line)) + "\n" for line in train)
        truecaser.train_from_file(path)
    texts = [" ".join(tokens) for tokens in given]
    return [("sacremoses", lambda: [detruecaser.detruecase(truecaser.truecase(text, return_str=True)) for text in texts])]


def truecase_systems(given):
    try:
        from truecase import get_truecaser

        truecaser = get_truecaser()
    except (ImportError, OSError) as error:
        return left_out("truecase", error)
    system = lambda unknown: lambda: [truecaser.get_true_case_from_tokens(tokens, unknown) for tokens in given]
    return [("truecase (PyPI)", system("title")), ("truecase (PyPI), unknown words in lower case", system("lower"))]


def left_out(name, error):
    print(f"{name} is left out: {error}", file=sys.stderr)
    return []


def f_of_capitals(references, found, first=0):
    """Returns the F of the tokens with capitals, which count if all their letters are right, from a position of each sentence on."""
    right = true = put = 0
    for reference, tokens in zip(references, found):
        if len(tokens) != len(reference):
            sys.exit(f"{len(tokens)} tokens for {len(reference)}: {' '.join(tokens)}")
        for expected, token in zip(reference[first:], tokens[first:]):
            right += token == expected != expected.lower()
            true += expected != expected.lower()
            put += token != token.lower()
    return 2 * right / (true + put) if true + put else float("nan")


if __name__ == "__main__":
    main()
