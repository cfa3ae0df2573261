"""A function of DuckDB that restores texts.

    import duckdb, majuscule.duckdb
    majuscule.duckdb.register(connection := duckdb.connect(), marks=True)
    connection.sql("select majuscule(text) from talks")

It takes vectors of rows where pyarrow is installed, and single rows otherwise.
"""

from __future__ import annotations

import importlib.util
import os
from typing import Any

from majuscule._model import Model, Preset, load_given
from majuscule._restore_options import Options
from majuscule._typing import Unpack

try:
    import duckdb
except ImportError as error:
    raise ImportError("majuscule.duckdb needs DuckDB: pip install duckdb") from error

__all__ = ["register"]


def register(
    connection: duckdb.DuckDBPyConnection,
    name: str = "majuscule",
    *,
    lang: str = "en",
    preset: Preset = "accurate",
    model: str | os.PathLike[str] | bytes | Model | None = None,
    threads: int | None = None,
    **options: Unpack[Options],
) -> None:
    """Register a function of SQL that restores a text by itself; null gives null.

    Args:
        connection: The connection.
        name: The name of the function. DuckDB refuses one that exists: `connection.remove_function(name)` removes it.
        lang: The language, or "auto" to detect that of each text.
        preset: The model of the language, as in `majuscule.load`.
        model: Instead of `lang`, the path or the bytes of a model, or a loaded one.
        threads: The number of threads for a vector of rows; all cores by default.
        options: See `majuscule.Options`.

    Raises:
        TypeError: If there is no such option.
        UsageError: If there is no model of the language, or an option has a wrong value.

    >>> import duckdb
    >>> connection = duckdb.connect()
    >>> register(connection)
    >>> connection.sql("select majuscule('we met in lisbon')").fetchall()
    [('We met in Lisbon',)]
    """
    used = load_given(lang, preset, model)
    used.restore("", **options)
    if importlib.util.find_spec("pyarrow") is None:
        connection.create_function(name, lambda text: used.restore(text, **options), ["VARCHAR"], "VARCHAR")
        return
    import pyarrow

    def restored(texts: Any) -> Any:
        given = texts.to_pylist() if used.language == "auto" else texts
        return pyarrow.array(used.restore(given, threads=threads, **options)).cast(pyarrow.string())

    connection.create_function(name, restored, ["VARCHAR"], "VARCHAR", type="arrow")
