"""The expression of polars."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

pytest.importorskip("polars", reason="polars is not installed")

import majuscule
import majuscule.polars
import polars

TEXTS = ["we met in lisbon", None, "", "thanks angela"]


def restored(frame: Any, column: Any = "text", **options: Any) -> Any:
    return frame.with_columns(majuscule.polars.restore(column, **options).alias("restored"))


def test_examples_of_the_documentation() -> None:
    found = doctest.testmod(majuscule.polars)
    assert found.attempted > 0 and found.failed == 0


def test_rows_are_texts_in_frames_and_lazy_queries() -> None:
    frame = polars.DataFrame({"text": TEXTS * 500, "n": range(2000)})
    expected = majuscule.load("en", preset="fast").restore(TEXTS * 500, marks=True)
    eager = restored(frame, polars.col("text"), preset="fast", marks=True)
    assert eager["restored"].to_list() == expected and eager.columns == ["text", "n", "restored"]
    lazy = restored(frame.lazy(), preset="fast", marks=True).filter(polars.col("n") >= 990)
    assert lazy.collect(engine="streaming")["restored"].to_list() == expected[990:]


def test_each_text_has_its_language_and_a_model_can_be_given() -> None:
    frame = polars.DataFrame({"text": ["fomos a lisboa com a ana", None, "we met in lisbon"]})
    expected = ["Fomos a Lisboa com a Ana", None, "We met in Lisbon"]
    assert restored(frame, lang="auto")["restored"].to_list() == expected
    assert restored(frame, model=majuscule.load("auto"))["restored"].to_list() == expected


def test_wrong_arguments_are_errors_before_the_query_runs() -> None:
    with pytest.raises(TypeError, match="did you mean marks"):
        majuscule.polars.restore("text", mark=True)  # type: ignore[call-arg]
    with pytest.raises(majuscule.UsageError, match="no model of language"):
        majuscule.polars.restore("text", lang="xx")
    with pytest.raises(Exception, match="a column of Int64 is given, but texts are expected"):
        restored(polars.DataFrame({"text": [1]}))
