"""Restores capitals, punctuation and sentence ends in text that lost them.

>>> import majuscule
>>> model = majuscule.load("en")
>>> model.restore("the president met angela merkel in lisbon")
'The President met Angela Merkel in Lisbon'
>>> model.restore(["we met in lisbon", None, "thanks angela"])
['We met in Lisbon', None, 'Thanks Angela']
"""

from __future__ import annotations

from majuscule._errors import (
    Bug,
    Error,
    FileError,
    InputError,
    Interrupted,
    MissingFileError,
    ModelError,
    UsageError,
)
from majuscule._model import Model, Stream, load
from majuscule._native import Word, detect_language

__all__ = [
    "Bug",
    "Error",
    "FileError",
    "InputError",
    "Interrupted",
    "MissingFileError",
    "Model",
    "ModelError",
    "Stream",
    "UsageError",
    "Word",
    "detect_language",
    "load",
]
