"""What several tests need."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable

import pytest


@pytest.fixture
def interrupts() -> Callable[[Callable[[], object]], None]:
    """Return a function that presses Ctrl-C a second after a call begins, and checks that this ends it."""
    # A job in the background starts with the signal ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupts(call: Callable[[], object]) -> None:
        raised: list[float] = []

        def interrupt() -> None:
            raised.append(time.monotonic())
            signal.raise_signal(signal.SIGINT)

        threading.Timer(1.0, interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            call()
        # 0.2 s on an idle machine; the tests may share theirs.
        assert time.monotonic() - raised[0] < 2.0

    return interrupts
