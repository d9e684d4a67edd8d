"""What all tests share: `--long` adds the campaigns that CI has no time for."""

from __future__ import annotations

import signal

import pytest


def pytest_configure() -> None:
    """Let what the tests start hear Ctrl-C: a shell that starts them in the background has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--long`."""
    parser.addoption("--long", action="store_true", help="also run what is marked `long`, and draw more where drawn")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long campaigns out, unless they are asked for."""
    if config.getoption("--long"):
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    items[:] = [item for item in items if not item.get_closest_marker("long")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
