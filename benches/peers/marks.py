#!/usr/bin/env python3
"""Puts punctuation marks into text with majuscule and with a CRF of CRFsuite, which learn from the same text, in one run.

    python3 benches/peers/marks.py TRAIN TEST [--words 300000] [--lang en] [--protocol iwslt] [--majuscule target/dist/majuscule]

TRAIN and TEST are files of punctuated text, lines of one or more sentences; with TEST in the form of IWSLT 2011 (word<TAB>COMMA) its
labels count. All systems learn from the first --words words of TRAIN and put `. , ?` into the words of TEST, in lower case and in
one stream; `majuscule score` compares them all. Words per second are those of a whole process that reads and writes text, on one
core, the fastest of --repeat runs by turns.

Needs `pip install python-crfsuite`. Its CRF sees the word, two words before and three after it, pairs of neighbouring words,
endings of three letters and the marks' own transitions. The PyPI packages punctuators, deepmultilingualpunctuation and sherpa-onnx have no
weights here: each downloads them from a server of models, so they are named and not run.

The translation of Vandeghinste & Guhr without reordering is the row of `ngram --arcs epsilon`: S o T, where T is the transducer of
a language model that has marks as words.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
MARKS = {",": ",", ":": ",", "–": ",", "—": ",", "-": ",", ";": ".", ".": ".", "!": ".", "…": ".", "?": "?"}
# The rows of majuscule: name, method with its settings, protocol of training, options of restore.
ROWS = [
    ("majuscule maxent", ["maxent", "--marks"], "mix", []),
    ("majuscule maxent, 1 word ahead", ["maxent", "--marks", "--look-ahead", "1"], "mix", []),
    ("majuscule maxent, 6 windows", ["maxent", "--marks"], "mix", ["--predictions-per-word", "6"]),
    ("majuscule hmm", ["hmm", "--marks", "--order", "4"], "text", []),
    ("majuscule ngram (S o T)", ["ngram", "--marks", "--order", "3", "--arcs", "epsilon"], "text", []),
]


def main():
    if sys.argv[1:2] == ["crf"]:
        return crf(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", type=pathlib.Path)
    parser.add_argument("test", type=pathlib.Path)
    parser.add_argument("--words", type=int, default=300_000, help="words of TRAIN to learn from")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--protocol", default="iwslt", help="iwslt or punctuator2")
    parser.add_argument("--majuscule", default="target/dist/majuscule")
    parser.add_argument("--repeat", type=int, default=2)
    given = parser.parse_args()
    majuscule = str(pathlib.Path(given.majuscule).resolve())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        train, count = cut(given.train, given.words, folder / "train.txt")
        test, spoken = folder / "spoken.txt", words_of(majuscule, given.test, given.lang, folder)
        test.write_text(" ".join(spoken) + "\n", encoding="utf-8")
        print(f"{count:,} words to learn from, {len(spoken):,} words of {given.test.name}\n")
        systems = [system(majuscule, row, train, given.lang, folder) for row in ROWS]
        systems.append(crf_system(train, folder))
        systems = [found for found in systems if found]
        fastest = {}
        for _ in range(given.repeat):
            for name, command, _ in systems:
                start = time.monotonic()
                with open(test, encoding="utf-8") as text, open(folder / f"{name}.out", "w", encoding="utf-8") as out:
                    subprocess.run(command, stdin=text, stdout=out, check=True)
                fastest[name] = min(fastest.get(name, float("inf")), time.monotonic() - start)
        print("| system | comma F | full stop F | question F | micro F | macro F | words/s | training s |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        for name, _, trained in systems:
            score = [majuscule, "score", given.test, folder / f"{name}.out", "--protocol", given.protocol, "--lang", given.lang]
            score += ["--json"] if labels(given.test) else ["--split", "--json"]
            report = json.loads(subprocess.run(score, stdout=subprocess.PIPE, check=True).stdout)
            marks = report["marks"]
            classes = {found["mark"]: found["f"] for found in marks["classes"]}
            figures = [classes["comma"], classes["period"], classes["question"], marks["micro"]["f"], marks["macro_f"]]
            shown = " | ".join(f"{100 * (figure or 0):.1f}" for figure in figures)
            print(f"| {name} | {shown} | {len(spoken) / fastest[name]:,.0f} | {trained:.0f} |")
        print(f"\n{report['signature']}")
    print("\npunctuators, deepmultilingualpunctuation, sherpa-onnx: no weights here, not run")


def cut(source, most, target):
    """Copies the first lines of a text, up to a number of words, and returns the copy and its number of words."""
    count = 0
    with open(source, encoding="utf-8") as lines, open(target, "w", encoding="utf-8", newline="\n") as out:
        for line in lines:
            # Headings of talks are no text.
            if line.startswith("#"):
                continue
            if count >= most:
                break
            count += len(line.split())
            out.write(line)
    return target, count


def labels(path):
    """Returns true if a text is a file of labels."""
    with open(path, encoding="utf-8") as text:
        return "\t" in text.readline()


def words_of(majuscule, path, lang, folder):
    """The words of a text, in lower case and without marks, as all systems get them: those that are scored."""
    choices = folder / "choices"
    # The built-in model is not used; its choices come with the words.
    command = [majuscule, "evaluate", "--preset", "fast", "--protocol", "asr", "--lang", lang, "--choices", choices, path]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    with open(choices, encoding="utf-8") as windows:
        return [word.lower() for window in windows for word in json.loads(window)["reference"]]


def system(majuscule, row, train, lang, folder):
    """Trains a model of majuscule: its name, the command that restores a text, and the seconds of training."""
    name, method, protocol, options = row
    model = folder / name
    command = [majuscule, "train", *method, "--protocol", protocol, "--lang", lang, "--split", "--threads", "1", "--force", "-o", model, train]
    start = time.monotonic()
    trained = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if trained.returncode:
        print(f"{name}: {trained.stderr.strip()}", file=sys.stderr)
        return None
    restore = [majuscule, "restore", "--quiet", "--marks", "--threads", "1", "--case", "ignore", "--model", model, *options]
    return name, restore, time.monotonic() - start


def crf_system(train, folder):
    """Trains the CRF, if CRFsuite is installed."""
    start = time.monotonic()
    trained = subprocess.run([sys.executable, __file__, "crf", "train", train, folder / "crf"], stderr=subprocess.PIPE, text=True)
    if trained.returncode:
        print(f"CRFsuite: {trained.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return "CRFsuite", [sys.executable, __file__, "crf", "tag", folder / "crf"], time.monotonic() - start


def crf(verb, path, model=None):
    """Learns a CRF from a text, or puts marks into standard input with it."""
    import pycrfsuite

    if verb == "train":
        trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
        trainer.set_params({"c1": 0.5, "c2": 0.01, "max_iterations": 60, "feature.minfreq": 2})
        words, marks = marked(pathlib.Path(path).read_text(encoding="utf-8"))
        for start in range(0, len(words), WINDOW):
            part = slice(start, start + WINDOW)
            trainer.append(features(words, start, min(start + WINDOW, len(words))), marks[part])
        return trainer.train(str(model))
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    words, out = sys.stdin.read().split(), []
    # Windows overlap by a quarter on either side, and only their middle counts.
    for start in range(0, len(words), WINDOW // 2):
        first, last = max(0, start - WINDOW // 4), min(len(words), start + 3 * WINDOW // 4)
        found = tagger.tag(features(words, first, last))[start - first : start - first + WINDOW // 2]
        out += [word + mark.replace("O", "") for word, mark in zip(words[start:], found)]
    print(" ".join(out))


# The number of words of a sequence.
WINDOW = 200


def marked(text):
    """The words of a text in lower case, and the mark after each."""
    words, marks = [], []
    found = list(WORD.finditer(text))
    for word, following in zip(found, found[1:] + [None]):
        gap = text[word.end() : following.start() if following else len(text)]
        marks_there = [MARKS[c] for c in gap if c in MARKS]
        # The strongest mark counts; a hyphen between letters is none.
        mark = max(marks_there, key=",.?".index) if marks_there and (gap.strip() != "-" or " " in gap) else ""
        words.append(word.group().lower())
        marks.append(mark or "O")
    return words, marks


def features(words, start, end):
    """The features of the gap after each word from `start` to `end`."""

    def word(at):
        return words[at] if start <= at < end else "|"

    def of(at):
        near = {place: word(at + place) for place in range(-2, 4)}
        found = [f"{place}={near[place]}" for place in near]
        found += [f"{place}|{place + 1}={near[place]}|{near[place + 1]}" for place in range(-2, 3)]
        found += [f"e{place}={near[place][-3:]}" for place in (-1, 0, 1, 2)]
        return found

    return [of(at) for at in range(start, end)]


if __name__ == "__main__":
    main()
