"""
The native part of majuscule.
"""

from _typeshed import SupportsGetItem
from os import PathLike
from typing_extensions import CapsuleType
from typing import Any, SupportsIndex, final

__all__ = ["Answer", "LanguageModel", "Lexicon", "Model", "RestoredColumn", "Restorer", "Stream", "Word", "broken", "call", "detect_language", "look_in", "options", "program", "restore_column", "user_options"]

@final
class Answer:
    """
    The outcome of a verb.
    """
    @property
    def is_success(self, /) -> bool:
        """
        False if something failed; the messages describe the failure.
        """
    @property
    def json(self, /) -> str | None:
        """
        The report as JSON, of a verb that measures.
        """
    @property
    def messages(self, /) -> list[str]:
        """
        The messages that the program would have printed.
        """
    @property
    def output(self, /) -> bytes:
        """
        The text that the program would have written to standard output.
        """

@final
class LanguageModel:
    """
    An n-gram language model.
    """
    def __contains__(self, word: str, /) -> bool: ...
    @property
    def counts(self, /) -> list[int]:
        """
        The numbers of n-grams of each length, from 1.
        """
    @staticmethod
    def open(path: str | PathLike[str]) -> LanguageModel:
        """
        Opens a model, ARPA or binary.
        """
    @property
    def order(self, /) -> int:
        """
        The length of the longest n-grams.
        """
    def score(self, /, text: str, units: str) -> tuple[float, int, int, int]:
        """
        Scores a text, one sentence per line: log10 of its probability, and the numbers of sentences, words and unknown
        words. `units` is "words", "plain" or the marks that are words too.
        """

@final
class Lexicon:
    """
    Words and the forms they occurred in.
    """
    def __len__(self, /) -> int: ...
    def forms(self, /, word: str) -> list[tuple[str, float, float]] | None:
        """
        Returns the forms of a word, which may be in any case; None if the lexicon lacks it.
        """
    @property
    def language(self, /) -> str: ...
    def merged(self, /, other: Lexicon) -> Lexicon:
        """
        Returns this lexicon with the counts of another one added.
        """
    @staticmethod
    def read(bytes: bytes | bytearray, name: str) -> Lexicon:
        """
        Reads a lexicon, a word list or a Moses model, whose name in errors is `name`.
        """
    def words(self, /) -> list[str]:
        """
        Returns all words, in the order of their bytes.
        """
    def written(self, /) -> bytes:
        """
        Returns the bytes of its file.
        """

@final
class Model:
    """
    A trained model.
    """
    @staticmethod
    def from_bytes(bytes: SupportsGetItem[int, SupportsIndex]) -> Model:
        """
        Loads a model from the bytes of a packed file.
        """
    @property
    def language(self, /) -> str: ...
    @property
    def marks(self, /) -> str:
        """
        The marks that the model can insert.
        """
    @property
    def method(self, /) -> str: ...
    @staticmethod
    def of_preset(language: str, preset_name: str, dirs: SupportsGetItem[int, str | PathLike[str]]) -> Model:
        """
        Loads the model of a preset of a language; `dirs` are the folders of models that are not built in.
        """
    @staticmethod
    def open(path: str | PathLike[str]) -> Model:
        """
        Loads a model from a folder or a packed file.
        """
    def with_options(self, /, **given: "Any") -> "Restorer":
        """
        Returns the model with options.
        """

@final
class RestoredColumn:
    """
    A restored column: one chunk, which Arrow libraries read, and a sequence of texts.
    """
    def __array__(self, /, dtype: Any | None = None, copy: bool | None = None) -> Any:
        """
        Passes the texts to NumPy, as objects unless another type is requested.
        """
    def __arrow_c_array__(self, /, requested_schema: Any | None = None) -> tuple[CapsuleType, CapsuleType]:
        """
        Passes the column, whose type is its own whatever is requested.
        """
    def __arrow_c_schema__(self, /) -> CapsuleType:
        """
        Passes the schema.
        """
    def __getitem__(self, at: Any, /) -> Any:
        """
        Returns the text of a row, or a list of the texts of a slice.
        """
    def __iter__(self, /) -> Any: ...
    def __len__(self, /) -> int: ...

@final
class Restorer:
    """
    A model with the options of a call.
    """
    def label(self, /, words: SupportsGetItem[int, str]) -> list[Word]:
        """
        Restores words that come without a text, and returns one for each.
        """
    def restore(self, /, text: str) -> str:
        """
        Restores a text.
        """
    def restore_all(self, /, texts: SupportsGetItem[int, str | None], threads: SupportsIndex) -> list[str | None]:
        """
        Restores texts on threads, each by itself; None stays None.
        """
    def stream(self, /) -> Stream:
        """
        Starts a text that is restored while it arrives.
        """
    def words(self, /, text: str) -> list[Word]:
        """
        Returns the words of a text, restored.
        """

@final
class Stream:
    """
    A text that is restored while it arrives.
    """
    def finish(self, /) -> str:
        """
        Ends the text and returns the rest.
        """
    @property
    def is_finished(self, /) -> bool: ...
    def now(self, /) -> str:
        """
        Stops waiting: returns all that has come.
        """
    def push(self, /, text: str) -> str:
        """
        Takes the next part of the text and returns what is certain by then.
        """
    def tail(self, /) -> str:
        """
        Returns what `now` would return, and continues to wait.
        """

@final
class Word:
    """
    A word of a text, restored.
    """
    def __repr__(self, /) -> str: ...
    @property
    def end(self, /) -> int:
        """
        The position after its last character.
        """
    @property
    def form(self, /) -> str:
        """
        The word with the case that it gets.
        """
    @property
    def mark(self, /) -> str | None:
        """
        The punctuation mark inserted after it; None if none is.
        """
    @property
    def mark_probability(self, /) -> float | None:
        """
        The probability of the mark, or of no mark; None without `marks`.
        """
    @property
    def opening(self, /) -> str | None:
        """
        The opening inserted before it (`¿`); None if none is.
        """
    @property
    def probability(self, /) -> float | None:
        """
        The probability of the case, from 0 to 1; None if the method has none.
        """
    @property
    def sentence_end(self, /) -> bool | None:
        """
        True if a sentence ends after it; None if the method finds no ends.
        """
    @property
    def start(self, /) -> int:
        """
        The position of its first character in the text; of a word given by itself, its number.
        """
    @property
    def text(self, /) -> str:
        """
        The word as it is in the text.
        """

def broken(model: Model) -> Model:
    """
    Returns a model like this one whose method panics.
    """

def call(arguments: SupportsGetItem[int, str], models: SupportsGetItem[int, tuple[str, Model]], files: SupportsGetItem[int, tuple[str, bytes | bytearray]], progress: Any | None = None) -> Answer:
    """
    Runs a verb with the arguments of the program; `models` and `files` are in memory, by the names that the arguments have
    for them, and `progress` is called with the figures of a training.
    """

def detect_language(text: str) -> str | None:
    """
    Detects the language of a text: its tag if there is a built-in model of it; None if the text does not show it.
    """

def look_in(folder: str | PathLike[str]) -> None:
    """
    Makes a folder count as the program's folder, which contains the models that are not built in.
    The first call decides.
    """

def options(verb: SupportsGetItem[int, str]) -> list[tuple[str, str, str, list[str], str | None, str]]:
    """
    Returns the options of a verb.
    """

def program(command: SupportsGetItem[int, str], arguments: SupportsGetItem[int, str]) -> int:
    """
    Runs the program; `command` starts it again, and the first argument is its name. Returns its exit code.
    """

def restore_column(restorer: Restorer, object: Any, threads: SupportsIndex) -> RestoredColumn | None:
    """
    Restores a column; `None` if the object is not a column.
    """

def user_options() -> list[tuple[str, str, str, list[str]]]:
    """
    Returns the options of restoring.
    """
