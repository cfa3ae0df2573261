"""Columns of Ray datasets, on two CPUs."""

from __future__ import annotations

import os
import pathlib
import signal
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("ray", reason="ray is not installed")
pytest.importorskip("ray.data", reason="ray[data] is not installed")

# Before ray is imported: no reports, no token in the home folder, no bars.
os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="disabled", RAY_DATA_DISABLE_PROGRESS_BARS="1")

import majuscule
import majuscule.ray
import ray
import ray.data
from conftest import document, run_chapter

LINES = ["we met in", "lisbon and then", "", "ana left", None, "  that it was late ", "a\nb c", "new york", "who is ana"]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    for left in (2, 1, 0):
        try:
            ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100_000_000, log_to_driver=False)
            break
        except Exception:
            # Ray waits for its start for 30 s, in which a busy machine may not get so far.
            ray.shutdown()
            if left == 0:
                raise
    yield
    ray.shutdown()


class Killed(majuscule.ray.Restorer):
    """Dies in the middle of its work, once."""

    def __init__(self, column: str, mark: str, **options: Any) -> None:
        super().__init__(column, **options)
        self.mark = pathlib.Path(mark)
        self.batches = 0

    def __call__(self, batch: Any) -> Any:
        self.batches += 1
        if self.batches == 2 and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(batch)


def test_each_row_is_a_text_though_an_actor_is_killed(tmp_path: pathlib.Path) -> None:
    texts = LINES * 60
    dataset = ray.data.from_items([{"id": at, "text": text} for at, text in enumerate(texts)], override_num_blocks=4)
    mark = tmp_path / "killed"
    restored = dataset.map_batches(
        Killed,
        fn_constructor_args=["text", str(mark)],
        fn_constructor_kwargs={"preset": "fast", "marks": True},
        batch_format="pyarrow",
        batch_size=50,
        compute=ray.data.ActorPoolStrategy(size=2),
    )
    rows = sorted(restored.take_all(), key=lambda row: row["id"])
    assert mark.exists() and [row["text"] for row in rows] == texts
    assert [row["restored"] for row in rows] == majuscule.load("en", preset="fast").restore(texts, marks=True)


def test_rows_of_a_document_are_one_running_text() -> None:
    documents = {key: [LINES[(key + at) % len(LINES)] for at in range(60 if key == 3 else key)] for key in range(6)}
    # Interleaved: the first lines of all, then the second ones.
    numbered = [(at, key, text) for key, lines in documents.items() for at, text in enumerate(lines)]
    rows = [{"line": at, "doc": key, "text": text} for at, key, text in sorted(numbered, key=lambda row: row[:2])]
    dataset = ray.data.from_items(rows, override_num_blocks=3)
    restored = majuscule.ray.restore_documents(
        dataset, "text", group="doc", order="line", partitions=2, preset="fast", marks="all"
    )
    found = {(row["doc"], row["line"]): row["restored"] for row in restored.take_all()}
    assert len(found) == len(rows)
    for key, lines in documents.items():
        assert [found[key, at] for at in range(len(lines))] == document(lines, marks="all")


def test_languages_and_errors_reach_the_driver() -> None:
    texts = ["fomos a lisboa com a ana", "we met in lisbon"]
    dataset = ray.data.from_items([{"text": text, "lang": lang} for text, lang in zip(texts, ("pt", "xx"))])
    auto = dataset.map_batches(majuscule.ray.Restorer("text", lang="auto"), batch_format="pyarrow")
    assert {row["restored"] for row in auto.take_all()} == {"Fomos a Lisboa com a Ana", "We met in Lisbon"}
    kept = dataset.map_batches(majuscule.ray.Restorer("text", language_column="lang", errors="keep"), batch_format="pyarrow")
    assert {row["restored"] for row in kept.take_all()} == {"Fomos a Lisboa com a Ana", "we met in lisbon"}
    failing = dataset.map_batches(majuscule.ray.Restorer("text", language_column="lang"), batch_format="pyarrow")
    with pytest.raises(Exception, match='no model of language "xx" is built in'):
        failing.take_all()
    with pytest.raises(TypeError, match="did you mean marks"):
        majuscule.ray.Restorer("text", mark=True)  # type: ignore[call-arg]


def test_counts_and_figures_are_those_of_one_machine(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(majuscule.ray, "MERGES", 2)
    texts = ["We met Ana in Lisbon.", "She works at IBM.", None, "The iPhone is here.", "then nothing"] * 20
    lower = [text and text.lower() for text in texts]
    files = [tmp_path / "text", tmp_path / "lower"]
    for file, column in zip(files, (texts, lower)):
        file.write_text("".join(f"{text}\n" for text in column if text is not None))
    rows = [{"doc": at // 10, "text": text, "lower": lower[at]} for at, text in enumerate(texts)]
    dataset = ray.data.from_items(rows, override_num_blocks=5)
    found = majuscule.ray.build_lexicon(dataset, "text", min_count=2)
    assert found._native.written() == majuscule.Lexicon.build(files[0], min_count=2)._native.written()
    majuscule.ray.count_ngrams(dataset, "text", 2, output=tmp_path / "found.counts")
    one, other = (tmp_path / name for name in ("one.arpa", "other.arpa"))
    majuscule.lm.train(files[0], output=one, order=2, discount_fallback=True)
    majuscule.lm.train(counts=[tmp_path / "found.counts"], output=other, order=2, discount_fallback=True)
    assert one.read_bytes() == other.read_bytes()
    figures = majuscule.ray.evaluate(dataset, "text", "lower", document="doc", partitions=2, samples=50)
    low, high = figures.pop("intervals")["ser"]
    assert figures == majuscule.score(*files).to_dict() and low == high == figures["ser"]


def test_examples_of_the_book() -> None:
    run_chapter("Ray", ray=ray)
