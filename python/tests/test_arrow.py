"""Columns of Arrow libraries, which are there only where they are installed."""

from __future__ import annotations

import struct
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


def test_a_series_of_pandas_keeps_its_index_and_name(model: majuscule.Model) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame({"text": TEXTS[:12], "cased": CASED[:12]}, dtype="str")
    parts = {
        "whole": frame,
        "filtered": frame[frame["text"].notna()],
        "sorted": frame.sort_values("text", ascending=False),
        "duplicated": pandas.concat([frame, frame[3:9]]),
        "empty": frame[:0],
        "named": frame.set_index(pandas.Index([f"row {at}" for at in range(12)])),
    }
    for name, part in parts.items():
        restored = model.restore(part["text"])
        assert isinstance(restored, pandas.Series), name
        pandas.testing.assert_series_equal(restored, part["cased"].rename("text"))
        table = part.copy()
        table["restored"] = model.restore(table["text"], threads=2)
        pandas.testing.assert_series_equal(table["restored"], table["cased"].rename("restored"))
    with pytest.raises(TypeError, match="item 1 is int"):
        model.restore(pandas.Series(["we", 2]))
    assert majuscule.load("auto", preset="fast").restore(frame["text"]).name == "text"


def test_a_series_of_pandas_keeps_its_type_and_missing_values(model: majuscule.Model) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    missing = pandas.Series(["we met in lisbon", None, float("nan"), pandas.NA], dtype=object)
    restored = model.restore(missing)
    assert restored.dtype == object and restored[0] == "We met in Lisbon"
    assert restored[1] is None and restored[2] is missing[2] and restored[3] is pandas.NA
    categories = pandas.Series(TEXTS, dtype="category", name="text")
    assert model.restore(categories).dtype == "category"
    for kind in ("category", "string", object):
        restored = model.restore(pandas.Series(TEXTS, index=range(7, 207), dtype=kind))
        assert [None if gone else text for text, gone in zip(restored, restored.isna())] == CASED
        assert list(restored.index) == list(range(7, 207))
    # Two categories that become one.
    both = pandas.Series(["we met", "We met", "we met"], dtype="category")
    assert list(model.restore(both)) == ["We met"] * 3


def test_a_restored_column_is_a_sequence_of_texts(model: majuscule.Model) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame({"text": TEXTS})
    for series in (frame["text"], frame["text"].cast(polars.Categorical)):
        column: Any = model.restore(series)
        assert len(column) == len(CASED) and list(column) == CASED
        assert column[0] == CASED[0] and column[1] is None and column[-1] == CASED[-1] and column[2:6] == CASED[2:6]
        with pytest.raises(IndexError):
            column[len(CASED)]
        with pytest.raises(TypeError):
            column["text"]
    named = frame.with_columns(polars.Series(model.restore(frame["text"])).alias("restored"))
    assert named["restored"].to_list() == CASED
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    assert numpy.asarray(column).tolist() == CASED and numpy.asarray(column).dtype == object
    assert numpy.array(column[2:4], dtype=str).tolist() == CASED[2:4]
    with pytest.raises(ValueError, match="without a copy"):
        column.__array__(copy=False)
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    table = pandas.DataFrame({"text": TEXTS})
    table["restored"] = column
    assert [None if pandas.isna(text) else text for text in table["restored"]] == CASED


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


class Pair:
    """A producer that hands these capsules out."""

    def __init__(self, schema: Any, array: Any) -> None:
        self.capsules = schema, array

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.capsules


def test_a_column_that_its_library_has_not_checked_is_an_error(model: majuscule.Model) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    text = pyarrow.py_buffer(b"we met angela in lisbon")

    def views(view: bytes) -> Any:
        return pyarrow.Array.from_buffers(pyarrow.string_view(), 1, [None, pyarrow.py_buffer(view)])

    def keys(key: int) -> Any:
        keys = pyarrow.array([0, key], pyarrow.int8())
        return pyarrow.DictionaryArray.from_arrays(keys, pyarrow.array(["we met"]), safe=False)

    def offsets(*at: int) -> Any:
        buffer = pyarrow.py_buffer(struct.pack(f"<{len(at)}i", *at))
        return pyarrow.Array.from_buffers(pyarrow.utf8(), len(at) - 1, [None, buffer, text])

    invalid = pyarrow.Array.from_buffers(pyarrow.utf8(), 1, [None, pyarrow.py_buffer(struct.pack("<2i", 0, 2)), pyarrow.py_buffer(b"\xff\xfe")])
    wrong = {
        "a view into a buffer that is not there": views(struct.pack("<i4sii", 100, b"we m", 7, 0)),
        "a view of a negative length": views(struct.pack("<i4sii", -1, b"we m", 0, 0)),
        "offsets that go back": offsets(0, 10, 5, 20),
        "a key without a value": keys(7),
        "bytes that are not UTF-8": invalid,
    }
    for name, column in wrong.items():
        for one in (column, pyarrow.chunked_array([column])):
            with pytest.raises(ValueError, match="the column cannot be read"):
                model.restore(one)
                pytest.fail(name)


def test_a_schema_of_another_array_or_used_before_is_an_error(model: majuscule.Model) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    texts, numbers = pyarrow.array(["we met angela"]), pyarrow.array([1] * 3)
    for one, other in ((texts, numbers), (numbers, texts), (texts.dictionary_encode(), texts)):
        with pytest.raises(ValueError, match="the column cannot be read"):
            model.restore(Pair(one.__arrow_c_array__()[0], other.__arrow_c_array__()[1]))  # type: ignore[call-overload]
    first, second = texts.__arrow_c_array__(), texts.__arrow_c_array__()
    model.restore(Pair(*first))  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="was read before"):
        model.restore(Pair(first[0], second[1]))  # type: ignore[call-overload]


def test_a_capsule_of_another_name_is_an_error(model: majuscule.Model) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

    class Wrong:
        def __arrow_c_stream__(self, schema: Any = None) -> Any:
            return pyarrow.array(TEXTS).__arrow_c_array__()[0]

    with pytest.raises(ValueError):
        model.restore(Wrong())  # type: ignore[call-overload]
