"""The numbers of one key at which properties hold, as intervals of whole milliseconds, and how far that is known.

A value is decided by the conditions that `verify` evaluates, on the configuration with that value in place of the
present one. What is said of the values between two that were decided depends on the evidence, property by property:

- `unread`: the condition does not read the key, so it has one outcome for every value.
- `monotone`: by its form the outcome changes in one direction only, so halving finds every edge.
- `every-value`: each millisecond of the range was decided.
- `tried`: an edge is exact, since the values on both of its sides were decided; nothing else between tried values is.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal

import attrs

from latchcheck.kernel.doing import each
from latchcheck.kernel.interrupts import INTERRUPTS, is_interrupt
from latchcheck.model.config import Config
from latchcheck.model.reading import ConfigError
from latchcheck.model.reading.checks import check
from latchcheck.model.timing.schedule import RampTooLong

from .analyses import ANALYSES
from .answers import Answer, NotApplicable, Vacuous
from .facts import Facts, durations
from .monotone import why_monotone
from .unread import unread
from .verifying import shown

Label = Literal["safe", "unsafe", "vacuous", "undecided", "invalid"]
Evidence = Literal["unread", "monotone", "every-value", "tried"]

EVERY_MAX = 2_000
"""Up to so many values of a range each is decided."""
LATTICE_MAX = 600
"""How many values suggested by the other numbers are tried, beside an even grid of `EVEN` and the powers of two."""
EVEN = 48
WORST_FIRST: tuple[Label, ...] = ("invalid", "unsafe", "undecided", "vacuous", "safe")
"""The label of several properties together is the first of these that one of them has."""


@attrs.frozen
class Interval:
    """Values from `lo` to `hi`, both included, with one label; `by` are the properties that give it."""

    lo: int
    hi: int
    label: Label
    by: tuple[str, ...] = ()


@attrs.frozen
class OfProperty:
    """The intervals of one property, which cover the range, and what they rest on.

    Where it is unsafe the condition is not met, and at both ends a run of the harm was executed; where no run was
    found it is undecided.
    """

    name: str
    intervals: tuple[Interval, ...]
    evidence: Evidence
    tried: int
    why: str | None = None

    @property
    def moves(self) -> bool:
        """Whether the key makes any difference to it."""
        return len(self.intervals) > 1

    def label(self, value: int) -> Label:
        """The label of the interval that the value lies in."""
        return self.intervals[bisect_right([one.lo for one in self.intervals], value) - 1].label


@attrs.frozen
class Region:
    """One key from `lo` to `hi`; `interrupted`: properties that are missing were not looked at."""

    key: str
    lo: int
    hi: int
    properties: tuple[OfProperty, ...]
    valid: tuple[Interval, ...]
    interrupted: bool = False

    def intervals(self, names: Iterable[str] | None = None) -> tuple[Interval, ...]:
        """The intervals of several properties together: safe where each of them is."""
        wanted = None if names is None else set(names)
        chosen = [one for one in self.properties if wanted is None or one.name in wanted]
        starts = sorted({part.lo for one in (*(one.intervals for one in chosen), self.valid) for part in one})
        found: list[Interval] = []
        for start, end in zip(starts, [*(later - 1 for later in starts[1:]), self.hi], strict=True):
            labels: dict[str, Label] = {one.name: one.label(start) for one in chosen}
            bad = any(one.lo <= start <= one.hi and one.label == "invalid" for one in self.valid)
            label: Label = "invalid" if bad else worst(labels.values())
            by = tuple(name for name, one in labels.items() if one == label != "safe" and not bad)
            if found and (found[-1].label, found[-1].by) == (label, by):
                found[-1] = attrs.evolve(found[-1], hi=end)
            else:
                found.append(Interval(start, end, label, by))
        return tuple(found)


def worst(labels: Iterable[Label]) -> Label:
    """The label of several properties together."""
    found = set(labels)
    for one in WORST_FIRST:
        if one in found:
            return one
    return "safe"


def label_at(name: str, config: Config) -> Label:
    """What the condition of a property says of a configuration; a property that does not apply harms nobody."""
    try:
        outcome = ANALYSES[name](Facts(config))
    except RampTooLong:
        return "undecided"
    if isinstance(outcome, NotApplicable):
        return "safe"
    if isinstance(outcome, Vacuous):
        return "vacuous"
    return "safe" if outcome.safe else "unsafe"


def is_valid(config: Config) -> bool:
    """Whether a file with these numbers could be read: none contradicts another."""
    try:
        check(config, {})
    except ConfigError:
        return False
    return True


def region(config: Config, key: str, lo: int, hi: int, names: Sequence[str], *, every_max: int = EVERY_MAX) -> Region:
    """The region of one key between two values, both included.

    Where the user ends it, what was found by then is told.
    """
    found: list[OfProperty] = []
    interrupted = False

    def valid_at(value: int) -> Label:
        return "safe" if is_valid(config.replace({key: value})) else "invalid"

    valid = tuple(runs(Decided(valid_at), [lo, hi]))
    try:
        named = each("deciding", names, named=str)
        found.extend(of_property(config, key, lo, hi, name, every_max=every_max) for name in named)
    except INTERRUPTS as error:
        if not is_interrupt(error):
            raise
        interrupted = True
    return Region(key, lo, hi, tuple(found), valid, interrupted)


@attrs.define
class Decided:
    """Values with their labels; each is decided once."""

    decide: Callable[[int], Label]
    known: dict[int, Label] = attrs.field(factory=dict)

    def __call__(self, value: int) -> Label:
        """The label of a value."""
        if value not in self.known:
            self.known[value] = self.decide(value)
        return self.known[value]


def of_property(config: Config, key: str, lo: int, hi: int, name: str, *, every_max: int = EVERY_MAX) -> OfProperty:
    """The intervals of one property between two values, both included."""
    decided = Decided(lambda value: label_at(name, config.replace({key: value})))
    if unread(name, config, key):
        (whole,) = runs(decided, [lo])
        (part,) = _executed(name, config, key, whole)
        return OfProperty(name, (attrs.evolve(part, hi=hi),), "unread", 1)
    why = why_monotone(name, config, key)
    evidence: Evidence = "monotone"
    if why is not None:
        values: Iterable[int] = [lo, hi]
    elif hi - lo < every_max:
        values, evidence = range(lo, hi + 1), "every-value"
    else:
        values, evidence = candidates(config, key, lo, hi), "tried"
    intervals = tuple(part for one in runs(decided, values) for part in _executed(name, config, key, one))
    return OfProperty(name, intervals, evidence, len(decided.known), why)


def _executed(name: str, config: Config, key: str, one: Interval) -> Iterator[Interval]:
    """The interval; where it is unsafe, a run of the harm is executed at both ends, else that part is undecided."""
    if one.label != "unsafe":
        yield one
        return

    def executed(value: int) -> Label:
        outcome = ANALYSES[name](Facts(config.replace({key: value})))
        return "unsafe" if isinstance(outcome, Answer) and shown(outcome) is not None else "undecided"

    yield from runs(Decided(executed), [one.lo, one.hi])


def runs(decided: Decided, values: Iterable[int]) -> Iterator[Interval]:
    """The values as intervals of one label; between values that differ the edges are found by halves."""
    edges = list(dict.fromkeys(values))
    start = edges[0]
    for before, after in pairwise(edges):
        for edge in _edges(decided, before, after):
            yield Interval(start, edge - 1, decided(edge - 1))
            start = edge
    yield Interval(start, edges[-1], decided(edges[-1]))


def _edges(decided: Decided, low: int, high: int) -> Iterator[int]:
    """The first values of new labels in between, as far as halving meets them."""
    if decided(low) == decided(high):
        return
    if high - low == 1:
        yield high
        return
    middle = (low + high) // 2
    yield from _edges(decided, low, middle)
    yield from _edges(decided, middle, high)


def candidates(config: Config, key: str, lo: int, hi: int) -> list[int]:
    """Values that the other numbers suggest, and their neighbours; then an even grid and the powers of two.

    The others suggest their sums, differences and multiples.
    """
    now = config.flat()[key]
    others = {value for value in durations(config) if value is not None and value > 0} - {now}
    found = {lo, hi, *(lo + (hi - lo) * step // EVEN for step in range(EVEN + 1))}
    found |= {1 << power for power in range(hi.bit_length())}
    if isinstance(now, int):
        found |= {now - 1, now, now + 1}
    for value in _lattice(sorted(others), hi):
        if len(found) > LATTICE_MAX:
            break
        found |= {value - 1, value, value + 1}
    return sorted(value for value in found if lo <= value <= hi)


def _lattice(others: Sequence[int], hi: int) -> Iterator[int]:
    """Sums that a limit may have to cover, the simplest first."""
    yield from others
    for first in others:
        for second in others:
            yield first + second
            yield first - second
    for factor in (2, 3, 4):
        for one in others:
            yield factor * one
            yield -(-one // factor)
    for one in others:
        yield hi // one * one


def default_range(config: Config) -> tuple[int, int]:
    """From nothing to twice the greatest number of the configuration."""
    return 0, max(1_000, 2 * max((value for value in durations(config) if value), default=0))
