"""A transformer of scikit-learn that restores texts: `majuscule.Truecaser`."""

from __future__ import annotations

import math
import os
import re
import tempfile
from collections.abc import Iterable
from typing import Any

from majuscule._errors import InputError, UsageError
from majuscule._learning import train
from majuscule._model import Model, Preset, load_given
from majuscule._typing import Self

try:
    import numpy
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.exceptions import NotFittedError
except ImportError as error:
    raise ImportError("majuscule.Truecaser needs scikit-learn: pip install scikit-learn") from error

__all__ = ["Truecaser"]

_WORD = re.compile(r"\w+")


class Truecaser(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Restores texts in a pipeline of scikit-learn.

    `lang` and `preset` select a built-in model; `model` is a path, the bytes of a packed model or a loaded model, and wins.
    `threads=None` uses all cores. The other parameters are options of `majuscule.Model.restore`; None is its default.

    That model is trained already, so `fit` learns nothing and `transform` works without it. With a `method`, such as
    "maxent", `fit` trains one on the texts in their true case: `y`, or X if there is no `y`; `training` has options of
    `majuscule.train`.

    X is a list, a one-dimensional array or a Series of texts, in which None and NaN stay.

    >>> Truecaser().fit_transform(["we met angela in lisbon", None])
    ['We met Angela in Lisbon', None]
    """

    def __init__(
        self,
        *,
        lang: str = "en",
        preset: Preset = "accurate",
        model: str | os.PathLike[str] | bytes | Model | None = None,
        method: str | None = None,
        training: dict[str, Any] | None = None,
        marks: bool | str = False,
        words: Iterable[str] | None = None,
        case: str | None = None,
        sentence_start: str | None = None,
        capitals: str | None = None,
        style: str | Iterable[str] | None = None,
        context: str | None = None,
        look_ahead: int | None = None,
        locale: str | None = None,
        threshold: float | None = None,
        mark_threshold: float | None = None,
        threads: int | None = None,
    ) -> None:
        self.lang = lang
        self.preset = preset
        self.model = model
        self.method = method
        self.training = training
        self.marks = marks
        self.words = words
        self.case = case
        self.sentence_start = sentence_start
        self.capitals = capitals
        self.style = style
        self.context = context
        self.look_ahead = look_ahead
        self.locale = locale
        self.threshold = threshold
        self.mark_threshold = mark_threshold
        self.threads = threads

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters and the texts, load the model, or train it with a `method`, and return self.

        >>> cased = ["We met Ana in Lisbon.", "Then Ana left Lisbon."] * 20
        >>> Truecaser(method="majority").fit(cased).transform(["they met ana"])
        ['they met Ana']
        """
        texts = _texts(X)
        self.model_ = self._loaded() if self.method is None else self._trained(texts if y is None else _texts(y))
        self._restored([""], self.model_)
        return self

    def transform(self, X: Any) -> Any:
        """Return the texts restored: an array for an array, a Series with its index for a Series, otherwise a list."""
        if not hasattr(X, "__len__"):
            X = list(X)
        restored = self._restored(_texts(X), getattr(self, "model_", None) or self._loaded())
        filled = [given if text is None else text for given, text in zip(X, restored)]
        if isinstance(X, numpy.ndarray):
            return numpy.array(filled, dtype=object)
        if hasattr(X, "iloc"):
            return type(X)(filled, index=X.index, name=X.name, dtype=X.dtype)
        return filled

    def score(self, X: Any, y: Any) -> float:
        """Return the share of words in `y`, the texts in their true case, that come out of `X` with the same case.

        Punctuation counts for nothing. Rows without a text are left out.

        >>> Truecaser().score(["we met angela", None], ["We met ANGELA", None])
        0.6666666666666666
        """
        right = total = 0
        references = _texts(y)
        restored = _texts(self.transform(X))
        if len(restored) != len(references):
            raise UsageError(f"X has {len(restored)} texts and y {len(references)}: expected as many in both")
        for row, (found, expected) in enumerate(zip(restored, references)):
            if found is None or expected is None:
                continue
            words, true = _WORD.findall(found), _WORD.findall(expected)
            if [word.lower() for word in words] != [word.lower() for word in true]:
                raise InputError(f"row {row}: X and y differ in more than case and punctuation: expected the same words")
            right += sum(word == other for word, other in zip(words, true))
            total += len(true)
        if total == 0:
            raise InputError("y has no words: expected texts in their true case")
        return right / total

    def _trained(self, texts: list[str | None]) -> Model:
        if self.model is not None:
            raise UsageError("model and method are given: leave out one of them")
        with tempfile.TemporaryDirectory(prefix="majuscule-") as folder:
            file = os.path.join(folder, "texts.txt")
            with open(file, "w", encoding="utf-8") as out:
                out.writelines(f"{text}\n" for text in texts if text)
            return train(self.method or "", file, lang=self.lang, **(self.training or {}))

    def _loaded(self) -> Model:
        if self.method is not None:
            raise NotFittedError("with a method, fit trains the model: call fit first, with texts in their true case")
        return load_given(self.lang, self.preset, self.model)

    def _restored(self, texts: list[str | None], model: Model) -> list[str | None]:
        not_options = ("lang", "preset", "model", "method", "training", "threads")
        options = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in not_options and value is not None
        }
        return model.restore(texts, threads=self.threads, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        tags.no_validation = True
        tags.requires_fit = self.method is not None
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return self.method is None or hasattr(self, "model_")


def _texts(X: Any) -> list[str | None]:
    """Return the texts of an argument, with None where there is none."""
    if isinstance(X, (str, bytes)):
        raise TypeError(f"X is {type(X).__name__}, but a list, an array or a Series of texts is expected: [text] makes one")
    if getattr(X, "ndim", 1) != 1:
        raise UsageError(f"X has {X.ndim} dimensions: expected 1, such as the column data['text']")
    texts: list[str | None] = []
    for at, text in enumerate(X):
        if not isinstance(text, str) and not _is_missing(text):
            raise TypeError(f"item {at} is {type(text).__name__}, but a str, None or NaN is expected")
        texts.append(text if isinstance(text, str) else None)
    return texts


def _is_missing(value: object) -> bool:
    # pandas' own NA is compared by name, since pandas may not be there.
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType"
