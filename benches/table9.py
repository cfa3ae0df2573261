#!/usr/bin/env python3
"""Prints the README's table of maxent's features: python3 benches/table9.py CORPORA

It has the shape of table 9 of Batista et al. 2007 on open data: little speech of the domain to train on, and what lists and
a lexicon of written text add to it. CORPORA holds train/en/earnings22/, the written text and the lists named below, and
dev/en/earnings21/ref/. Python 3 alone; about two minutes.

The paper's LEX has five lists, two of them from a part-of-speech tagger. No English corpus here has part-of-speech columns,
so surnames and a list of nationalities, months and days stand in their place. Each list is cut to the entries most frequent
in the written text, of those that it mostly writes with a capital.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile

MAJUSCULE = os.environ.get("MAJUSCULE", "target/release/majuscule")
REPOSITORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# As the paper has it: words of speech, of the vocabulary, and entries of lists.
SPEECH_WORDS = 467_000
VOCABULARY = 57_000
WRITTEN = ["train.en.europarl", "train/en/reuters.txt", "train/en/bbc.bbc.txt", "train/en/abc.rural.txt", "train/en/abc.science.txt"]
CALENDAR = "January February March April May June July August September October November December Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
# Few features and little text: many long steps. Chosen on other calls of Earnings-22.
LONG = ["--epochs", "10", "--rate", "1"]
BIGRAMS = ["word", "bigrams"]
EXPERIMENTS = [
    ("w", ["word"], [], (85, 65, None, 0.466)),
    ("w, bigrams", BIGRAMS, [], (84, 67, None, 0.455)),
    ("w, bigrams, trigrams", [*BIGRAMS, "trigrams"], [], (84, 67, None, 0.458)),
    ("PubLEX", ["forms"], ["forms"], (80, 73, 76, 0.453)),
    ("w, bigrams, LEX", [*BIGRAMS, "lists"], ["lists"], (84, 68, 75, 0.446)),
    ("w, bigrams, PubLEX", [*BIGRAMS, "forms"], ["forms"], (85, 73, 79, 0.391)),
    ("w, bigrams, LEX, PubLEX", [*BIGRAMS, "lists", "forms"], ["lists", "forms"], (85, 73, 79, 0.391)),
]


def run(*arguments):
    done = subprocess.run([MAJUSCULE, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(done.args)}: {done.stderr}")
    return done.stdout


def lines(*path, encoding="utf-8-sig"):
    with open(os.path.join(*path), encoding=encoding) as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def column(path, name):
    with open(path, encoding="utf-8", newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


def files(*path):
    folder = os.path.join(*path)
    return sorted(os.path.join(folder, file) for file in os.listdir(folder))


def lists(corpora):
    """What each list is cut from, and to how many entries."""
    lexicon = os.path.join(corpora, "lexicon")
    gazetteers = [lines(lexicon, "nltk", f"gazetteers.{name}.txt", encoding="latin-1") for name in ("countries", "uscities")]
    capitals = column(os.path.join(lexicon, "places", "dr5hn.countries.csv"), "capital")
    acronyms = [lines(REPOSITORY, "lexicons", name) for name in ("acronyms.txt", "acronyms.en.txt")]
    return {
        "acronyms": (sum(acronyms, []), 72),
        "names": (lines(lexicon, "names", "first_names.us.txt"), 466),
        "places": (sum(gazetteers, capitals), 357),
        "surnames": (lines(lexicon, "names", "surnames.us.txt"), 466),
        "nationalities": (lines(lexicon, "nltk", "gazetteers.nationalities.txt") + CALENDAR.split(), 200),
    }


def counts(lexicon):
    """How often each word stands inside sentences, and how often with a capital."""
    found = {}
    for form, count in forms(lexicon):
        sums = found.setdefault(form.lower(), [0.0, 0.0])
        sums[0] += count
        sums[1] += count if form != form.lower() else 0.0
    return found


def forms(lexicon):
    """The forms of a lexicon, and how often each stands inside sentences."""
    for word in json.loads(run("lexicon", "export", "--format", "json", lexicon))["words"]:
        for form in word["forms"]:
            yield form["form"], form["count"]


def cut(entries, size, found):
    """The most frequent entries; a phrase is as frequent as its rarest word."""
    def count(entry):
        words = [found.get(word, (0.0, 0.0)) for word in entry.lower().split()]
        return min((cased if 2 * cased > all else 0.0 for all, cased in words), default=0.0)

    entries = sorted({entry for entry in entries if count(entry) > 0}, key=lambda entry: (-count(entry), entry))
    return entries[:size]


def speech(corpora):
    """The first files of the calls that have so many words together."""
    words, chosen = 0, []
    for file in files(corpora, "train", "en", "earnings22"):
        if words >= SPEECH_WORDS:
            break
        words += sum(1 for _ in open(file, encoding="utf-8")) - 1
        chosen.append(file)
    return chosen


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def percent(number):
    return "" if number is None else f"{number:.0f}"


def ser(number):
    return f"{number:.3f}".lstrip("0")


def figures(uses, settings, training, test, model):
    run("train", "maxent", *uses, *settings, "--protocol", "batista", "--lang", "en", *training, "-o", model, "--force")
    d = json.loads(run("evaluate", "--model", model, "--protocol", "batista", "--json", *test))
    return [f"{100 * d[name]:.1f}" for name in ("precision", "recall", "f")] + [ser(d["ser"])]


def main(corpora):
    training, test = speech(corpora), files(corpora, "dev", "en", "earnings21", "ref")
    with tempfile.TemporaryDirectory() as folder:
        publex = os.path.join(folder, "publex.tsv")
        written = [os.path.join(corpora, file) for file in WRITTEN]
        run("lexicon", "build", "--protocol", "batista", "--vocabulary", str(VOCABULARY), "--lang", "en", *written, "-o", publex)
        found, given = counts(publex), {"lists": [], "forms": ["--forms", publex]}
        for name, (entries, size) in lists(corpora).items():
            entries, path = cut(entries, size, found), os.path.join(folder, f"{name}.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(f"{entry}\n" for entry in entries)
            given["lists"] += ["--list", path]
            print(f"{name}: {len(entries)} entries", file=sys.stderr)
        row("", "features", "P", "R", "F", "SER", "paper: P", "R", "F", "SER")
        row("---:", "---", *("---:" for _ in range(8)))
        model = os.path.join(folder, "model")
        for number, (title, features, uses, paper) in enumerate(EXPERIMENTS, 1):
            uses = [argument for use in uses for argument in given[use]]
            settings = ["--features", ",".join(features), "--look-ahead", "1", *LONG]
            row(str(number), title, *figures(uses, settings, training, test, model), *map(percent, paper[:3]), ser(paper[3]))
        for title, uses in [("the default features", []), ("the default features, LEX, PubLEX", sum(given.values(), []))]:
            row("", title, *figures(uses, ["--look-ahead", "1"], training, test, model), "", "", "", "")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]))
