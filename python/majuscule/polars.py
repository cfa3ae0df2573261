"""An expression of polars that restores texts.

    import majuscule.polars, polars
    frame.with_columns(majuscule.polars.restore(polars.col("text"), marks=True).alias("restored"))

It works in lazy queries and in the streaming engine, a chunk at a time, and does not need pyarrow.
"""

from __future__ import annotations

import os

from majuscule._model import Model, Preset, load_given
from majuscule._restore_options import Options
from majuscule._typing import Unpack

try:
    import polars
except ImportError as error:
    raise ImportError("majuscule.polars needs polars: pip install polars") from error

__all__ = ["restore"]


def restore(
    column: polars.Expr | str,
    *,
    lang: str = "en",
    preset: Preset = "accurate",
    model: str | os.PathLike[str] | bytes | Model | None = None,
    threads: int | None = None,
    **options: Unpack[Options],
) -> polars.Expr:
    """Return an expression of the texts of a column, each restored by itself; a null stays.

    Args:
        column: An expression of strings, or the name of a column.
        lang: The language, or "auto" to detect that of each text.
        preset: The model of the language, as in `majuscule.load`.
        model: Instead of `lang`, the path or the bytes of a model, or a loaded one.
        threads: The number of threads; all cores by default.
        options: See `majuscule.Options`.

    Raises:
        TypeError: If there is no such option.
        UsageError: If there is no model of the language, or an option has a wrong value.
        polars.exceptions.ComputeError: When the query runs, if the column has no strings.

    >>> import polars
    >>> frame = polars.DataFrame({"text": ["we met in lisbon", None]})
    >>> frame.select(restore("text"))["text"].to_list()
    ['We met in Lisbon', None]
    """
    used = load_given(lang, preset, model)
    used.restore("", **options)

    def restored(series: polars.Series) -> polars.Series:
        texts = series.to_list() if used.language == "auto" else series
        return polars.Series(series.name, used.restore(texts, threads=threads, **options), polars.String)

    expression = polars.col(column) if isinstance(column, str) else column
    return expression.map_batches(restored, return_dtype=polars.String, is_elementwise=True)
