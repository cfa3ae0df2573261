"""Columns of texts in Arrow batches, as engines of many machines pass them to their workers.

A job is made on the driver, pickled, and called on a worker: batches in, the same batches with one more column out. It is
a pure function, since an engine runs a task again if its worker dies. Models come from a cache of the worker's process.
"""

from __future__ import annotations

import functools
import os
import socket
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, repeat
from operator import itemgetter
from typing import Any, ClassVar, Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from majuscule import lm
from majuscule._errors import Bug, Error, FileError, InputError, MissingFileError, ModelError, UsageError
from majuscule._model import Model, Preset, Stream, checked_options, load
from majuscule._native import detect_language
from majuscule._restore_options import Options
from majuscule._typing import Self

Policy = Literal["raise", "null", "keep"]
"""The outcome of a text that cannot be restored: the job fails, the text is null, or it stays as it is."""

DETECTED_CHARS = 2000
"""The number of characters by which the language of a document is detected: a few paragraphs."""

DEFAULT_LANGUAGE = "en"
"""The language of texts whose language cannot be detected."""

WORD = pa.struct(
    [
        ("text", pa.string()),
        ("form", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("mark", pa.string()),
        ("opening", pa.string()),
        ("probability", pa.float32()),
        ("mark_probability", pa.float32()),
        ("sentence_end", pa.bool_()),
    ]
)
"""A word: the fields of `majuscule.Word`."""

SENTENCE = pa.struct([("text", pa.string()), ("start", pa.int32()), ("end", pa.int32())])
"""A sentence: its text as it is in the input, and its span in code points."""


class ColumnOptions(Options, total=False):
    """The options of a column: those of restoring, where models come from, and the outcome of texts that are refused."""

    preset: Preset
    model: str | os.PathLike[str] | bytes | None
    models: Iterable[str | os.PathLike[str]]
    errors: Policy


class Source(NamedTuple):
    """Where models come from: the arguments of `majuscule.load`, and the column with the languages of rows."""

    model: str | bytes
    preset: Preset = "accurate"
    folders: tuple[str, ...] = ()
    language_column: str | None = None

    @property
    def has_languages(self) -> bool:
        """True if each text or document has its own language."""
        return self.language_column is not None or self.model == "auto"

    @property
    def may_be_elsewhere(self) -> bool:
        """True for a path that is not on this machine, and may be on the workers."""
        return isinstance(self.model, str) and os.sep in self.model and not os.path.exists(self.model)

    def load(self, language: str | None = None) -> Model:
        """Return the model, or the built-in model of a language, loaded once per process; an error names this machine."""
        try:
            return _loaded(self if language is None else self._replace(model=language))
        except (FileError, ModelError, UsageError) as error:
            raise type(error)(f"on {socket.gethostname()}: {error}") from error


@functools.lru_cache(maxsize=16)
def _loaded(source: Source) -> Model:
    if source.may_be_elsewhere:
        problem = "there is no such model: copy it to each worker, or give its bytes instead of its path"
        raise MissingFileError(f"{source.model!s}: {problem}")
    return load(source.model, preset=source.preset, models=source.folders)


def model_source(options: dict[str, Any]) -> Source:
    """Take from the options of a call where its models come from; several options that name them are an error."""
    lang, model, column = (options.pop(name, None) for name in ("lang", "model", "language_column"))
    given = {"lang": lang, "model": model, "a column of languages": column}
    names = [name for name, value in given.items() if value is not None]
    if len(names) > 1:
        raise UsageError(f"{' and '.join(names)} are given: leave out one of them")
    if model is None:
        model = lang or DEFAULT_LANGUAGE
    elif not isinstance(model, bytes):
        model = os.path.abspath(model)
    folders = tuple(os.path.abspath(folder) for folder in options.pop("models", ()))
    return Source(model, options.pop("preset", "accurate"), folders, column)


def column_names(names: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of columns, of which one may be given by itself."""
    return (names,) if isinstance(names, str) else tuple(names or ())


class Texts:
    """The texts of a column of a batch or a table, and the problems of those that cannot be restored."""

    def __init__(self, batch: Any, name: str) -> None:
        self.batch = batch
        self.name = name
        # The values of the first texts, and the problems of those that are null for one.
        self.values: list[str | None] = []
        self.problems: dict[int, str] = {}
        given = select_column(batch, name)
        if pa.types.is_dictionary(given.type):
            given = given.dictionary_decode()
        kinds = {"null": pa.string(), "string_view": pa.large_string()}
        kind = kinds.get(str(given.type), given.type)
        if kind not in (pa.string(), pa.large_string()):
            raise no_texts(name, given.type)
        self.given = given.cast(kind)
        # The texts, with null for those that cannot be read.
        self.array = self._valid()

    def __len__(self) -> int:
        return len(self.array)

    def _valid(self) -> Any:
        """Refuse what is not UTF-8: engines do not check it, and the native part must not see it."""
        try:
            self.given.validate(full=True)
            return self.given
        except pa.ArrowInvalid:
            pass
        binary = pa.large_binary() if pa.types.is_large_string(self.given.type) else pa.binary()
        texts = self.given.cast(binary).to_pylist()
        for row, text in enumerate(texts):
            try:
                texts[row] = None if text is None else text.decode()
            except UnicodeDecodeError as error:
                self.problems[row] = f"it is not UTF-8: {error.reason} at byte {error.start}"
                texts[row] = None
        return pa.array(texts, self.given.type)

    def strings(self) -> list[str | None]:
        """Return the texts; None for nulls and for texts that cannot be read."""
        return self.array.to_pylist()  # type: ignore[no-any-return]

    def check(self) -> None:
        """Raise an error with the first problem, if there is one."""
        if self.problems:
            row, problem = min(self.problems.items())
            start = str(self.array[row])[:40]
            raise InputError(
                f'column "{self.name}": {len(self.problems)} of {len(self)} texts of a batch cannot be restored; '
                f"row {row} of it, which begins {start!r}: {problem}: correct the text, or give errors=\"null\""
            )


def check_name(names: Sequence[str], name: str) -> None:
    """Check that one column has this name."""
    if names.count(name) != 1:
        raise UsageError(f'{names.count(name)} columns are named "{name}": expected one, of {", ".join(names)}')


def no_texts(name: str, kind: object) -> TypeError:
    """Return the error for a column of another type."""
    return TypeError(f'column "{name}" is {kind}, but texts are expected: cast it to string')


def select_column(batch: Any, name: str) -> Any:
    """Return a column of a batch or a table, in one chunk."""
    check_name(batch.schema.names, name)
    column = batch.column(name)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def key_runs(batch: Any, names: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], range]]:
    """Yield the keys of a batch, each with its consecutive rows; without names, all rows have one key."""
    start = 0
    keys = zip(*(select_column(batch, name).to_pylist() for name in names)) if names else repeat((), batch.num_rows)
    for key, run in groupby(keys):
        rows = range(start, start + sum(1 for _ in run))
        yield key, rows
        start = rows.stop


_Row = tuple[int, str | None, str | None]
"""The number of a row in its batch, its text and its language."""


@dataclass(frozen=True)
class TextJob:
    """Adds a column with a value for each text by itself."""

    column: str
    output: str
    source: Source
    errors: Policy = "raise"
    options: dict[str, Any] = field(default_factory=dict)

    policies: ClassVar[tuple[str, ...]] = ("raise", "null")
    # The type of the values; None for the type of the texts.
    kind: ClassVar[Any] = None

    @classmethod
    def of(cls, column: str, output: str, given: Mapping[str, Any], **fields: Any) -> Self:
        """Return the job of a call with its options, checked."""
        options = {**given}
        return cls(column, output, model_source(options), options.pop("errors", "raise"), options, **fields).checked()

    def checked(self) -> Self:
        """Return the job, after checking what the driver can: the policy, and the options with a model that is here."""
        if self.errors not in self.policies:
            raise UsageError(f'errors "{self.errors}": expected one of {", ".join(self.policies)}')
        job = replace(self, options=checked_options(self.options))
        if not job.source.may_be_elsewhere:
            job.try_options(job.source.load(DEFAULT_LANGUAGE if job.source.has_languages else None))
        return job

    def try_options(self, model: Model) -> None:
        """Use the options, which fails for wrong ones."""
        model._restorer({**self.options})

    def open(self, language: str | None) -> Any:
        """Return the model of a language, or a str with the reason why there is none; that of all texts must be there."""
        try:
            return self.source.load(language)
        except Error as error:
            if language is None:
                raise
            return str(error)

    def rows(self, texts: Texts) -> list[_Row]:
        """Return the rows of a batch, each with its declared language, which is None if it is to be detected."""
        column = self.source.language_column
        tags = repeat("auto") if column is None else Texts(texts.batch, column).strings()
        return [(row, text, None if tag == "auto" else tag) for row, (text, tag) in enumerate(zip(texts.strings(), tags))]

    def value(self, model: Any, text: str) -> Any:
        """Return the value of a text."""
        raise NotImplementedError

    def values(self, model: Any, texts: Any) -> Any:
        """Return the values of an array of texts; that of a null is null."""
        return pa.array([None if text is None else self.value(model, text) for text in texts.to_pylist()], self.kind)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        return map(self.on_batch, batches)

    def on_batch(self, batch: Any) -> Any:
        """Return a record batch, or a table, with the column."""
        texts = Texts(batch, self.column)
        if not self.source.has_languages:
            return self.with_values(texts, self._values(self.open(None), texts, range(len(texts))))
        # The rows of each language; those without a text have none.
        groups: dict[str | None, list[int]] = {None: []}
        for row, text, language in self.rows(texts):
            if text is not None and language is None:
                language = detect_language(text) or DEFAULT_LANGUAGE
            groups.setdefault(None if text is None else language, []).append(row)
        order = pa.array(chain(*groups.values()), pa.int64())
        parts = [pa.nulls(len(groups.pop(None)), self.kind or texts.array.type)]
        parts += [self._values(self.open(language), texts, rows) for language, rows in groups.items()]
        return self.with_values(texts, pa.concat_arrays(parts).take(pc.sort_indices(order)))

    def _values(self, model: Any, texts: Texts, rows: Sequence[int]) -> Any:
        """Return the values of rows; they are null, and have a problem, where the model fails or there is none."""
        if not isinstance(model, str):
            try:
                return self.values(model, texts.array if len(rows) == len(texts) else texts.array.take(pa.array(rows)))
            except UsageError:
                raise
            except Error as error:
                if len(rows) > 1:
                    return pa.concat_arrays([self._values(model, texts, [row]) for row in rows])
                model = str(error)
        texts.problems.update(dict.fromkeys(rows, model))
        return pa.nulls(len(rows), self.kind or texts.array.type)

    def with_values(self, texts: Texts, values: Any) -> Any:
        """Return a batch with the column of values, which replaces one of that name, after applying the policy."""
        if self.errors == "raise":
            texts.check()
        if self.errors == "keep" and texts.problems:
            values = pc.if_else(pa.array([row in texts.problems for row in range(len(values))]), texts.given, values)
        batch, new = texts.batch, pa.field(self.output, values.type)
        at = batch.schema.get_field_index(self.output)
        return batch.append_column(new, values) if at < 0 else batch.set_column(at, new, values)


class RestoreJob(TextJob):
    """Adds a column of restored texts."""

    policies = ("raise", "null", "keep")

    def values(self, model: Any, texts: Any) -> Any:
        return pa.array(model.restore(texts, threads=1, **self.options)).cast(texts.type)


class WordJob(TextJob):
    """Adds a column of the words of each text, restored."""

    kind = pa.list_(WORD)

    def value(self, model: Any, text: str) -> Any:
        return [{field.name: getattr(word, field.name) for field in WORD} for word in model.words(text, **self.options)]


class SentenceJob(TextJob):
    """Adds a column of the sentences of each text."""

    kind = pa.list_(SENTENCE)

    def value(self, model: Any, text: str) -> Any:
        spans = model.sentences(text, **self.options)
        return [{"text": text[start:end], "start": start, "end": end} for start, end in spans]


class ScoreJob(TextJob):
    """Adds a column of log10 probabilities by a language model, whose file is the source."""

    kind = pa.float64()

    def open(self, language: str | None) -> Any:
        try:
            return _opened(self.source.model)
        except OSError as error:
            raise FileError(f"on {socket.gethostname()}: {error}: copy the language model to each worker") from error

    def value(self, model: Any, text: str) -> Any:
        return model.score(text, **self.options)


_opened = functools.lru_cache(maxsize=4)(lm.Model)


@dataclass(frozen=True)
class DocumentJob(RestoreJob):
    """Restores documents whose rows follow each other: the rows of a document are the lines of one running text.

    The stream of a document stays open over batches and closes where the key changes. A batch is passed on once the text
    of all its rows is certain, so the memory is that of a batch or two, however long a document is.
    """

    group: tuple[str, ...] = ()
    order: tuple[str, ...] = ()

    def checked(self) -> Self:
        if bool(self.group) is not bool(self.order):
            given, other = ("group", "order") if self.group else ("order", "group")
            raise UsageError(f"{given} is given without {other}: name the columns of both, such as document and line")
        return super().checked()

    def try_options(self, model: Model) -> None:
        model.stream(**self.options)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        waiting: deque[Texts] = deque()

        def runs() -> Iterator[tuple[Any, Texts, list[_Row]]]:
            for batch in batches:
                waiting.append(texts := Texts(batch, self.column))
                rows = self.rows(texts)
                for key, run in key_runs(batch, self.group):
                    yield key, texts, rows[run.start : run.stop]

        def complete() -> Iterator[Any]:
            while waiting and len(waiting[0].values) == len(waiting[0]):
                texts = waiting.popleft()
                yield self.with_values(texts, pa.array(texts.values, texts.array.type))

        for _, document in groupby(runs(), itemgetter(0)):
            open_document = _Document(self)
            for _, texts, rows in document:
                open_document.take(texts, rows)
                yield from complete()
            open_document.release(is_end=True)
            yield from complete()
        yield from complete()

    def on_batch(self, batch: Any) -> Any:
        """Return a batch, or a table, in which each document is complete."""
        (done,) = self([batch])
        return done


class _Document:
    """A document whose rows come in."""

    def __init__(self, job: DocumentJob) -> None:
        self.job = job
        self.language: str | None = None
        self.stream: Stream | None = None
        self.problem: str | None = None
        # Lines that the stream has not received.
        self.given: list[str] = []
        # Rows without a value, each with its batch and its number of lines, and restored lines that are no row's yet.
        self.rows: deque[tuple[Texts, int, int]] = deque()
        self.lines: deque[str] = deque()
        self.rest = ""

    def take(self, texts: Texts, rows: list[_Row]) -> None:
        """Add the next rows."""
        for row, text, language in rows:
            if text is not None and not self.given and self.stream is None:
                self.language = language
            if text is not None and None not in (language, self.language) and language != self.language:
                texts.problems[row] = f'its language is "{language}", but its document began in "{self.language}"'
                text = None
            if text is not None and self.problem is None:
                self.given.append(f"{text}\n")
            self.rows.append((texts, row, 0 if text is None else text.count("\n") + 1))
        self.release()

    def release(self, is_end: bool = False) -> None:
        """Restore the lines, and give the first rows their values, as far as they are certain."""
        if self.problem is None:
            self._send("".join(self.given), is_end)
        while self.rows:
            texts, row, lines = self.rows[0]
            if lines <= len(self.lines):
                # Restoring changes capitals and inserts marks, and no line ends: a row has as many as it had.
                texts.values.append("\n".join(self.lines.popleft() for _ in range(lines)) if lines else None)
            elif self.problem is not None:
                self.lines.clear()
                texts.problems[row] = self.problem
                texts.values.append(None)
            else:
                break
            self.rows.popleft()
        if is_end and self.problem is None and (self.rows or self.lines or self.rest):
            raise Bug(f"a document came back with a different number of lines: {len(self.rows)} rows have no text")

    def _send(self, text: str, is_end: bool) -> None:
        """Send text to the stream, which begins once the language is known."""
        has_languages = self.job.source.has_languages
        if self.stream is None:
            is_known = is_end or not has_languages or self.language is not None or len(text) >= DETECTED_CHARS
            if not text or not is_known:
                return
            language = self.language or detect_language(text) or DEFAULT_LANGUAGE if has_languages else None
            model = self.job.open(language)
            if isinstance(model, str):
                self.problem = model
                return
            self.stream = model.stream(**self.job.options)
        self.given.clear()
        try:
            self.rest += self.stream.push(text)
            if is_end:
                self.rest += self.stream.finish()
        except Error as error:
            self.problem = str(error)
        *lines, self.rest = self.rest.split("\n")
        self.lines.extend(lines)
