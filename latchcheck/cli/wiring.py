"""The one place where the command line meets MCP: the checker imports the model and the properties here only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.kernel.telling import Telling
    from latchcheck.kernel.verdict import Configuration, Report
    from latchcheck.model.config import Config
    from latchcheck.properties.timing.proofs.registry import Theorem


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


def telling(config: Configuration) -> Telling:
    """The words in which the runs of a configuration are told to people."""
    from latchcheck.model.config import Config
    from latchcheck.model.timing.telling import telling as words

    assert isinstance(config, Config)
    return words(config)


def assumption_groups() -> dict[str, str]:
    """The section of the configuration that each assumption is about."""
    from latchcheck.model.keys import KEYS

    return {key.assumed: key.section for key in KEYS}


def property_ids() -> tuple[str, ...]:
    """The ids of the timing properties, in the order in which they are answered."""
    from latchcheck.properties.timing import CATALOGUE

    return tuple(CATALOGUE)


def theorems() -> Sequence[Theorem]:
    """Every theorem behind the exact conditions: id, property, what it `says`, and `prove`, which yields its proofs."""
    from latchcheck.properties.timing.proofs.registry import theorems as registered

    return registered()


def explain_property(name: str) -> dict[str, object] | None:
    """What a property claims, where that is said, when it holds, and the keys it reads; None where there is none."""
    from latchcheck.model.describe import key_rows
    from latchcheck.properties.timing import CATALOGUE
    from latchcheck.properties.timing.analyses import ANALYSES

    found = CATALOGUE.get(name)
    if found is None:
        return None
    return {
        "sentence": found.sentence.text,
        "keyword": found.keyword,
        "source": f"{found.sentence.source}, {found.sentence.where}",
        "condition": _condition(ANALYSES[name]) if name in ANALYSES else None,
        "reads": [row["key"] for row in key_rows() if name in _listed(row["properties"])],
    }


def property_rows() -> list[dict[str, object]]:
    """Every timing property as a row of plain data, in the order in which they are answered."""
    from latchcheck.properties.timing import CATALOGUE

    return [
        {
            "id": one.id,
            "keyword": one.keyword,
            "sentence": one.sentence.text,
            "source": f"{one.sentence.source}, {one.sentence.where}",
        }
        for one in CATALOGUE.values()
    ]


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


def is_bad_input(error: BaseException) -> bool:
    """Whether an exception says that the user's input is wrong, rather than the checker."""
    from latchcheck.model.reading.errors import ConfigError

    return isinstance(error, ConfigError)


def _condition(analysis: Callable[..., object]) -> str | None:
    """The condition in words: what stands below the first paragraph of the analysis, else of its module."""
    import inspect
    import sys

    for documented in (analysis, sys.modules[analysis.__module__]):
        _, _, body = (inspect.getdoc(documented) or "").partition("\n\n")
        if body:
            return " ".join(body.replace("`", "").split())
    return None


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
