"""The one place where the command line meets MCP: the checker imports the model and the properties here only."""

from __future__ import annotations

from collections.abc import Sequence

from latchcheck.kernel.verdict import Report
from latchcheck.model.config import Config


def read_config(
    file: str | None, *, client: str | None, server: str | None, task: str | None, sets: Sequence[str]
) -> Config:
    """One configuration, put together from a file, presets, a task as a server returned it, and assignments.

    The file `-` is the standard input. Raises ConfigError, for which `is_bad_input` is true.
    """
    from latchcheck.model.reading import read

    return read([] if file is None else [file], client=client, server=server, task=task, sets=sets)


def verify(config: Config, only: Sequence[str] | None) -> Report:
    """The answers to the timing properties, all of them or those named."""
    from latchcheck.properties.timing import verify as answer

    return answer(config, only)


def property_ids() -> tuple[str, ...]:
    """The ids of the timing properties, in the order in which they are answered."""
    from latchcheck.properties.timing import CATALOGUE

    return tuple(CATALOGUE)


def is_bad_input(error: BaseException) -> bool:
    """Whether an exception says that the user's input is wrong, rather than the checker."""
    from latchcheck.model.reading.errors import ConfigError

    return isinstance(error, ConfigError)
