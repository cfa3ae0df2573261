"""Columns of Spark data frames, in a session of two workers that try a task four times."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java") is None:
    pytest.skip("there is no java", allow_module_level=True)

import majuscule
import majuscule.spark
from conftest import document, run_chapter
from majuscule._columns import RestoreJob, Source
from pyspark import TaskContext
from pyspark.errors import PythonException
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
        # Small jobs end before the second compiler has helped, and before generated code has.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.codegen.wholeStage": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
    }
    builder: Any = SparkSession.builder
    builder = builder.master("local[2,4]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def test_each_row_is_a_text_though_a_worker_is_killed(spark: Any) -> None:
    texts = LINES * 60
    df = spark.createDataFrame(list(enumerate(texts)), "id int, text string").repartition(3)

    class Killed(RestoreJob):
        def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
            context: Any = TaskContext.get()
            for passed_on, batch in enumerate(super().__call__(batches)):
                if passed_on == 1 and context.partitionId() == 1 and context.attemptNumber() == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                yield batch

    expected = majuscule.load("en", preset="fast").restore(texts, marks=True)
    for rows in (
        majuscule.spark._mapped(df, Killed("text", "restored", Source("en", "fast"), options={"marks": True})).collect(),
        majuscule.spark.restore_column(df, "text", preset="fast", marks=True).collect(),
    ):
        assert sorted(row.id for row in rows) == list(range(len(texts)))
        assert all(row.text == texts[row.id] and row.restored == expected[row.id] for row in rows)


def test_rows_of_a_document_are_one_running_text(spark: Any) -> None:
    # A skewed key, and documents whose lines are interleaved: the first lines of all, then the second ones.
    lengths = {key: 700 if key == 7 else key % 5 for key in range(40)}
    documents = {key: [LINES[(key + at) % len(LINES)] for at in range(length)] for key, length in lengths.items()}
    rows = [(at, key, documents[key][at]) for at in range(700) for key in documents if at < len(documents[key])]
    df = spark.createDataFrame(rows, "line int, doc int, text string").repartition(5)
    restored = majuscule.spark.restore_column(df, "text", group="doc", order="line", preset="fast", marks="all").collect()
    assert len(restored) == len(rows)
    found = {(row.doc, row.line): row.restored for row in restored}
    for key, lines in documents.items():
        assert [found[key, at] for at in range(len(lines))] == document(lines, marks="all")


def test_languages_are_those_of_a_column_or_detected(spark: Any) -> None:
    texts = ["fomos a lisboa com a ana", "we met in lisbon", "nous avons vu anne à paris"]
    rows = list(zip(texts, ["pt", None, "fr"]))
    df = spark.createDataFrame(rows, "text string, tag string")
    expected = sorted(majuscule.load(lang).restore(text) for lang, text in zip(("pt", "en", "fr"), texts))
    for lang in ("auto", F.col("tag")):
        restored = majuscule.spark.restore_column(df, "text", "text", lang=lang)
        assert restored.columns == ["text", "tag"]
        assert sorted(row.text for row in restored.collect()) == expected


def test_errors_reach_the_driver_with_their_words(spark: Any, tmp_path: pathlib.Path) -> None:
    df = spark.sql("select cast(X'6162FF' as string) as text, 'a' as doc, 1 as line")
    with pytest.raises(PythonException, match="it is not UTF-8: .* at byte 2: correct the text, or give errors="):
        majuscule.spark.restore_column(df, "text").collect()
    nulls = majuscule.spark.restore_column(df, "text", group="doc", order="line", errors="null")
    kept = majuscule.spark.restore_column(df, "text", errors="keep").select(F.hex("restored"))
    assert nulls.collect()[0].restored is None and kept.collect()[0][0] == "6162FF"
    with pytest.raises(PythonException, match="MissingFileError: on .*my.model: there is no such model: copy it to each worker"):
        majuscule.spark.restore_column(df, "doc", model=tmp_path / "my.model").collect()
    with pytest.raises(TypeError, match='column "line" is int, but texts are expected: cast it to string'):
        majuscule.spark.restore_column(df, "line")
    with pytest.raises(majuscule.UsageError, match='0 columns are named "txt": expected one, of text, doc, line'):
        majuscule.spark.restore_column(df, "txt")
    with pytest.raises(TypeError, match="did you mean marks"):
        majuscule.spark.restore_column(df, "text", mark=True)  # type: ignore[call-arg]


def test_words_sentences_and_scores_are_columns(spark: Any, tmp_path: pathlib.Path) -> None:
    news = tmp_path / "news.txt"
    news.write_text("We met Ana in Lisbon.\nThen they met Bob.\n" * 20)
    model = majuscule.lm.train(news, output=tmp_path / "news.arpa", order=2, discount_fallback=True)
    df = spark.createDataFrame([("we met ana. she left",)], "text string")
    df = majuscule.spark.word_column(df, "text", marks="all")
    df = majuscule.spark.sentence_column(df, "text")
    df = majuscule.spark.score_column(df, "text", tmp_path / "news.arpa")
    (row,) = df.collect()
    assert [word.form for word in row.words] == ["We", "met", "Ana", "She", "left"] and row.words[4].mark == "."
    assert [tuple(sentence) for sentence in row.sentences] == [("we met ana.", 0, 11), ("she left", 12, 20)]
    assert row.score == model.score("we met ana. she left")


def test_a_stream_is_restored_in_small_batches(spark: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.txt").write_text("we met in lisbon\nthanks angela\n")
    found: list[str] = []

    def take(batch: Any, number: int) -> None:
        found.extend(row.restored for row in majuscule.spark.restore_column(batch, "value", preset="fast").collect())

    stream = spark.readStream.text(str(tmp_path / "in"))
    query = stream.writeStream.foreachBatch(take).option("checkpointLocation", str(tmp_path / "state"))
    query.trigger(availableNow=True).start().awaitTermination(300)
    assert sorted(found) == ["Thanks Angela", "We met in Lisbon"]


def test_counts_are_those_of_one_machine(spark: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(majuscule.spark, "MERGES", 2)
    texts = ["We met Ana in Lisbon.", "She works at IBM.", None, "The iPhone is here.", "then nothing"] * 20
    whole = tmp_path / "text"
    whole.write_text("".join(f"{text}\n" for text in texts if text is not None))
    df = spark.createDataFrame([(text,) for text in texts], "text string")
    lexicon = majuscule.Lexicon.build(whole, min_count=2)
    for parts in (1, 5):
        found = majuscule.spark.build_lexicon(df.repartition(parts), "text", min_count=2)
        assert found._native.written() == lexicon._native.written()
    majuscule.spark.count_ngrams(df.repartition(5), "text", 2, output=tmp_path / "found.counts")
    one, other = (tmp_path / name for name in ("one.arpa", "other.arpa"))
    majuscule.lm.train(whole, output=one, order=2, discount_fallback=True)
    majuscule.lm.train(counts=[tmp_path / "found.counts"], output=other, order=2, discount_fallback=True)
    assert one.read_bytes() == other.read_bytes()
    with pytest.raises(majuscule.UsageError, match="found.counts exists already"):
        majuscule.spark.count_ngrams(df, "text", 2, output=tmp_path / "found.counts")


def test_figures_are_those_of_one_machine(spark: Any, tmp_path: pathlib.Path) -> None:
    pairs = [("They met Ana.", "They met ana."), ("We saw Bob.", "we saw Bob."), ("Ana left.", "Ana left.")] * 20
    files = [tmp_path / "reference", tmp_path / "hypothesis"]
    for file, texts in zip(files, zip(*pairs)):
        file.write_text("".join(f"{text}\n" for text in texts))
    rows = [(at // 6, *pair) for at, pair in enumerate(pairs)]
    df = spark.createDataFrame(rows, "doc int, reference string, hypothesis string").repartition(3)
    figures = majuscule.spark.evaluate(df, "reference", "hypothesis", document="doc", protocol="rei", samples=50)
    low, high = figures.pop("intervals")["ser"]
    assert figures == majuscule.score(*files, protocol="rei").to_dict()
    # Each document has the same six pairs, so no sample differs.
    assert low == high == figures["ser"]


def test_examples_of_the_book(spark: Any) -> None:
    run_chapter("Spark", spark=spark)
