"""What all tests share: `--long` draws more than CI has time for, and a test says what it needs beside Python."""

from __future__ import annotations

import os
import signal

import pytest

from tests.needing import register


def pytest_configure(config: pytest.Config) -> None:
    """Let what the tests start hear Ctrl-C: a shell that starts them in the background has it ignored.

    And let drivers, which may be products, take as long to start as they do on a machine that is busy.
    """
    register(config)
    os.environ.setdefault("LATCHCHECK_DRIVER_TIMEOUT", "90")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of a group to one process: pytest-xdist 3.8 says the group in a way that pytest 9.2 ignores."""
    for item in items if getattr(config.option, "loadgroup", False) else ():
        names = sorted({str(mark.args[0]) for mark in item.iter_markers("xdist_group")})
        suffix = f"@{'_'.join(names)}"
        if names and not item.nodeid.endswith(suffix):
            item._id = type(item.id).parse(item.nodeid + suffix)  # noqa: SLF001 - what the scheduler reads


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--long`."""
    parser.addoption("--long", action="store_true", help="ask every engine every question that is drawn")
