"""N-gram language models of cased text.

>>> import majuscule, pathlib, tempfile
>>> folder = tempfile.TemporaryDirectory()
>>> text = pathlib.Path(folder.name, "news.txt")
>>> _ = text.write_text("We saw Ana in Lisbon.\\nThen Ana left Lisbon.\\n" * 20)
>>> model = majuscule.lm.train(text, output=text.with_suffix(".arpa"), order=2, discount_fallback=True)
>>> model.score("Then we saw Lisbon.") < 0
True
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from majuscule import _native
from majuscule._typing import Unpack
from majuscule._verbs import Path, Progress, arguments, call, path, paths

if TYPE_CHECKING:
    # Options by the dozen, which take longer to make than all else here.
    from majuscule._options import LmTrainOptions

__all__ = ["Model", "train"]


class Model:
    """An n-gram language model, ARPA or binary.

    Args:
        file: The file of the model.

    Raises:
        FileNotFoundError: If there is no such file.
        InputError: If the file is no model, or is cut off.
    """

    def __init__(self, file: Path) -> None:
        self._file = os.fspath(file)
        self._native = _native.LanguageModel.open(self._file)

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return self._native.order

    @property
    def counts(self) -> list[int]:
        """The numbers of n-grams of each length, from 1."""
        return self._native.counts

    def __contains__(self, word: str) -> bool:
        return word in self._native

    def score(self, text: str, *, plain: bool = False, marks: str | None = None) -> float:
        """Return log10 of the probability of a text, with the end of each sentence; a line is a sentence.

        Args:
            text: The text, whose capitals count.
            plain: True to take everything between white space as a word, as other toolkits do.
            marks: The marks that are words too: ".,?".
        """
        return self._native.score(text, _units(plain, marks))[0]

    def perplexity(self, *texts: Path, plain: bool = False, marks: str | None = None) -> float:
        """Return the perplexity of texts, for their words and sentence ends.

        Args:
            texts: Files, one sentence per line.
            plain: True to take everything between white space as a word, as other toolkits do.
            marks: The marks that are words too: ".,?".

        Raises:
            InputError: If a file cannot be read, or there are no words.
        """
        given = {"plain": plain, "marks": marks}
        words = ["lm", "perplexity", path(self._file), *paths(texts), *arguments(("lm", "perplexity"), given)]
        for line in call(words).output.decode().splitlines():
            name, _, figure = line.partition("  ")
            if name == "perplexity":
                return float(figure)
        raise AssertionError("the program prints the perplexity")

    def __reduce__(self) -> tuple[type[Model], tuple[str]]:
        return Model, (self._file,)

    def __repr__(self) -> str:
        return f"<majuscule.lm.Model {self._file} of order {self.order}>"


def _units(plain: bool, marks: str | None) -> str:
    if plain and marks is not None:
        raise ValueError("plain and marks are given: leave one out, since with plain all between white space is a word, marks too")
    return "plain" if plain else marks or "words"


def train(
    texts: Path | Iterable[Path] = (),
    *,
    output: Path,
    progress: Progress | None = None,
    **options: Unpack[LmTrainOptions],
) -> Model:
    """Train a model, by default with interpolated modified Kneser-Ney smoothing, and return it.

    Args:
        texts: Files or folders of cased text, one sentence per line.
        output: The file to write: ARPA if its name ends in .arpa, and a compact binary otherwise.
        progress: Called now and then with figures by name: "pass" and "bytes", as in `majuscule.train`.
        options: The options of `majuscule lm train`.

    Raises:
        UsageError: If an option has a wrong value, or the file exists and `force` is not given.
        InputError: If a text cannot be read, or is too small for the discounts.
    """
    words = [*paths(texts), *arguments(("lm", "train"), {**options})]
    call(["lm", "train", "--output", path(output), *words], progress=progress)
    return Model(output)
