#!/usr/bin/env python3
"""Measures the networks, the preset best or another one (--best lm/networks/en.small), beside the built-in models accurate, and prints tables in Markdown.

    python3 benches/networks.py CORPORA capitals [--langs en,es] [--protocols asr:200,rei,text]
    python3 benches/networks.py CORPORA marks [--langs en,es]
    python3 benches/networks.py CORPORA ends [--langs nl]
    python3 benches/networks.py CORPORA cascade [--protocols asr:200,rei,text]
    python3 benches/networks.py CORPORA speed [--langs en,es]
    python3 benches/networks.py CORPORA cases [--langs en,es]

CORPORA holds dev/LANG/ with the test sets of quality.py, and dev/en/iwslt.dev2012 for the marks of English. Both models run in turn on the same text.
`speed` counts CPU time of the whole process on one thread, so that other work on the machine disturbs it little; the first word out is the
least of ten runs on a text that waits. `cases` restores the sentences of tests/cases.toml, each by itself, and reads no corpora. The variable
MAJUSCULE names another binary than target/dist/majuscule, and --best a model to measure in place of the preset. Needs only Python 3.11.
"""

import argparse
import itertools
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import time
import tomllib

import quality
from quality import MAJUSCULE, mark_scores, percent, run, ser

# The text whose words are restored for speed.
TEXT = {lang: files[-1] for lang, (*_, files) in quality.MAIN.items()}
RUNS = 10
# The confidences below which a cascade asks its second model, and the test sets beside Europarl.
SURE = [0.5, 0.55, 0.6, 0.7]
CASCADED = [("newstest2013", "newstest2013"), ("OpenSubtitles", "opensubtitles.en")]


def evaluated(model, protocol, files, options=()):
    return json.loads(run("evaluate", *model, "--protocol", protocol, "--json", *options, *files))


def line(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def header(cells, keys):
    line(cells)
    line(["---"] * keys + ["---:"] * (len(cells) - keys))


def capitals(corpora, langs, best, protocols):
    figures = [f"`{name}`: {figure}" for name in models_of("en", best) for figure in ("P", "R", "F", "SER")]
    header(["language", "protocol", "test set", "words", *figures], 3)
    for lang, protocol in itertools.product(langs, protocols):
        models, sets = models_of(lang, best), quality.test_sets(corpora, [lang])
        sums = dict.fromkeys(models, 0.0)
        for title, _, files, options in sets:
            cells, words = [], 0
            for name, model in models.items():
                report = evaluated(model, protocol, files, options)
                words = report["tokens"]
                sums[name] += report["f"]
                cells += [*map(percent, [report["precision"], report["recall"], report["f"]]), ser(report["ser"])]
            line([lang, f"`{protocol}`", title, f"{words:,}", *cells])
        means = [cell for total in sums.values() for cell in ["", "", percent(total / len(sets)), ""]]
        line([lang, f"`{protocol}`", "mean", "", *means])


def marks(corpora, langs, best):
    """Prints the table of marks: in English of talks, in other languages of their test sets."""
    figures = ["comma F", "period F", "question F", "all marks P", "R", "F", "macro F", "sentence ends F"]
    header(["language", "test set", "model", *figures], 3)
    talks = ("IWSLT dev2012", "en", [corpora / "dev/en/iwslt.dev2012"], ())
    for lang in langs:
        for title, _, files, options in [talks] if lang == "en" else quality.test_sets(corpora, [lang]):
            for name, model in models_of(lang, best).items():
                report = evaluated(model, "iwslt", files, options)
                scores = [*mark_scores(report), report["marks"]["macro_f"], report["sentence_ends"]["f"]]
                line([lang, title, f"`{name}`", *map(percent, scores)])


def ends(corpora, langs, best):
    """Prints the table of sentence ends in one stream of words, as in Vandeghinste and Guhr 2023."""
    header(["language", "test set", "model", "P", "R", "F", "SER"], 3)
    for lang in langs:
        for title, _, files, _ in quality.test_sets(corpora, [lang]):
            for name, model in models_of(lang, best).items():
                found = evaluated(model, "segments", files, ["--split"])["sentence_ends"]
                scores = map(percent, [found["precision"], found["recall"], found["f"]])
                line([lang, title, f"`{name}`", *scores, ser(found["ser"])])


def cascade(corpora, protocols):
    """Prints the table of cascades in English: quality, and CPU time beside that of the network alone."""
    header(["protocol", "test set", "model", "answered by `best`, %", "F", "SER", "CPU time of `best`, %"], 3)
    alone = ["best", "accurate", "fast"]
    models = {name: ["--preset", name, "--lang", "en"] for name in alone}
    for first, sure in itertools.product(alone[1:], SURE):
        pair = f"{first},best"
        models[f"{pair} --sure {sure}"] = ["--cascade", pair, "--sure", str(sure), "--lang", "en"]
    _, title, names = quality.MAIN["en"]
    files = [corpora / "dev/en" / name for name in names]
    sets = [(title, files), *((title, [corpora / "dev/en" / name]) for title, name in CASCADED)]
    for protocol, (title, files) in itertools.product(protocols, sets):
        took = {name: timed(["evaluate", *model, "--protocol", protocol, "--json", "--threads", "1", *files]) for name, model in models.items()}
        for name, (report, seconds, read) in took.items():
            share = percent(seconds / took["best"][1])
            line([f"`{protocol}`", title, f"`{name}`", read, percent(report["f"]), ser(report["ser"]), share])


def timed(arguments):
    """Returns the report of an evaluation, its CPU time in seconds, and the share of words that a second model read."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([MAJUSCULE, *arguments], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    read = re.search(r"the second model read ([0-9.]+) %", done.stderr)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), seconds, read.group(1) if read else ""


def speed(corpora, langs, best):
    header(["language", "model", "", "words/s of CPU time", "memory, MB", "first word out, ms"], 3)
    for lang in langs:
        text = (corpora / "dev" / lang / TEXT[lang]).read_text(encoding="utf-8").lower()
        words = len(text.split())
        for name, model in models_of(lang, best).items():
            for how, options in [("capitals", []), ("`--marks=all`", ["--marks=all"])]:
                command = [MAJUSCULE, "restore", "-q", "--threads", "1", *model, *options]
                seconds, memory = resources(command, text)
                first = 1000 * min(first_byte(command, text) for _ in range(RUNS))
                line([lang, f"`{name}`", how, f"{words / seconds:,.0f}", f"{memory:.0f}", f"{first:.0f}"])


def resources(command, text):
    """Returns the CPU time of a command on a text, in seconds, and its memory, in MB."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        process.stdin.write(text.encode())
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def first_byte(command, text):
    """Returns the seconds from the start of a command to the first byte of its answer to a text that is there in whole."""
    begin = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        # Less than a pipe holds: nothing waits.
        process.stdin.write(text.encode()[:50_000])
        process.stdin.close()
        process.stdout.read(1)
        seconds = time.perf_counter() - begin
        process.stdout.read()
    return seconds


def cases(langs, best):
    """Prints how many sentences of tests/cases.toml each model restores without an error."""
    with open(os.path.join(quality.TOP, "tests", "cases.toml"), "rb") as tables:
        sentences = tomllib.load(tables)
    header(["language", "sentences", *(f"`{name}`" for name in models_of("en", best))], 1)
    for lang in langs:
        lower = "".join(case["lower"] + "\n" for case in sentences[lang])
        counts = []
        for model in models_of(lang, best).values():
            command = [MAJUSCULE, "restore", "-q", "--context", "line", *model]
            restored = subprocess.run(command, check=True, capture_output=True, text=True, input=lower).stdout.splitlines()
            counts.append(sum(found == case["cased"] for found, case in zip(restored, sentences[lang], strict=True)))
        line([lang, str(len(sentences[lang])), *(f"{count} ({percent(count / len(sentences[lang]))} %)" for count in counts)])


def models_of(lang, best):
    """Returns the options that choose each model."""
    of_lang = ["--lang", lang]
    if best:
        return {"accurate": of_lang, pathlib.Path(best).name: ["--model", best, *of_lang]}
    return {"accurate": of_lang, "best": ["--preset", "best", *of_lang]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("corpora", type=pathlib.Path)
    parser.add_argument("table", choices=["capitals", "marks", "ends", "cascade", "speed", "cases"])
    parser.add_argument("--langs", default="en,es,fr,nl,pt")
    parser.add_argument("--protocols", default="asr:200,rei,text")
    parser.add_argument("--best", metavar="MODEL")
    args = parser.parse_args()
    langs = args.langs.split(",")
    if args.table == "capitals":
        capitals(args.corpora, langs, args.best, args.protocols.split(","))
    elif args.table == "marks":
        marks(args.corpora, langs, args.best)
    elif args.table == "ends":
        ends(args.corpora, langs, args.best)
    elif args.table == "cascade":
        cascade(args.corpora, args.protocols.split(","))
    elif args.table == "cases":
        cases(langs, args.best)
    else:
        speed(args.corpora, langs, args.best)


if __name__ == "__main__":
    main()
