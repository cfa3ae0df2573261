#!/usr/bin/env python3
"""Measures `restore --marks` on text that lost its punctuation everywhere or in parts: bare.py CORPORA [--before PROGRAM] [--preset accurate]

CORPORA has the folders dev/LANG. Each text is lower-cased and read as lines, its words in three states: with all marks removed, with the marks
removed in stretches of 150 to 600 words, and whole. Printed are micro F of the marks . , ? (others count as the nearest of them), with each mark of
the original as the reference, and F of the capitals. Then the words that count as bare (`cargo build --release --example bare_stretches`) are compared
with those whose marks were removed, in running text. With --before the figures of another program stand first. Needs only Python 3.
"""

import argparse
import pathlib
import random
import re
import subprocess
import tempfile

import quality

TOP = pathlib.Path(__file__).resolve().parents[1]
MARKS = re.compile(r"[,;:.?!…]+(?=[\"”»’')\]]*$)")
# The space before some marks in French.
APART = re.compile(r"[\u202f\u00a0 ]+(?=[?!;:](\s|$))")
NEAREST = {",": ",", ";": ".", ":": ",", ".": ".", "!": ".", "…": ".", "?": "?"}
STATES = ["bare", "parts", "whole"]
# The parts of running text that lose their marks; a number is the mean length of stretches.
KINDS = ["none", "all", "first half", "second half", 400, 150, 60]


def texts(corpora, lang, words):
    """Yields the name and the lines of each plain text, of at most so many words."""
    for path in sorted((corpora / "dev" / lang).iterdir()):
        if path.is_file() and not any(kind in path.name for kind in ["conll", "iwslt", "gerdracor"]):
            lines, count = [], 0
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                # Lines with a number sign name documents.
                if line.strip() and not line.startswith("# ") and count < words:
                    lines.append(APART.sub("", line).split())
                    count += len(lines[-1])
            yield path.name, lines


def without_marks(word):
    # A word of marks alone stays, so that the words keep their places.
    return MARKS.sub("", word) or word


def removed(lines, state):
    """Returns the lines without capitals and, in the state given, without marks; and for each word whether it is bare."""
    draw, left, is_bare, kept, bare = random.Random(7), 0, True, [], []
    for line in lines:
        out = []
        for word in line:
            if left == 0:
                left, is_bare = draw.randrange(150, 600), not is_bare
            left -= 1
            lost = state == "bare" or state == "parts" and is_bare
            out.append((without_marks(word) if lost else word).lower())
            bare.append(lost)
        kept.append(out)
    return kept, bare


def restored(program, arguments, lines):
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as text:
        text.write("".join(" ".join(line) + "\n" for line in lines))
        text.flush()
        command = [program, *arguments, text.name]
        return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout


def mark(word):
    found = MARKS.search(word)
    return NEAREST[found[0][0]] if found else ""


def is_capital(word):
    letters = [c for c in word if c.isalpha()]
    return bool(letters) and letters[0].isupper()


def f_score(right, found, wanted):
    return 200 * right / (found + wanted) if found + wanted else 0.0


def measure(program, preset, lang, lines, state):
    """Returns F of the marks and of the capitals."""
    given, _ = removed(lines, state)
    words = restored(program, ["restore", "-q", "--preset", preset, "--lang", lang, "--marks"], given)
    words = APART.sub("", words).split()
    gold = [word for line in lines for word in line]
    if len(words) != len(gold):
        return None
    pairs = [(mark(word), mark(true)) for word, true in zip(words, gold)]
    marks = f_score(sum(a == b != "" for a, b in pairs), sum(a != "" for a, _ in pairs), sum(b != "" for _, b in pairs))
    pairs = [(is_capital(word), is_capital(true)) for word, true in zip(words, gold)]
    capitals = f_score(sum(a and b for a, b in pairs), sum(a for a, _ in pairs), sum(b for _, b in pairs))
    return marks, capitals


def stretches(count, kind):
    """Returns for each of so many words whether its marks are removed."""
    if isinstance(kind, str):
        return [kind == "all" or kind != "none" and (at < count / 2) == (kind == "first half") for at in range(count)]
    draw, bare, is_bare = random.Random(kind), [], False
    while len(bare) < count:
        bare += [is_bare] * max(10, int(draw.expovariate(1 / kind)))
        is_bare = not is_bare
    return bare[:count]


def bare_words(example, lang, words, kind):
    """Counts the words of a running text that are rightly bare, that count as bare and that are bare, and all words."""
    bare = stretches(len(words), kind)
    given = [without_marks(word) if lost else word for word, lost in zip(words, bare)]
    found = [state == "1" for state in restored(example, [lang], [given]).split()]
    return sum(a and b for a, b in zip(found, bare)), sum(found), sum(bare), len(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, default=TOP / "target/release/majuscule")
    parser.add_argument("--preset", default="accurate")
    parser.add_argument("--words", type=int, default=12_000, help="words of each text")
    arguments = parser.parse_args()
    programs = [program for program in [arguments.before, arguments.program] if program]
    example = TOP / "target/release/examples/bare_stretches"
    print("| text | " + " | ".join(f"marks, {state} | capitals, {state}" for state in STATES) + " |")
    print("| --- |" + " ---: |" * 2 * len(STATES))
    sums, counts = [], {kind: [0] * 4 for kind in KINDS}
    for lang in quality.MAIN:
        for name, lines in texts(arguments.corpora, lang, arguments.words):
            rows = [[measure(program, arguments.preset, lang, lines, state) for program in programs] for state in STATES]
            if any(None in row for row in rows):
                continue
            cells = [[score[kind] for score in row] for row in rows for kind in range(2)]
            sums.append(cells)
            print(f"| {lang}, {name} | " + " | ".join(" → ".join(f"{value:.1f}" for value in cell) for cell in cells) + " |", flush=True)
            words = [word for line in lines for word in line]
            for kind in KINDS if example.exists() else []:
                counts[kind] = [sum(pair) for pair in zip(counts[kind], bare_words(example, lang, words, kind))]
    means = [[sum(row[cell][at] for row in sums) / len(sums) for at in range(len(programs))] for cell in range(2 * len(STATES))]
    print("| mean | " + " | ".join(" → ".join(f"{value:.1f}" for value in cell) for cell in means) + " |")
    if example.exists():
        print("\n| marks removed | words | precision | recall | whole words that count as bare |\n| --- | ---: | ---: | ---: | ---: |")
        for kind, (right, found, bare, words) in counts.items():
            precision, recall = [f"{right / of:.4f}" if bare else "" for of in [found, bare]]
            wrong = f"{100 * (found - right) / (words - bare):.2f} %" if words > bare else ""
            print(f"| {kind if isinstance(kind, str) else f'stretches of {kind} words'} | {words} | {precision} | {recall} | {wrong} |")


if __name__ == "__main__":
    main()
