"""In which order the events of one task happened, as far as a log can tell.

A line may stand a little too late, and a request takes time: then its event happened somewhere between two instants,
and two of which neither ended before the other began may have happened either way round. Events wait until none can
come any more that belongs before them, and leave in groups: what is in one group overlaps, groups follow one another.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence

import attrs

from .log import Entry

Held = tuple[float, int, float, bool, Entry]
"""An event that waits: from when, its number in the log, until when, whether that is a while or an instant, itself."""


class TooLate(Exception):
    """An event stands further behind another than the log may be out of order: by how many ms."""

    def __init__(self, late_ms: float) -> None:
        super().__init__(f"{late_ms:g} ms")
        self.late_ms = late_ms


@attrs.define
class Waiting:
    """The events of one task that may still change places; `slack_ms` is by how much a line may stand too late."""

    slack_ms: float
    _held: list[Held] = attrs.field(factory=list)
    _latest: float | None = None
    _left: float = float("-inf")

    def add(self, entry: Entry, number: int) -> bool:
        """Take an event; whether it stands too late in the log. Raises TooLate where that is by more than the slack.

        One without an instant happened after what stands before it.
        """
        latest = self._latest
        at = entry.at_ms
        if at is None:
            at = float("-inf") if latest is None else latest
        until = at if entry.until_ms is None else max(at, entry.until_ms)
        lasts, late = until > at, False
        if latest is not None and until < latest:
            if until < latest - self.slack_ms:
                raise TooLate(latest - until)
            late = not lasts
        if latest is None or until > latest:
            self._latest = until
        if late:  # its instant and its place disagree: it happened somewhere between
            assert latest is not None
            until, lasts = latest, True
        held = (max(at, self._left), number, until, lasts, entry)
        if not self._held or self._held[-1] < held:
            self._held.append(held)
        else:
            insort(self._held, held)
        return late

    def ready(self, *, over: bool = False) -> Iterator[Sequence[Held]]:
        """The groups that nothing can join any more, in their order; all of them where the log is `over`."""
        held = self._held
        limit = float("inf") if over or self._latest is None else self._latest - self.slack_ms
        if limit == float("-inf"):  # nothing tells an instant: the order of the log is all there is
            limit = float("inf")
        while held and held[0][2] < limit:
            size, until = _group(held)
            if until >= limit:
                return
            group = held[:size]
            del held[:size]
            self._left = max(self._left, until)
            yield group


def before(one: Held, other: Held) -> bool:
    """Whether one event happened before another for certain."""
    if one[2] != other[0]:
        return one[2] < other[0]
    return not one[3] and not other[3] and one[1] < other[1]


def _group(held: Sequence[Held]) -> tuple[int, float]:
    """How many of the first events belong together, and until when they last."""
    last = held[0]
    for size in range(1, len(held)):
        if before(last, held[size]):
            return size, last[2]
        if (held[size][2], held[size][3]) >= (last[2], last[3]):
            last = held[size]
    return len(held), last[2]
