"""Remarks on stderr that change no answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator
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
