#!/usr/bin/env python3
"""Measures the quality of the built-in models and writes docs/reports/quality.md.

    python3 benches/quality.py CORPORA --report docs/reports            # the built-in models
    python3 benches/quality.py CORPORA beside --report docs/reports     # with the models in the folder `beside`
    python3 benches/quality.py CORPORA marks --report docs/reports      # inserted punctuation and sentence ends
    python3 benches/quality.py CORPORA lines --report docs/reports      # text without punctuation, as one file
    python3 benches/quality.py --report docs/reports                    # writes quality.md again from quality.json

Without --report the tables are printed. CORPORA holds dev/LANG/ with the test sets named below.
The folder `beside` holds models named LANG.NAME.

A report keeps the rows that a run does not measure: quality.json holds all of them, and quality.md is written from it. The figure after
± is half of the 95 % interval of a bootstrap over sentences or windows (evaluate --intervals). The table of shouted words counts, in all
of these texts, runs of two or more words that are wrongly all in capitals. `lines` restores 3,000 sentences of a text as one file: one
sentence per line, wrapped at 60 columns, in one line, and in short cues. --langs en,nl measures only these languages, and --only accurate only the rows
of models whose name has this in it. Needs only Python 3.
"""

import argparse
import collections
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
MAJUSCULE = os.environ.get("MAJUSCULE", os.path.join(TOP, "target/dist/majuscule"))
# Where the program finds the networks.
os.environ.setdefault("MAJUSCULE_MODELS", os.path.join(TOP, "lm", "networks"))
PROTOCOLS = ["batista", "rei", "susanto", "asr"]
EUROPARL = ["europarl.devtest2006", "europarl.test2006"]
TITLE = "Europarl dev-test + test 2006"
PUD = "PUD, news and Wikipedia"
# The languages of the built-in models: the English name of each, and its first test set.
MAIN = {
    "en": ("English", TITLE, EUROPARL),
    "de": ("German", PUD, ["ud-pud.txt"]),
    "es": ("Spanish", TITLE, EUROPARL),
    "fr": ("French", "newstest2013", ["newstest2013"]),
    "it": ("Italian", PUD, ["ud-pud.txt"]),
    "nl": ("Dutch", TITLE, EUROPARL),
    "pt": ("Portuguese", TITLE, EUROPARL),
}
OTHERS = [
    ("FLORES-101 devtest", "flores.devtest", ["en", "es", "fr", "nl", "pt"], []),
    ("newstest2013", "newstest2013", ["en", "es"], []),
    ("OpenSubtitles", "opensubtitles.{lang}", ["en", "es", "fr", "nl", "pt"], []),
    ("TED dev2012", "ted.dev2012.cased.txt", ["en"], ["--split"]),
    ("Earnings-21, reference", "earnings21/ref", ["en"], []),
    ("Sequoia dev", "sequoia.dev", ["fr"], []),
    ("Lassy Small dev", "lassysmall.dev", ["nl"], []),
    ("Bosque dev", "bosque.dev", ["pt"], []),
    ("Europarl, a part of 2000", "europarl.txt", ["de", "it"], ["--split"]),
    ("GermEval 2014 dev", "germeval2014.txt", ["de"], []),
    ("Tatoeba", "tatoeba.txt", ["de"], []),
    ("Wikinews", "wikinews.txt", ["it"], []),
    ("Common Voice", "commonvoice.txt", ["de", "it"], []),
]


def run(*arguments, text=None):
    return subprocess.run([MAJUSCULE, *arguments], check=True, capture_output=True, text=True, input=text).stdout


def evaluate(model, protocol, files, options=(), shouts=None):
    """Returns the report of a model on files, and adds their runs of shouted words to `shouts`."""
    report, examples = with_choices(model, protocol, files, ["--intervals", *options])
    if shouts is not None:
        for reference, hypothesis in examples:
            shouts["words"] += len(reference)
            shouts["runs"] += wrongly_shouted(reference, hypothesis)
    return report


def with_choices(model, protocol, files, options):
    """Returns the report of a model on files, and the words of the reference and of the model in each example."""
    with tempfile.TemporaryDirectory() as folder:
        choices = os.path.join(folder, "choices.jsonl")
        report = json.loads(run("evaluate", *model, "--protocol", protocol, "--json", "--choices", choices, *options, *files))
        with open(choices, encoding="utf-8") as examples:
            return report, [(example["reference"], example["hypothesis"]) for example in map(json.loads, examples)]


def wrongly_shouted(reference, hypothesis):
    """Counts the runs of two or more words that are wrongly all in capitals. A single letter, which a title writes as a capital
    too, does not count as a word, but does not end a run either."""
    pairs = list(zip(reference, hypothesis))
    wrong = [word.isupper() and word != right for right, word in pairs]
    runs = itertools.groupby(zip(wrong, hypothesis), key=lambda pair: pair[0])
    return sum(is_wrong and sum(sum(map(str.isalpha, word)) > 1 for _, word in run) > 1 for is_wrong, run in runs)


def percent(fraction):
    return "-" if fraction is None else f"{100 * fraction:.1f}"


def ser(fraction):
    return "-" if fraction is None else f"{fraction:.3f}".lstrip("0")


def half(report, figure):
    """Returns half of the 95 % interval of a figure."""
    interval = report["intervals"][figure]
    return None if interval is None else (interval["high"] - interval["low"]) / 2


def figures(report):
    """Returns the cells of a protocol."""
    f = f"{percent(report['f'])} ±{percent(half(report, 'f'))}"
    return [percent(report["precision"]), percent(report["recall"]), f, ser_between(report)]


def ser_between(report):
    return f"{ser(report['ser'])} ±{ser(half(report, 'ser'))}"


def results_version():
    """Returns the version of results of the program: figures of different versions cannot be compared."""
    report = json.loads(run("evaluate", "--lang", "en", "--json", "-", text="We met Ana in Lisbon.\n"))
    return int(re.search(r"results:(\d+)", report["signature"]).group(1))


class Table:
    """Rows under a header; the first `keys` cells of a row identify it."""

    def __init__(self, name, header, keys):
        self.name, self.header, self.keys, self.rows = name, header, keys, []

    def add(self, *cells):
        self.rows.append(list(cells))
        print(line(cells), file=sys.stderr, flush=True)


def line(cells):
    return "| " + " | ".join(cells) + " |"


def markdown(header, keys, rows):
    rule = ["---"] * keys + ["---:"] * (len(header) - keys)
    return "\n".join(line(cells) for cells in [header, rule, *rows])


def paths(corpora, lang, names):
    for name in names:
        path = os.path.join(corpora, "dev", lang, name)
        if os.path.isdir(path):
            yield from sorted(os.path.join(path, file) for file in os.listdir(path))
        else:
            yield path


def systems(lang, models, only):
    """Returns the name and the arguments of the model of each preset of a language, and of each model in the folder `models`, if the name has `only` in it."""
    found = {"accurate": ["--lang", lang], "fast": ["--lang", lang, "--preset", "fast"]}
    for row in json.loads(run("models", "--lang", lang, "--json"))["models"]:
        if row["preset"] == "best" and not row.get("missing"):
            found[row["preset"]] = ["--lang", lang, "--preset", row["preset"]]
    for name in sorted(os.listdir(models)) if models else []:
        if name.startswith(lang + "."):
            found[name[len(lang) + 1 :]] = ["--model", os.path.join(models, name)]
    return [(f"`{name}`", model) for name, model in found.items() if only in name]


def built_in(corpora, models, chosen, only):
    shouts = collections.defaultdict(collections.Counter)
    figure_names = [name for protocol in PROTOCOLS for name in (f"{protocol}: P", "R", "F", "SER")]
    main = Table("main", ["language", "test set", "model", *figure_names], 3)
    for lang, (_, test_set, names) in MAIN.items():
        if lang not in chosen:
            continue
        for title, model in systems(lang, models, only):
            cells = []
            for protocol in PROTOCOLS:
                cells += figures(evaluate(model, protocol, paths(corpora, lang, names), (), shouts[lang, title]))
            main.add(lang, test_set, title, *cells)
    header = ["test set", "language", "model", *(f"{protocol} F / SER" for protocol in PROTOCOLS), "sentence ends F (asr)"]
    others = Table("others", header, 3)
    for title, name, langs, options in OTHERS:
        for lang in filter(chosen.__contains__, langs):
            files = list(paths(corpora, lang, [name.format(lang=lang)]))
            for system, model in systems(lang, models, only):
                found = shouts[lang, system]
                scores = [evaluate(model, protocol, files, options, found) for protocol in PROTOCOLS]
                ends = (scores[-1].get("sentence_ends") or {}).get("f")
                others.add(title, lang, system, *(f"{percent(d['f'])} / {ser_between(d)}" for d in scores), percent(ends))
    shouted = Table("shouted", ["language", "model", "words", "runs of words wrongly in capitals", "in 100,000 words"], 2)
    for (lang, system), found in sorted(shouts.items()):
        in_words = f"{1e5 * found['runs'] / found['words']:.2f}"
        shouted.add(lang, system, f"{found['words']:,}", str(found["runs"]), in_words)
    return [main, others, shouted]


def test_sets(corpora, chosen):
    """Returns the test sets of languages: the title, the language, the files and the options of each."""
    sets = [(title, lang, list(paths(corpora, lang, names)), []) for lang, (_, title, names) in MAIN.items()]
    for title, name, langs, options in OTHERS:
        sets += [(title, lang, list(paths(corpora, lang, [name.format(lang=lang)])), options) for lang in langs]
    return [row for row in sets if row[1] in chosen]


def marks(corpora, chosen, only):
    """Makes the table of marks put into text that has none, one stream for each test set."""
    header = ["test set", "language", "model", "comma F", "period F", "question F", "all marks P", "R", "F", "sentence ends F", "capitals F"]
    table = Table("marks", header, 3)
    iwslt = ["--protocol", "iwslt", "--json"]
    for title, lang, files, options in test_sets(corpora, chosen):
        for system, model in systems(lang, None, only):
            add_marks(table, [title, lang, system], run("evaluate", *model, *iwslt, *options, *files))
    if "en" in chosen:
        labels = os.path.join(corpora, "dev", "en", "iwslt.dev2012")
        for system, model in systems("en", None, only):
            add_marks(table, ["IWSLT dev2012", "en", system], run("evaluate", *model, *iwslt, "--format", "labels", labels))
    return [table]


def add_marks(table, keys, report):
    """Adds the row of a report on marks."""
    report = json.loads(report)
    table.add(*keys, *map(percent, [*mark_scores(report), report["sentence_ends"]["f"], report["f"]]))


def mark_scores(report):
    """Returns F of commas, full stops and question marks, and precision, recall and F of all marks."""
    by_mark = {found["mark"]: found["f"] for found in report["marks"]["classes"]}
    micro = report["marks"]["micro"]
    return [*map(by_mark.get, ["comma", "period", "question"]), micro["precision"], micro["recall"], micro["f"]]


def lines(corpora, chosen, only):
    """Makes the table of text without punctuation in several layouts, which shows the value of line and cue breaks."""
    shapes = ["one sentence per line", "wrapped", "one line", "short cues", "cues cut at marks"]
    table = Table("lines", ["language", "text", "model", *(f"{shape}: F / SER" for shape in shapes)], 3)
    for lang, (*_, main) in MAIN.items():
        for name in LINES.get(lang, main) if lang in chosen else []:
            with open(os.path.join(corpora, "dev", lang, name), encoding="utf-8") as text:
                texts = [words for line in itertools.islice(text, 3000) if (words := words_of(line))]
            # A mark ends a clause.
            clauses = [words.split() for text in texts for words in text.lower().split("|") if words.strip()]
            sentences = [text.lower().replace("|", " ").split() for text in texts]
            reference = " ".join(texts).replace("|", " ").split()
            flat = [word.lower() for word in reference]
            shapes = ["\n".join(map(" ".join, sentences)), filled(flat, 60), " ".join(flat)]
            shapes += [cues(filled(flat, CUE)), cues("\n".join(filled(words, CUE) for words in clauses))]
            for title, model in systems(lang, None, only):
                found = [restored(model, shape) for shape in shapes]
                table.add(lang, name, title, *("{} / {}".format(*slots(reference, words)) for words in found))
    return [table]


# The largest number of characters of a short cue.
CUE = 28


def filled(words, width):
    return textwrap.fill(" ".join(words), width, break_long_words=False, break_on_hyphens=False)


def cues(text):
    """Returns the lines of a text as cues of WebVTT."""
    times = (f"{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}.000" for at in itertools.count(0, 2))
    return "WEBVTT\n\n" + "\n\n".join(f"{start} --> {end}\n{line}" for (start, end), line in zip(itertools.pairwise(times), text.split("\n")))


LINES = {
    "en": ["opensubtitles.en", "europarl.test2006"],
    "es": ["opensubtitles.es", "newstest2013"],
    "de": ["tatoeba.txt", "ud-pud.txt"],
    "fr": ["opensubtitles.fr", "newstest2013"],
    "nl": ["opensubtitles.nl", "lassysmall.dev"],
    "pt": ["opensubtitles.pt", "bosque.dev"],
}


def words_of(line):
    """Returns the words of a line, with `|` at punctuation marks."""
    return re.sub("[,.;:?!]", "|", " ".join(re.findall(r"[^\W_]+(?:['’-][^\W_]+)*|[,.;:?!]", line))).strip("| ")


def restored(model, text):
    """Returns the words of a text or of its cues after restoring."""
    is_vtt = text.startswith("WEBVTT")
    command = [MAJUSCULE, "restore", *model, "--case", "ignore", "--format", "vtt" if is_vtt else "text"]
    found = subprocess.run(command, check=True, capture_output=True, text=True, input=text + "\n").stdout
    return [word for line in found.splitlines()[is_vtt:] if "-->" not in line for word in line.split()]


def slots(reference, hypothesis):
    """Returns F and the slot error rate; a slot is a word with a capital."""
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


SECTIONS = [
    (
        "main",
        "The built-in models",
        "Precision, recall and F are in percent, each with half of its 95 % interval.",
        "python3 benches/quality.py CORPORA --report docs/reports",
    ),
    ("others", "Other test sets", "", "python3 benches/quality.py CORPORA --report docs/reports"),
    (
        "shouted",
        "Runs of words wrongly in capitals",
        "The table counts runs of two or more words that are wrongly all in capitals, over all test sets and protocols.",
        "python3 benches/quality.py CORPORA --report docs/reports",
    ),
    (
        "marks",
        "Inserted punctuation",
        "Each test set is one stream without punctuation and capitals, under `iwslt`. The table has F of each mark; precision, recall and F "
        "of all marks (micro); F of sentence ends; F of capitals of the same output. IWSLT dev2012 has no capitals.",
        "python3 benches/quality.py CORPORA marks --report docs/reports",
    ),
    (
        "lines",
        "Text without punctuation, as one file",
        "The same sentences in five layouts: one sentence per line, wrapped at 60 columns, all in one line, and in cues of at most 28 "
        "characters, which end anywhere, or also after each punctuation mark of the original text.",
        "python3 benches/quality.py CORPORA lines --report docs/reports",
    ),
]


def summary(main):
    """Returns the README's table: `accurate` in each language, with F and SER of three protocols, and `best` under the last."""
    header = ["language", "test set", "text with marks", "no marks", "no marks, no sentence ends", "the same, `best`"]
    found = {(lang, model): cells for lang, _, model, *cells in main["rows"]}
    rows = []
    for lang, test_set, model, *_ in main["rows"]:
        if model == "`accurate`":
            shown = [("`accurate`", "susanto"), ("`accurate`", "rei"), ("`accurate`", "asr"), ("`best`", "asr")]
            rows.append([MAIN[lang][0], test_set, *(in_short(found.get((lang, name)), protocol) for name, protocol in shown)])
    return markdown(header, 2, rows)


def in_short(cells, protocol):
    """Returns F and SER under a protocol, without their intervals; "-" if the model was not measured."""
    at = 4 * PROTOCOLS.index(protocol)
    return " / ".join(cell.split(" ")[0] for cell in cells[at + 2 : at + 4]) if cells else "-"


def merged(old, table, version):
    """Returns the rows of a table, each with the version of results that made it; new rows replace those with the same keys."""
    if old is None or old["header"] != table.header:
        old = {"rows": []}
    new = {tuple(row[: table.keys]): (row, version) for row in table.rows}
    kept = zip(old["rows"], old.get("versions", [None] * len(old["rows"])))
    rows = [new.pop(tuple(row[: table.keys]), (row, made)) for row, made in kept] + list(new.values())
    return {"header": table.header, "keys": table.keys, "rows": [row for row, _ in rows], "versions": [made for _, made in rows]}


def report(folder, tables):
    """Puts tables into quality.json, and writes quality.md from it."""
    store = os.path.join(folder, "quality.json")
    stored = {}
    if os.path.exists(store):
        with open(store, encoding="utf-8") as file:
            stored = json.load(file)
    version = results_version() if tables else None
    for table in tables:
        stored[table.name] = merged(stored.get(table.name), table, version)
    with open(store, "w", encoding="utf-8") as file:
        json.dump(stored, file, ensure_ascii=False, indent=1)
        file.write("\n")
    parts = ["# Quality", "`benches/quality.py` writes this file; do not edit it. The protocols are explained in"]
    parts[1] += " [Evaluation](../book/src/evaluation.md). SER is the slot error rate: 0 is perfect."
    if "main" in stored:
        parts += ["## In short", "F in percent and SER of the built-in model `accurate` under `susanto`, `rei` and `asr`, and of the network `best` under `asr`."]
        parts += [summary(stored["main"])]
    for name, title, text, command in SECTIONS:
        if name in stored:
            table = stored[name]
            parts += [f"## {title}", *filter(None, [text]), f"    {command}"]
            versions = table.get("versions", [None] * len(table["rows"]))
            rows = [[*row, "-" if made is None else str(made)] for row, made in zip(table["rows"], versions)]
            parts += [markdown([*table["header"], "version of results"], table["keys"], rows)]
    with open(os.path.join(folder, "quality.md"), "w", encoding="utf-8") as file:
        file.write("\n\n".join(parts) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora", nargs="?", help="the folder of corpora")
    parser.add_argument("models", nargs="?", help="models beside the built-in ones, or `marks` or `lines`")
    parser.add_argument("--report", metavar="FOLDER", help="write quality.json and quality.md there, instead of printing tables")
    parser.add_argument("--langs", default=",".join(MAIN), help="languages of the built-in models (all)")
    parser.add_argument("--only", default="", help="only the rows of models whose name has this in it (all)")
    options = parser.parse_args()
    if options.corpora is None:
        tables = []
    elif options.models in ["marks", "lines"]:
        tables = {"marks": marks, "lines": lines}[options.models](options.corpora, options.langs.split(","), options.only)
    else:
        tables = built_in(options.corpora, options.models, options.langs.split(","), options.only)
    if options.report:
        report(options.report, tables)
    else:
        print("\n\n".join(markdown(table.header, table.keys, table.rows) for table in tables))


if __name__ == "__main__":
    main()
