"""What all tests share: `--long` draws more than CI has time for."""

from __future__ import annotations

import signal

import pytest


def pytest_configure() -> None:
    """Let what the tests start hear Ctrl-C: a shell that starts them in the background has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--long`."""
    parser.addoption("--long", action="store_true", help="ask every engine every question that is drawn")
