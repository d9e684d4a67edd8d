"""Configurations: read, and their keys and presets described."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.model.config import Config
    from latchcheck.model.reading.varying import Value


def read_config(
    file: str | None, *, client: str | None, server: str | None, task: str | None, sets: Sequence[str]
) -> Config:
    """One configuration, put together from a file, presets, a task as a server returned it, and assignments.

    The file `-` is the standard input. Raises ConfigError, for which `is_bad_input` is true.
    """
    from latchcheck.model.reading import read

    return read([] if file is None else [file], client=client, server=server, task=task, sets=sets)


def config_reader(file: str | None, sets: Sequence[str]) -> Callable[..., Config]:
    """What puts many configurations together from a file, which is read once, and assignments.

    It is called with a client and a server, each an id or None, and the values that this one alone has.
    Raises ConfigError, as it does when it is called.
    """
    from latchcheck.model.reading import shared

    read = shared(file, sets)

    def config(client: str | None, server: str | None, values: Sequence[Value] = ()) -> Config:
        return read.config(client, server, [one.given for one in values])

    return config


def combinations(vary: Sequence[str], sets: Sequence[str], most: int) -> list[tuple[Value, ...]]:
    """Every combination of the values that `--vary` names, each with an assignment and the plain value; ConfigError."""
    from latchcheck.model.reading.varying import combinations as combined

    return combined(vary, sets, most)


def preset_ids(clients: Sequence[str], servers: Sequence[str]) -> tuple[list[str], list[str]]:
    """The ids of the presets that are named, each once, or of all where none is; ConfigError for what is none."""
    from latchcheck.model.presets import ids

    return ids(client=clients, server=servers)


def all_read(*reads: Callable[[], Any]) -> list[Any]:
    """What each of these reads; a ConfigError has what is wrong with all of them, each thing once."""
    from latchcheck.model.reading.errors import Faults

    faults, found = Faults(), list[Any]()
    for read in reads:
        with faults.kept():
            found.append(read())
    faults.told()
    return found


def check_laid_over(client: str | None, sets: Sequence[str], *, server: str | None = None) -> None:
    """Raise ConfigError, for which `is_bad_input` is true, for presets or assignments that cannot be read."""
    from latchcheck.model.reading import check_laid_over as check

    check(client=client, server=server, sets=sets)


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
