"""The function of DuckDB."""

from __future__ import annotations

import doctest
import importlib.util
from typing import Any

import pytest

pytest.importorskip("duckdb", reason="duckdb is not installed")

import duckdb
import majuscule
import majuscule.duckdb

QUERY = "select majuscule(text) from (values (1, 'we met in lisbon'), (2, null), (3, ''), (4, 'thanks angela')) as t(n, text) order by n"
CASED = [("We met in Lisbon.",), (None,), ("",), ("Thanks, Angela.",)]


def test_examples_of_the_documentation() -> None:
    found = doctest.testmod(majuscule.duckdb)
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.parametrize("has_pyarrow", [True, False])
def test_rows_are_texts_with_and_without_pyarrow(has_pyarrow: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if has_pyarrow:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    else:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    connection = duckdb.connect()
    majuscule.duckdb.register(connection, marks=True)
    assert connection.sql(QUERY).fetchall() == CASED
    many: Any = connection.sql("select count(*), count(distinct majuscule('talk ' || i // 9)) from range(20000) as r(i)")
    assert many.fetchall() == [(20000, 2223)]


def test_each_text_has_its_language() -> None:
    connection = duckdb.connect()
    majuscule.duckdb.register(connection, "anycase", lang="auto")
    rows: Any = connection.sql("select anycase('fomos a lisboa com a ana'), anycase('we met in lisbon')").fetchall()
    assert rows == [("Fomos a Lisboa com a Ana", "We met in Lisbon")]


def test_wrong_arguments_are_errors_at_once() -> None:
    with pytest.raises(TypeError, match="did you mean marks"):
        majuscule.duckdb.register(duckdb.connect(), mark=True)  # type: ignore[call-arg]
    with pytest.raises(majuscule.UsageError, match="no model of language"):
        majuscule.duckdb.register(duckdb.connect(), lang="xx")
