"""Training and evaluation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from majuscule import _native
from majuscule._model import Model, load
from majuscule._typing import Unpack
from majuscule._verbs import Path, Progress, arguments, call, path, paths

if TYPE_CHECKING:
    # Options by the dozen, which take longer to make than all else here.
    from majuscule._options import CompareOptions, EvaluateOptions, ScoreOptions, TrainOptions

METHODS = ("majority", "hmm", "maxent", "ngram")


def train(
    method: str,
    texts: Path | Iterable[Path] = (),
    *,
    output: Path | None = None,
    progress: Progress | None = None,
    **options: Unpack[TrainOptions],
) -> Model:
    """Train a model on texts in their true case, and return it.

    Args:
        method: The method: see `majuscule train --help`.
        texts: Files or folders with one sentence per line, also as .gz, .zst or .xz.
        output: The folder for the model; without it the model is only in memory.
        progress: Called now and then with figures by name: "pass", the number of the reading of the texts, and
            "bytes", the bytes of text that it has read.
        options: The options of `majuscule train`.

    Raises:
        UsageError: If an option has a wrong value, or the folder exists and `force` is not given.
        InputError: If a text cannot be read or teaches nothing.

    >>> import majuscule, pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> text = pathlib.Path(folder.name, "news.txt")
    >>> _ = text.write_text("We saw Ana in Lisbon.\\nThen Ana left Lisbon.\\n" * 20)
    >>> majuscule.train("majority", text).restore("they met ana")
    'they met Ana'
    """
    if method not in METHODS:
        raise ValueError(f'method "{method}": expected one of {", ".join(METHODS)}')
    given: dict[str, Any] = {**options}
    words = [*paths(texts), *arguments(("train", method), given)]
    if output is not None:
        call(["train", method, "--output", path(output), *words], progress=progress)
        return load(os.fspath(output))
    import tempfile

    with tempfile.TemporaryDirectory(prefix="majuscule-") as folder:
        packed = given.get("pack") or os.path.join(folder, "model")
        pack = [] if "pack" in given else ["--pack", packed]
        call(["train", method, *pack, *words], progress=progress)
        with open(packed, "rb") as file:
            return load(file.read())


class Report(Mapping[str, Any]):
    """The figures of a measurement, as a mapping with their names. Rates are fractions; undefined ones are None.

    The top figures are attributes too: `report.ser`. In a notebook a report is a table.
    """

    def __init__(self, answer: _native.Answer) -> None:
        import json

        self._figures: dict[str, Any] = json.loads(answer.json or "{}")
        self._page = answer.output.decode()

    def to_dict(self) -> dict[str, Any]:
        """Return all figures, as `--json` of the program has them."""
        from copy import deepcopy

        return deepcopy(self._figures)

    def __getitem__(self, name: str) -> Any:
        return self._figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __getattr__(self, name: str) -> Any:
        figures = self.__dict__.get("_figures", {})
        if name in figures:
            return figures[name]
        raise AttributeError(f"a report has no {name}: expected one of {', '.join(figures)}")

    def __str__(self) -> str:
        return self._page

    def __repr__(self) -> str:
        return f"<majuscule.{type(self).__name__}\n{self._page}>"

    def _repr_html_(self) -> str:
        from html import escape

        names = ("precision", "recall", "f", "ser", "accuracy")
        head = "".join(f"<th>{name}</th>" for name in ("", "words", *names))
        rows = []
        for row, figures in self._rows():
            cells = [f"{figures.get('tokens', 0):,}", *(_percent(figures.get(name)) for name in names)]
            rows.append(f"<tr><th>{escape(row)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"

    def _rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Return the rows of a table: names, and figures of which one is the slot error rate."""
        if "ser" in self._figures:
            yield "all", self._figures
        for name, figures in self._figures.items():
            if isinstance(figures, dict) and "ser" in figures:
                yield name, figures


class Comparison(Report):
    """The figures of several systems on one text, with intervals and tests of significance."""

    def _rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for system in self._figures["systems"]:
            yield system["name"], system


def _percent(fraction: float | None) -> str:
    return "–" if fraction is None else f"{100 * fraction:.2f} %"


def evaluate(
    model: Model, texts: Path | Iterable[Path], *, progress: Progress | None = None, **options: Unpack[EvaluateOptions]
) -> Report:
    """Measure a model on texts in their true case: it sees their words without capitals.

    Args:
        model: The model.
        texts: Files or folders, scored together.
        progress: Called now and then with figures by name, as in `train`.
        options: The options of `majuscule evaluate`, such as `protocol`.

    Raises:
        UsageError: If an option has a wrong value.
        InputError: If a text cannot be read, or no word is scored.

    >>> import majuscule, pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> text = pathlib.Path(folder.name, "test.txt")
    >>> _ = text.write_text("They met Ana in Lisbon.\\n")
    >>> majuscule.evaluate(majuscule.load("en"), text, protocol="rei").recall
    1.0
    """
    words = [*paths(texts), *arguments(("evaluate",), {**options})]
    if model.language != "auto" and "lang" not in options:
        words.append(f"--lang={model.language}")
    answer = call(["evaluate", "--model", "<model>", *words], models={"<model>": model._native}, progress=progress)
    return Report(answer)


def compare(
    models: Mapping[str, Model], text: Path, *, progress: Progress | None = None, **options: Unpack[CompareOptions]
) -> Comparison:
    """Compare models, and outputs of other systems (`output`), on a text in its true case.

    Args:
        models: The models by the names that the comparison has for them.
        text: The text.
        progress: Called now and then with figures by name, as in `train`.
        options: The options of `majuscule compare`.

    Raises:
        UsageError: If an option has a wrong value, or models are of languages with other case mappings.
        InputError: If a text cannot be read, or no word is scored.

    >>> import majuscule, pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> text = pathlib.Path(folder.name, "test.txt")
    >>> _ = text.write_text("They met Ana in Lisbon.\\n")
    >>> models = {preset: majuscule.load("en", preset=preset) for preset in ("fast", "accurate")}
    >>> [system["ser"] for system in majuscule.compare(models, text).systems]
    [0.0, 0.0]
    """
    if not models and "output" not in options:
        raise ValueError("there is nothing to compare: give models by name, or output=[...]")
    named = [f"--model={name}" for name in models]
    words = [path(text), *named, *arguments(("compare",), {**options})]
    native = {name: model._native for name, model in models.items()}
    return Comparison(call(["compare", *words], models=native, progress=progress))


def score(reference: Path, hypothesis: Path, **options: Unpack[ScoreOptions]) -> Report:
    """Score the output of any system against the text in its true case.

    Args:
        reference: The text in its true case.
        hypothesis: The output: the same words with other capitals, or with `align` those of a recogniser.
        options: The options of `majuscule score`.

    Raises:
        UsageError: If an option has a wrong value.
        InputError: If a file cannot be read, or the words differ.

    >>> import majuscule, pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> text, output = (pathlib.Path(folder.name, name) for name in ("test.txt", "output.txt"))
    >>> _ = text.write_text("They met Ana in Lisbon.\\n"), output.write_text("They met Ana in lisbon.\\n")
    >>> majuscule.score(text, output).ser
    0.5
    """
    return Report(call(["score", path(reference), path(hypothesis), *arguments(("score",), {**options})]))

