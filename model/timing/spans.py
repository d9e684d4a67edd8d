"""The stretches of time in the runs of the timing systems that a picture shows as bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from latchcheck.kernel.telling import Moment, Span

from ..config import Config

ENDED = ("write_terminal", "work_stops", "crash")
CREATED = "create"


def spans(config: Config, moments: Sequence[Moment]) -> tuple[Span, ...]:
    """The work, the limits that run from the creation, and the silence that the orphan sweep judges."""
    return (*_from_creation(config, moments), *_silences(config, moments))


def _from_creation(config: Config, moments: Sequence[Moment]) -> Iterator[Span]:
    born = next((one.at_ms for one in moments if one.step.action == CREATED), None)
    if born is None:
        return
    ended = next((one.at_ms for one in moments if one.step.action in ENDED and one.step.party == "worker"), None)
    yield Span("work", "worker", born, ended)
    ttl_ms = config.enforced_ttl_ms_effective
    if ttl_ms is not None and config.enforced_anchor_effective == "creation":
        yield Span("ttl", "server", born, born + ttl_ms, harm=_ends_by(moments, "ttl_ended", "expired_live"))
    deadline_ms = config.server.execution_deadline_ms
    if deadline_ms is not None:
        yield Span("execution deadline", "server", born, born + deadline_ms, harm=_ends_by(moments, "cut_short"))


def _silences(config: Config, moments: Sequence[Moment]) -> Iterator[Span]:
    window_ms = config.server.orphan_window_ms
    for one in moments:
        if window_ms is None or not one.becomes("cause", "orphans"):
            continue
        contact = Fraction(one.old("last_contact", 0))
        yield Span("orphan window", "server", contact, contact + window_ms)
        yield Span("silence", "client", contact, one.at_ms, harm=True)


def _ends_by(moments: Sequence[Moment], *flags: str) -> bool:
    return any(one.becomes(flag) for one in moments for flag in flags)
