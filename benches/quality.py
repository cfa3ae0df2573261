#!/usr/bin/env python3
"""Prints the README's quality tables: python3 benches/quality.py CORPORA [MODELS] | CORPORA methods

CORPORA holds dev/LANG/ with the test sets named below, and train.en.europarl for `methods`, the table of all methods trained
alike. MODELS is a folder of models LANG.NAME that get rows beside the built-in ones. Python 3 alone.
"""

import json
import os
import subprocess
import sys
import tempfile

MAJUSCULE = os.environ.get("MAJUSCULE", "target/release/majuscule")
PROTOCOLS = ["batista", "rei", "susanto", "asr"]
EUROPARL = ["europarl.devtest2006", "europarl.test2006"]
MAIN = {"en": EUROPARL, "es": EUROPARL, "fr": ["newstest2013"], "nl": EUROPARL, "pt": EUROPARL}
OTHERS = [
    ("FLORES-101 devtest", "flores.devtest", ["en", "es", "fr", "nl", "pt"], []),
    ("newstest2013", "newstest2013", ["en", "es"], []),
    ("OpenSubtitles", "opensubtitles.{lang}", ["en", "es", "fr", "nl", "pt"], []),
    ("TED dev2012", "ted.dev2012.cased.txt", ["en"], ["--split"]),
    ("Earnings-21, reference", "earnings21/ref", ["en"], []),
    ("Sequoia dev", "sequoia.dev", ["fr"], []),
    ("Lassy Small dev", "lassysmall.dev", ["nl"], []),
    ("Bosque dev", "bosque.dev", ["pt"], []),
]


def run(*arguments):
    return subprocess.run([MAJUSCULE, *arguments], check=True, capture_output=True, text=True).stdout


def evaluate(model, protocol, files, options=()):
    return json.loads(run("evaluate", *model, "--protocol", protocol, "--json", *options, *files))


def percent(fraction):
    return "-" if fraction is None else f"{100 * fraction:.1f}"


def ser(fraction):
    return "-" if fraction is None else f"{fraction:.3f}".lstrip("0")


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def paths(corpora, lang, names):
    for name in names:
        path = os.path.join(corpora, "dev", lang, name)
        if os.path.isdir(path):
            yield from sorted(os.path.join(path, file) for file in os.listdir(path))
        else:
            yield path


def systems(lang, models):
    yield "`accurate`", ["--lang", lang]
    yield "`fast`", ["--lang", lang, "--preset", "fast"]
    for name in sorted(os.listdir(models)) if models else []:
        if name.startswith(lang + "."):
            yield f"`{name[len(lang) + 1:]}`", ["--model", os.path.join(models, name)]


def main(corpora, models):
    row("language", "test set", "model", *(f"{protocol}: P | R | F | SER" for protocol in PROTOCOLS))
    row("---", "---", "---", *("---:" for _ in range(4 * len(PROTOCOLS))))
    for lang, names in MAIN.items():
        for title, model in systems(lang, models):
            cells = []
            for protocol in PROTOCOLS:
                d = evaluate(model, protocol, paths(corpora, lang, names))
                cells += [percent(d["precision"]), percent(d["recall"]), percent(d["f"]), ser(d["ser"])]
            row(lang, " + ".join(names), title, *cells)
    print()
    row("test set", "language", "model", *(f"{protocol} F / SER" for protocol in PROTOCOLS), "sentence ends F (asr)")
    row("---", "---", "---", *("---:" for _ in PROTOCOLS), "---:")
    for title, name, langs, options in OTHERS:
        for lang in langs:
            files = list(paths(corpora, lang, [name.format(lang=lang)]))
            for system, model in systems(lang, models):
                scores = [evaluate(model, protocol, files, options) for protocol in PROTOCOLS]
                ends = (scores[-1].get("sentence_ends") or {}).get("f")
                row(title, lang, system, *(f"{percent(d['f'])} / {ser(d['ser'])}" for d in scores), percent(ends))


DEFAULT = "word bigrams trigrams neighbours wide affixes shape profile marks ngrams".split()
METHODS = [
    ("`majority`", ["majority", "--no-parts"]),
    ("`hmm`", ["hmm", "--min-count", "1,2,2"]),
    ("`hmm --map-weight 0.3`", ["hmm", "--min-count", "1,2,2", "--map-weight", "0.3"]),
    ("`maxent --look-ahead 1`", ["maxent", "--look-ahead", "1"]),
    ("`maxent`", ["maxent"]),
    ("`maxent`, word classes", ["maxent", "--features", ",".join(DEFAULT + ["clusters"])]),
]


def methods(corpora):
    row("method", *(f"{protocol}: P | R | F | SER" for protocol in PROTOCOLS))
    row("---", *("---:" for _ in range(4 * len(PROTOCOLS))))
    corpus = os.path.join(corpora, "train.en.europarl")
    for name, settings in METHODS:
        cells = []
        for protocol in PROTOCOLS:
            with tempfile.TemporaryDirectory() as folder:
                model = os.path.join(folder, "model")
                run("train", *settings, "--protocol", protocol, "-o", model, corpus)
                d = evaluate(["--model", model], protocol, paths(corpora, "en", EUROPARL))
                cells += [percent(d["precision"]), percent(d["recall"]), percent(d["f"]), ser(d["ser"])]
        row(name, *cells)


if __name__ == "__main__":
    if sys.argv[2:] == ["methods"]:
        methods(sys.argv[1])
    elif len(sys.argv) in (2, 3):
        main(sys.argv[1], *sys.argv[2:] or [None])
    else:
        sys.exit(__doc__)
