"""Safe numbers: keys that are numbers, the region of one or two of them, repairs, and a configuration as a file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.model.config import Config
    from latchcheck.properties.timing.planes import Plane
    from latchcheck.properties.timing.regions import Region
    from latchcheck.properties.timing.repairs_together import Together

NUMBERS = ("duration", "ttl", "period")


def keys_meant(name: str) -> list[tuple[str, str, bool]]:
    """The keys that a name may mean: each as a file spells it, as verdicts do, and whether it is one duration."""
    from latchcheck.model.keys import find

    return [(key.path, key.flat, key.kind in NUMBERS) for key in find(name.removesuffix("_ms"))]


def milliseconds_of(text: str) -> tuple[int | None, str]:
    """The milliseconds of a duration as people write it; None with what is wrong and what to write instead."""
    from latchcheck.model.reading.durations import Malformed, milliseconds

    try:
        return (0 if text == "0" else milliseconds(text)), ""
    except Malformed as error:
        return None, f"{error.what}\n  {error.instead}"


def range_of(config: Config) -> tuple[int, int]:
    """The range in which numbers are looked for where nobody says."""
    from latchcheck.properties.timing.regions import default_range

    return default_range(config)


def region_of(config: Config, key: str, ends: tuple[int, int], only: Sequence[str]) -> Region:
    """The safe numbers of one key."""
    from latchcheck.properties.timing.catalogue import CATALOGUE
    from latchcheck.properties.timing.regions import region

    return region(config, key, *ends, [name for name in CATALOGUE if not only or name in only])


def region_of_two(config: Config, free: Mapping[str, tuple[int, int]], only: Sequence[str]) -> Plane:
    """The safe numbers of two keys, the first across."""
    from latchcheck.properties.timing.catalogue import CATALOGUE
    from latchcheck.properties.timing.planes import COLUMNS, ROWS, axis, plane

    across, up = (axis(key, *ends, count) for (key, ends), count in zip(free.items(), (COLUMNS, ROWS), strict=True))
    return plane(config, across, up, [name for name in CATALOGUE if not only or name in only])


def repairs_together(config: Config, only: Sequence[str], knobs: Collection[str] | None) -> Together:
    """The nearest numbers at which all that is violated holds."""
    from latchcheck.properties.timing.repairs_together import repair_together

    return repair_together(config, only or None, knobs)


def changed_file(config: Config, changes: Mapping[str, Any], head: str) -> str:
    """The configuration after the changes, as a file that says what was changed."""
    from latchcheck.model.writing import config_text

    now = config.flat()
    return config_text(config.replace(changes), {key: now[key] for key in changes}, head)
