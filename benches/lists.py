#!/usr/bin/env python3
"""Measures what a list of names could add at most: python3 benches/lists.py CORPORA TEXT LIST… [--lang en] [--preset accurate]

Prints as a Markdown table, for each list, how many of the capitals that a model misses in the test sets are in its entries, and how many words in
lower case are. A model that learned the list perfectly would restore the first and leave the second alone. An entry is left out if lexicons/ has it, or
if TEXT writes it in lower case in more than 2 % of its occurrences inside sentences, as lexicons/build.py does. CORPORA holds dev/LANG/ with the test
sets of quality.py, TEXT has one sentence per line, and a list one entry per line, of at most six words. The variable MAJUSCULE names another binary than
target/dist/majuscule. Needs only Python 3.
"""

import argparse
import collections
import os
import pathlib
import re
import sys

import quality

sys.path.insert(0, os.path.join(quality.TOP, "lexicons"))
import build  # noqa: E402

PROTOCOLS = ["rei", "asr:200"]
LONGEST = 6
WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora")
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("lists", nargs="+", type=pathlib.Path)
    parser.add_argument("--lang", default="en")
    parser.add_argument("--preset", default="accurate")
    options = parser.parse_args()
    known = set().union(*map(entries, pathlib.Path(quality.TOP, "lexicons").glob("*.txt")))
    lists = {path.stem: entries(path) - known for path in options.lists}
    everything = set().union(*lists.values())
    kept = everything - contradicted(options.text, everything)
    lists = {name: found & kept for name, found in lists.items()} | {"all of them": kept}
    examples = {protocol: restored(options, protocol) for protocol in PROTOCOLS}
    figures = ["capitals missed", "in the list", "in lower case, in the list"]
    header = ["list", "entries", *(f"`{protocol}`: {figure}" for protocol in PROTOCOLS for figure in figures)]
    print(quality.markdown(header, 1, [[name, f"{len(found):,}", *figures_of(found, examples)] for name, found in lists.items()]))


def entries(path):
    """Returns the entries of a list, each a tuple of lower-cased words, without those that have no capital."""
    found = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        words = WORD.findall(line)
        if not line.startswith("#") and 0 < len(words) <= LONGEST and line != line.lower():
            found.add(tuple(word.lower() for word in words))
    return found


class Index:
    """Finds entries of lists among words in lower case."""

    def __init__(self, entries):
        self.entries = entries
        self.lengths = collections.defaultdict(set)
        for entry in entries:
            self.lengths[entry[0]].add(len(entry))

    def spans(self, words):
        """Yields each span of the words that is an entry, as a range."""
        for first, word in enumerate(words):
            for length in self.lengths.get(word, ()):
                entry = tuple(words[first : first + length])
                if entry in self.entries:
                    yield range(first, first + len(entry))


def contradicted(text, entries):
    """Returns the entries that the text writes in lower case too often for a name."""
    index, seen, lower = Index(entries), collections.Counter(), collections.Counter()
    with open(text, encoding="utf-8") as lines:
        for line in lines:
            words = WORD.findall(line)
            small = [word.lower() for word in words]
            for span in index.spans(small):
                if span.start > 0:
                    entry = tuple(small[span.start : span.stop])
                    seen[entry] += 1
                    lower[entry] += all(words[place] == small[place] for place in span)
    return {entry for entry, times in seen.items() if lower[entry] > build.LOWER_SHARE * times}


def restored(options, protocol):
    """Returns the examples of all test sets, each a pair of the words of the reference and those of the model."""
    model = ["--lang", options.lang, "--preset", options.preset]
    sets = quality.test_sets(options.corpora, [options.lang])
    return [example for _, _, files, more in sets for example in quality.with_choices(model, protocol, files, more)[1]]


def figures_of(entries, examples):
    index, cells = Index(entries), []
    for pairs in examples.values():
        missed = found = small = 0
        for reference, hypothesis in pairs:
            lower = [word.lower() for word in reference]
            listed = {place for span in index.spans(lower) for place in span}
            for place, (right, word, plain) in enumerate(zip(reference, hypothesis, lower)):
                is_missed = right != plain and word == plain
                missed += is_missed
                found += is_missed and place in listed
                small += right == plain and place in listed
        cells += [f"{missed:,}", f"{found:,} ({quality.percent(found / missed)} %)", f"{small:,}"]
    return cells


if __name__ == "__main__":
    main()
