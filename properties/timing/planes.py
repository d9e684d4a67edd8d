"""The numbers of two keys at which properties hold: a grid of pairs, and the edges along each of its rows.

Every pair of the grid is decided, and so are both sides of each edge; nothing is said of what lies in between.
At both ends of each unsafe stretch of a row a run of a harm was executed; where none was found it is undecided.
"""

from collections.abc import Iterator, Sequence

import attrs

from latchcheck.kernel.doing import each
from latchcheck.kernel.interrupts import INTERRUPTS, is_interrupt
from latchcheck.model.config import Config

from .analyses import ANALYSES
from .answers import Answer
from .facts import Facts
from .regions import Decided, Interval, Label, is_valid, label_at, runs, worst
from .unread import unread
from .verifying import shown

COLUMNS, ROWS = 56, 16


@attrs.frozen
class Axis:
    """One key from `lo` to `hi`, and the values of it that are on the grid."""

    key: str
    lo: int
    hi: int
    values: tuple[int, ...]


@attrs.frozen
class Row:
    """The pairs with one value of the second key: the label of each on the grid, and the intervals along it."""

    value: int
    labels: tuple[Label, ...]
    intervals: tuple[Interval, ...]


@attrs.frozen
class Plane:
    """The grid, its rows from the least value of the second key to the greatest.

    `still` are the properties that read neither key, each with its label everywhere; the rows are about the others.
    `executed` counts the pairs at which a run of a harm was executed. `interrupted`: rows are missing.
    """

    across: Axis
    up: Axis
    rows: tuple[Row, ...]
    moved: tuple[str, ...]
    still: dict[str, Label]
    tried: int
    executed: int = 0
    interrupted: bool = False


def axis(key: str, lo: int, hi: int, count: int) -> Axis:
    """An even grid, both ends on it."""
    steps = min(count, hi - lo + 1) - 1
    return Axis(key, lo, hi, tuple(lo + (hi - lo) * step // steps for step in range(steps + 1)))


def plane(config: Config, across: Axis, up: Axis, names: Sequence[str]) -> Plane:
    """Decide the pairs of a grid. Where the user ends it, the rows that are whole are told."""
    still: dict[str, Label] = {
        name: _still(name, config)
        for name in names
        if unread(name, config, across.key) and unread(name, config, up.key)
    }
    # Each alone is not read; together they are neither, since the steps that lead to the outcome read none of them.
    moved = [name for name in names if name not in still]
    rows: list[Row] = []
    tried, executed, interrupted = 0, 0, False
    try:
        for value in each("deciding", up.values, "rows"):
            pairs = _Pairs(config.replace({up.key: value}), across.key, list(moved))
            decided, shows = Decided(pairs), Decided(pairs.shown)
            found = tuple(part for one in runs(decided, across.values) for part in _executed(shows, one))
            rows.append(Row(value, tuple(_label(found, one) for one in across.values), found))
            tried += len(decided.known)
            executed += sum(label == "unsafe" for label in shows.known.values())
    except INTERRUPTS as error:
        if not is_interrupt(error):
            raise
        interrupted = True
    return Plane(across, up, tuple(rows), tuple(moved), still, tried, executed, interrupted)


def _still(name: str, config: Config) -> Label:
    """The label of a property that reads neither key: unsafe only where a run of its harm was executed."""
    label = label_at(name, config)
    return "undecided" if label == "unsafe" and not _is_shown(name, config) else label


def _executed(shows: Decided, one: Interval) -> Iterator[Interval]:
    """The interval; where it is unsafe, a run of a harm is executed at both ends, else that part is undecided."""
    if one.label == "unsafe":
        yield from runs(shows, [one.lo, one.hi])
    else:
        yield one


def _label(intervals: Sequence[Interval], value: int) -> Label:
    return next(one.label for one in intervals if one.lo <= value <= one.hi)


def _is_shown(name: str, config: Config) -> bool:
    outcome = ANALYSES[name](Facts(config))
    return isinstance(outcome, Answer) and not outcome.safe and shown(outcome) is not None


@attrs.define
class _Pairs:
    """The label of a value beside a fixed one; what was bad last is asked first."""

    config: Config
    key: str
    names: list[str]

    def __call__(self, value: int) -> Label:
        config = self.config.replace({self.key: value})
        if not is_valid(config):
            return "invalid"
        found: Label = "safe"
        for name in tuple(self.names):
            label = label_at(name, config)
            if label == "unsafe":
                self.names.remove(name)
                self.names.insert(0, name)
                return label
            found = worst((found, label))
        return found

    def shown(self, value: int) -> Label:
        """Whether a run of some harm can be executed where the conditions say that there is one."""
        config = self.config.replace({self.key: value})
        bad = (name for name in self.names if label_at(name, config) == "unsafe")
        return "unsafe" if any(_is_shown(name, config) for name in bad) else "undecided"
