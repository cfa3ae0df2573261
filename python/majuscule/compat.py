"""The calls of other packages, computed by majuscule: change an import, and the code that follows it runs.

| instead of                                                 | write                                               |
| ---------------------------------------------------------- | --------------------------------------------------- |
| `from truecase import get_true_case`                       | `from majuscule.compat import get_true_case`        |
| `from sacremoses import MosesTruecaser`                    | `from majuscule.compat import MosesTruecaser`       |
| `from deepmultilingualpunctuation import PunctuationModel` | `from majuscule.compat import PunctuationModel`     |
| `from punctuators.models import PunctCapSegModelONNX`      | `from majuscule.compat import PunctCapSegModelONNX` |

The results are those of majuscule's models. `MODELS` maps the names of the other packages' models to languages; where a
package expects a model, a language ("en") and the path of a majuscule model work too. An argument that would change the
result of the package, and that nothing here corresponds to, has only its default; any other value is a `UsageError`.

>>> from majuscule.compat import get_true_case
>>> get_true_case("the president met angela merkel in lisbon")
'The President met Angela Merkel in Lisbon'
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NoReturn, overload

from majuscule._errors import UsageError
from majuscule._model import Model, load
from majuscule._native import Word
from majuscule._sentence import restored_sentence

__all__ = [
    "MODELS",
    "MosesTruecaser",
    "PunctCapSegModelONNX",
    "PunctuationModel",
    "TrueCaser",
    "get_true_case",
    "get_truecaser",
]

MODELS = {
    "1-800-BAD-CODE/punct_cap_seg_47_language": "auto",
    "1-800-BAD-CODE/punct_cap_seg_en": "en",
    "1-800-BAD-CODE/punctuation_fullstop_truecase_english": "en",
    "1-800-BAD-CODE/punctuation_fullstop_truecase_romance": "auto",
    "1-800-BAD-CODE/xlm-roberta_punctuation_fullstop_truecase": "auto",
    "kredor/punctuate-all": "auto",
    "oliverguhr/fullstop-dutch-punctuation-prediction": "nl",
    "oliverguhr/fullstop-dutch-sonar-punctuation-prediction": "nl",
    "oliverguhr/fullstop-punctuation-multilang-large": "auto",
    "oliverguhr/fullstop-punctuation-multilingual-base": "auto",
    "oliverguhr/fullstop-punctuation-multilingual-sonar-base": "auto",
    "pcs_47lang": "auto",
    "pcs_en": "en",
    "pcs_romance": "auto",
}
"""The languages that stand for the models of other packages. "auto" detects the language of each text, among those that
are built in, and uses English for a text that does not tell."""

Path = str | os.PathLike[str]


def _load(name: Path) -> Model:
    """Return the model of a name; with "auto" that of a text is the model of its language."""
    source = MODELS.get(name, name) if isinstance(name, str) else name
    try:
        return load(source)
    except UsageError as error:
        expected = f"a language, the path of a majuscule model, or one of {', '.join(sorted(MODELS))}"
        raise UsageError(f"model {name!r}: expected {expected}") from error


# truecase


class TrueCaser:
    """The class of PyPI's `truecase`. `dist_file_path` is the path of a majuscule model; None is English."""

    def __init__(self, dist_file_path: Path | None = None) -> None:
        self._model = load("en" if dist_file_path is None else dist_file_path)

    def get_true_case(self, sentence: str, out_of_vocabulary_token_option: str = "title") -> str:
        """Return a sentence in its true case. See the function `get_true_case`."""
        _only_title(out_of_vocabulary_token_option)
        return restored_sentence(self._model, sentence, case="ignore")

    def get_true_case_from_tokens(
        self, tokens: Iterable[str], out_of_vocabulary_token_option: str = "title"
    ) -> list[str]:
        """Return the tokens of a sentence in their true case.

        >>> TrueCaser().get_true_case_from_tokens(["we", "met", "angela", "."])
        ['We', 'met', 'Angela', '.']
        """
        _only_title(out_of_vocabulary_token_option)
        return [word.form for word in self._model.label(tokens, case="ignore", sentence_start="always")]


def _only_title(option: str) -> None:
    if option != "title":
        reason = "the model decides unknown words too, by their context and their letters"
        raise UsageError(f'out_of_vocabulary_token_option "{option}": expected "title", the default: {reason}')


@functools.lru_cache(maxsize=1)
def get_truecaser() -> TrueCaser:
    """Return the truecaser of `get_true_case`, which is loaded once."""
    return TrueCaser()


def get_true_case(sentence: str, out_of_vocabulary_token_option: str = "title") -> str:
    """Return an English sentence in its true case, like the function of PyPI's `truecase`.

    The capitals of the sentence count for nothing; its spaces and punctuation stay as they are. There is no vocabulary
    here: the model decides every word, so `out_of_vocabulary_token_option` has only its default, and "lower", "as-is" or
    "capitalize" is an error.

    >>> get_true_case("DON'T CALL ANGELA.")
    "Don't call Angela."
    """
    return get_truecaser().get_true_case(sentence, out_of_vocabulary_token_option)


# sacremoses

# A tag is one token with its spaces, as in Moses.
_MOSES_TOKEN = re.compile(r"<\S[^>]*>|[^\s<>]+|\S+")


class MosesTruecaser:
    """The class of sacremoses. `load_from` is a language or the path of a majuscule model; None is English.

    Text is tokenised, with spaces between tokens. The first word of a sentence gets a capital, while Moses writes it as in
    the middle of one. `is_asr=True` decides every word; otherwise the capitals of a sentence that has both cases stay.
    `encoding` is that of `truecase_file`.

    >>> MosesTruecaser().truecase("THE ADVENTURES OF SHERLOCK HOLMES")
    ['The', 'adventures', 'of', 'Sherlock', 'Holmes']
    """

    def __init__(self, load_from: Path | None = None, is_asr: bool | None = None, encoding: str = "utf8") -> None:
        self._model = load("en" if load_from is None else load_from)
        self.is_asr = is_asr
        self.encoding = encoding

    @overload
    def truecase(self, text: str, return_str: Literal[False] = False, use_known: bool = False) -> list[str]: ...
    @overload
    def truecase(self, text: str, return_str: Literal[True], use_known: bool = False) -> str: ...
    @overload
    def truecase(self, text: str, return_str: bool, use_known: bool = False) -> list[str] | str: ...
    def truecase(self, text: str, return_str: bool = False, use_known: bool = False) -> list[str] | str:
        """Return the tokens of a text in their true case, or with `return_str` the text.

        With `use_known`, all capitals of the text stay, also those of a sentence in capitals. What follows a bar in a
        token (`dog|NN`) stays as it is.

        >>> MosesTruecaser(is_asr=True).truecase("we met angela .", return_str=True)
        'We met Angela .'
        """
        case: Literal["auto", "keep", "ignore"] = "ignore" if self.is_asr else "keep" if use_known else "auto"
        tokens = _MOSES_TOKEN.findall(text)
        words, bars, factors = zip(*(token.partition("|") for token in tokens)) if tokens else ((), (), ())
        forms = (word.form for word in self._model.label(words, case=case, sentence_start="always"))
        truecased = [form + bar + factor for form, bar, factor in zip(forms, bars, factors)]
        return " ".join(truecased) if return_str else truecased

    @overload
    def truecase_file(self, filename: Path, return_str: Literal[True] = True) -> Iterator[str]: ...
    @overload
    def truecase_file(self, filename: Path, return_str: Literal[False]) -> Iterator[list[str]]: ...
    @overload
    def truecase_file(self, filename: Path, return_str: bool) -> Iterator[list[str] | str]: ...
    def truecase_file(self, filename: Path, return_str: bool = True) -> Iterator[Any]:
        """Return the lines of a file in their true case, one after the other, each by itself."""
        with open(filename, encoding=self.encoding) as file:
            for line in file:
                yield self.truecase(line, return_str)

    def train(self, *_: object, **__: object) -> NoReturn:
        """Raise an error: `majuscule.train` trains models."""
        raise UsageError(
            "MosesTruecaser does not train: majuscule.train makes a model, and MosesTruecaser(load_from=FOLDER) loads it"
        )

    train_from_file = train_from_file_object = save_model = train


# deepmultilingualpunctuation

# The marks of a number, as in 3.14, 1,000 or 10:30, have a digit after them.
_SPENT_MARK = re.compile(r"[.,;:!?](?!\d)")


class PunctuationModel:
    """The class of `deepmultilingualpunctuation`, which inserts punctuation and changes no capital.

    `model` is a name of `MODELS`, a language, or the path of a majuscule model. The default detects the language of each
    text: name the language if you know it, and always if texts are short. The built-in models insert commas, full stops
    and question marks, and never "-" or ":".

    >>> PunctuationModel("en").restore_punctuation("did you see Ana she went to Lisbon")
    'did you see Ana? she went to Lisbon.'
    """

    def __init__(self, model: Path = "oliverguhr/fullstop-punctuation-multilang-large") -> None:
        self._model = _load(model)

    def restore_punctuation(self, text: str) -> str:
        """Return a text with its punctuation decided anew; white space becomes single spaces."""
        words = self._words(self.preprocess(text))
        return " ".join(f"{word.opening or ''}{word.text}{word.mark or ''}" for word in words)

    def preprocess(self, text: str) -> list[str]:
        """Return the words of a text without their marks, but for those in numbers.

        >>> PunctuationModel("en").preprocess("At 10:30, we met.")
        ['At', '10:30', 'we', 'met']
        """
        return _SPENT_MARK.sub("", text).split()

    def predict(self, words: Iterable[str]) -> list[list[Any]]:
        """Return each word with its label, which is the mark after it or "0", and the label's probability.

        >>> [[word, label] for word, label, score in PunctuationModel("en").predict(["what", "is", "your", "name"])]
        [['what', '0'], ['is', '0'], ['your', '0'], ['name', '?']]
        """
        return [[word.text, word.mark or "0", word.mark_probability] for word in self._words(list(words))]

    def prediction_to_text(self, prediction: Iterable[Iterable[Any]]) -> str:
        """Return the text of what `predict` returns.

        >>> PunctuationModel("en").prediction_to_text([["is", "0", 0.9], ["Ana", "?", 0.8]])
        'is Ana?'
        """
        return " ".join(word if label == "0" else word + label for word, label, _ in prediction)

    def _words(self, words: list[str]) -> list[Word]:
        model = self._model._for(words)
        return model.label(words, marks=model.marks)


# punctuators


class PunctCapSegModelONNX:
    """The class of `punctuators`: capitals, punctuation and sentences. `from_pretrained` makes one."""

    def __init__(self, model: Path) -> None:
        self._model = _load(model)

    @classmethod
    def from_pretrained(cls, pretrained_name: Path, ort_providers: object = None) -> PunctCapSegModelONNX:
        """Load a model by a name of `MODELS`, a language, or the path of a majuscule model.

        `ort_providers` selects a device in `punctuators`; here the CPU computes.
        """
        return cls(pretrained_name)

    @overload
    def infer(
        self,
        texts: Iterable[str],
        apply_sbd: Literal[True] = True,
        batch_size_tokens: int = 4096,
        overlap: int = 16,
        num_workers: int = 0,
    ) -> list[list[str]]: ...
    @overload
    def infer(
        self,
        texts: Iterable[str],
        apply_sbd: Literal[False],
        batch_size_tokens: int = 4096,
        overlap: int = 16,
        num_workers: int = 0,
    ) -> list[str]: ...
    def infer(
        self,
        texts: Iterable[str],
        apply_sbd: bool = True,
        batch_size_tokens: int = 4096,
        overlap: int = 16,
        num_workers: int = 0,
    ) -> list[list[str]] | list[str]:
        """Restore texts, and return each as the list of its sentences, or without `apply_sbd` as one text.

        A text is never cut into batches or overlapping windows here, so the last three arguments change nothing.

        >>> PunctCapSegModelONNX.from_pretrained("pcs_en").infer(["did you see ana she went to lisbon"])
        [['Did you see Ana?', 'She went to Lisbon.']]
        """
        if isinstance(texts, str):
            raise TypeError("texts is a str, but a list of texts is expected: [text] makes one")
        sentences = [self._sentences(text) for text in texts]
        return sentences if apply_sbd else [" ".join(each) for each in sentences]

    def _sentences(self, text: str) -> list[str]:
        model = self._model._for(text)
        sentences: list[list[str]] = [[]]
        for word in model.label(text.split(), marks=model.marks, sentence_start="always"):
            sentences[-1].append(f"{word.opening or ''}{word.form}{word.mark or ''}")
            if word.sentence_end:
                sentences.append([])
        return [" ".join(words) for words in sentences if words]
