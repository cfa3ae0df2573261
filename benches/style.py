#!/usr/bin/env python3
"""Measures --style: python3 benches/style.py CORPORA [--langs en,es] [--markdown FOLDER]

Prints Markdown tables. Of small-offices: precision, recall, F and slot error rate of text with its punctuation, without the rule and with it. With
--markdown, of title-headings the percentage of headings of the Markdown files in FOLDER that come out wholly right, and of capital-items that of list
items whose first word comes out right, both without the rule and with it. CORPORA holds dev/LANG/ with the test sets of quality.py. The variable MAJUSCULE names
another binary than target/dist/majuscule. Needs only Python 3.
"""

import argparse
import json
import re
import tempfile
from pathlib import Path

import quality

CODE = re.compile(r"`[^`]*`|<[^>]*>|\[([^\]]*)\]\([^)]*\)|[*_]{1,3}")
ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s+(.*)")


def scored(lang, lines, style, folder):
    """Returns the score of lines that are restored from lower case, and the restored lines."""
    reference, lower, output = (folder / name for name in ("reference.txt", "lower.txt", "output.txt"))
    reference.write_text("".join(lines), encoding="utf8")
    # No letter becomes two, or the words would be others.
    lower.write_text("".join(c.lower() if len(c.lower()) == 1 else c for c in "".join(lines)), encoding="utf8")
    quality.run("restore", "--lang", lang, *style, "--force", "-o", str(output), str(lower))
    report = json.loads(quality.run("score", "--locale", lang, "--json", str(reference), str(output)))
    return report, output.read_text(encoding="utf8").splitlines(keepends=True)


def cells(report):
    return [*(quality.percent(report[key]) for key in ("precision", "recall", "f")), quality.ser(report["ser"])]


def offices(corpora, langs, folder):
    """Prints the table of small-offices."""
    header = [f"{rule}: {figure}" for rule in ("without", "with `small-offices`") for figure in ("P", "R", "F", "SER")]
    print(quality.markdown(["language", "test set", *header], 2, []))
    for lang in langs:
        for title, _, files, options in quality.test_sets(corpora, [lang]):
            if any(str(file).endswith(".nlp") for file in files):
                continue
            text = "".join(Path(file).read_text(encoding="utf8") for file in files)
            lines = [line for line in text.splitlines(keepends=True) if not line.startswith("# ")]
            row = []
            for style in ([], ["--style", "small-offices"]):
                row += cells(scored(lang, lines, style, folder)[0])
            print(quality.line([lang, title, *row]), flush=True)


def plain(line):
    """Returns a line of Markdown without code, links and emphasis."""
    return CODE.sub(lambda match: match[1] or "", line).strip()


def headings(texts, folder):
    """Prints the table of headings and list items."""
    lines = [line for text in texts for line in re.sub(r"```.*?```", "", text, flags=re.S).splitlines() if "`" not in line]
    found = {
        "title-headings": [f"# {plain(line.lstrip('#'))}\n" for line in lines if re.match(r"#{1,6} \w", line)],
        "capital-items": [f"- {plain(item[1])}\n" for item in map(ITEM.match, lines) if item and re.match(r"[^\W\d]", plain(item[1]))],
    }
    print(quality.markdown(["rule", "lines", "without: right", "with: right"], 1, []))
    for rule, lines in found.items():
        row = []
        for style in ([], ["--style", rule]):
            _, output = scored("en", lines, style, folder)
            # Of an item the rule promises the first word, of a heading all.
            part = (lambda line: line.split()[1:2]) if rule == "capital-items" else str.split
            right = sum(part(one) == part(other) for one, other in zip(lines, output, strict=True))
            row.append(quality.percent(right / len(lines)))
        print(quality.line([f"`{rule}`", str(len(lines)), *row]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora")
    parser.add_argument("--langs", default="en,es,fr,nl,pt,it")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        offices(options.corpora, options.langs.split(","), Path(folder))
        if options.markdown:
            print()
            headings([path.read_text(encoding="utf8") for path in sorted(options.markdown.rglob("*.md"))], Path(folder))


if __name__ == "__main__":
    main()
