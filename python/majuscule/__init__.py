"""Restores capitals, punctuation and sentence ends in text that lost them.

>>> import majuscule
>>> model = majuscule.load("en")
>>> model.restore("the president met angela merkel in lisbon")
'The President met Angela Merkel in Lisbon'
>>> model.restore(["we met in lisbon", None, "thanks angela"])
['We met in Lisbon', None, 'Thanks Angela']
"""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any

from majuscule import _native
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
from majuscule import lm
from majuscule._learning import Comparison, Report, compare, evaluate, score, train
from majuscule._lexicon import Form, Lexicon
from majuscule._model import Model, Stream, convert, load, networks_folder
from majuscule._native import Word, detect_language
from majuscule._restore_options import Options

_native.look_in(networks_folder() or pathlib.Path(__file__).parent)

if TYPE_CHECKING:
    from majuscule.sklearn import Truecaser as Truecaser
else:
    # Imported when it is asked for, since scikit-learn is large and optional.
    def __getattr__(name: str) -> Any:
        if name == "Truecaser":
            from majuscule.sklearn import Truecaser

            return Truecaser
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Bug",
    "Comparison",
    "Error",
    "FileError",
    "Form",
    "InputError",
    "Interrupted",
    "Lexicon",
    "MissingFileError",
    "Model",
    "ModelError",
    "Options",
    "Report",
    "Stream",
    "UsageError",
    "Word",
    "compare",
    "convert",
    "detect_language",
    "evaluate",
    "lm",
    "load",
    "score",
    "train",
]
