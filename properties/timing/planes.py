"""The numbers of two keys at which properties hold: a grid of pairs, and the edges along each of its rows.

Every pair of the grid is decided, and so are both sides of each edge; nothing is said of what lies in between.
"""

from collections.abc import Sequence

import attrs

from latchcheck.kernel.doing import each
from latchcheck.kernel.interrupts import INTERRUPTS, is_interrupt
from latchcheck.model.config import Config

from .regions import Decided, Interval, Label, is_valid, label_at, runs, worst
from .unread import unread

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
    `interrupted`: rows are missing.
    """

    across: Axis
    up: Axis
    rows: tuple[Row, ...]
    moved: tuple[str, ...]
    still: dict[str, Label]
    tried: int
    interrupted: bool = False


def axis(key: str, lo: int, hi: int, count: int) -> Axis:
    """An even grid, both ends on it."""
    steps = min(count, hi - lo + 1) - 1
    return Axis(key, lo, hi, tuple(lo + (hi - lo) * step // steps for step in range(steps + 1)))


def plane(config: Config, across: Axis, up: Axis, names: Sequence[str]) -> Plane:
    """Decide the pairs of a grid. Where the user ends it, the rows that are whole are told."""
    still: dict[str, Label] = {
        name: label_at(name, config)
        for name in names
        if unread(name, config, across.key) and unread(name, config, up.key)
    }
    # Each alone is not read; together they are neither, since the steps that lead to the outcome read none of them.
    moved = [name for name in names if name not in still]
    rows: list[Row] = []
    tried, interrupted = 0, False
    try:
        for value in each("deciding", up.values, "rows"):
            decided = Decided(_Pairs(config.replace({up.key: value}), across.key, list(moved)))
            labels: tuple[Label, ...] = tuple(decided(one) for one in across.values)
            rows.append(Row(value, labels, tuple(runs(decided, across.values))))
            tried += len(decided.known)
    except INTERRUPTS as error:
        if not is_interrupt(error):
            raise
        interrupted = True
    return Plane(across, up, tuple(rows), tuple(moved), still, tried, interrupted)


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
