"""Logs of real servers against the model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from latchcheck.counterexamples.audit import Audit


def audit_log(
    file: str,
    *,
    policy: str,
    shape: str,
    mapping: str | None,
    anywhere: bool,
) -> Audit:
    """Judge a log, `-` for standard input.

    Raises errors for which `is_bad_input` is true, OSError, and TooMany.
    """
    from latchcheck.counterexamples.audit import SHAPES, Reading, audit, entries, mapped

    read = SHAPES[shape] if mapping is None else mapped(mapping, SHAPES[shape])
    reading = Reading(policy, read.unsaid)
    if file == "-":
        return audit(entries(sys.stdin, "-", read), reading, name="standard input", anywhere=anywhere)
    with Path(file).open(encoding="utf-8", errors="backslashreplace") as lines:
        return audit(entries(lines, file, read), reading, name=file, anywhere=anywhere)
