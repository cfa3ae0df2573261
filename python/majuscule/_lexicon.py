"""Lexicons: words and the forms they occurred in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from majuscule import _native
from majuscule._errors import UsageError
from majuscule._typing import Unpack
from majuscule._verbs import Path, Progress, arguments, call, paths

if TYPE_CHECKING:
    # Options by the dozen, which take longer to make than all else here.
    from majuscule._options import LexiconBuildOptions


class Form(NamedTuple):
    """A form of a word."""

    form: str
    """The spelling."""
    inside: float
    """The number of occurrences inside sentences."""
    initial: float
    """The number of occurrences at the beginning of a sentence, where a capital says little."""


class Lexicon(Mapping[str, list[Form]]):
    """Words and the forms they occurred in: a mapping from words, in any case, to their forms.

    >>> import majuscule, pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> text = pathlib.Path(folder.name, "news.txt")
    >>> _ = text.write_text("We saw Ana in Lisbon.\\nThen Ana left Lisbon.\\n")
    >>> lexicon = majuscule.Lexicon.build([text])
    >>> lexicon["lisbon"]
    [Form(form='Lisbon', inside=2.0, initial=0.0)]
    """

    def __init__(self, native: _native.Lexicon) -> None:
        self._native = native

    @classmethod
    def build(
        cls, texts: Path | Iterable[Path], *, progress: Progress | None = None, **options: Unpack[LexiconBuildOptions]
    ) -> Lexicon:
        """Count the forms of every word in texts of cased text.

        Args:
            texts: Files or folders, one sentence per line.
            progress: Called now and then with figures by name: "pass" and "bytes", as in `majuscule.train`.
            options: The options of `majuscule lexicon build`.

        Raises:
            UsageError: If an option has a wrong value.
            InputError: If a text cannot be read, or has no capitals.
        """
        words = [*paths(texts), *arguments(("lexicon", "build"), {**options})]
        return cls(_native.Lexicon.read(call(["lexicon", "build", *words], progress=progress).output, "lexicon"))

    @classmethod
    def load(cls, file: Path) -> Lexicon:
        """Read a lexicon, a list of words, or a model of the Moses truecaser.

        Raises:
            FileNotFoundError: If there is no such file.
            InputError: If a line does not match the format.
        """
        with open(file, "rb") as opened:
            return cls(_native.Lexicon.read(opened.read(), os.fspath(file)))

    def save(self, file: Path, *, force: bool = False) -> None:
        """Write the lexicon as a table, which the program reads too.

        Raises:
            UsageError: If the file exists and `force` is not given.
        """
        try:
            with open(file, "wb" if force else "xb") as out:
                out.write(self._native.written())
        except FileExistsError:
            raise UsageError(f"{os.fspath(file)} exists already: name another file, or give force=True") from None

    def merge(self, other: Lexicon) -> Lexicon:
        """Return the lexicon of both texts, whose counts are added.

        Raises:
            UsageError: If their languages have different case mappings.
        """
        return Lexicon(self._native.merged(other._native))

    @property
    def language(self) -> str:
        """The tag of the language; "root" if it is not known."""
        return self._native.language

    def __getitem__(self, word: str) -> list[Form]:
        forms = self._native.forms(word)
        if forms is None:
            raise KeyError(word)
        return [Form(*form) for form in forms]

    def __iter__(self) -> Iterator[str]:
        return iter(self._native.words())

    def __len__(self) -> int:
        return len(self._native)

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        return _read, (self._native.written(),)

    def __repr__(self) -> str:
        return f"<majuscule.Lexicon of {len(self)} words ({self.language})>"


def _read(data: bytes) -> Lexicon:
    return Lexicon(_native.Lexicon.read(data, "lexicon"))
