"""Restores columns of Ray datasets, and learns from them. It needs Ray Data: `majuscule[ray]`.

    import majuscule.ray, ray
    pool = ray.data.ActorPoolStrategy(size=2)
    restored = dataset.map_batches(
        majuscule.ray.Restorer, fn_constructor_args=["text"], batch_format="pyarrow", compute=pool
    )

An actor loads a model from the package, once: nothing goes to the object store, and a node needs only the package.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from majuscule._lexicon import Lexicon
from majuscule._typing import Unpack
from majuscule._verbs import Path

try:
    import pyarrow as pa
    import ray
    import ray.data

    from majuscule import _counting
    from majuscule._columns import ColumnOptions, DocumentJob, RestoreJob, column_names
except ImportError as error:
    raise ImportError("majuscule.ray needs Ray Data: pip install 'majuscule[ray]'") from error

if TYPE_CHECKING:
    from majuscule._options import LexiconBuildOptions, ScoreOptions

__all__ = ["Restorer", "build_lexicon", "count_ngrams", "evaluate", "restore_documents"]

MERGES = 16
"""The number of parts that a task adds up."""


class Restorer:
    """A callable for `Dataset.map_batches` with `batch_format="pyarrow"`, which adds a column of restored texts.

    Each row is a text by itself; a null stays.

    Args:
        column: The name of a column of strings.
        output: The name of the new column, which may be `column`.
        lang: The language of all texts, or "auto" to detect that of each. The default is English.
        language_column: Instead of `lang`, a column with the tags of languages; null and "auto" mean to detect it.
        preset: The model of the language, as in `majuscule.load`.
        model: Instead of `lang`, the path of a model that every node has, or its bytes.
        models: Folders on the nodes with models that are not built in.
        errors: "raise" to fail at a text that cannot be restored (it is not UTF-8, or there is no model of its language),
            "null" to make it null, or "keep" to keep it.
        options: See `majuscule.Options`.

    Raises:
        TypeError: If there is no such option, or, for a batch, if the column has no strings.
        UsageError: If an option has a wrong value, or there is no such column.
        InputError: For a batch, if a text cannot be restored and `errors` is "raise".
    """

    def __init__(
        self,
        column: str,
        output: str = "restored",
        *,
        lang: str | None = None,
        language_column: str | None = None,
        **options: Unpack[ColumnOptions],
    ) -> None:
        self._job = RestoreJob.of(column, output, {**options, "lang": lang, "language_column": language_column})

    def __call__(self, batch: pa.Table) -> pa.Table:
        return self._job.on_batch(batch)


def restore_documents(
    dataset: ray.data.Dataset,
    column: str,
    output: str = "restored",
    *,
    group: str | Sequence[str],
    order: str | Sequence[str],
    lang: str | None = None,
    language_column: str | None = None,
    partitions: int | None = None,
    **options: Unpack[ColumnOptions],
) -> ray.data.Dataset:
    """Return a dataset with a column of restored texts, in which the rows of a document are lines of one running text.

    The result is that of `majuscule.Model.stream` for the document's lines in one process. Ray gives a function all rows
    of a group at once, so a document must fit into the memory of a worker, several times: for documents of millions of
    rows use Spark, whose memory does not grow with a document.

    Args:
        dataset: The dataset.
        column: The name of a column of strings.
        output: As in `Restorer`, like the arguments that are not named here.
        group: The columns that are the key of a document.
        order: The columns by which the rows of a document are sorted.
        partitions: The number of partitions that documents are sorted into; Ray has 200 by default, which is many for a
            small dataset.
    """
    given = {**options, "lang": lang, "language_column": language_column}
    job = DocumentJob.of(column, output, given, group=column_names(group), order=column_names(order))

    def restored(rows: pa.Table) -> pa.Table:
        return job.on_batch(rows.sort_by([(name, "ascending") for name in job.order]))

    return dataset.groupby(list(job.group), num_partitions=partitions).map_groups(restored, batch_format="pyarrow")


def build_lexicon(dataset: ray.data.Dataset, column: str, **options: Unpack[LexiconBuildOptions]) -> Lexicon:
    """Count the forms of every word in texts in their true case, and return the lexicon.

    It has the same bytes as `majuscule.Lexicon.build` of a file "text" with a row per line, whatever the blocks are. The
    arguments and errors are those of `majuscule.spark.build_lexicon`.
    """
    return _counting.build_lexicon(partial(_parts, dataset), column, {**options})


def count_ngrams(
    dataset: ray.data.Dataset, column: str, order: int = 3, *, output: Path, force: bool = False, **options: Any
) -> None:
    """Count the n-grams of texts in their true case, and write a file of counts on the driver.

    It has the same bytes as `majuscule lm count` of a file with a row per line makes, whatever the blocks are. The
    arguments and errors are those of `majuscule.spark.count_ngrams`; `memory="1G"` holds for each task.
    """
    _counting.count_ngrams(partial(_parts, dataset), column, {"order": order, **options}, output, force)


def evaluate(
    dataset: ray.data.Dataset,
    reference: str,
    hypothesis: str,
    *,
    document: str | None = None,
    partitions: int | None = None,
    samples: int = 1000,
    seed: int = 0,
    **options: Unpack[ScoreOptions],
) -> dict[str, Any]:
    """Score restored texts against texts in their true case: the same figures as `majuscule.score` of two files has.

    The arguments and the figures are those of `majuscule.spark.evaluate`, and `partitions` that of `restore_documents`. A
    document must fit into memory.
    """
    job = _counting.EvaluateJob(reference, hypothesis, None, {**options})

    def figures(rows: pa.Table) -> pa.Table:
        scored = list(job([rows]))
        return pa.Table.from_batches(scored, schema=pa.schema([("figures", pa.string())]))

    if document is None:
        scored = dataset.map_batches(figures, batch_format="pyarrow", batch_size=None)
    else:
        scored = dataset.groupby(document, num_partitions=partitions).map_groups(figures, batch_format="pyarrow")
    return _counting.evaluated((row["figures"] for row in scored.iter_rows()), options, document is not None, samples, seed)


def _parts(dataset: ray.data.Dataset, job: _counting.CountJob) -> Iterator[_counting.Part]:
    """Count each block, add up a few parts at a time, and yield the sums."""

    def count(rows: pa.Table) -> list[bytes]:
        return list(job.counted([rows]))

    def merge(*parts: list[bytes]) -> list[bytes]:
        return list(job.merged(parts))

    parts = [ray.remote(count).remote(table) for table in dataset.select_columns([job.column]).to_arrow_refs()]
    while len(parts) > MERGES:
        parts = [ray.remote(merge).remote(*parts[at : at + MERGES]) for at in range(0, len(parts), MERGES)]
    return (ray.get(part) for part in parts)
