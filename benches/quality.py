#!/usr/bin/env python3
"""Prints the README's quality tables: python3 benches/quality.py CORPORA [MODELS] | CORPORA methods | CORPORA lines

CORPORA holds dev/LANG/ with the test sets named below, and train.en.europarl for `methods`, the table of all methods trained
alike. MODELS is a folder of models LANG.NAME that get rows beside the built-in ones; `majority` and `hmm` on the same text and lists come
from

    mkdir beside && BESIDE=1 sh lm/build.sh CORPORA beside
    python3 benches/quality.py CORPORA beside

What follows ± is half of the 95 % interval of a bootstrap over sentences or windows (evaluate --intervals). The last table counts
runs of two or more words that came out all in capitals and should not have, in all of these texts. `lines` restores 3,000 sentences of
a text without marks as one file: a sentence a line, wrapped at 60 columns, and in one line. --langs en,nl prints the rows of some
languages only, --lines N trains `methods` on the first N lines, --only maxent prints its rows of them. Python 3 alone.
"""

import argparse
import collections
import itertools
import json
import os
import re
import subprocess
import tempfile
import textwrap

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


def evaluate(model, protocol, files, options=(), shouts=None):
    """The report of a model on files, whose runs of shouted words are added to `shouts`."""
    with tempfile.TemporaryDirectory() as folder:
        choices = os.path.join(folder, "choices.jsonl")
        words = ["evaluate", *model, "--protocol", protocol, "--json", "--intervals", "--choices", choices]
        report = json.loads(run(*words, *options, *files))
        if shouts is not None:
            with open(choices, encoding="utf-8") as examples:
                for example in map(json.loads, examples):
                    shouts["words"] += len(example["reference"])
                    shouts["runs"] += wrongly_shouted(example["reference"], example["hypothesis"])
    return report


def wrongly_shouted(reference, hypothesis):
    """How often two or more words in a row came out all in capitals and should not have. A single letter, which is no less in
    capitals in a title, does not count, but goes on with a run."""
    pairs = list(zip(reference, hypothesis))
    wrong = [word.isupper() and word != right for right, word in pairs]
    runs = itertools.groupby(zip(wrong, hypothesis), key=lambda pair: pair[0])
    return sum(is_wrong and sum(sum(map(str.isalpha, word)) > 1 for _, word in run) > 1 for is_wrong, run in runs)


def percent(fraction):
    return "-" if fraction is None else f"{100 * fraction:.1f}"


def ser(fraction):
    return "-" if fraction is None else f"{fraction:.3f}".lstrip("0")


def half(report, figure):
    """Half of the 95 % interval of a figure."""
    interval = report["intervals"][figure]
    return None if interval is None else (interval["high"] - interval["low"]) / 2


def figures(report):
    """The cells of a protocol."""
    f = f"{percent(report['f'])} ±{percent(half(report, 'f'))}"
    return [percent(report["precision"]), percent(report["recall"]), f, ser_between(report)]


def ser_between(report):
    return f"{ser(report['ser'])} ±{ser(half(report, 'ser'))}"


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
    """The built-in models of a language, and those beside them."""
    yield "`accurate`", ["--lang", lang]
    yield "`fast`", ["--lang", lang, "--preset", "fast"]
    for name in sorted(os.listdir(models)) if models else []:
        if name.startswith(lang + "."):
            yield f"`{name[len(lang) + 1:]}`", ["--model", os.path.join(models, name)]


def built_in(corpora, models, chosen):
    shouts = collections.defaultdict(collections.Counter)
    row("language", "test set", "model", *(f"{protocol}: P | R | F | SER" for protocol in PROTOCOLS))
    row("---", "---", "---", *("---:" for _ in range(4 * len(PROTOCOLS))))
    for lang, names in MAIN.items():
        if lang not in chosen:
            continue
        for title, model in systems(lang, models):
            cells = []
            for protocol in PROTOCOLS:
                cells += figures(evaluate(model, protocol, paths(corpora, lang, names), (), shouts[lang, title]))
            row(lang, " + ".join(names), title, *cells)
    print()
    row("test set", "language", "model", *(f"{protocol} F / SER" for protocol in PROTOCOLS), "sentence ends F (asr)")
    row("---", "---", "---", *("---:" for _ in PROTOCOLS), "---:")
    for title, name, langs, options in OTHERS:
        for lang in filter(chosen.__contains__, langs):
            files = list(paths(corpora, lang, [name.format(lang=lang)]))
            for system, model in systems(lang, models):
                found = shouts[lang, system]
                scores = [evaluate(model, protocol, files, options, found) for protocol in PROTOCOLS]
                ends = (scores[-1].get("sentence_ends") or {}).get("f")
                row(title, lang, system, *(f"{percent(d['f'])} / {ser_between(d)}" for d in scores), percent(ends))
    print()
    row("language", "model", "words", "runs of words wrongly in capitals", "in 100,000 words")
    row("---", "---", "---:", "---:", "---:")
    for (lang, system), found in sorted(shouts.items()):
        in_words = f"{1e5 * found['runs'] / found['words']:.2f}"
        row(lang, system, f"{found['words']:,}", str(found["runs"]), in_words)


def lines(corpora, chosen):
    """The table of running text without marks: what the ends of its lines are worth."""
    row("language", "text", "model", *(f"{shape}: F / SER" for shape in ["a sentence a line", "wrapped", "one line"]))
    row("---", "---", "---", "---:", "---:", "---:")
    for lang, names in LINES.items():
        for name in names if lang in chosen else []:
            with open(os.path.join(corpora, "dev", lang, name), encoding="utf-8") as text:
                sentences = [words for words in map(words_of, itertools.islice(text, 3000)) if words]
            reference = list(itertools.chain.from_iterable(sentences))
            flat = " ".join(reference).lower()
            shapes = ["\n".join(" ".join(words).lower() for words in sentences)]
            shapes += [textwrap.fill(flat, 60, break_long_words=False, break_on_hyphens=False), flat]
            for title, model in systems(lang, None):
                found = [restored(model, shape) for shape in shapes]
                row(lang, name, title, *("{} / {}".format(*slots(reference, words)) for words in found))


LINES = {
    "en": ["opensubtitles.en", "europarl.test2006"],
    "es": ["opensubtitles.es", "newstest2013"],
    "fr": ["opensubtitles.fr", "newstest2013"],
    "nl": ["opensubtitles.nl", "lassysmall.dev"],
    "pt": ["opensubtitles.pt", "bosque.dev"],
}


def words_of(line):
    return re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", line)


def restored(model, text):
    command = [MAJUSCULE, "restore", *model, "--case", "ignore"]
    return subprocess.run(command, check=True, capture_output=True, text=True, input=text + "\n").stdout.split()


def slots(reference, hypothesis):
    """F and slot error rate: a slot is a word with a capital."""
    assert len(reference) == len(hypothesis)
    correct = substituted = deleted = inserted = 0
    for right, word in zip(reference, hypothesis):
        is_slot, is_found = right != right.lower(), word != word.lower()
        correct += is_slot and right == word
        substituted += is_slot and is_found and right != word
        deleted += is_slot and not is_found
        inserted += is_found and not is_slot
    errors = substituted + deleted + inserted
    of = correct + substituted + deleted
    return percent(2 * correct / (2 * correct + errors + substituted)), ser(errors / of)


DEFAULT = "word bigrams trigrams neighbours wide affixes shape profile marks ngrams".split()
METHODS = [
    ("`majority`", ["majority", "--no-parts"]),
    ("`hmm`", ["hmm", "--min-count", "1,2,2"]),
    ("`hmm --map-weight 0.3`", ["hmm", "--min-count", "1,2,2", "--map-weight", "0.3"]),
    ("`maxent --look-ahead 1`", ["maxent", "--look-ahead", "1"]),
    ("`maxent`", ["maxent"]),
    ("`maxent`, clusters, previous", ["maxent", "--features", ",".join(DEFAULT + ["clusters", "previous"])]),
]


def methods(corpora, lines, only):
    row("method", *(f"{protocol}: P | R | F | SER" for protocol in PROTOCOLS))
    row("---", *("---:" for _ in range(4 * len(PROTOCOLS))))
    with tempfile.TemporaryDirectory() as folder:
        corpus = first_lines(os.path.join(corpora, "train.en.europarl"), lines, folder)
        for name, settings in METHODS:
            if only not in name:
                continue
            cells = []
            for protocol in PROTOCOLS:
                model = os.path.join(folder, "model")
                run("train", *settings, "--protocol", protocol, "--force", "-o", model, corpus)
                cells += figures(evaluate(["--model", model], protocol, paths(corpora, "en", EUROPARL)))
            row(name, *cells)


def first_lines(corpus, lines, folder):
    """The corpus, or a file of its first lines."""
    if lines is None:
        return corpus
    path = os.path.join(folder, "corpus.txt")
    with open(corpus, encoding="utf-8") as all_lines, open(path, "w", encoding="utf-8") as out:
        out.writelines(itertools.islice(all_lines, lines))
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora", help="the folder of corpora")
    parser.add_argument("models", nargs="?", help="models beside the built-in ones, or `methods` or `lines`")
    parser.add_argument("--langs", default=",".join(MAIN), help="languages of the built-in models (all)")
    parser.add_argument("--lines", type=int, help="train `methods` on so many lines (all)")
    parser.add_argument("--only", default="", help="of `methods`, the rows whose name has this in it (all)")
    options = parser.parse_args()
    if options.models == "methods":
        methods(options.corpora, options.lines, options.only)
    elif options.models == "lines":
        lines(options.corpora, options.langs.split(","))
    else:
        built_in(options.corpora, options.models, options.langs.split(","))


if __name__ == "__main__":
    main()
