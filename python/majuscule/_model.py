"""Models, and what they do with texts."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, overload

from majuscule import _native
from majuscule._errors import MissingFileError, UsageError
from majuscule._restore_options import Options
from majuscule._typing import Self, Unpack
from majuscule._verbs import WORDS, Path, arguments, call, nearest, path, paths, spellings

if TYPE_CHECKING:
    # Options by the dozen, which take longer to make than all else here.
    from majuscule._options import ConvertOptions, RestoreFileOptions

Preset = Literal["accurate", "fast", "best", "ngram"]

NETWORKS = {"best": ("en", "es", "fr", "nl", "pt")}
"""The languages of the networks in the package majuscule-networks."""

NAMES = frozenset(Options.__annotations__)

SPELLINGS = "spellings", "words"
"""The names of the option of the user's own spellings: the one, and the former one."""

MODEL, TEXT = "<model>", "<text>"
"""The names of a model and a file in memory."""


def checked_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options; an unknown one is an error that names the nearest."""
    for name in options:
        if name not in NAMES:
            raise nearest(name, NAMES)
    words = options.get("spellings", options.get("words"))
    if words is None:
        return options
    others = {name: value for name, value in options.items() if name not in SPELLINGS}
    return {**others, "spellings": spellings(words)}


def _threads(threads: int | None) -> int:
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1:
        raise UsageError(f"threads {threads}: expected 1 or more")
    return threads


class _Series(Protocol):
    """A Series of pandas, which is an object of no package that must be there."""

    @property
    def index(self) -> Any: ...
    @property
    def name(self) -> Any: ...
    @property
    def dtype(self) -> Any: ...
    def isna(self) -> Any: ...


Series = TypeVar("Series", bound=_Series)


def _is_series(text: object) -> bool:
    return all(hasattr(text, name) for name in ("index", "name", "dtype", "isna"))


def _restored_series(series: Any, restore: Callable[[list[str | None]], list[str | None]]) -> Any:
    """Return a Series of pandas with its texts restored; its index, name, type and missing values stay."""
    categories = getattr(series.dtype, "categories", None)
    if categories is not None:
        # Two categories may become one: then pandas makes texts of them.
        return series.map(dict(zip(categories, restore(list(categories)))))
    texts = [None if is_missing else text for text, is_missing in zip(series, series.isna())]
    values = [old if new is None else new for old, new in zip(series, restore(texts))]
    return type(series)(values, index=series.index, name=series.name, dtype=series.dtype)


def _opening(gap: str) -> str:
    """Return the part of what is between two sentences that belongs to the second: an opening quotation mark."""
    found = re.search(r"(?<=\s)\S+$", gap)
    return found.group() if found else ""


class Stream:
    """A text that is restored while it arrives. Its words are returned once they are certain.

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

    def _for(self, text: Any) -> Model:
        """Return the model of a text, or of a list of words."""
        return self

    def _restorer(self, options: dict[str, Any]) -> _native.Restorer:
        if not options:
            return self._plain
        options = checked_options(options)
        try:
            key = tuple(sorted((name, tuple(value) if name in SPELLINGS else value) for name, value in options.items()))
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
    def restore(self, text: Series, *, threads: int | None = None, **options: Unpack[Options]) -> Series: ...
    @overload
    def restore(
        self, text: Iterable[str], *, threads: int | None = None, **options: Unpack[Options]
    ) -> list[str]: ...
    @overload
    def restore(
        self, text: Iterable[str | None], *, threads: int | None = None, **options: Unpack[Options]
    ) -> list[str | None]: ...
    def restore(self, text: Any, *, threads: int | None = None, **options: Unpack[Options]) -> Any:
        """Restore a text, or each of several by itself, in order and on all cores; None stays None.

        Args:
            text: A text; an iterable of texts, which gives a list; a Series of pandas, which gives a Series with its
                index, name and missing values; or a column of an Arrow library (polars, pyarrow, duckdb), which gives a
                column that those read: `pl.Series(model.restore(series)).alias("restored")`.
            threads: The number of threads for several texts; all cores by default.
            options: See `Options`.

        Raises:
            TypeError: If a text is no str, a column holds no texts, or there is no such option.
            UsageError: If an option has a wrong value.

        >>> import majuscule
        >>> majuscule.load("en").restore("where did you meet angela merkel", marks=True)
        'Where did you meet Angela Merkel?'
        """
        if isinstance(text, str):
            return self._for(text)._restorer({**options}).restore(text)
        if _is_series(text):
            return _restored_series(text, lambda texts: self.restore(texts, threads=threads, **options))
        if hasattr(text, "__arrow_c_stream__") or hasattr(text, "__arrow_c_array__"):
            column = self._restored_column(text, threads, {**options})
            if column is not None:
                return column
        return self._restored_texts(text, threads, {**options})

    def _restored_column(self, column: Any, threads: int | None, options: dict[str, Any]) -> Any:
        return _native.restore_column(self._restorer(options), column, _threads(threads))

    def _restored_texts(self, texts: Any, threads: int | None, options: dict[str, Any]) -> list[str | None]:
        return self._restorer(options).restore_all(self._checked_texts(texts), _threads(threads))

    @staticmethod
    def _checked_texts(given: Any) -> list[str | None]:
        """Return several texts as a list."""
        if isinstance(given, (bytes, bytearray)):
            raise TypeError("text is bytes, but a str is expected: decode it, as in text.decode()")
        if given is None or not isinstance(given, Iterable):
            raise TypeError(f"text is {type(given).__name__}, but a str or an iterable of texts is expected")
        texts = list(given)
        for at, one in enumerate(texts):
            if one is not None and not isinstance(one, str):
                raise TypeError(f"item {at} is {type(one).__name__}, but a str or None is expected")
        return texts

    def words(self, text: str, **options: Unpack[Options]) -> list[_native.Word]:
        """Return the words of a text, restored. Positions count code points.

        >>> import majuscule
        >>> word = majuscule.load("en").words("we met in lisbon")[3]
        >>> word.text, word.form, word.start, word.end
        ('lisbon', 'Lisbon', 10, 16)
        """
        return self._for(text)._restorer({**options}).words(text)

    def label(self, given: Iterable[str], /, **options: Unpack[Options]) -> list[_native.Word]:
        """Restore words that come without a text, such as a recogniser's, and return one for each.

        >>> import majuscule
        >>> [word.form for word in majuscule.load("en").label(["we", "met", "angela"])]
        ['We', 'met', 'Angela']
        """
        if isinstance(given, str):
            raise TypeError("given is a str, but a list of words is expected: text.split() makes one")
        words = list(given)
        return self._for(words)._restorer({**options}).label(words)

    def sentences(self, text: str, **options: Unpack[Options]) -> list[tuple[int, int]]:
        """Return the spans of the sentences of a text, in code points, also without punctuation.

        Args:
            text: The text. White space between sentences belongs to none.
            options: As in `restore`. With `marks`, which is True by default where the model has marks, the end of a
                sentence and the mark there are one decision, which is better than that of an end alone.

        >>> import majuscule
        >>> text = "we met ana in lisbon she said that it was late"
        >>> [text[start:end] for start, end in majuscule.load("en").sentences(text)]
        ['we met ana in lisbon', 'she said that it was late']
        """
        if self.marks and "marks" not in options:
            options["marks"] = True
        words = self.words(text, **options)
        starts = [0]
        for word, following in zip(words, words[1:]):
            if word.sentence_end:
                starts.append(following.start - len(_opening(text[word.end : following.start])))
        spans = []
        for start, end in zip(starts, [*starts[1:], len(text)]):
            part = text[start:end]
            first = start + len(part) - len(part.lstrip())
            last = start + len(part.rstrip())
            if first < last:
                spans.append((first, last))
        return spans

    def restore_file(
        self,
        file: Path | Iterable[Path],
        output: Path | None = None,
        *,
        in_place: bool | str = False,
        **options: Unpack[RestoreFileOptions],
    ) -> None:
        """Restore a file, or a folder of files, into another one; the format stays, or is that of the output's name.

        Args:
            file: A text, subtitles or a transcript, also as .gz, .zst or .xz; several, or folders, go to a folder.
            output: The file or folder to write, which must be new unless `force` is given. It appears once it is
                complete.
            in_place: Instead of `output`, write each file that changes again; ".bak" keeps a backup beside it.
            options: The options of `majuscule restore`, such as `marks`, `format` or `cues`; `words` is a list.

        Raises:
            UsageError: If an option has a wrong value, or the output exists.
            FileNotFoundError: If there is no such file.
            InputError: If a file violates its format. Nothing is written then.

        >>> import majuscule, pathlib, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> talk = pathlib.Path(folder.name, "talk.srt")
        >>> _ = talk.write_text("1\\n00:00:01,000 --> 00:00:02,000\\nwe met in lisbon\\n")
        >>> majuscule.load("en").restore_file(talk, talk.with_suffix(".vtt"))
        >>> print(talk.with_suffix(".vtt").read_text().splitlines()[-2])
        We met in Lisbon
        """
        if (output is None) is not bool(in_place):
            given = "neither" if output is None else "both"
            raise UsageError(f"{given} of output and in_place are given: name an output, or give in_place=True")
        is_one = isinstance(file, (str, os.PathLike))
        files = paths(file)
        # The program takes a name that ends so for a folder, which need not be there.
        where = [] if output is None else ["--output", path(output) if is_one else os.path.join(path(output), "")]
        if in_place:
            where = ["--in-place" if in_place is True else f"--in-place={in_place}"]
        self._restore([*files, *where], {**options})

    def restore_bytes(self, data: bytes, **options: Unpack[RestoreFileOptions]) -> bytes:
        """Restore the bytes of a file, whose format its first bytes or `format` tell.

        Args:
            data: The bytes of a text, subtitles or a transcript, also compressed.
            options: The options of `majuscule restore`, as in `restore_file`.

        Raises:
            UsageError: If an option has a wrong value.
            InputError: If the bytes are not what the format says.

        >>> import majuscule
        >>> majuscule.load("en").restore_bytes(b"WEBVTT\\n\\n00:01.000 --> 00:02.000\\nwe met in lisbon\\n")[-17:]
        b'We met in Lisbon\\n'
        """
        return self._restore([TEXT], {**options}, {TEXT: bytes(data)})

    def _restore(self, words: list[str], options: dict[str, Any], files: dict[str, bytes] | None = None) -> bytes:
        files = {**(files or {})}
        former = options.pop("words", None)
        listed = options.pop("spellings", former)
        if listed is not None:
            files[WORDS] = "\n".join(spellings(listed)).encode()
            options["words"] = WORDS
        named, models = self._arguments()
        answer = call(["restore", *named, *words, *arguments(("restore",), options)], models=models, files=files)
        return answer.output

    def _arguments(self) -> tuple[list[str], dict[str, _native.Model]]:
        """Return the arguments of the program that name this model, and the model by that name."""
        language = [f"--lang={self.language}"] if self.language and "," not in self.language else []
        return ["--model", MODEL, *language], {MODEL: self._native}

    def stream(self, **options: Unpack[Options]) -> Stream:
        """Start a text that is restored while it arrives."""
        return Stream(self._restorer({**options}).stream())

    def __reduce__(self) -> Any:
        return _load, self._source

    def __repr__(self) -> str:
        return f"<majuscule.Model {self.language} ({self.method})>"


class AutoModel(Model):
    """The built-in models: each text is restored in its own language, or in English if it does not tell."""

    def __init__(self, preset: Preset, folders: tuple[str, ...] = ()) -> None:
        self._preset: Preset = preset
        self._folders = folders
        self._models: dict[str, Model] = {}
        super().__init__(("auto", ("auto", preset, folders)), self._of("en")._native)

    @property
    def language(self) -> str:
        """It is "auto"."""
        return "auto"

    def _of(self, language: str) -> Model:
        model = self._models.get(language)
        if model is None:
            model = self._models[language] = load(language, preset=self._preset, models=self._folders)
        return model

    def _for(self, text: Any) -> Model:
        given = " ".join(text) if isinstance(text, list) else text
        if not isinstance(given, str):
            raise TypeError(f"text is {type(given).__name__}, but a str is expected")
        return self._of(_native.detect_language(given) or "en")

    def _restored_column(self, column: Any, threads: int | None, options: dict[str, Any]) -> Any:
        raise UsageError('a column has one language here: load it by name, or give a list to load("auto")')

    def _restored_texts(self, texts: Any, threads: int | None, options: dict[str, Any]) -> list[str | None]:
        texts = self._checked_texts(texts)
        restored: list[str | None] = [None] * len(texts)
        by_language: dict[Model, list[int]] = {}
        for at, one in enumerate(texts):
            if one is not None:
                by_language.setdefault(self._for(one), []).append(at)
        for model, places in by_language.items():
            for at, one in zip(places, model._restored_texts([texts[at] for at in places], threads, options)):
                restored[at] = one
        return restored

    def stream(self, **options: Unpack[Options]) -> Stream:
        """A stream does not wait until its language is known: this is an error."""
        raise UsageError('a stream cannot detect its language: load a model by its language, as in load("en")')

    def _arguments(self) -> tuple[list[str], dict[str, _native.Model]]:
        return ["--lang=auto", f"--preset={self._preset}"], {}


def load(
    model: str | os.PathLike[str] | bytes = "en",
    *,
    preset: Preset = "accurate",
    models: Iterable[str | os.PathLike[str]] = (),
) -> Model:
    """Load a model.

    Args:
        model: A language such as "pt", "auto" for the language of each text, or the folder, the packed file or the bytes
            of a model.
        preset: The model of the language: "accurate", "fast", "best" or "ngram"; the last two are files, of which the
            package majuscule-networks brings "best".
        models: Folders with models that are not built in, beside those that the program looks in.

    Raises:
        UsageError: If there is no model of the language.
        FileNotFoundError: If there is no such file.
        ModelError: If the file is no model, or is cut off or altered.

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
    folders = tuple(os.fspath(folder) for folder in models)
    return _load("auto" if model == "auto" else "preset", (model, preset, folders))


def load_given(lang: str, preset: Preset, model: str | os.PathLike[str] | bytes | Model | None) -> Model:
    """Return the model of a call: the given one, which may be loaded already, or by default the model of the language."""
    if isinstance(model, Model):
        return model
    return load(lang, preset=preset) if model is None else load(model)


def networks_folder() -> pathlib.Path | None:
    """Return the folder of the package majuscule-networks, which has the preset best, if it is installed."""
    found = importlib.util.find_spec("majuscule_networks")
    return pathlib.Path(found.origin).parent if found and found.origin else None


def _load(kind: str, source: Any) -> Model:
    """Load a model again, from where it came."""
    match kind:
        case "auto":
            return AutoModel(*source[1:])
        case "bytes":
            native = _native.Model.from_bytes(source)
        case "path":
            native = _native.Model.open(source)
        case _:
            language, preset, folders = source
            try:
                native = _native.Model.of_preset(language, preset, list(folders))
            except UsageError as error:
                if language not in NETWORKS.get(preset, ()) or networks_folder():
                    raise
                raise UsageError(f"{error}, or install the package majuscule-networks, which has it") from None
    return Model((kind, source), native)


def convert(
    file: Path | bytes, output: Path | None = None, **options: Unpack[ConvertOptions]
) -> bytes:
    """Convert subtitles or a transcript to another format, without loss unless `drop` is given.

    Args:
        file: The file, or its bytes with their format as `from_`.
        output: The file to write, whose name tells its format; without it the bytes are returned, in the format `to`.
        options: The options of `majuscule convert`, such as `cues="sentence"` or `max_chars=36`.

    Raises:
        UsageError: If an option has a wrong value, there is no such conversion, or the output exists.
        InputError: If the file violates its format, or something would be lost.

    >>> import majuscule
    >>> cue = b"1\\n00:00:01,000 --> 00:00:02,000\\nWe met.\\n"
    >>> majuscule.convert(cue, from_="srt", to="vtt")
    b'WEBVTT\\n\\n1\\n00:00:01.000 --> 00:00:02.000\\nWe met.\\n\\n'
    """
    words = arguments(("convert",), {**options})
    where = [] if output is None else ["--output", path(output)]
    if isinstance(file, bytes):
        if options.get("from_") is None:
            raise UsageError('bytes have no file extension that shows their format: name it with from_, as in from_="srt"')
        return call(["convert", TEXT, *where, *words], files={TEXT: file}).output
    return call(["convert", path(file), *where, *words]).output
