"""The geometry of a swim-lane timeline: a lane a party, a mark an event, a bar a stretch of time, drawn to scale.

Every place on the time axis is given twice, in per cent of its length: on a linear and on a logarithmic scale.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import log10

from attrs import frozen

from latchcheck.kernel.duration import readable
from latchcheck.kernel.telling import Moment, Span

from ..timeline import Row

ORDER = ("human", "believer", "client", "network", "server", "store", "worker", "reaper")
"""From the user's side to the store's; parties that are not named here come last, as they appear."""
TICKS = 6
STEPS = tuple(
    Fraction(size)
    for size in (
        *(1, 2, 5, 10, 20, 50, 100, 200, 500),
        *(1_000, 2_000, 5_000, 10_000, 15_000, 30_000),
        *(60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000),
        *(3_600_000, 7_200_000, 14_400_000, 28_800_000, 43_200_000, 86_400_000),
        *(7 * 86_400_000, 30 * 86_400_000, 365 * 86_400_000),
    )
)
"""Distances between ticks that people read at a glance, in ms."""


@frozen
class Spot:
    """A place on the time axis, in per cent of its length, on both scales."""

    linear: float
    log: float


@frozen
class Mark:
    """An event: which step it is (from 0), where it stands, in which lane (from 0), and its words."""

    step: int
    spot: Spot
    lane: int
    words: str
    harm: bool


@frozen
class Bar:
    """A stretch of time in a lane, in one of the rows below its marks; `open` where it ends after the run."""

    label: str
    start: Spot
    end: Spot
    lane: int
    row: int
    harm: bool
    open: bool


@frozen
class Tick:
    """A labelled instant of one of the scales."""

    at: float
    label: str


@frozen
class Drawing:
    """A run, ready to be drawn; `rows` says how many rows of bars each lane has.

    A run without clock has its steps at even distances, and no logarithmic scale.
    """

    lanes: tuple[str, ...]
    rows: tuple[int, ...]
    marks: tuple[Mark, ...]
    bars: tuple[Bar, ...]
    linear: tuple[Tick, ...]
    log: tuple[Tick, ...]
    timed: bool


def drawing(moments: Sequence[Moment], rows: Sequence[Row], spans: Sequence[Span]) -> Drawing:
    """Lay out a run: its moments, a row of words for each of them, and the bars of its model."""
    timed = any(moment.step.at_ms is not None for moment in moments)
    instants = [moment.at_ms if timed else Fraction(count) for count, moment in enumerate(moments)]
    spans = spans if timed else ()
    end = max([*instants, *(one.to_ms for one in spans if one.to_ms is not None), Fraction(1)])
    seen = [moment.step.party for moment in moments] + [one.party for one in spans]
    lanes = tuple(sorted(dict.fromkeys(seen), key=lambda party: ORDER.index(party) if party in ORDER else len(ORDER)))
    scale = _scale(instants, end)
    marks = tuple(
        Mark(count, scale(at), lanes.index(moment.step.party), _words(row), row.marked)
        for count, (at, moment, row) in enumerate(zip(instants, moments, rows, strict=True))
    )
    bars, depth = _bars(spans, lanes, scale, end)
    linear = tuple(Tick(scale(at).linear, readable(at) if timed else str(int(at) + 1)) for at in _even(end))
    log = tuple(Tick(scale(at).log, readable(at)) for at in _powers(instants, end)) if timed else ()
    return Drawing(lanes, depth, marks, bars, linear, log, timed)


def _words(row: Row) -> str:
    lead = f"{row.time}, {row.party}: {row.event}" if row.time else f"{row.party}: {row.event}"
    return f"{lead} ({row.changed})" if row.changed else lead


def _scale(instants: Sequence[Fraction], end: Fraction) -> Callable[[Fraction], Spot]:
    unit = _unit(instants)

    def spot(at: Fraction) -> Spot:
        share = float(at / end)
        lengths = (log10(1 + float(max(one, Fraction(0)) / unit)) for one in (at, end))
        part, whole = lengths
        return Spot(round(100 * share, 3), round(100 * part / whole, 3) if whole else 0.0)

    return spot


def _unit(instants: Sequence[Fraction]) -> Fraction:
    """Below this, the logarithmic scale is as good as linear, so that it can begin with zero."""
    return min((at for at in instants if at > 0), default=Fraction(1))


def _bars(
    spans: Sequence[Span], lanes: Sequence[str], scale: Callable[[Fraction], Spot], end: Fraction
) -> tuple[tuple[Bar, ...], tuple[int, ...]]:
    """Each bar in the first row of its lane that is still free where it begins."""
    taken: list[list[Fraction]] = [[] for _ in lanes]
    bars: list[Bar] = []
    for one in sorted(spans, key=lambda span: (span.from_ms, span.label)):
        lane, until = lanes.index(one.party), end if one.to_ms is None else one.to_ms
        row = next((row for row, busy in enumerate(taken[lane]) if busy < one.from_ms), len(taken[lane]))
        taken[lane][row : row + 1] = [until]
        open_end = one.to_ms is None
        bars.append(Bar(one.label, scale(one.from_ms), scale(until), lane, row, one.harm, open_end))
    return tuple(bars), tuple(len(rows) for rows in taken)


def _even(end: Fraction) -> list[Fraction]:
    step = next((one for one in STEPS if end / one <= TICKS), STEPS[-1])
    return [step * count for count in range(int(end / step) + 1)]


def _powers(instants: Sequence[Fraction], end: Fraction) -> list[Fraction]:
    """Zero, and then each readable distance that is far enough from the one before."""
    chosen = [Fraction(0)]
    scale = _scale(instants, end)
    for one in STEPS:
        if _unit(instants) <= one <= end and scale(one).log - scale(chosen[-1]).log >= 100 / (TICKS + 2):
            chosen.append(one)
    return chosen
