"""Calls of the program's verbs, with options as keyword arguments."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from majuscule import _native
from majuscule._errors import InputError

Path = str | os.PathLike[str]
"""A path of a file or a folder."""

Progress = Callable[[dict[str, float]], object]
"""A function that is called with figures by name while a call computes."""

WORDS = "<words>"
"""The name of a list of spellings in memory."""


class Option(NamedTuple):
    """An option of a verb."""

    name: str
    values: str
    value: str
    choices: list[str]
    default: str | None
    help: str


@functools.cache
def options(*verb: str) -> dict[str, Option]:
    """Return the options of a verb by their names in Python."""
    return {python_name(row[0]): Option(*row) for row in _native.options(list(verb))}


def python_name(name: str) -> str:
    """Return the name of an option as a keyword argument: `from` is a word of the language."""
    name = name.replace("-", "_")
    return f"{name}_" if name == "from" else name


def nearest(name: str, names: Iterable[str]) -> TypeError:
    """Return the error for an option that does not exist."""
    import difflib

    names = sorted(names)
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(names)}"
    return TypeError(f"unknown option {name}: {hint}")


def arguments(verb: tuple[str, ...], given: Mapping[str, Any]) -> list[str]:
    """Return keyword arguments as arguments of the program."""
    known = options(*verb)
    words: list[str] = []
    for name, value in given.items():
        option = known.get(name)
        if option is None:
            raise nearest(name, known)
        words += _argument(name, option, value)
    return words


def _argument(name: str, option: Option, value: Any) -> list[str]:
    flag = f"--{option.name}"
    is_optional = option.values in ("flag", "optional", "optional listed")
    if value is None or value is False and is_optional:
        return []
    if value is True and is_optional:
        return [flag]
    if option.values == "flag":
        raise TypeError(f"{name} is {value!r}, but True or False is expected")
    if isinstance(value, Iterable) and not isinstance(value, str):
        values = [_text(name, one) for one in value]
        if option.values.endswith("listed"):
            return [f"{flag}={','.join(values)}"]
        if option.values == "repeated":
            return [f"{flag}={one}" for one in values]
    return [f"{flag}={_text(name, value)}"]


def _text(name: str, value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise TypeError(f"{name} is {value!r}, but a value is expected that the program reads: text, a number or a path")
    return str(value)


def path(value: Path) -> str:
    """Return a path as an argument: never taken for an option, or for a name in memory."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{value!r} is {type(value).__name__}, but a path is expected: a str or a pathlib.Path")
    text = os.fspath(value)
    return os.path.join(".", text) if text.startswith(("-", "<")) else text


def paths(values: Path | Iterable[Path]) -> list[str]:
    """Return one path or several as arguments."""
    if isinstance(values, (str, os.PathLike)):
        return [path(values)]
    return [path(value) for value in values]


def spellings(words: Iterable[str]) -> list[str]:
    """Return the value of the option of the user's own spellings as a list."""
    if isinstance(words, str):
        raise TypeError('spellings is a list, not a str: spellings=["iPhone"]')
    return list(words)


def call(
    arguments: list[str],
    *,
    models: Mapping[str, _native.Model] | None = None,
    files: Mapping[str, bytes] | None = None,
    progress: Progress | None = None,
) -> _native.Answer:
    """Run a verb as the program does; what it would say goes to the log `majuscule`."""
    answer = _native.call(arguments, list((models or {}).items()), list((files or {}).items()), progress)
    if not answer.is_success:
        raise InputError("\n".join(answer.messages))
    if answer.messages:
        _log(answer.messages)
    return answer


def _log(messages: list[str]) -> None:
    """Log what the program would say: what may surprise is a warning."""
    import logging

    log = logging.getLogger("majuscule")
    for message in messages:
        kind, _, rest = message.partition(": ")
        is_warning = kind in ("majuscule", "note", "warning")
        log.log(logging.WARNING if is_warning else logging.INFO, "%s", rest if is_warning else message)
