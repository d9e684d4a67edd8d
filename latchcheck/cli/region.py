"""`latchcheck region`: all safe numbers of one key, or of two together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from . import wiring
from .errors import check_timing, complain
from .numbers import configuration, number, of_configuration
from .options import TEXT_OR_JSON
from .output import Output

SCHEMA = "latchcheck/region/1"
FREE_MAX = 2


@click.command(
    "region",
    short_help="Find all safe numbers of a key.",
    epilog="Exit code: 0 the range was decided, whatever came out, 2 bad input, 4 interrupted.",
)
@of_configuration
@click.option("--free", metavar="KEY", multiple=True, required=True, help="The key to vary; two make a picture.")
@click.option("--from", "lows", metavar="DURATION", multiple=True, help="Where its range begins, once a key; 0.")
@click.option("--to", "highs", metavar="DURATION", multiple=True,
              help="Where it ends, once a key; twice the greatest number of the configuration.")  # fmt: skip
@TEXT_OR_JSON
@click.pass_context
def command(  # noqa: PLR0913 - one parameter an option
    context: click.Context,
    /,
    *,
    file: str | None,
    client: str | None,
    server: str | None,
    sets: tuple[str, ...],
    only: tuple[str, ...],
    free: tuple[str, ...],
    lows: tuple[str, ...],
    highs: tuple[str, ...],
    form: str,
) -> None:
    """Find at which numbers of one key, or of two, nothing is violated, the others staying as they are.

    One key: intervals of whole milliseconds, both ends included, and what is known of the values between.
    Two keys: a picture, the first key across, the second up.
    """
    from latchcheck.kernel.exits import exit_code

    keys = _keys(free)
    ranges = _ranges(keys, lows, highs)
    check_timing(only)
    config, source = configuration("region", file, client, server, sets)
    least, most = wiring.range_of(config)
    free_ends = {key: _ends(free[place], ranges[place], least, most) for place, key in enumerate(keys)}
    if len(keys) == 1:
        ((key, ends),) = free_ends.items()
        found = wiring.region_of(config, key, ends, only)
    else:
        found = wiring.region_of_two(config, free_ends, only)
    if found.interrupted:
        complain("interrupted: what is told was found until then")
    code = exit_code(["inconclusive"] if found.interrupted else [])
    answer = row(config, source, found, code)
    context.exit(Output(None).deliver(_shown(answer, form), code))


def _keys(free: tuple[str, ...]) -> list[str]:
    if len(free) > FREE_MAX:
        raise click.UsageError(f"--free is given {len(free)} times; give one key or two")
    keys = [number("--free", name) for name in free]
    if len(set(keys)) < len(keys):
        raise click.UsageError(f"--free {free[1]}: this key is free already; name another one")
    return keys


def _ranges(keys: list[str], lows: tuple[str, ...], highs: tuple[str, ...]) -> list[tuple[int | None, int | None]]:
    """What is said of the range of each key, in the order of the keys."""
    found: list[list[int | None]] = []
    for option, given in (("--from", lows), ("--to", highs)):
        if len(given) > len(keys):
            raise click.UsageError(f"{option} is given {len(given)} times; give it once for each --free")
        values = [_duration(option, text) for text in given]
        found.append([*values, *[None] * (len(keys) - len(values))])
    return list(zip(*found, strict=True))


def _duration(option: str, text: str) -> int:
    value, wrong = wiring.milliseconds_of(text)
    if value is None:
        raise click.UsageError(f"{option} {text}: {wrong}")
    return value


def _ends(name: str, said: tuple[int | None, int | None], least: int, most: int) -> tuple[int, int]:
    low = least if said[0] is None else said[0]
    high = max(most, 2 * low) if said[1] is None else said[1]
    if low >= high:
        from latchcheck.kernel.duration import duration

        raise click.UsageError(
            f"--free {name}: its range begins at {duration(low)} and ends at {duration(high)}; "
            "--from must be less than --to"
        )
    return low, high


def row(config: Any, source: str, found: Any, code: int) -> dict[str, Any]:
    """What came of it, as plain data."""
    from latchcheck.report.envelope import plain, versions

    one = hasattr(found, "key")
    axes = [(found.key, found.lo, found.hi)] if one else [(a.key, a.lo, a.hi) for a in (found.across, found.up)]
    now = config.flat()
    free = [{"key": key, "now": plain(now[key]), "from_ms": low, "to_ms": high} for key, low, high in axes]
    head = {"schema": SCHEMA, "versions": versions(), "source": source, "free": free}
    return {**head, **(_of_one(found) if one else _of_two(found)), "exit": code}


def _of_one(found: Any) -> dict[str, Any]:
    moved = [one.name for one in found.properties if one.moves]
    return {
        "safe": [[one.lo, one.hi] for one in found.intervals() if one.label == "safe"],
        "intervals": _intervals(found.intervals()),
        "moved": {"properties": moved, "intervals": _intervals(found.intervals(moved))},
        "properties": [
            {
                "id": one.name,
                "intervals": _intervals(one.intervals),
                "evidence": one.evidence,
                "why": one.why,
                "tried": one.tried,
            }
            for one in found.properties
        ],
    }


def _intervals(intervals: Iterable[Any]) -> list[dict[str, Any]]:
    return [{"from_ms": one.lo, "to_ms": one.hi, "label": one.label, "by": list(one.by)} for one in intervals]


def _of_two(found: Any) -> dict[str, Any]:
    return {
        "still": found.still,
        "moved": list(found.moved),
        "evidence": "tried",
        "tried": found.tried,
        "executed": found.executed,
        "columns_ms": list(found.across.values),
        "rows": [
            {
                "at_ms": one.value,
                "labels": list(one.labels),
                "intervals": [{"from_ms": part.lo, "to_ms": part.hi, "label": part.label} for part in one.intervals],
            }
            for one in found.rows
        ],
    }


def _shown(answer: dict[str, Any], form: str) -> str:
    if form == "json":
        from latchcheck.report.envelope import json_text

        return json_text(answer, one_line=False) + "\n"
    from latchcheck.report.region import region_told

    return region_told(answer)
