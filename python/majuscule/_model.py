"""Models, and what they do with texts."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload

from majuscule import _native
from majuscule._errors import MissingFileError, UsageError

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

Preset = Literal["accurate", "fast", "best", "ngram"]


class Options(TypedDict, total=False):
    """The options of restoring, with the names and defaults of the command line."""

    case: Literal["auto", "keep", "ignore"]
    """The capitals of the text that are kept."""
    context: Literal["auto", "line", "file"]
    """The parts of a text whose words are context for each other."""
    look_ahead: int
    """The largest number of words of right context."""
    locale: str
    """The language whose case pairs are used: "tr", "nl"."""
    lossy: bool
    """True to copy unreadable parts unchanged."""
    mark_threshold: float
    """The probability below which a mark is not inserted."""
    marks: bool | str
    """True for commas, full stops and question marks where a line has none, "all" everywhere, or the marks: ".,?"."""
    predictions: int
    """The number of contexts that each choice of a network is averaged over."""
    sentence_start: Literal["auto", "always", "never"]
    """The places where a sentence start gets a capital."""
    threshold: float
    """The probability below which a word keeps the case that it has."""
    words: Iterable[str]
    """Spellings that always win: "iPhone", "New York"."""


NAMES = frozenset(Options.__annotations__)


def _checked(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options; an unknown one is an error that names the nearest."""
    for name in options:
        if name not in NAMES:
            near = difflib.get_close_matches(name, NAMES, 1)
            hint = f": did you mean {near[0]}?" if near else f": expected one of {', '.join(sorted(NAMES))}"
            raise TypeError(f"unknown option {name}{hint}")
    words = options.get("words")
    if words is not None:
        if isinstance(words, str):
            raise TypeError('words is a list of spellings, not a str: words=["iPhone"]')
        options = {**options, "words": list(words)}
    return options


def _threads(threads: int | None) -> int:
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1:
        raise UsageError(f"threads {threads}: expected 1 or more")
    return threads


class Stream:
    """A text that is restored while it comes in. Its words are returned once they are certain.

    >>> import majuscule
    >>> with majuscule.load("en").stream(look_ahead=0) as stream:
    ...     stream.push("we met in lis"), stream.push("bon today"), stream.finish()
    ('We met in ', 'Lisbon ', 'today')
    """

    def __init__(self, native: _native.Stream) -> None:
        self._native = native

    def push(self, text: str) -> str:
        """Take the next part of the text and return what is certain by then."""
        return self._native.push(text)

    def now(self) -> str:
        """Stop waiting and return all that has come, with the right context there is."""
        return self._native.now()

    def tail(self) -> str:
        """Return what `now` would return, and go on waiting."""
        return self._native.tail()

    def finish(self) -> str:
        """End the text and return the rest."""
        return self._native.finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._native.is_finished:
            self._native.finish()

    def __reduce__(self) -> Any:
        raise TypeError("a stream is in the middle of a text and cannot be pickled or copied: start another one")


class Model:
    """A trained model. Use `load` to get one; threads may share it, and it can be pickled and copied."""

    def __init__(self, source: tuple[str, Any], native: _native.Model) -> None:
        self._source = source
        self._native = native
        self._plain = native.with_options()
        self._kept: dict[tuple[tuple[str, Any], ...], _native.Restorer] = {}

    @property
    def language(self) -> str:
        """The tag of the language, or of several: "en,pt"."""
        return self._native.language

    @property
    def method(self) -> str:
        """The method that computes the model: "maxent"."""
        return self._native.method

    @property
    def marks(self) -> str:
        """The punctuation marks that the model can insert."""
        return self._native.marks

    def _restorer(self, options: dict[str, Any]) -> _native.Restorer:
        if not options:
            return self._plain
        options = _checked(options)
        try:
            key = tuple(sorted((name, tuple(value) if name == "words" else value) for name, value in options.items()))
            found = self._kept.get(key)
        except TypeError:
            # An option of a wrong type: the native part says which is expected.
            return self._native.with_options(**options)
        if found is None:
            found = self._native.with_options(**options)
            # Few calls differ in their options; those that do for each text must not fill the memory.
            if len(self._kept) >= 64:
                self._kept.clear()
            self._kept[key] = found
        return found

    # A str is an iterable of str too; the first signature wins.
    @overload
    def restore(  # type: ignore[overload-overlap]
        self, text: str, *, threads: int | None = None, **options: Unpack[Options]
    ) -> str: ...
    @overload
    def restore(
        self, text: Iterable[str], *, threads: int | None = None, **options: Unpack[Options]
    ) -> list[str]: ...
    @overload
    def restore(
        self, text: Iterable[str | None], *, threads: int | None = None, **options: Unpack[Options]
    ) -> list[str | None]: ...
    def restore(
        self, text: str | Iterable[str | None], *, threads: int | None = None, **options: Unpack[Options]
    ) -> Any:
        """Restore a text, or each of several by itself, in order and on all cores; None stays None.

        >>> import majuscule
        >>> majuscule.load("en").restore("where did you meet angela merkel", marks=True)
        'Where did you meet Angela Merkel?'
        """
        restorer = self._restorer({**options})
        if isinstance(text, str):
            return restorer.restore(text)
        if isinstance(text, (bytes, bytearray)):
            raise TypeError("text is bytes, but a str is expected: decode it, as in text.decode()")
        if text is None:
            raise TypeError("text is None, but a str or an iterable of texts is expected")
        texts = list(text)
        for at, one in enumerate(texts):
            if one is not None and not isinstance(one, str):
                raise TypeError(f"item {at} is {type(one).__name__}, but a str or None is expected")
        return restorer.restore_all(texts, _threads(threads))

    def words(self, text: str, **options: Unpack[Options]) -> list[_native.Word]:
        """Return the words of a text, restored. Positions count code points.

        >>> import majuscule
        >>> word = majuscule.load("en").words("we met in lisbon")[3]
        >>> word.text, word.form, word.start, word.end
        ('lisbon', 'Lisbon', 10, 16)
        """
        return self._restorer({**options}).words(text)

    def label(self, given: Iterable[str], /, **options: Unpack[Options]) -> list[_native.Word]:
        """Restore words that come without a text, such as a recogniser's, and return one for each.

        >>> import majuscule
        >>> [word.form for word in majuscule.load("en").label(["we", "met", "angela"])]
        ['We', 'met', 'Angela']
        """
        if isinstance(given, str):
            raise TypeError("given is a str, but a list of words is expected: text.split() makes one")
        return self._restorer({**options}).label(list(given))

    def sentences(self, text: str, **options: Unpack[Options]) -> list[tuple[int, int]]:
        """Return the spans of the sentences of a text, in code points, also without punctuation.

        >>> import majuscule
        >>> text = "Thanks. We met Ana."
        >>> [text[start:end] for start, end in majuscule.load("en").sentences(text)]
        ['Thanks.', 'We met Ana.']
        """
        return list(self._sentences(text, options))

    def _sentences(self, text: str, options: Options) -> Iterator[tuple[int, int]]:
        start: int | None = None
        words = self.words(text, **options)
        for at, word in enumerate(words):
            start = word.start if start is None else start
            following = words[at + 1].start if at + 1 < len(words) else len(text)
            after = text[word.end : following]
            if word.sentence_end or at + 1 == len(words) or any(mark in after for mark in ".?!…"):
                # Marks right behind the word belong to its sentence.
                end = word.end + len(after) - len(after.lstrip(".,;:!?…)]}»”\"'"))
                yield start, end
                start = None

    def stream(self, **options: Unpack[Options]) -> Stream:
        """Start a text that is restored while it comes in."""
        return Stream(self._restorer({**options}).stream())

    def __reduce__(self) -> Any:
        return _load, self._source

    def __repr__(self) -> str:
        return f"<majuscule.Model {self.language} ({self.method})>"


def load(
    model: str | os.PathLike[str] | bytes = "en",
    *,
    preset: Preset = "accurate",
    models: Iterable[str | os.PathLike[str]] = (),
) -> Model:
    """Load a model: of a language ("en", "es", "fr", "nl", "pt"), from a folder, a packed file or its bytes.

    `models` are folders with models of the presets "best" and "ngram", which are not built in.

    >>> import majuscule
    >>> majuscule.load("pt", preset="fast")
    <majuscule.Model pt (maxent)>
    """
    if isinstance(model, bytes):
        return _load("bytes", model)
    if isinstance(model, os.PathLike) or os.path.exists(model):
        if not os.path.exists(model):
            raise MissingFileError(f"{os.fspath(model)}: there is no such model: name a folder or a file made by train")
        return _load("path", os.fspath(model))
    return _load("preset", (model, preset, tuple(os.fspath(folder) for folder in models)))


def _load(kind: str, source: Any) -> Model:
    """Load a model again, from where it came."""
    match kind:
        case "bytes":
            native = _native.Model.from_bytes(source)
        case "path":
            native = _native.Model.open(source)
        case _:
            language, preset, folders = source
            native = _native.Model.of_preset(language, preset, list(folders))
    return Model((kind, source), native)
