"""Columns of texts in Arrow batches, as engines of many machines pass them to their workers.

A job is made on the driver, pickled, and called on a worker: batches in, the same batches with a column more out. It is a
pure function, since an engine runs a task again whose worker died. Models come from a cache of the worker's process.
"""

from __future__ import annotations

import functools
import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar, Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from majuscule import lm
from majuscule._errors import Bug, Error, FileError, InputError, MissingFileError, ModelError, UsageError
from majuscule._model import SPELLINGS, Model, Preset, Stream, load
from majuscule._native import detect_language

Policy = Literal["raise", "null", "keep"]
"""The outcome of a text that cannot be restored: the job fails, the text is null, or it stays as it is."""

DETECTED_CHARS = 2000
"""The number of characters by which the language of a document is detected: a few paragraphs."""

DEFAULT_LANGUAGE = "en"
"""The language of texts that do not tell theirs."""

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
"""A sentence: its text as it stands, and its span in code points."""


class Source(NamedTuple):
    """Where a model comes from: the arguments of `majuscule.load`."""

    model: str | bytes
    preset: Preset = "accurate"
    folders: tuple[str, ...] = ()

    @property
    def may_be_elsewhere(self) -> bool:
        """True for a path that is not on this machine, and may be on the workers."""
        return isinstance(self.model, str) and os.sep in self.model and not os.path.exists(self.model)

    def load(self) -> Model:
        """Return the model, loaded once per process.

        Raises:
            Error: If it cannot be loaded; the message names this machine.
        """
        try:
            return _loaded(self)
        except (FileError, ModelError, UsageError) as error:
            raise type(error)(f"on {socket.gethostname()}: {error}") from error


@functools.lru_cache(maxsize=16)
def _loaded(source: Source) -> Model:
    if source.may_be_elsewhere:
        problem = "there is no such model: copy it to each worker, or give its bytes instead of its path"
        raise MissingFileError(f"{source.model!s}: {problem}")
    return load(source.model, preset=source.preset, models=source.folders)


@dataclass(frozen=True)
class TextJob:
    """Adds a column that is made of each text by itself."""

    column: str
    output: str
    source: Source
    language_column: str | None
    errors: Policy
    options: dict[str, Any]

    policies: ClassVar[tuple[str, ...]] = ("raise", "null")

    def check(self) -> None:
        """Check what the driver can: the policy, and the options with the model, where the driver has it.

        Raises:
            TypeError: If there is no such option.
            UsageError: If an option has a wrong value.
        """
        if self.errors not in self.policies:
            raise UsageError(f'errors "{self.errors}": expected one of {", ".join(self.policies)}')
        if not self.source.may_be_elsewhere:
            self.try_options(self.model_of(DEFAULT_LANGUAGE) if self.has_languages else self.source.load())

    def try_options(self, model: Model) -> None:
        """Use the options, which fails for wrong ones."""
        model._restorer({**self.options})

    @property
    def has_languages(self) -> bool:
        """True if rows have languages of their own."""
        return self.language_column is not None or self.source.model == "auto"

    def model_of(self, language: str) -> Model:
        """Return the built-in model of a language."""
        return self.source._replace(model=language).load()

    def type_for(self, texts: pa.DataType) -> pa.DataType:
        """Return the type of the output for a type of texts."""
        raise NotImplementedError

    def values(self, model: Model, texts: list[str]) -> list[Any]:
        """Return the value of each text."""
        raise NotImplementedError

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        return map(self.on_batch, batches)

    def on_batch(self, batch: Any) -> Any:
        """Return a record batch, or a table, with the column.

        Raises:
            InputError: If a text cannot be restored, and the policy is to raise.
            TypeError: If the column has no texts.
        """
        texts = texts_of(batch, self.column)
        if not self.has_languages and not texts.refused:
            values = self.of_column(self.source.load(), texts.array)
            if values is not None:
                return with_column(batch, self.output, values)
        values = self._row_by_row(batch, texts)
        return with_column(batch, self.output, texts.settled(values, self.errors, self.type_for(texts.array.type)))

    def of_column(self, model: Model, texts: Any) -> Any:
        """Return the values of a column at once; None if a text is refused."""
        return None

    def _row_by_row(self, batch: Any, texts: Texts) -> list[Any]:
        strings = texts.strings()
        values: list[Any] = [None] * len(strings)
        for language, rows in self._languages(batch, strings).items():
            try:
                model = self.source.load() if language is None else self.model_of(language)
            except Error as error:
                if language is None:
                    raise
                texts.refused.update(dict.fromkeys(rows, str(error)))
                continue
            self.try_options(model)
            for row, value in self._tried(model, rows, strings, texts.refused):
                values[row] = value
        return values

    def _languages(self, batch: Any, strings: list[str | None]) -> dict[str | None, list[int]]:
        """Return the rows with texts by their languages, or by None if the job has one model."""
        declared = languages_of(batch, self.language_column, len(strings))
        rows: dict[str | None, list[int]] = {}
        for row, (text, language) in enumerate(zip(strings, declared)):
            if text is not None:
                if self.has_languages and language is None:
                    language = detect_language(text) or DEFAULT_LANGUAGE
                rows.setdefault(language, []).append(row)
        return rows

    def _tried(
        self, model: Model, rows: list[int], strings: list[str | None], refused: dict[int, str]
    ) -> Iterator[tuple[int, Any]]:
        """Yield the rows with their values, together or, if one fails, each by itself."""
        texts = [strings[row] or "" for row in rows]
        try:
            yield from zip(rows, self.values(model, texts))
        except Error as error:
            if len(rows) == 1:
                refused[rows[0]] = str(error)
                return
            for row in rows:
                yield from self._tried(model, [row], strings, refused)


class RestoreJob(TextJob):
    """Adds a column of restored texts."""

    policies = ("raise", "null", "keep")

    def type_for(self, texts: pa.DataType) -> pa.DataType:
        return texts

    def values(self, model: Model, texts: list[str]) -> list[Any]:
        return model.restore(texts, threads=1, **self.options)

    def of_column(self, model: Model, texts: Any) -> Any:
        try:
            return pa.array(model.restore(texts, threads=1, **self.options)).cast(texts.type)
        except UsageError:
            raise
        except Error:
            return None


class WordJob(TextJob):
    """Adds a column of the words of each text, restored."""

    def type_for(self, texts: pa.DataType) -> pa.DataType:
        return pa.list_(WORD)

    def values(self, model: Model, texts: list[str]) -> list[Any]:
        def words(text: str) -> list[dict[str, Any]]:
            found = model.words(text, **self.options)
            return [{field.name: getattr(word, field.name) for field in WORD} for word in found]

        return [words(text) for text in texts]


class SentenceJob(TextJob):
    """Adds a column of the sentences of each text."""

    def type_for(self, texts: pa.DataType) -> pa.DataType:
        return pa.list_(SENTENCE)

    def values(self, model: Model, texts: list[str]) -> list[Any]:
        def sentences(text: str) -> list[dict[str, Any]]:
            spans = model.sentences(text, **self.options)
            return [{"text": text[start:end], "start": start, "end": end} for start, end in spans]

        return [sentences(text) for text in texts]


@dataclass(frozen=True)
class ScoreJob:
    """Adds a column of log10 probabilities by a language model."""

    column: str
    output: str
    file: str
    options: dict[str, Any]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        return map(self.on_batch, batches)

    def on_batch(self, batch: Any) -> Any:
        """Return a record batch, or a table, with the column."""
        try:
            model = _opened(self.file)
        except OSError as error:
            raise FileError(f"on {socket.gethostname()}: {error}: copy the language model to each worker") from error
        texts = texts_of(batch, self.column)
        scores = [None if text is None else model.score(text, **self.options) for text in texts.strings()]
        return with_column(batch, self.output, texts.settled(scores, "raise", pa.float64()))


@functools.lru_cache(maxsize=4)
def _opened(file: str) -> lm.Model:
    return lm.Model(file)


@dataclass(frozen=True)
class DocumentJob(RestoreJob):
    """Restores documents whose rows follow each other: the rows of a document are the lines of one running text.

    The stream of a document stays open over batches and closes where the key changes. A batch is passed on once the text
    of all its rows is certain, so the memory is that of a batch or two, however long a document is.
    """

    group: tuple[str, ...] = ()

    def try_options(self, model: Model) -> None:
        model.stream(**self.options)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        key, document = None, _Document(self, None)
        waiting: deque[_Waiting] = deque()
        for batch in batches:
            waiting.append(_Waiting(batch, self.column))
            for key_of_run, rows in waiting[-1].runs(self.group, self.language_column):
                if key_of_run != key:
                    document.close()
                    key, document = key_of_run, _Document(self, rows[0].language)
                document.take(rows)
            yield from self._done(waiting)
        document.close()
        yield from self._done(waiting)

    def on_batch(self, batch: Any) -> Any:
        """Return a batch, or a table, in which each document is complete."""
        (done,) = self([batch])
        return done

    def _done(self, waiting: deque[_Waiting]) -> Iterator[Any]:
        """Yield the batches at the front whose rows have their text."""
        while waiting and waiting[0].open == 0:
            done = waiting.popleft()
            values = done.texts.settled(done.values, self.errors, done.texts.array.type)
            yield with_column(done.batch, self.output, values)


class _Waiting:
    """A batch whose rows wait for their text."""

    def __init__(self, batch: Any, column: str) -> None:
        self.batch = batch
        self.texts = texts_of(batch, column)
        self.values: list[str | None] = [None] * len(self.texts.array)
        # The number of rows that have no text yet.
        self.open = len(self.texts.array) - self.texts.array.null_count

    def runs(self, group: tuple[str, ...], language_column: str | None) -> Iterator[tuple[tuple[Any, ...], list[_Row]]]:
        """Yield the rows with texts in runs of one key."""
        strings = self.texts.strings()
        languages = languages_of(self.batch, language_column, len(strings))
        keys = zip(*(column_of(self.batch, name).to_pylist() for name in group))
        for key, run in groupby(zip(keys, range(len(strings)), strings, languages), lambda row: row[0]):
            rows = [_Row(self, at, text, language) for _, at, text, language in run if text is not None]
            if rows:
                yield key, rows

    def fill(self, row: int, text: str) -> None:
        """Give a row its text."""
        self.values[row] = text
        self.open -= 1

    def refuse(self, row: int, problem: str) -> None:
        """Say why a row has no text."""
        self.texts.refused[row] = problem
        self.open -= 1


class _Row(NamedTuple):
    """A row with a text."""

    batch: _Waiting
    at: int
    text: str
    language: str | None


class _Document:
    """A document whose rows come in."""

    def __init__(self, job: DocumentJob, language: str | None) -> None:
        self.job = job
        self.language = language
        self.stream: Stream | None = None
        # Text that came before the language was known.
        self.head = ""
        self.failure: str | None = None
        # Rows that have no text yet, and the text that came out after that of the last row that has.
        self.rows: deque[_Row] = deque()
        self.lines: deque[str] = deque()
        self.rest = ""

    def take(self, rows: list[_Row]) -> None:
        """Take the next rows."""
        if self.job.language_column is not None:
            rows = self._of_one_language(rows)
        self.rows.extend(rows)
        text = "".join(f"{row.text}\n" for row in rows)
        if self.stream is None and self.failure is None:
            self.head, text = self.head + text, ""
            is_known = self.language is not None or not self.job.has_languages
            if is_known or len(self.head) >= DETECTED_CHARS:
                self._start()
        self._send(lambda stream: stream.push(text))

    def close(self) -> None:
        """End the document."""
        if self.rows and self.stream is None:
            self._start()
        self._send(lambda stream: stream.finish())
        if self.rows or self.lines or self.rest:
            raise Bug(f"a document came back with a different number of lines: {len(self.rows)} rows have no text")

    def _of_one_language(self, rows: list[_Row]) -> list[_Row]:
        """Refuse the rows of another language, and return the others."""
        ours = []
        for row in rows:
            if None in (row.language, self.language) or row.language == self.language:
                ours.append(row)
            else:
                row.batch.refuse(row.at, f'its language is "{row.language}", but its document began in "{self.language}"')
        return ours

    def _start(self) -> None:
        """Start the stream, in the language of the document."""
        if self.failure is not None:
            return
        head, self.head = self.head, ""
        if not self.job.has_languages:
            model = self.job.source.load()
        else:
            language = self.language or detect_language(head) or DEFAULT_LANGUAGE
            try:
                model = self.job.model_of(language)
            except Error as error:
                self._fail(error)
                return
        self.stream = model.stream(**self.job.options)
        self._send(lambda stream: stream.push(head))

    def _send(self, text_of: Callable[[Stream], str]) -> None:
        """Give the text that comes out of the stream to the rows it belongs to."""
        if self.failure is not None:
            self._fail(self.failure)
            return
        if self.stream is None:
            return
        try:
            released = text_of(self.stream)
        except Error as error:
            self._fail(error)
            return
        *lines, self.rest = (self.rest + released).split("\n")
        self.lines.extend(lines)
        # Restoring changes capitals and inserts marks, and no line ends: a row has as many as it had.
        while self.rows and len(self.lines) > self.rows[0].text.count("\n"):
            row = self.rows.popleft()
            row.batch.fill(row.at, "\n".join(self.lines.popleft() for _ in range(row.text.count("\n") + 1)))

    def _fail(self, error: object) -> None:
        """Refuse the rows that have no text, and those that will come."""
        self.failure = str(error)
        self.stream = None
        self.lines.clear()
        self.rest = self.head = ""
        while self.rows:
            row = self.rows.popleft()
            row.batch.refuse(row.at, self.failure)


class Texts:
    """The texts of a column, and those among them that cannot be restored."""

    def __init__(self, name: str, given: Any) -> None:
        self.name = name
        self.given = given
        self.refused: dict[int, str] = {}
        # The texts, with null for those that are refused from the start.
        self.array = self._valid()

    def _valid(self) -> Any:
        """Refuse what is not UTF-8: engines do not check it, and the native part must not see it."""
        try:
            self.given.validate(full=True)
            return self.given
        except pa.ArrowInvalid:
            pass
        binary = pa.large_binary() if pa.types.is_large_string(self.given.type) else pa.binary()
        texts: list[str | None] = []
        for row, text in enumerate(self.given.cast(binary).to_pylist()):
            try:
                texts.append(None if text is None else text.decode())
            except UnicodeDecodeError as error:
                self.refused[row] = f"it is not UTF-8: {error.reason} at byte {error.start}"
                texts.append(None)
        return pa.array(texts, self.given.type)

    def strings(self) -> list[str | None]:
        """Return the texts; None for nulls and for texts refused from the start."""
        return self.array.to_pylist()  # type: ignore[no-any-return]

    def settled(self, values: list[Any], policy: Policy, kind: pa.DataType) -> Any:
        """Return the values as a column, with what the policy says for refused texts.

        Raises:
            InputError: If a text is refused and the policy is to raise.
        """
        if not self.refused:
            return pa.array(values, kind)
        if policy == "raise":
            row, problem = min(self.refused.items())
            start = str(self.array[row])[:40]
            raise InputError(
                f'column "{self.name}": {len(self.refused)} of {len(values)} texts of a batch cannot be restored; '
                f"row {row} of it, which begins {start!r}: {problem}: correct the text, or give errors=\"null\""
            )
        column = pa.array([None if row in self.refused else value for row, value in enumerate(values)], kind)
        if policy == "keep":
            is_refused = pa.array([row in self.refused for row in range(len(values))])
            column = pc.if_else(is_refused, self.given, column)
        return column


def column_of(batch: Any, name: str) -> Any:
    """Return a column of a batch or a table, in one chunk.

    Raises:
        UsageError: If there is none, or several.
    """
    names = batch.schema.names
    if names.count(name) != 1:
        raise UsageError(f'{names.count(name)} columns are named "{name}": expected one, of {", ".join(names)}')
    column = batch.column(name)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def texts_of(batch: Any, name: str) -> Texts:
    """Return the texts of a column.

    Raises:
        TypeError: If it has no texts.
    """
    column = column_of(batch, name)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_null(kind):
        column = column.cast(pa.string())
    elif pa.types.is_string_view(kind):
        column = column.cast(pa.large_string())
    elif not pa.types.is_string(kind) and not pa.types.is_large_string(kind):
        raise TypeError(f'column "{name}" is {kind}, but texts are expected: cast it to string')
    return Texts(name, column)


def languages_of(batch: Any, name: str | None, rows: int) -> Sequence[str | None]:
    """Return the declared languages of rows; None for those that are to be detected."""
    if name is None:
        return [None] * rows
    return [None if language == "auto" else language for language in texts_of(batch, name).strings()]


def with_column(batch: Any, name: str, values: Any) -> Any:
    """Return a batch or a table with a column, which replaces one of that name."""
    at = batch.schema.get_field_index(name)
    field = pa.field(name, values.type)
    return batch.append_column(field, values) if at < 0 else batch.set_column(at, field, values)


def source_of(
    lang: str | None,
    preset: Preset,
    model: str | os.PathLike[str] | bytes | None,
    models: Iterable[str | os.PathLike[str]],
    language_column: str | None = None,
) -> Source:
    """Return where the model of a call comes from.

    Raises:
        UsageError: If several arguments name it.
    """
    given = {"lang": lang, "model": model, "a column of languages": language_column}
    names = [name for name, value in given.items() if value is not None]
    if len(names) > 1:
        raise UsageError(f"{' and '.join(names)} are given: leave out one of them")
    folders = tuple(os.path.abspath(folder) for folder in models)
    if model is None:
        return Source(lang or DEFAULT_LANGUAGE, preset, folders)
    return Source(model if isinstance(model, bytes) else os.path.abspath(model), preset, folders)


def names_of(names: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of columns."""
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(names)


def restore_job(
    column: str,
    output: str,
    source: Source,
    language_column: str | None,
    errors: Policy,
    options: dict[str, Any],
    group: tuple[str, ...],
    order: tuple[str, ...],
) -> RestoreJob:
    """Return the checked job that restores texts, or documents if they have a key.

    Raises:
        TypeError: If there is no such option.
        UsageError: If an option has a wrong value, or group or order is given without the other.
    """
    if bool(group) is not bool(order):
        given, other = ("group", "order") if group else ("order", "group")
        raise UsageError(f"{given} is given without {other}: name the columns of both, such as document and line")
    for name in SPELLINGS:
        if options.get(name) is not None and not isinstance(options[name], str):
            options[name] = list(options[name])
    fields = (column, output, source, language_column, errors, options)
    job = DocumentJob(*fields, group) if group else RestoreJob(*fields)
    job.check()
    return job
