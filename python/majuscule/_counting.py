"""Counts of parts of a corpus, as workers make them, and their sums, which are those of the whole corpus.

A job reads the texts of a partition from Arrow batches, writes them to a file of the worker and runs a verb on it. The
file that the verb makes travels in blocks, since a value of a column has at most 2 GB. Sums do not depend on the parts
nor on their order.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from majuscule._columns import column_of, texts_of
from majuscule._errors import InputError, UsageError
from majuscule._verbs import Path, arguments, call, path

BLOCK = 16 << 20
"""The bytes of a block of a part: small beside the memory of a worker."""

TOP = 20
"""The number of errors that `majuscule score` lists."""

ALL = 2**31
"""More errors than there are."""

PART = pa.schema([("part", pa.int64()), ("block", pa.int32()), ("bytes", pa.binary())])
"""A block of a part: the number of the part, that of the block, and its bytes."""


@dataclass(frozen=True)
class CountJob:
    """Counts the texts of a partition with a verb, and adds up its files."""

    column: str
    count: tuple[str, ...]
    merge: tuple[str, ...]
    # Arguments of the last merge, such as limits that hold for the whole corpus.
    last: tuple[str, ...] = ()

    @classmethod
    def of_lexicon(cls, column: str, options: dict[str, Any]) -> CountJob:
        """Return the job of `lexicon build`."""
        limits: dict[str, Any] = {name: options.pop(name) for name in ("min_count", "vocabulary") if name in options}
        count = ("lexicon", "build", "--part", *arguments(("lexicon", "build"), options))
        last = ("--parts", *arguments(("lexicon", "merge"), limits))
        return cls(column, count, ("lexicon", "merge"), last)

    @classmethod
    def of_ngrams(cls, column: str, options: dict[str, Any]) -> CountJob:
        """Return the job of `lm count`."""
        resources: dict[str, Any] = {name: options[name] for name in ("memory", "threads") if name in options}
        count = ("lm", "count", *arguments(("lm", "count"), options))
        return cls(column, count, ("lm", "merge", *arguments(("lm", "merge"), resources)))

    def counted(self, batches: Iterable[Any], part: int) -> Iterator[Any]:
        """Yield the blocks of a part: nothing if the partition has no texts."""
        with tempfile.TemporaryDirectory(prefix="majuscule-") as folder:
            # The name of the file is the name of the source in a lexicon.
            text, counts = os.path.join(folder, "text"), os.path.join(folder, "counts")
            with open(text, "wb") as out:
                if write_lines(batches, self.column, out) == 0:
                    return
            call([*self.count, text, "--output", counts])
            yield from blocks(counts, part)

    def merged(self, batches: Iterable[Any], part: int) -> Iterator[Any]:
        """Yield the blocks of the sum of parts, which come in order."""
        with tempfile.TemporaryDirectory(prefix="majuscule-") as folder:
            parts = written(batches, folder)
            if not parts:
                return
            counts = os.path.join(folder, "counts")
            call([*self.merge, *parts, "--output", counts])
            yield from blocks(counts, part)

    def finish(self, batches: Iterable[Any], output: str, force: bool = False) -> None:
        """Write the sum of all parts to a file.

        Raises:
            InputError: If there is no text.
            UsageError: If the file exists and `force` is not given.
        """
        with tempfile.TemporaryDirectory(prefix="majuscule-") as folder:
            parts = written(batches, folder)
            if not parts:
                raise InputError(f'column "{self.column}" has no texts: expected one sentence per line')
            call([*self.merge, *self.last, *parts, "--output", output, *(["--force"] if force else [])])


def write_lines(batches: Iterable[Any], column: str, out: BinaryIO) -> int:
    """Write texts as lines, nulls left out, and return their number."""
    rows = 0
    for batch in batches:
        texts = texts_of(batch, column)
        texts.settled([None] * len(texts.array), "raise", pa.string())
        lines = [text for text in texts.strings() if text is not None]
        rows += len(lines)
        out.write("".join(f"{line}\n" for line in lines).encode())
    return rows


def blocks(file: str, part: int) -> Iterator[Any]:
    """Yield the blocks of a file."""
    with open(file, "rb") as source:
        for block, data in enumerate(iter(lambda: source.read(BLOCK), b"")):
            yield pa.RecordBatch.from_pylist([{"part": part, "block": block, "bytes": data}], schema=PART)


def written(batches: Iterable[Any], folder: str) -> list[str]:
    """Write parts, whose blocks come in order, to files, and return their names."""

    def rows() -> Iterator[tuple[int, bytes]]:
        for batch in batches:
            yield from zip(batch.column("part").to_pylist(), batch.column("bytes").to_pylist())

    files = []
    for part, of_part in groupby(rows(), lambda row: row[0]):
        files.append(os.path.join(folder, f"part-{part}"))
        with open(files[-1], "wb") as out:
            for _, data in of_part:
                out.write(data)
    return files


@dataclass(frozen=True)
class EvaluateJob:
    """Scores the texts of a partition, all together or by documents."""

    reference: str
    hypothesis: str
    document: str | None
    options: dict[str, Any]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the figures of the partition, or of each document, as JSON."""
        if self.document is None:
            yield from self._figures(batches)
            return
        name = self.document

        def runs() -> Iterator[tuple[Any, Any]]:
            for batch in batches:
                at = 0
                for key, run in groupby(column_of(batch, name).to_pylist()):
                    rows = sum(1 for _ in run)
                    yield key, batch.slice(at, rows)
                    at += rows

        for _, of_document in groupby(runs(), lambda run: run[0]):
            yield from self._figures(part for _, part in of_document)

    def _figures(self, batches: Iterable[Any]) -> Iterator[Any]:
        with tempfile.TemporaryDirectory(prefix="majuscule-") as folder:
            files = [os.path.join(folder, name) for name in ("reference", "hypothesis")]
            with open(files[0], "wb") as reference, open(files[1], "wb") as hypothesis:
                rows = 0
                for batch in batches:
                    has_both = pc.and_(*(column_of(batch, name).is_valid() for name in (self.reference, self.hypothesis)))
                    batch = batch.filter(has_both)
                    rows += write_lines([batch], self.reference, reference)
                    write_lines([batch], self.hypothesis, hypothesis)
            if rows == 0:
                return
            # All errors, since those that are frequent on the whole may be rare here.
            words = ["score", *files, *arguments(("score",), {**self.options, "top": ALL})]
            yield pa.record_batch({"figures": [call(words).json]})


def free_path(output: Path, force: bool) -> str:
    """Return the path of a file to write, before anything is counted.

    Raises:
        UsageError: If the file exists and may not be replaced.
    """
    if os.path.exists(output) and not force:
        raise UsageError(f"{os.fspath(output)} exists already: name another file, or give force=True")
    return path(output)


def evaluated(
    parts: Iterable[str], options: Mapping[str, Any], by_document: bool, samples: int, seed: int
) -> dict[str, Any]:
    """Return the figures of all parts together; if each part is a document, with intervals.

    Raises:
        InputError: If there are no parts.
    """
    figures, slots = summed(parts, options.get("top", TOP))
    if by_document:
        figures["intervals"] = intervals(slots, samples, seed)
    return figures


def summed(parts: Iterable[str], top: int) -> tuple[dict[str, Any], list[list[int]]]:
    """Return the figures of all parts together, and the slots of each part: correct, substituted, deleted, inserted.

    Raises:
        InputError: If there are no parts.
    """
    total: dict[str, Any] = {}
    slots = []
    for part in parts:
        figures = json.loads(part)
        scored = figures["marks"]["micro"] if "marks" in figures else figures.get("sentence_ends") or figures
        slots.append([scored[name] for name in SLOTS])
        words = total.pop("words", None)
        counted = {(word["reference"], word["hypothesis"]): word["count"] for word in words or ()}
        for word in figures.pop("words"):
            key = word["reference"], word["hypothesis"]
            counted[key] = counted.get(key, 0) + word["count"]
        total = _sum(total, figures) if total else figures
        total["words"] = [{"reference": one, "hypothesis": other, "count": count} for (one, other), count in counted.items()]
    if not total:
        raise InputError("no row has a reference and a hypothesis: expected texts in both columns")
    total["words"].sort(key=lambda word: (-word["count"], word["reference"].lower(), word["reference"], word["hypothesis"]))
    del total["words"][top:]
    return _with_rates(total), slots


SLOTS = ("correct", "substitutions", "deletions", "insertions")
"""The names of the counts of slots."""


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
    return figures


def rates(slots: list[int], tokens: int) -> dict[str, float | None]:
    """Return the rates of counts of slots, in the order of `SLOTS`, as `majuscule score` computes them."""
    correct, substitutions, deletions, insertions = slots
    reference = correct + substitutions + deletions
    hypothesis = correct + substitutions + insertions
    errors = substitutions + deletions + insertions

    def ratio(part: int, whole: int) -> float | None:
        return part / whole if whole else None

    return {
        "precision": ratio(correct, hypothesis),
        "recall": ratio(correct, reference),
        "f": ratio(2 * correct, hypothesis + reference),
        "ser": ratio(errors, reference),
        "accuracy": ratio(max(tokens - errors, 0), tokens),
    }


def _mean(classes: list[dict[str, Any]]) -> float | None:
    found = [one["f"] for one in classes if one["f"] is not None]
    return sum(found) / len(found) if found else None


def intervals(slots: list[list[int]], samples: int, seed: int) -> dict[str, list[float]]:
    """Return 95 % confidence intervals of rates: percentiles of documents drawn with replacement."""
    import numpy

    counts = numpy.array(slots, dtype=numpy.int64)
    random = numpy.random.default_rng(seed)
    even = numpy.full(len(counts), 1 / len(counts))
    drawn: dict[str, list[float]] = {"precision": [], "recall": [], "f": [], "ser": []}
    for _ in range(samples):
        sums = (random.multinomial(len(counts), even) @ counts).tolist()
        found = rates(sums, tokens=0)
        for name, values in drawn.items():
            value = found[name]
            if value is not None:
                values.append(value)
    return {name: numpy.percentile(values, [2.5, 97.5]).tolist() for name, values in drawn.items() if values}
