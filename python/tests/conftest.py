"""What several tests need."""

from __future__ import annotations

import doctest
import pathlib
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import majuscule


def document(lines: list[str | None], language: str = "en", **options: Any) -> list[str | None]:
    """Return the lines of a document, restored as one running text in this process."""
    stream = majuscule.load(language, preset="fast").stream(**options)
    text = "".join(stream.push(f"{line}\n") for line in lines if line is not None) + stream.finish()
    restored: list[str | None] = []
    for line in lines:
        if line is not None:
            *parts, text = text.split("\n", line.count("\n") + 1)
            line = "\n".join(parts)
        restored.append(line)
    assert text == ""
    return restored


def run_chapter(heading: str, **names: Any) -> None:
    """Run the examples of a chapter of docs/book/src/scale.md."""
    page = pathlib.Path(__file__).parents[2] / "docs/book/src/scale.md"
    chapter = page.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    test = doctest.DocTestParser().get_doctest(chapter, names, f"scale.md, {heading}", str(page), 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.fixture
def interrupts() -> Callable[[Callable[[], object]], None]:
    """Return a function that presses Ctrl-C a second after a call begins, and checks that this ends it."""
    # A job in the background starts with the signal ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupts(call: Callable[[], object]) -> None:
        raised: list[float] = []

        def interrupt() -> None:
            raised.append(time.process_time())
            signal.raise_signal(signal.SIGINT)

        threading.Timer(1.0, interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            call()
        # CPU time, since the tests may share the machine: 0.4 s on two cores.
        assert time.process_time() - raised[0] < 2.0

    return interrupts
