"""Counts of parts of a corpus, as workers make them, and their sums, which are those of the whole corpus.

A job reads the texts of a partition from Arrow batches, writes them to a file of the worker and runs a verb on it. The
file that the verb makes, a part, travels in blocks, since a value of a column has at most 2 GB. Sums depend neither on the
parts nor on their order.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from majuscule._columns import Texts, key_runs, select_column
from majuscule._errors import InputError, UsageError
from majuscule._lexicon import Lexicon, _read
from majuscule._verbs import Path, arguments, call, path

BLOCK = 16 << 20
"""The bytes of a block of a part: small beside the memory of a worker."""

TOP = 20
"""The number of errors that `majuscule score` lists."""

ALL = 2**31
"""More errors than there are."""

SLOTS = ("correct", "substitutions", "deletions", "insertions")
"""The names of the counts of slots."""

Part = Iterable[bytes]
"""The blocks of a file of counts, in order."""

temporary_folder = partial(tempfile.TemporaryDirectory, prefix="majuscule-")
"""Makes a folder that is removed with its files at the end of a `with` block."""


@dataclass(frozen=True)
class CountJob:
    """Counts the texts of a partition with a verb, and adds up its files."""

    column: str
    count: tuple[str, ...]
    merge: tuple[str, ...]
    # Arguments of the last merge, such as limits that hold for the whole corpus.
    last: tuple[str, ...] = ()

    def counted(self, batches: Iterable[Any]) -> Iterator[bytes]:
        """Yield a part: nothing if the partition has no texts."""
        return _counts(self.count, [lines(batches, self.column)])

    def merged(self, parts: Iterable[Part]) -> Iterator[bytes]:
        """Yield the sum of parts."""
        return _counts(self.merge, parts)

    def finish(self, parts: Iterable[Part], *where: str) -> bytes:
        """Return the sum of all parts, or write it to a file that is named; it is an error if there are none."""
        with temporary_folder() as folder:
            files = _write(parts, folder)
            if not files:
                raise InputError(f'column "{self.column}" has no texts: expected one sentence per line')
            return call([*self.merge, *self.last, *files, *where]).output


def _counts(verb: Iterable[str], parts: Iterable[Part]) -> Iterator[bytes]:
    """Run a verb on files, unless all are empty, and yield the blocks of the file that it makes."""
    with temporary_folder() as folder:
        if files := _write(parts, folder):
            counts = os.path.join(folder, "counts")
            call([*verb, *files, "--output", counts])
            with open(counts, "rb") as source:
                yield from iter(lambda: source.read(BLOCK), b"")


def _write(parts: Iterable[Part], folder: str) -> list[str]:
    """Write files, and return the names of those that are not empty."""
    files = []
    for number, part in enumerate(parts):
        # The name of a text is the name of the source in a lexicon.
        os.mkdir(os.path.join(folder, str(number)))
        file = os.path.join(folder, str(number), "text")
        with open(file, "wb") as out:
            out.writelines(part)
        if os.path.getsize(file):
            files.append(file)
    return files


def lines(batches: Iterable[Any], column: str) -> Iterator[bytes]:
    """Yield the texts of batches as lines, nulls left out."""
    for batch in batches:
        texts = Texts(batch, column)
        texts.check()
        yield "".join(f"{text}\n" for text in texts.strings() if text is not None).encode()


Counting = Callable[[CountJob], Iterable[Part]]
"""The function of an engine that runs a job on its rows: it counts them in parts, and adds up some of these."""


def build_lexicon(run: Counting, column: str, options: dict[str, Any]) -> Lexicon:
    """Return the lexicon of a column, as `lexicon build` makes it."""
    limits: dict[str, Any] = {name: options.pop(name) for name in ("min_count", "vocabulary") if name in options}
    count = ("lexicon", "build", "--part", *arguments(("lexicon", "build"), options))
    job = CountJob(column, count, ("lexicon", "merge"), ("--parts", *arguments(("lexicon", "merge"), limits)))
    return _read(job.finish(run(job)))


def count_ngrams(run: Counting, column: str, options: dict[str, Any], output: Path, force: bool) -> None:
    """Write the n-grams of a column to a file, as `lm count` does; the file must be free before anything is counted."""
    if os.path.exists(output) and not force:
        raise UsageError(f"{os.fspath(output)} exists already: name another file, or give force=True")
    where = ["--output", path(output), *(["--force"] if force else [])]
    resources: dict[str, Any] = {name: options[name] for name in ("memory", "threads") if name in options}
    count = ("lm", "count", *arguments(("lm", "count"), options))
    job = CountJob(column, count, ("lm", "merge", *arguments(("lm", "merge"), resources)))
    job.finish(run(job), *where)


@dataclass(frozen=True)
class EvaluateJob:
    """Scores the texts of a partition, all together or by documents."""

    reference: str
    hypothesis: str
    document: str | None
    options: dict[str, Any]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the figures of the partition, or of each document, as JSON."""
        names = () if self.document is None else (self.document,)
        runs = ((key, batch.slice(run.start, len(run))) for batch in batches for key, run in key_runs(batch, names))
        for _, document in groupby(runs, itemgetter(0)):
            yield from self._figures(part for _, part in document)

    def _figures(self, batches: Iterable[Any]) -> Iterator[Any]:
        names = (self.reference, self.hypothesis)
        with temporary_folder() as folder:
            files = [os.path.join(folder, name) for name in ("reference", "hypothesis")]
            with open(files[0], "wb") as reference, open(files[1], "wb") as hypothesis:
                for batch in batches:
                    batch = batch.filter(pc.and_(*(select_column(batch, name).is_valid() for name in names)))
                    for name, out in zip(names, (reference, hypothesis)):
                        out.writelines(lines([batch], name))
            if os.path.getsize(files[0]):
                # All errors, since those that are frequent on the whole may be rare here.
                words = ["score", *files, *arguments(("score",), {**self.options, "top": ALL})]
                yield pa.record_batch({"figures": [call(words).json]})


def evaluated(
    parts: Iterable[str], options: Mapping[str, Any], by_document: bool, samples: int, seed: int
) -> dict[str, Any]:
    """Return the figures of all parts together; if each part is a document, with intervals."""
    total: dict[str, Any] = {}
    slots = []
    words: Counter[tuple[str, str]] = Counter()
    for part in parts:
        figures = json.loads(part)
        scored = figures["marks"]["micro"] if "marks" in figures else figures.get("sentence_ends") or figures
        slots.append([scored[name] for name in SLOTS])
        # No part has the pairs of sentences across its ends.
        figures["exact_sentence_pairs"] = None
        for word in figures.pop("words"):
            words[word["reference"], word["hypothesis"]] += word["count"]
        total = _sum(total, figures) if total else figures
    if not total:
        raise InputError("no row has a reference and a hypothesis: expected texts in both columns")
    frequent = sorted(words.items(), key=lambda word: (-word[1], word[0][0].lower(), *word[0]))[: options.get("top", TOP)]
    total["words"] = [{"reference": one, "hypothesis": other, "count": count} for (one, other), count in frequent]
    total = _with_rates(total)
    if by_document:
        total["intervals"] = intervals(slots, samples, seed)
    return total


def _sum(one: Any, other: Any) -> Any:
    """Return the sum of two reports, number by number."""
    if isinstance(one, dict):
        return {name: _sum(value, other[name]) for name, value in one.items()}
    if isinstance(one, list):
        return [_sum(value, more) for value, more in zip(one, other)]
    return one + other if isinstance(one, int) else one


def _with_rates(figures: Any) -> Any:
    """Return a report with the rates of its counts."""
    if isinstance(figures, list):
        return [_with_rates(value) for value in figures]
    if not isinstance(figures, dict):
        return figures
    figures = {name: _with_rates(value) for name, value in figures.items()}
    if all(name in figures for name in SLOTS):
        figures.update(rates([figures[name] for name in SLOTS], figures["tokens"]))
    if "macro_f" in figures:
        classes = figures["classes"]
        if isinstance(classes, dict):
            # Tags tell three classes apart; spellings have a fourth.
            classes = list(classes.values())[: 3 if "classes:U-T-L" in figures["signature"] else 4]
        figures["macro_f"] = _mean(classes)
        if "none" in figures:
            figures["macro_f_with_none"] = _mean([figures["none"], *classes])
    if figures.get("sentence_ends"):
        correct, substitutions, deletions, insertions = (figures["sentence_ends"][name] for name in SLOTS)
        of = 5 * correct + 5 * substitutions + deletions + 4 * insertions
        figures["sentence_ends_f_half"] = 5 * correct / of if of else None
    return figures


def rates(slots: list[int], tokens: int) -> dict[str, float | None]:
    """Return the rates of counts of slots, in the order of `SLOTS`, as `majuscule score` computes them."""
    correct, substitutions, deletions, insertions = slots
    reference, hypothesis = correct + substitutions + deletions, correct + substitutions + insertions
    errors = substitutions + deletions + insertions
    ratios = {
        "precision": (correct, hypothesis),
        "recall": (correct, reference),
        "f": (2 * correct, hypothesis + reference),
        "ser": (errors, reference),
        "accuracy": (max(tokens - errors, 0), tokens),
    }
    return {name: part / whole if whole else None for name, (part, whole) in ratios.items()}


def _mean(classes: list[dict[str, Any]]) -> float | None:
    found = [one["f"] for one in classes if one["f"] is not None]
    return sum(found) / len(found) if found else None


def intervals(slots: list[list[int]], samples: int, seed: int) -> dict[str, list[float]]:
    """Return 95 % confidence intervals of rates: percentiles of documents drawn with replacement."""
    import numpy

    counts = numpy.array(slots, dtype=numpy.int64)
    random = numpy.random.default_rng(seed)
    even = numpy.full(len(counts), 1 / len(counts))
    drawn = [rates((random.multinomial(len(counts), even) @ counts).tolist(), tokens=0) for _ in range(samples)]
    found = {name: [one[name] for one in drawn if one[name] is not None] for name in ("precision", "recall", "f", "ser")}
    return {name: numpy.percentile(values, [2.5, 97.5]).tolist() for name, values in found.items() if values}
