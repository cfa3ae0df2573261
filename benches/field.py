#!/usr/bin/env python3
"""Measures the built-in models in the field's own tables and writes docs/reports/field.md.

    python3 benches/field.py CORPORA --report docs/reports

CORPORA holds dev/LANG/ with the test sets named below, and train/LANG/ for Punkt. The peers are the packages pysbd, nltk and spacy of the
Python that runs this script; one that is not installed is named in the report. Without --report the page is printed.
"""

import argparse
import json
import pathlib
import sys

from quality import EUROPARL, MAIN, markdown, percent, results_version, run

LANGUAGES = {tag: name for tag, (name, *_) in MAIN.items()}

# Texts for sentence ends without marks and capitals: the name, the files, and options for reading them.
ENDS = [
    ("en", "TED dev2012", ["ted.dev2012.cased.txt"], ["--split"]),
    ("en", "OpenSubtitles", ["opensubtitles.en"], []),
    ("en", "Europarl", EUROPARL, []),
    ("de", "Tatoeba", ["tatoeba.txt"], []),
    ("de", "Europarl, a part of 2000", ["europarl.txt"], ["--split"]),
    ("es", "OpenSubtitles", ["opensubtitles.es"], []),
    ("es", "Europarl", EUROPARL, []),
    ("fr", "OpenSubtitles", ["opensubtitles.fr"], []),
    ("fr", "newstest2013", ["newstest2013"], []),
    ("it", "Common Voice", ["commonvoice.txt"], []),
    ("it", "Europarl, a part of 2000", ["europarl.txt"], ["--split"]),
    ("nl", "OpenSubtitles", ["opensubtitles.nl"], []),
    ("nl", "Europarl", EUROPARL, []),
    ("pt", "OpenSubtitles", ["opensubtitles.pt"], []),
    ("pt", "Europarl", EUROPARL, []),
]
# F of sentence ends in TED 2020, as wtpsplit publishes them (evaluation results of SaT, threshold tuned).
SAT = {
    "SaT-12l-sm": {"en": 67.4, "de": 76.6, "es": 66.1, "fr": 69.0, "it": 66.9, "nl": 79.0, "pt": 72.2},
    "SaT-3l-sm": {"en": 49.7, "de": 57.9, "es": 51.9, "fr": 56.1, "it": 49.0, "nl": 61.2, "pt": 57.6},
}
# Texts with marks, a sentence on each line: treebanks of Universal Dependencies where there are any, or news.
PUNCTUATED = [
    ("en", "newstest2013", "newstest2013"),
    ("de", "UD GSD dev", "ud-gsd.dev.txt"),
    ("es", "newstest2013", "newstest2013"),
    ("fr", "UD Sequoia dev", "sequoia.dev"),
    ("it", "UD PUD", "ud-pud.txt"),
    ("nl", "UD Lassy Small dev", "lassysmall.dev"),
    ("pt", "UD GSD dev", "gsd.dev"),
]
# Text from which Punkt learns abbreviations: its own models are a download.
PUNKT_TEXT = {"en": "newstest", "de": "wikinews.txt", "es": "newstest", "fr": "newstest", "it": "wikinews.txt", "nl": "tatoeba.nl", "pt": "fakebr-true.txt"}
PUNKT_BYTES = 4_000_000
# F of single marks as published (FullStop, Europarl), and the texts of the same kind here.
FULLSTOP = [
    ("en", "Europarl", EUROPARL, {"comma": 81.9, "period": 94.8, "question": 89.0}),
    ("fr", "newstest2013 (news)", ["newstest2013"], {"comma": 83.1, "period": 94.5, "question": 87.1}),
    ("nl", "Europarl", EUROPARL, {"comma": 81.0, "period": 96.0, "question": 85.0}),
]


def evaluated(lang, protocol, files, options):
    return json.loads(run("evaluate", "--lang", lang, "--protocol", protocol, "--json", *options, *map(str, files)))


def ends(corpora):
    rows = []
    for lang, title, names, options in ENDS:
        report = evaluated(lang, "segments", [corpora / "dev" / lang / name for name in names], options)
        found = report["sentence_ends"]
        figures = [found["precision"], found["recall"], found["f"], report["sentence_ends_f_half"], report["exact_sentence_pairs"]]
        rows.append([LANGUAGES[lang], title, f"{found['correct'] + found['deletions']:,}", *map(percent, figures)])
        print(rows[-1], file=sys.stderr, flush=True)
    for name, by_language in SAT.items():
        rows += [[LANGUAGES[lang], f"TED 2020, {name} as published", "–", "–", "–", f"{f:.1f}", "–", "–"] for lang, f in by_language.items()]
    order = list(LANGUAGES.values())
    rows.sort(key=lambda row: order.index(row[0]))
    return markdown(["language", "text", "sentences", "P", "R", "F", "F0.5", "exact pairs"], 2, rows)


def boundaries(text, sentences):
    """Returns the numbers of characters of a text after which sentences end, without white space. Sentences are looked for in the text,
    without case, since a peer may lose characters."""
    text = squeezed(text)
    found, at = set(), 0
    for sentence in map(squeezed, sentences):
        begin = text.find(sentence, at)
        if begin >= 0:
            at = begin + len(sentence)
            found.add(at)
    return found | {len(text)}


def squeezed(text):
    return "".join(text.lower().split())


def score(right, found):
    """Returns F of boundaries; the end of the text does not count."""
    right, found = right - {max(right)}, found - {max(right)}
    return 2 * len(right & found) / (len(right) + len(found))


def splitters(corpora):
    """Returns the systems by name, each a function of the language and the text to sentences; and the peers that are missing."""
    systems = {"majuscule, `fast`": lambda lang, text: run("restore", "--lang", lang, "--preset", "fast", "--lines", "sentence", text=text + "\n").splitlines()}
    missing = []
    try:
        import pysbd

        systems["pysbd"] = lambda lang, text: pysbd.Segmenter(language=lang, clean=False).segment(text)
    except ImportError:
        missing.append("pysbd")
    try:
        from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTrainer

        def punkt(lang, text):
            path = corpora / "train" / lang / PUNKT_TEXT[lang]
            paths = [path] if path.is_file() else sorted(file for file in path.parent.glob(path.name + "*") if file.is_file())
            learned = "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in paths)[:PUNKT_BYTES]
            trainer = PunktTrainer()
            trainer.INCLUDE_ALL_COLLOCS = True
            trainer.train(learned)
            return PunktSentenceTokenizer(trainer.get_params()).tokenize(text)

        systems["Punkt (NLTK), trained here"] = punkt
    except ImportError:
        missing.append("nltk")
    try:
        import spacy

        def sentencizer(lang, text):
            model = spacy.blank(lang)
            model.max_length = 10_000_000
            model.add_pipe("sentencizer")
            return [sentence.text for sentence in model(text).sents]

        systems["spaCy's sentencizer"] = sentencizer
    except ImportError:
        missing.append("spacy")
    return systems, missing


def punctuated(corpora):
    systems, missing = splitters(corpora)
    rows, notes = [], [f"`{name}` is not installed and was not measured." for name in missing]
    for lang, title, name in PUNCTUATED:
        sentences = [line.strip() for line in (corpora / "dev" / lang / name).read_text(encoding="utf-8").splitlines() if line.strip()]
        text = " ".join(sentences)
        right = boundaries(text, sentences)
        cells = []
        for system, split in systems.items():
            try:
                cells.append(percent(score(right, boundaries(text, split(lang, text)))))
            except (ValueError, KeyError, ImportError):
                cells.append("–")
                notes.append(f"{system} has no {LANGUAGES[lang]}.")
        rows.append([LANGUAGES[lang], title, f"{len(sentences):,}", *cells])
        print(rows[-1], file=sys.stderr, flush=True)
    return markdown(["language", "text", "sentences", *systems], 2, rows), notes


def single_marks(corpora):
    marks = ["comma", "period", "question"]
    rows = []
    for lang, title, names, published in FULLSTOP:
        report = evaluated(lang, "sepp", [corpora / "dev" / lang / name for name in names], [])["marks"]
        ours = {found["mark"]: found["f"] for found in report["classes"]}
        rows.append([LANGUAGES[lang], f"{title}, `accurate`", *(percent(ours[mark]) for mark in marks)])
        rows.append([LANGUAGES[lang], "Europarl, FullStop as published", *(f"{published[mark]:.1f}" for mark in marks)])
        print(rows[-2], file=sys.stderr, flush=True)
    return markdown(["language", "text and system", *(f"{mark} F" for mark in marks)], 2, rows)


def page(corpora):
    version = results_version()
    by_mark, notes = punctuated(corpora)
    return "\n\n".join(
        [
            "# The field's own tables",
            "`benches/field.py` writes this page; do not edit it. It has the built-in models in the tables by which others measure, beside "
            "peers that can be run here, and beside published figures where the peer needs weights that cannot be had here. Published "
            "figures are of other texts, and show the order of size alone. Capitals beside other truecasers are in "
            "[speed.md](speed.md#quality-beside-other-truecasers).",
            "    python3 benches/field.py CORPORA --report docs/reports",
            "## Sentence ends without punctuation and capitals",
            "The text is one stream of words in small letters without marks; `accurate` decides where sentences end, with its own threshold "
            "(`--protocol segments`). Figures are in percent: precision, recall, F and F0.5 of sentence ends, and the fraction of pairs of "
            "neighbouring sentences that are divided exactly. SaT (Frohmann et al. 2024) has 214 and 277 million weights and a threshold that "
            "was tuned for each test set; its TED 2020 is not here.",
            ends(corpora),
            "## Sentence ends with punctuation",
            "F of sentence ends, in percent, where the sentences of a text are joined by spaces. Punkt learns abbreviations, without "
            "supervision, from at most 4 MB of text of the language. Where quotation marks do not pair, pysbd takes all that follows for one "
            "sentence, as in the French text.",
            by_mark,
            *notes,
            "## Single marks",
            "F of single marks under `--protocol sepp`, in percent, beside the figures that FullStop (deepmultilingualpunctuation, "
            "XLM-R-large and RobBERT, trained on Europarl) publishes.",
            single_marks(corpora),
            f"`protocol:segments, sepp|results:{version}`",
        ]
    ) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora", type=pathlib.Path, help="the folder of corpora")
    parser.add_argument("--report", type=pathlib.Path, metavar="FOLDER", help="write field.md there, instead of printing it")
    options = parser.parse_args()
    text = page(options.corpora)
    if options.report:
        (options.report / "field.md").write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
