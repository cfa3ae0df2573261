"""Restores columns of Spark data frames, and learns from them. It needs pyspark 4.1 or later: `majuscule[spark]`.

    import majuscule.spark
    restored = majuscule.spark.restore_column(df, "text", marks=True)

Every function is lazy but those that learn. A worker loads a model from the package, once per process: nothing is
broadcast, and a worker needs only the package and pyarrow.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from majuscule._lexicon import Lexicon
from majuscule._typing import Unpack
from majuscule._verbs import Path

try:
    import pyarrow as pa
    from pyspark import TaskContext
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.functions import arrow_udf
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StringType, StructField, StructType

    from majuscule import _counting
    from majuscule._columns import ColumnOptions, DocumentJob, RestoreJob, ScoreJob, SentenceJob, Source, TextJob, WordJob
    from majuscule._columns import check_name, column_names, no_texts
except ImportError as error:
    raise ImportError("majuscule.spark needs pyspark 4.1 or later: pip install 'majuscule[spark]'") from error

if TYPE_CHECKING:
    from majuscule._options import LexiconBuildOptions, ScoreOptions

__all__ = [
    "build_lexicon",
    "count_ngrams",
    "evaluate",
    "register",
    "restore_column",
    "score_column",
    "sentence_column",
    "word_column",
]

LANGUAGE = "__majuscule_language"
"""The name of a column that is there while a job runs."""

MERGES = 16
"""The number of workers that add up parts before the driver adds up theirs."""


def restore_column(
    df: DataFrame,
    column: str,
    output: str = "restored",
    *,
    lang: str | Column | None = None,
    group: str | Sequence[str] | None = None,
    order: str | Sequence[str] | None = None,
    **options: Unpack[ColumnOptions],
) -> DataFrame:
    """Return a data frame with a column of restored texts.

    Each row is a text by itself. With `group` and `order`, rows with the same key are lines of one running text: they go
    to one task, sorted, and their capitals and marks depend on the lines around them. The result is that of
    `majuscule.Model.stream` for the document's lines in one process, so options that look at whole lines, as `marks=True`
    does, are errors. The memory of a task does not grow with a document. A null is no line, and stays.

    Args:
        df: The data frame.
        column: The name of a column of strings.
        output: The name of the new column, which may be `column`.
        lang: The language of all texts, "auto" to detect that of each text or document, or a column with the tags of
            languages, where null and "auto" mean to detect it. The default is English.
        group: The columns that are the key of a document. Nulls are equal.
        order: The columns by which the rows of a document are sorted.
        preset: The model of the language, as in `majuscule.load`.
        model: Instead of `lang`, the path of a model that every worker has, or its bytes, which travel with each task.
        models: Folders on the workers with models that are not built in.
        errors: "raise" to fail at a text that cannot be restored (it is not UTF-8, or there is no model of its language),
            "null" to make it null, or "keep" to keep it. In a document, the rows after one where the method fails are
            refused too.
        options: See `majuscule.Options`.

    Raises:
        TypeError: If the column has no strings, or there is no such option.
        UsageError: If there is no such column, or an option has a wrong value.
        pyspark.errors.PythonException: When it runs, with the words of the error of a worker.
    """
    given = {**options, "lang": lang}
    documents = {"group": column_names(group), "order": column_names(order)}
    if any(documents.values()):
        return _with_values(df, DocumentJob, column, output, given, **documents)
    return _with_values(df, RestoreJob, column, output, given)


def word_column(
    df: DataFrame,
    column: str,
    output: str = "words",
    *,
    lang: str | Column | None = None,
    **options: Unpack[ColumnOptions],
) -> DataFrame:
    """Return a data frame with a column of the words of each text: an array of structs with the fields of `majuscule.Word`.

    The arguments are those of `restore_column`; `errors` is "raise" or "null".
    """
    return _with_values(df, WordJob, column, output, {**options, "lang": lang})


def sentence_column(
    df: DataFrame,
    column: str,
    output: str = "sentences",
    *,
    lang: str | Column | None = None,
    **options: Unpack[ColumnOptions],
) -> DataFrame:
    """Return a data frame with a column of the sentences of each text, also without punctuation.

    It is an array of structs: `text` as it stands, and its span `start` and `end` in code points. `explode` of
    pyspark.sql.functions makes a row of each. The arguments are those of `restore_column`; `errors` is "raise" or "null".
    """
    return _with_values(df, SentenceJob, column, output, {**options, "lang": lang})


def score_column(
    df: DataFrame, column: str, model: Path, output: str = "score", *, plain: bool = False, marks: str | None = None
) -> DataFrame:
    """Return a data frame with log10 of the probability of each text, as `majuscule.lm.Model.score` has it.

    Args:
        df: The data frame.
        column: The name of a column of strings, whose capitals count.
        model: The path of a language model that every worker has.
        output: The name of the new column, of doubles.
        plain: True to take everything between white space as a word.
        marks: The marks that are words too: ".,?".
    """
    _check_texts(df, column)
    job = ScoreJob(column, output, Source(os.path.abspath(model)), options={"plain": plain, "marks": marks})
    return _mapped(df, job)


def register(
    spark: SparkSession,
    name: str = "majuscule",
    *,
    lang: str | None = None,
    **options: Unpack[ColumnOptions],
) -> None:
    """Register a function of SQL that restores a text: `select majuscule(text) from talks`.

    Args:
        spark: The session.
        name: The name of the function.
        lang: The language, or "auto" to detect that of each text. The default is English.
        options: As in `restore_column`, with `preset`, `model`, `models` and `errors`.
    """
    job = RestoreJob.of("text", "text", {**options, "lang": lang})

    def restored(texts: pa.Array) -> pa.Array:
        return job.on_batch(pa.record_batch([texts], ["text"])).column("text")

    spark.udf.register(name, arrow_udf(restored, StringType()))


def build_lexicon(df: DataFrame, column: str, **options: Unpack[LexiconBuildOptions]) -> Lexicon:
    """Count the forms of every word in texts in their true case, and return the lexicon.

    It has the same bytes as `majuscule.Lexicon.build` of a file "text" with a row per line, whatever the partitions are.

    Args:
        df: The data frame, of which each row is a sentence, or several in lines.
        column: The name of a column of strings. Nulls are left out.
        options: The options of `majuscule lexicon build`.

    Raises:
        InputError: If there are no texts, or they have no capitals.
        UsageError: If an option has a wrong value.
    """
    return _counting.build_lexicon(partial(_parts, df), column, {**options})


def count_ngrams(df: DataFrame, column: str, order: int = 3, *, output: Path, force: bool = False, **options: Any) -> None:
    """Count the n-grams of texts in their true case, and write a file of counts on the driver.

    It has the same bytes as `majuscule lm count` of a file with a row per line makes, whatever the partitions are.
    `majuscule.lm.train(counts=[output], output=model)` makes a model of it.

    Args:
        df: The data frame, of which each row is a sentence, or several in lines.
        column: The name of a column of strings. Nulls are left out.
        order: The length of the longest n-grams, from 1 to 7.
        output: The file to write.
        force: True to replace a file that exists.
        options: The options of `majuscule lm count`, such as `memory="1G"`, which holds for each worker.

    Raises:
        InputError: If there are no texts.
        UsageError: If an option has a wrong value, or the file exists and `force` is not given.
    """
    _counting.count_ngrams(partial(_parts, df), column, {"order": order, **options}, output, force)


def evaluate(
    df: DataFrame,
    reference: str,
    hypothesis: str,
    *,
    document: str | None = None,
    samples: int = 1000,
    seed: int = 0,
    **options: Unpack[ScoreOptions],
) -> dict[str, Any]:
    """Score restored texts against texts in their true case: the same figures as `majuscule.score` of two files has.

    Counts are summed over partitions, so figures do not depend on them. With `document`, `intervals` are 95 % confidence
    intervals of precision, recall, F and the slot error rate by resampling documents. The expected calibration error is
    left out. With a protocol of marks, `words` lacks the errors of partitions that have no capitals.

    Args:
        df: The data frame. Rows where one of the texts is null are left out.
        reference: The name of the column of texts in their true case.
        hypothesis: The name of the column of restored texts.
        document: The column that is the key of a document.
        samples: The number of samples of the intervals.
        seed: The seed of the samples.
        options: The options of `majuscule score`, such as `protocol` and `top`, the number of errors to list.

    Raises:
        InputError: If no row has both texts.
    """
    for column in (reference, hypothesis):
        _check_texts(df, column)
    if document is not None:
        df = df.repartition(document).sortWithinPartitions(document)
    job = _counting.EvaluateJob(reference, hypothesis, document, {**options})
    rows = df.mapInArrow(job, "figures string").toLocalIterator()
    return _counting.evaluated((row.figures for row in rows), options, document is not None, samples, seed)


def _parts(df: DataFrame, job: _counting.CountJob) -> Iterator[_counting.Part]:
    """Count on workers, add up on a few of them, and yield the sums."""
    _check_texts(df, job.column)

    def count(batches: Iterable[Any]) -> Iterator[Any]:
        return _batches(job.counted(batches))

    def merge(batches: Iterable[Any]) -> Iterator[Any]:
        return _batches(job.merged(_blocks(row for batch in batches for row in batch.to_pylist())))

    kind = "part bigint, block int, bytes binary"
    parts = df.select(job.column).mapInArrow(count, kind)
    sums = parts.repartition(MERGES, "part").sortWithinPartitions("part", "block").mapInArrow(merge, kind)
    return _blocks(sums.toLocalIterator())


def _batches(part: Iterable[bytes]) -> Iterator[Any]:
    """Yield the blocks of a part with the number of the partition and their own numbers."""
    context = TaskContext.get()
    kind = pa.schema([("part", pa.int64()), ("block", pa.int32()), ("bytes", pa.binary())])
    for number, block in enumerate(part):
        row = {"part": context.partitionId() if context else 0, "block": number, "bytes": block}
        yield pa.RecordBatch.from_pylist([row], schema=kind)


def _blocks(rows: Iterable[Any]) -> Iterator[_counting.Part]:
    """Yield the parts of rows, whose blocks follow each other in order."""
    for _, part in groupby(rows, itemgetter("part")):
        yield (bytes(row["bytes"]) for row in part)


def _with_values(
    df: DataFrame, kind: type[TextJob], column: str, output: str, given: dict[str, Any], **fields: Any
) -> DataFrame:
    """Return a data frame with the column that a job adds, whose language may be a column."""
    _check_texts(df, column)
    lang = given["lang"]
    if lang is not None and not isinstance(lang, str):
        df, given = df.withColumn(LANGUAGE, lang.cast("string")), {**given, "lang": None, "language_column": LANGUAGE}
    job = kind.of(column, output, given, **fields)
    if isinstance(job, DocumentJob):
        df = df.repartition(*job.group).sortWithinPartitions(*job.group, *job.order)
    return _mapped(df, job)


def _mapped(df: DataFrame, job: TextJob) -> DataFrame:
    """Return a data frame with the column that a job adds, and without the column of languages."""
    new = StructField(job.output, from_arrow_type(job.kind or pa.string()))
    fields = [new if field.name == job.output else field for field in df.schema.fields]
    if job.output not in df.columns:
        fields.append(new)
    return df.mapInArrow(job, StructType(fields)).drop(LANGUAGE)


def _check_texts(df: DataFrame, column: str) -> None:
    check_name(df.columns, column)
    kind = df.schema[column].dataType
    if not isinstance(kind, StringType):
        raise no_texts(column, kind.simpleString())
