"""Columns of Spark data frames, in a session of two workers that try a task four times."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java") is None:
    pytest.skip("there is no java", allow_module_level=True)

import majuscule
import majuscule.spark
from pyspark.sql import SparkSession, functions as F

LINES = ["we met in", "lisbon and then", "", "ana left", None, "  that it was late ", "a\nb c", "new york", "who is ana"]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    settings = {
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.driver.memory": "700m",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
    }
    builder = SparkSession.builder.master("local[2,4]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def document(lines: list[str | None], **options: Any) -> list[str | None]:
    """Return the lines of a document, restored as one running text in this process."""
    stream = majuscule.load("en").stream(**options)
    text = stream.push("".join(f"{line}\n" for line in lines if line is not None)) + stream.finish()
    restored: list[str | None] = []
    for line in lines:
        if line is None:
            restored.append(None)
            continue
        *parts, text = text.split("\n", line.count("\n") + 1)
        restored.append("\n".join(parts))
    assert text == ""
    return restored


def test_each_row_is_a_text(spark: Any) -> None:
    texts = LINES * 50
    df = spark.createDataFrame(list(enumerate(texts)), "id int, text string").repartition(3)
    rows = majuscule.spark.restore_column(df, "text", marks=True).orderBy("id").collect()
    assert [row.text for row in rows] == texts
    assert [row.restored for row in rows] == majuscule.load("en").restore(texts, marks=True)


def test_rows_of_a_document_are_one_running_text(spark: Any) -> None:
    lengths = {key: 700 if key == 7 else key % 5 for key in range(40)}
    documents = {key: [LINES[(key + at) % len(LINES)] for at in range(length)] for key, length in lengths.items()}
    # Interleaved: the first lines of all, then the second ones.
    rows = [(at, key, documents[key][at]) for at in range(700) for key in documents if at < len(documents[key])]
    df = spark.createDataFrame(rows, "line int, doc int, text string").repartition(5)
    restored = majuscule.spark.restore_column(df, "text", group="doc", order="line", marks="all").collect()
    assert len(restored) == len(rows)
    found = {(row.doc, row.line): row.restored for row in restored}
    for key, lines in documents.items():
        assert [found[key, at] for at in range(len(lines))] == document(lines, marks="all")
