"""Texts that are one sentence each, restored as such."""

from __future__ import annotations

from typing import Literal

from majuscule._model import Model

_LINE_ENDS = str.maketrans("\r\n", "  ")


def restored_sentence(model: Model, text: str, case: Literal["auto", "ignore"] = "auto") -> str:
    """Restore a text as one sentence: its first word gets a capital, and a line end inside it is like a space."""
    line = text.translate(_LINE_ENDS)
    restored = model.restore(line, sentence_start="always", case=case)
    if line == text:
        return restored
    # Without marks, a restored text has the length that it had.
    return "".join(given if given in "\r\n" else letter for given, letter in zip(text, restored))
