"""Configurations: read, and their keys and presets described."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.model.config import Config


def read_config(
    file: str | None, *, client: str | None, server: str | None, task: str | None, sets: Sequence[str]
) -> Config:
    """One configuration, put together from a file, presets, a task as a server returned it, and assignments.

    The file `-` is the standard input. Raises ConfigError, for which `is_bad_input` is true.
    """
    from latchcheck.model.reading import read

    return read([] if file is None else [file], client=client, server=server, task=task, sets=sets)


def check_laid_over(client: str | None, sets: Sequence[str]) -> None:
    """Raise ConfigError, for which `is_bad_input` is true, for a client or assignments that cannot be read."""
    from latchcheck.model.reading import check_laid_over as check

    check(client=client, sets=sets)


def explain_keys(name: str) -> list[dict[str, object]]:
    """The configuration keys that a name may mean, in any spelling, as rows of plain data."""
    from latchcheck.model.describe import explained

    return explained(name)


def nearest_keys(name: str) -> list[str]:
    """The keys whose names are most like this one, the nearest first."""
    from latchcheck.model.describe import nearest_keys as nearest

    return nearest(name)


def key_rows() -> list[dict[str, object]]:
    """Every configuration key as a row of plain data."""
    from latchcheck.model.describe import key_rows as rows

    return rows()


def preset_rows() -> list[dict[str, object]]:
    """Every preset as a row of plain data, clients first."""
    from latchcheck.model.describe import preset_rows as rows

    return rows()


def assumption_groups() -> dict[str, str]:
    """The section of the configuration that each assumption is about."""
    from latchcheck.model.keys import KEYS

    return {key.assumed: key.section for key in KEYS}


def toml_line(text: str, path: tuple[str, ...]) -> int | None:
    """The line of a TOML text where a path of keys first stands, as far as it can be found."""
    from latchcheck.model.reading.lines import scan

    return scan(text).of(*path)


def is_bad_input(error: BaseException) -> bool:
    """Whether an exception says that the user's input is wrong, rather than the checker."""
    from latchcheck.counterexamples.errors import FixtureError
    from latchcheck.counterexamples.targets.errors import TargetError
    from latchcheck.model.reading.errors import ConfigError
    from latchcheck.model.spelling import SpellingError
    from latchcheck.wording.faults import WordingError

    return isinstance(error, ConfigError | FixtureError | SpellingError | TargetError | WordingError)
