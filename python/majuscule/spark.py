"""Restores columns of Spark data frames, and learns from them. It needs pyspark 4.1 or later: `majuscule[spark]`.

    import majuscule.spark
    restored = majuscule.spark.restore_column(df, "text", marks=True)

Every function is lazy but those that learn. A worker loads a model from the package, once per process: nothing is
broadcast, and a worker needs only the package and pyarrow.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from majuscule._lexicon import Lexicon
from majuscule._model import Preset
from majuscule._restore_options import Options
from majuscule._typing import Unpack
from majuscule._verbs import Path

try:
    import pyarrow as pa
    from pyspark import TaskContext
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.functions import arrow_udf
    from pyspark.sql.types import DataType, StringType, StructField, StructType

    from majuscule import _counting
    from majuscule._columns import SENTENCE, WORD, DocumentJob, Policy, RestoreJob, ScoreJob, SentenceJob, Source, WordJob
    from majuscule._columns import check_name, column_names, model_source, no_texts
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
    preset: Preset = "accurate",
    model: str | os.PathLike[str] | bytes | None = None,
    models: Iterable[str | os.PathLike[str]] = (),
    group: str | Sequence[str] | None = None,
    order: str | Sequence[str] | None = None,
    errors: Policy = "raise",
    **options: Unpack[Options],
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
        preset: The model of the language, as in `majuscule.load`.
        model: Instead of `lang`, the path of a model that every worker has, or its bytes, which travel with each task.
        models: Folders on the workers with models that are not built in.
        group: The columns that are the key of a document. Nulls are equal.
        order: The columns by which the rows of a document are sorted.
        errors: "raise" to fail at a text that cannot be restored (it is not UTF-8, or there is no model of its language),
            "null" to make it null, or "keep" to keep it. In a document, the rows after one where the method fails are
            refused too.
        options: See `majuscule.Options`.

    Raises:
        TypeError: If the column has no strings, or there is no such option.
        UsageError: If there is no such column, or an option has a wrong value.
        pyspark.errors.PythonException: When it runs, with the words of the error of a worker.
    """
    df, source = _with_source(df, column, lang, preset, model, models)
    keys, orders = column_names(group), column_names(order)
    if not keys and not orders:
        return _mapped(df, RestoreJob(column, output, source, errors, {**options}).checked(), output, "string")
    job = DocumentJob(column, output, source, errors, {**options}, keys, orders).checked()
    return _mapped(df.repartition(*keys).sortWithinPartitions(*keys, *orders), job, output, "string")


def word_column(
    df: DataFrame,
    column: str,
    output: str = "words",
    *,
    lang: str | Column | None = None,
    preset: Preset = "accurate",
    model: str | os.PathLike[str] | bytes | None = None,
    errors: Policy = "raise",
    **options: Unpack[Options],
) -> DataFrame:
    """Return a data frame with a column of the words of each text: an array of structs with the fields of `majuscule.Word`.

    The arguments are those of `restore_column`; `errors` is "raise" or "null".
    """
    df, source = _with_source(df, column, lang, preset, model)
    job = WordJob(column, output, source, errors, {**options}).checked()
    return _mapped(df, job, output, f"array<{_spark_type(WORD)}>")


def sentence_column(
    df: DataFrame,
    column: str,
    output: str = "sentences",
    *,
    lang: str | Column | None = None,
    preset: Preset = "accurate",
    model: str | os.PathLike[str] | bytes | None = None,
    errors: Policy = "raise",
    **options: Unpack[Options],
) -> DataFrame:
    """Return a data frame with a column of the sentences of each text, also without punctuation.

    It is an array of structs: `text` as it stands, and its span `start` and `end` in code points. `explode` of
    pyspark.sql.functions makes a row of each. The arguments are those of `restore_column`; `errors` is "raise" or "null".
    """
    df, source = _with_source(df, column, lang, preset, model)
    job = SentenceJob(column, output, source, errors, {**options}).checked()
    return _mapped(df, job, output, f"array<{_spark_type(SENTENCE)}>")


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
    return _mapped(df, job, output, "double")


def register(
    spark: SparkSession,
    name: str = "majuscule",
    *,
    lang: str | None = None,
    preset: Preset = "accurate",
    model: str | os.PathLike[str] | bytes | None = None,
    models: Iterable[str | os.PathLike[str]] = (),
    errors: Policy = "raise",
    **options: Unpack[Options],
) -> None:
    """Register a function of SQL that restores a text: `select majuscule(text) from talks`.

    Args:
        spark: The session.
        name: The name of the function.
        lang: The language, or "auto" to detect that of each text. The default is English.
        preset: As in `restore_column`, like `model`, `models`, `errors` and `options`.
    """
    source = model_source(lang, preset, model, models)
    job = RestoreJob("text", "text", source, errors, {**options}).checked()

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


def _with_source(
    df: DataFrame,
    column: str,
    lang: str | Column | None,
    preset: Preset,
    model: str | os.PathLike[str] | bytes | None,
    models: Iterable[str | os.PathLike[str]] = (),
) -> tuple[DataFrame, Source]:
    """Return the data frame, with a column of languages if `lang` is one, and where the models come from."""
    _check_texts(df, column)
    if lang is None or isinstance(lang, str):
        return df, model_source(lang, preset, model, models)
    return df.withColumn(LANGUAGE, lang.cast("string")), model_source(None, preset, model, models, LANGUAGE)


def _mapped(df: DataFrame, job: Callable[[Iterable[Any]], Iterator[Any]], output: str, kind: str) -> DataFrame:
    """Return a data frame with the column that a job adds, and without the column of languages."""
    new = StructField(output, DataType.fromDDL(kind))
    fields = [new if field.name == output else field for field in df.schema.fields]
    if output not in df.columns:
        fields.append(new)
    return df.mapInArrow(job, StructType(fields)).drop(LANGUAGE)


def _check_texts(df: DataFrame, column: str) -> None:
    check_name(df.columns, column)
    kind = df.schema[column].dataType
    if not isinstance(kind, StringType):
        raise no_texts(column, kind.simpleString())


def _spark_type(struct: Any) -> str:
    """Return a struct of Arrow, of the few types that are used here, as a type of Spark."""
    names = {"int32": "int", "bool": "boolean"}
    return f"struct<{','.join(f'`{field.name}`:{names.get(str(field.type), field.type)}' for field in struct)}>"
