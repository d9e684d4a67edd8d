"""What asks this process to end, kept waiting while something must not be left half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def uninterrupted() -> Iterator[None]:
    """What asks this process to end is heard at the end of the block, by whoever would have heard it at once."""
    if threading.current_thread() is not threading.main_thread():  # only the main one is ever interrupted
        yield
        return
    before: dict[int, Callable[..., Any]] = {}
    came: list[int] = []
    try:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, signal.SIGINT)
            handler = signal.getsignal(number)
            # A program that is started has none of our handlers, so that what is ignored stays so.
            if callable(handler) and number not in before:
                before[number] = handler
                signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for number in came[:1]:
        signal.raise_signal(number)
