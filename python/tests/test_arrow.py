"""Columns of Arrow libraries, which are there only where they are installed."""

from __future__ import annotations

from typing import Any

import pytest

import majuscule

TEXTS = ["we met in lisbon", None, "", "thanks angela"] * 50
CASED = ["We met in Lisbon", None, "", "Thanks Angela"] * 50


@pytest.fixture(scope="module")
def model() -> majuscule.Model:
    return majuscule.load("en", preset="fast")


def test_columns_of_polars(model: majuscule.Model) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    series = polars.Series("text", TEXTS)
    assert polars.Series(model.restore(series)).to_list() == CASED
    assert polars.Series(model.restore(series[3:9])).to_list() == CASED[3:9]
    categories = series.cast(polars.Categorical)
    assert polars.Series(model.restore(categories)).cast(polars.String).to_list() == CASED
    chunks = polars.concat([series, series], rechunk=False)
    assert polars.Series(model.restore(chunks, threads=2)).to_list() == CASED * 2
    assert polars.Series(model.restore(polars.Series("text", [], dtype=polars.String))).to_list() == []
    with pytest.raises(TypeError, match="a column of Int64 is given, but texts are expected"):
        model.restore(polars.Series([1, 2]))
    with pytest.raises(TypeError, match="a table is given, but a column is expected"):
        model.restore(polars.DataFrame({"text": TEXTS}))


def test_columns_of_pyarrow(model: majuscule.Model) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        column = pyarrow.array(TEXTS, kind)
        assert pyarrow.array(model.restore(column)).to_pylist() == CASED
        assert pyarrow.array(model.restore(column[2:6])).to_pylist() == CASED[2:6]
    chunked = pyarrow.chunked_array([TEXTS, TEXTS[:3]])
    assert pyarrow.array(model.restore(chunked)).to_pylist() == CASED + CASED[:3]
    dictionary = pyarrow.array(TEXTS).dictionary_encode()
    assert pyarrow.array(model.restore(dictionary)).to_pylist() == CASED
    parts = pyarrow.chunked_array([dictionary, dictionary])
    assert pyarrow.array(model.restore(parts)).to_pylist() == CASED * 2
    assert pyarrow.array(model.restore(pyarrow.nulls(3))).to_pylist() == [None] * 3


def test_columns_of_pandas(model: majuscule.Model) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    series = pandas.Series(TEXTS, index=range(7, 207), name="text", dtype="str")
    restored = model.restore(series)
    if not isinstance(restored, pandas.Series):
        restored = pandas.Series.from_arrow(restored)
    assert [None if missing else text for text, missing in zip(restored, restored.isna())] == CASED


def test_functions_of_duckdb(model: majuscule.Model) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    connection = duckdb.connect()
    connection.create_function("restore", lambda text: model.restore(text), ["VARCHAR"], "VARCHAR")
    rows = connection.sql("select restore(text) from (values ('we met in lisbon'), (null)) as talks(text)").fetchall()
    assert rows == [("We met in Lisbon",), (None,)]


class Released:
    """A producer that hands the same capsule out again."""

    def __init__(self, column: Any, name: str) -> None:
        self.capsule = getattr(column, name)()
        setattr(self, name, lambda *_: self.capsule)


@pytest.mark.parametrize("name", ["__arrow_c_array__", "__arrow_c_stream__"])
def test_a_released_capsule_is_an_error(model: majuscule.Model, name: str) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    column = pyarrow.array(TEXTS) if name == "__arrow_c_array__" else pyarrow.chunked_array([TEXTS])
    once = Released(column, name)
    model.restore(once)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="was read before"):
        model.restore(once)  # type: ignore[call-overload]


def test_a_capsule_of_another_name_is_an_error(model: majuscule.Model) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

    class Wrong:
        def __arrow_c_stream__(self, schema: Any = None) -> Any:
            return pyarrow.array(TEXTS).__arrow_c_array__()[0]

    with pytest.raises(ValueError):
        model.restore(Wrong())  # type: ignore[call-overload]
