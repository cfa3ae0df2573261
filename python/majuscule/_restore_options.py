"""The options of restoring as keyword arguments. Made by tools/generate.py: change the library instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypedDict


class Options(TypedDict, total=False):
    """The options of restoring, with the names and defaults of the command line."""

    context: Literal["auto", "line", "file"]
    """Extent of one text: words of one text influence each other, words of two texts never do. With line, no line or
    record waits for the next one."""
    case: Literal["auto", "keep", "ignore"]
    """Capitals of the input to keep: auto by default, but ignore for live text, which cannot wait for the whole line
    that auto examines."""
    sentence_start: Literal["auto", "always", "never"]
    """Sentence starts that get a capital."""
    capitals: Literal["few", "balanced", "many"]
    """Balance between missing and superfluous capitals, for maxent and networks."""
    style: Literal["small-offices", "title-headings", "capital-items"] | Iterable[Literal["small-offices", "title-headings", "capital-items"]]
    """Rules of a house style, with commas between them."""
    marks: bool | str
    """Insert commas, full stops and question marks where the text has no punctuation; all inserts them everywhere,
    and a list such as .,?!:;-… inserts these marks everywhere."""
    mark_form: Literal["written", "joined", "apart"]
    """Form of punctuation marks: by default as the language writes them (with spaces in French), but apart in tok and
    joined in ctm, stm, trn and nlp. With apart, marks in ctm and conll get rows of their own."""
    mark_threshold: float
    """Insert only punctuation marks of at least probability P (0 to 1); by default, the model decides by the costs it
    was trained with. With P, hmm and ngram use at most 8 later words."""
    pause_ends: float | Literal["never"]
    """End a sentence at each pause of at least this many seconds between the words of ctm, the segments of stm and
    whisper-json, or the cues of srt, vtt and ass."""
    locale: str
    """Language whose case mappings are used, such as tr or nl; by default the model's language."""
    look_ahead: int
    """Number of later words that a choice may depend on, which live text then waits for; 0 means no later words. By
    default all the context that the method uses, and 1 for live text."""
    threshold: float
    """Leave a word as it is in the input if its case has a probability below P (0 to 1). The user's own spellings,
    capitals that are kept and sentence starts count as certain."""
    lossy: bool
    """Copy unreadable parts (bytes that are not UTF-8, parts of a file that are not in its format) unchanged, instead
    of stopping there."""
    before: str
    """Text before the text, as at the cursor of an editor: it is context, and the text goes on in its last sentence.
    A space is inserted if one is missing."""
    after: str
    """Text after the text, as at the cursor of an editor: it is context, and no sentence ends before its small
    letters."""
    predictions: int
    """Number of contexts in which each word is decided."""
    spellings: Iterable[str]
    """Spellings that always win: "iPhone", "New York"."""
    words: Iterable[str]
    """The former name of `spellings`."""
