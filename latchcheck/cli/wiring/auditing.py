"""Logs of real servers against the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from latchcheck.counterexamples.audit import Audit

SPANS_SLACK_MS = 10_000.0
"""Exporters of spans send them in batches, each process its own, by default every 5 s."""


def audit_log(
    file: str, *, policy: str, shape: str, mapping: str | None, anywhere: bool, slack: str | None = None
) -> Audit:
    """Judge a log, `-` for standard input; `slack` None is what suits its shape.

    Raises errors for which `is_bad_input` is true, OSError, and TooMany.
    """
    from latchcheck.counterexamples.audit import SHAPES, SLACK_MS, Reading, audit, entries, mapped, opened

    read = SHAPES[shape] if mapping is None else mapped(mapping, SHAPES[shape])
    reading = Reading(policy, read.unsaid)
    slack_ms = (SPANS_SLACK_MS if read.spans else SLACK_MS) if slack is None else _slack_ms(slack)
    name = "standard input" if file == "-" else file
    with opened(file) as lines:
        made = audit(entries(lines, name, read), reading, name=name, anywhere=anywhere, slack_ms=slack_ms)
        made.unfinished = lines.unfinished
        return made


def _slack_ms(text: str) -> int:
    from latchcheck.model.reading.durations import Malformed, milliseconds
    from latchcheck.model.spelling import SpellingError

    try:
        return milliseconds(text)
    except Malformed as error:
        raise SpellingError(f"--slack: {text!r} {error.what}", error.instead) from None
