#!/usr/bin/env python3
"""Recomputes the figures of experiments from the outputs of their systems, by code that shares nothing with majuscule.

    tests/peers/figures.py REPORT... [--show]

A REPORT is a folder that `majuscule experiment run` wrote, with its cache. The outputs are the words of the reference and of each system in
their spellings (`evaluate --choices`), from which this script counts correct slots (C), substitutions (S), deletions (D) and insertions (I), F,
the slot error rate, and the micro and macro averages. It exits with 1 if one of them differs from what majuscule printed or put into the tables.
Needs only Python 3.
"""

import argparse
import json
import sys
from pathlib import Path

NEAR = 1e-9


def letters(word):
    """The letters of a word that have a capital and are its small letter, each with whether it is the capital. The micro sign is none: its
    capital is that of the Greek mu."""
    return [letter != letter.lower() for letter in word if pairs(letter.lower(), letter.upper())]


def pairs(small, capital):
    return small != capital and capital.lower() == small and small.upper() == capital


def case_of(word, tags):
    """The case of a word: None for lower case, T, U, or its pattern."""
    capitals = letters(word)
    if not any(capitals):
        return None
    first = next((letter for letter in word if letter.isalpha()), "")
    if all(capitals):
        return "U"
    # A first letter that has no case, such as ß, leaves no title case.
    if capitals[0] and not any(capitals[1:]) and first and letters(first):
        return "T"
    return None if tags else tuple(capitals)


class Counts:
    """Slots that are correct, substituted, deleted and inserted."""

    def __init__(self):
        self.correct = self.substituted = self.deleted = self.inserted = 0

    def add(self, reference, hypothesis):
        if reference is not None and reference == hypothesis:
            self.correct += 1
        elif reference is not None and hypothesis is not None:
            self.substituted += 1
        elif reference is not None:
            self.deleted += 1
        elif hypothesis is not None:
            self.inserted += 1

    def figures(self):
        reference = self.correct + self.substituted + self.deleted
        hypothesis = self.correct + self.substituted + self.inserted
        ratio = lambda part, whole: part / whole if whole else None
        precision, recall = ratio(self.correct, hypothesis), ratio(self.correct, reference)
        both = reference + hypothesis
        return {
            "correct": self.correct,
            "substitutions": self.substituted,
            "deletions": self.deleted,
            "insertions": self.inserted,
            "precision": precision,
            "recall": recall,
            "f": ratio(2 * self.correct, both),
            "ser": ratio(self.substituted + self.deleted + self.inserted, reference),
        }


def one_against_all(pairs, name):
    counts = Counts()
    for reference, hypothesis in pairs:
        counts.add(*(name if one == name else None for one in (reference, hypothesis)))
    return counts.figures()


def macro(pairs, names):
    """The mean of F over the classes that occur."""
    all_f = [one_against_all(pairs, name)["f"] for name in names]
    all_f = [f for f in all_f if f is not None]
    return sum(all_f) / len(all_f) if all_f else None


def recomputed(lines, signature):
    """The figures of an output: those of capitals, and of marks if it has them."""
    tags = "classes:U-T-L" in signature
    cases, marks = [], []
    for line in lines:
        example = json.loads(line)
        unscored = set(example.get("unscored", []))
        words = zip(example["reference"], example["hypothesis"])
        cases += [(case_of(one, tags), case_of(other, tags)) for at, (one, other) in enumerate(words) if at not in unscored]
        of_marks = enumerate(example.get("marks", []))
        marks += [tuple(None if mark == "none" else mark for mark in pair) for at, pair in of_marks if at not in unscored]
    found = {"cases": all_of(cases)}
    if not any(isinstance(case, tuple) for pair in cases for case in pair):
        # The classes of majuscule: lower case is one of them.
        named = [tuple(case or "L" for case in pair) for pair in cases]
        found["macro_f"] = macro(named, ["L", "T", "U"])
    if marks:
        found["marks"] = all_of(marks)
        names = sorted({mark for pair in marks for mark in pair if mark is not None})
        found["marks_macro_f"] = macro(marks, names)
    return found


def all_of(pairs):
    counts = Counts()
    for reference, hypothesis in pairs:
        counts.add(reference, hypothesis)
    return counts.figures()


def differs(one, other):
    if one is None or other is None:
        return (one is None) != (other is None)
    return abs(one - other) > NEAR


def compared(name, ours, theirs, show):
    """Prints the figures that differ, and returns their number."""
    wrong = [key for key in ours if key in theirs and differs(ours[key], theirs[key])]
    for key in wrong:
        print(f"{name}: {key} is {theirs[key]}, but recomputed {ours[key]}")
    if show:
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in ours.items()))
    return len(wrong)


def check_outputs(folder, show):
    """Holds the figures that majuscule printed for each output of a cache against recomputed ones."""
    checked = wrong = 0
    sums = []
    for printed in sorted(folder.glob("*/printed.json")):
        output = printed.with_name("output")
        text = printed.read_text(encoding="utf-8")
        if not output.is_file() or not text.startswith("{"):
            continue
        theirs = json.loads(text)
        if "signature" not in theirs or "correct" not in theirs:
            continue
        with output.open(encoding="utf-8") as lines:
            ours = recomputed(lines, theirs["signature"])
        name = f"{printed.parent.name}"
        wrong += compared(name, ours["cases"], theirs, show)
        if "macro_f" in ours:
            wrong += compared(name, {"macro_f": ours["macro_f"]}, theirs, show)
        if "marks" in ours and "marks" in theirs:
            wrong += compared(f"{name}, marks", ours["marks"], theirs["marks"]["micro"], show)
            wrong += compared(f"{name}, marks", {"macro_f": ours["marks_macro_f"]}, theirs["marks"], show)
        checked += 1
        sums.append(ours.get("marks") or ours["cases"])
        if "marks" in ours:
            sums.append(ours["cases"])
    return checked, wrong, sums


def check_tables(folder, sums):
    """Each row of the tables has to be one of the recomputed outputs."""
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    cells = wrong = 0
    keys = ["correct", "substitutions", "deletions", "insertions", "f", "ser"]
    for row in results["rows"]:
        for test, cell in zip(results["tests"], row["cells"]):
            if cell is None or cell.get("recognised"):
                continue
            cells += 1
            figures = cell["figures"]
            if not any(all(not differs(own[key], figures[key]) for key in keys) for own in sums):
                print(f"{folder.name}: no output gives the figures of \"{row['name']}\" on \"{test['name']}\"")
                wrong += 1
    return cells, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("reports", nargs="+", type=Path, metavar="REPORT", help="a folder that experiment run wrote")
    parser.add_argument("--cache", type=Path, help="the folder of its cache, if not cache/ in the folder")
    parser.add_argument("--show", action="store_true", help="print all recomputed figures")
    options = parser.parse_args()
    all_wrong = 0
    for folder in options.reports:
        checked, wrong, sums = check_outputs(options.cache or folder / "cache", options.show)
        if not checked:
            sys.exit(f"{folder}: the cache has no output to recompute: run the experiment again")
        cells, wrong_cells = check_tables(folder, sums)
        all_wrong += wrong + wrong_cells
        print(f"{folder.name}: {checked} outputs and {cells} cells of tables, {wrong + wrong_cells} figures differ")
    sys.exit(all_wrong > 0)


if __name__ == "__main__":
    main()
