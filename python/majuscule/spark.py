"""Restores columns of Spark data frames, and learns from them. It needs pyspark 4.1 or later: `majuscule[spark]`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from majuscule._errors import UsageError
from majuscule._model import Options, Preset
from majuscule._typing import Unpack

try:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StringType, StructField, StructType

    from majuscule._columns import DocumentJob, Policy, RestoreJob, Source
except ImportError as error:
    raise ImportError("majuscule.spark needs pyspark 4.1 or later: pip install 'majuscule[spark]'") from error

__all__ = ["restore_column"]

LANGUAGE = "__majuscule_language"
"""The name of a column that is there while a job runs."""


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
    """Return the data frame with a column of restored texts."""
    source = source_of(lang if isinstance(lang, str) else None, preset, model, models)
    check_texts(df, column)
    language_column = None
    columns = list(df.columns)
    if isinstance(lang, Column):
        df, language_column = df.withColumn(LANGUAGE, lang), LANGUAGE
    schema = schema_with(df.schema, output, StringType())
    job = RestoreJob(column, output, source, language_column, errors, {**options})
    if group is not None:
        keys = (group,) if isinstance(group, str) else tuple(group)
        orders = (order,) if isinstance(order, str) else tuple(order or ())
        job = DocumentJob(column, output, source, language_column, errors, {**options}, keys)
        df = df.repartition(*keys).sortWithinPartitions(*keys, *orders)
    job.check()
    restored = df.mapInArrow(job, schema)
    return restored.drop(LANGUAGE) if language_column else restored


def source_of(
    lang: str | None,
    preset: Preset,
    model: str | os.PathLike[str] | bytes | None,
    models: Iterable[str | os.PathLike[str]],
) -> Source:
    folders = tuple(os.fspath(folder) for folder in models)
    if model is None:
        return Source(lang or "en", preset, folders)
    return Source(model if isinstance(model, bytes) else os.path.abspath(model), preset, folders)


def check_texts(df: DataFrame, column: str) -> None:
    if column not in df.columns:
        raise UsageError(f'there is no column "{column}": expected one of {", ".join(df.columns)}')
    kind = df.schema[column].dataType
    if not isinstance(kind, StringType):
        raise TypeError(f'column "{column}" is {kind.simpleString()}, but texts are expected: cast it to string')


def schema_with(schema: StructType, name: str, kind: Any) -> StructType:
    fields = [StructField(name, kind) if field.name == name else field for field in schema.fields]
    return StructType(fields if name in schema.names else [*fields, StructField(name, kind)])
