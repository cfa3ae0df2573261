#!/usr/bin/env python3
"""Prints the README's tables of the generative methods: python3 benches/generative.py CORPORA

They have the shape of tables 4 to 8 of Batista et al. 2007 on open data. CORPORA holds train.en.europarl,
train/en/earnings22/ and dev/en/ with the test sets named below. Python 3 alone; about ten minutes.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile

MAJUSCULE = os.environ.get("MAJUSCULE", "target/release/majuscule")
# As the paper has it: 57k words, bigrams and trigrams seen at least 5 times.
PAPER = ["--vocabulary", "57000", "--discount-fallback"]
MODELS = [
    ("unigrams", ["--order", "1"]),
    ("bigrams", ["--order", "2", "--min-count", "1,5", "--back-off"]),
    ("3-gram", ["--order", "3", "--min-count", "1,5,5", "--back-off"]),
    ("3-gram, interpol.", ["--order", "3", "--min-count", "1,5,5"]),
]
DECODERS = [
    ("`hmm`", "hmm", []),
    ("`ngram`, epsilon", "ngram", ["--arcs", "epsilon"]),
    ("`ngram`, failure", "ngram", ["--arcs", "failure"]),
]
TESTS = [
    ("Europarl", ["europarl.devtest2006", "europarl.test2006"], []),
    ("Earnings-21", ["earnings21/ref"], []),
    ("TED dev2012", ["ted.dev2012.cased.txt"], ["--split"]),
]
REPEAT = 20


def run(*arguments):
    done = subprocess.run([MAJUSCULE, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(done.args)}: {done.stderr}")
    return done.stdout


def cpu_seconds(*arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([MAJUSCULE, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def paths(corpora, names):
    for name in names:
        path = os.path.join(corpora, "dev", "en", name)
        if os.path.isdir(path):
            yield from sorted(os.path.join(path, file) for file in os.listdir(path))
        else:
            yield path


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def size(folder):
    return sum(os.path.getsize(os.path.join(folder, file)) for file in os.listdir(folder))


def figures(model, files, options):
    d = json.loads(run("evaluate", "--model", model, "--protocol", "batista", "--json", *options, *files))
    ser = f"{d['ser']:.3f}".lstrip("0")
    return [f"{100 * d[name]:.1f}" for name in ("precision", "recall", "f")] + [ser]


class Bench:
    def __init__(self, corpora, folder):
        self.corpora, self.folder = corpora, folder
        self.europarl = os.path.join(corpora, "train.en.europarl")
        self.text = os.path.join(folder, "lower.txt")
        with open(self.text, "w", encoding="utf-8") as out:
            lower = "".join(open(file, encoding="utf-8").read().lower() for file in paths(corpora, TESTS[0][1]))
            self.words = len(lower.split()) * REPEAT
            out.write(lower * REPEAT)

    def path(self, *parts):
        return os.path.join(self.folder, "-".join(parts))

    def train(self, name, method, *arguments):
        model = self.path(name, method, *(argument for argument in arguments if not os.path.isabs(argument)))
        run("train", method, *arguments, "-o", model, "--force")
        return model

    def speed(self, model):
        # The time of a text of one word, which is that of loading the model, is in it: a user waits for it too.
        seconds = min(cpu_seconds("restore", "--threads", "1", "--model", model, self.text) for _ in range(3))
        return f"{self.words / seconds / 1e6:.2f}"

    def rows(self, name, system, model, tests):
        cells = [figures(model, list(paths(self.corpora, files)), options) for _, files, options in tests]
        row(name, system, f"{size(model) / 1e6:.1f}", self.speed(model), *(cell for test in cells for cell in test))

    def table(self, tests):
        heads = [f"{title}: {head}" if head == "P" and len(tests) > 1 else head for title, *_ in tests for head in ("P", "R", "F", "SER")]
        row("model", "decoder", "MB", "M words/s", *heads)
        row("---", "---", "---:", "---:", *("---:" for _ in heads))
        batista = ["--protocol", "batista"]
        majority = self.train("most", "majority", *batista, "--vocabulary", "57000", "--lang", "en", self.europarl)
        self.rows("most frequent form", "`majority`", majority, tests)
        for name, options in MODELS:
            lm = self.path(name)
            if not os.path.exists(lm):
                run("lm", "train", *batista, *PAPER, *options, self.europarl, "-o", lm)
            for title, method, settings in DECODERS:
                model = self.train(name, method, *settings, "--lm", lm, "--lang", "en")
                self.rows(name, title, model, tests)
        own = self.train("own", "hmm", *batista, "--min-count", "1,2,2", "--lang", "en", self.europarl)
        self.rows("3-gram, all words, seen twice, unknown ones guessed", "`hmm`", own, tests)

    def speech(self):
        """The row whose model saw speech of the domain alone."""
        folder = os.path.join(self.corpora, "train", "en", "earnings22")
        files = sorted(os.path.join(folder, file) for file in os.listdir(folder))
        row("trained on", "decoder", "MB", "M words/s", "P", "R", "F", "SER")
        row("---", "---", "---:", "---:", "---:", "---:", "---:", "---:")
        for name, method, settings in [("`majority`", "majority", []), ("`hmm`", "hmm", [])]:
            model = self.train("speech", method, *settings, "--protocol", "batista", "--lang", "en", *files)
            self.rows("Earnings-22", name, model, TESTS[1:2])


def main(corpora):
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(corpora), folder)
        print("## Written text (tables 4, 5 and 6)\n")
        bench.table(TESTS[:1])
        print("\n## Speech, trained on written text (tables 7 and 8)\n")
        bench.table(TESTS[1:])
        print("\n## Speech, trained on speech of the domain\n")
        bench.speech()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
