"""Remarks on stderr that change no answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from latchcheck.report.layout import printable

from .progress import aside

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Configuration


def note(text: str) -> None:
    """Write one remark."""
    with aside(), suppress(OSError):  # nobody has to read it
        print(f"latchcheck: note: {printable(text)}", file=sys.stderr, flush=True)  # noqa: T201 - this is its place


def taken_over(config: Configuration) -> Iterator[str]:
    """What presets say otherwise than the file that they were laid over: the user may not know that they win."""
    from latchcheck.report.values import knob, value_text

    for key, value in config.flat().items():
        origin = config.origins.get(key)
        if origin is not None and origin.over is not None:
            old, where = origin.over
            preset = origin.where.partition(" (")[0]
            yield (
                f"{knob(key)}: preset {preset} says {value_text(key, value)}, which wins over {value_text(key, old)} "
                f"in {where}; --set {knob(key)}=... wins over both"
            )


def taken_over_of_many(configs: Sequence[Configuration]) -> Iterator[str]:
    """The same of many configurations: a line for each key of the file that a preset has the last word on."""
    from latchcheck.report.values import knob

    found: dict[tuple[str, str], int] = {}
    for config in configs:
        for key, origin in config.origins.items():
            if origin is not None and origin.over is not None:
                at = key, origin.over[1]
                found[at] = found.get(at, 0) + 1
    for (key, where), count in found.items():
        yield (
            f"{knob(key)}: presets say otherwise than {where} in {count} of {len(configs)} configurations, and win; "
            f"--set {knob(key)}=... wins over both"
        )
