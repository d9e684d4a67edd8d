"""Makes a run smaller while it still shows the same: drops events, merges them, lowers their times and numbers.

Delta debugging after A. Zeller and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002), on
abstract events instead of characters.
The result is not always a shortest run: it is one from which no one or two events can be taken away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations

import attrs

from latchcheck.kernel import FrozenMap, Value

from .fixture import Event

Steps = tuple[Event, ...]
Replays = Callable[[Steps], bool]
"""Whether these steps are a run that still shows what the original shows."""

TRIES_MAX = 20_000
PAIRS_STEPS_MAX = 40
"""Runs longer than this are not searched for pairs of events, of which there are too many."""
MOVED_STEPS_MAX = 12
"""Runs longer than this are not searched for an event that could come earlier."""


def minimise(steps: Steps, replays: Replays, *, tries_max: int = TRIES_MAX) -> Steps:
    """A run made of these steps that still replays and that no single change below makes smaller.

    The changes: leave out one or more events, put two alike that follow one another together, let the rest of the run
    come earlier, make a number smaller, let one event of a short run come before others and leave out some.
    Each is tried in a fixed order, so the result is always the same.
    At most `tries_max` runs are tried. Raises ValueError where the steps do not replay to begin with.
    """
    search = _Search(replays, tries_max)
    if not search.tries(steps):
        raise ValueError("the run does not replay to begin with, so there is nothing to minimise")
    changes = (_without_some, _without_two, _merged, _earlier, _with_less, _moved_without)
    while True:
        smaller = next((better for change in changes if (better := search.first(change(steps))) is not None), None)
        if smaller is None:
            return steps
        steps = smaller


class _Search:
    """Tries runs, each once, up to a limit."""

    def __init__(self, replays: Replays, tries_max: int) -> None:
        self._replays = replays
        self._left = tries_max
        self._failed: set[Steps] = set()

    def tries(self, steps: Steps) -> bool:
        """Whether the steps replay."""
        if steps in self._failed or self._left <= 0:
            return False
        self._left -= 1
        if self._replays(steps):
            return True
        self._failed.add(steps)
        return False

    def first(self, candidates: Iterator[Steps]) -> Steps | None:
        """The first of some runs that replays."""
        return next((steps for steps in candidates if self.tries(steps)), None)


def _without_some(steps: Steps) -> Iterator[Steps]:
    """Without a stretch of events: half of them first, single ones last, the late ones before the early ones."""
    size = len(steps) // 2
    while size > 0:
        for start in range(len(steps) - size, -1, -1):
            rest = steps[:start] + steps[start + size :]
            if rest:
                yield rest
        size //= 2


def _without_two(steps: Steps) -> Iterator[Steps]:
    """Without two events that do not follow one another: one may need the other."""
    if len(steps) > PAIRS_STEPS_MAX:
        return
    for i, j in combinations(range(len(steps)), 2):
        rest = steps[:i] + steps[i + 1 : j] + steps[j + 1 :]
        if rest:
            yield rest


def _merged(steps: Steps) -> Iterator[Steps]:
    """With two events of one kind that follow one another put together, their numbers added up."""
    for i in range(len(steps) - 1):
        one, other = steps[i], steps[i + 1]
        if (one.party, one.action) != (other.party, other.action):
            continue
        args = {name: _added(value, other.args.get(name)) for name, value in one.args.items()}
        # The later instant is the one at which both have happened.
        yield (*steps[:i], attrs.evolve(other, args=args), *steps[i + 2 :])


def _moved_without(steps: Steps) -> Iterator[Steps]:
    """With an event moved to an earlier place, and without one or two others that it then does without.

    Where an event must come first for a shorter run, no leaving out alone leads there.
    """
    if len(steps) > MOVED_STEPS_MAX or any(one.at_ms is not None for one in steps):
        return
    for place in range(1, len(steps)):
        for to in range(place):
            moved = (*steps[:to], steps[place], *steps[to:place], *steps[place + 1 :])
            yield from (moved[:i] + moved[i + 1 :] for i in range(len(moved)) if i != to)
            yield from (
                moved[:i] + moved[i + 1 : j] + moved[j + 1 :]
                for i, j in combinations(range(len(moved)), 2)
                if to not in (i, j)
            )


def _added(one: Value, other: Value | None) -> Value:
    if _is_number(one) and _is_number(other):
        return one + other  # type: ignore[operator]
    return one if other is None else other


def _earlier(steps: Steps) -> Iterator[Steps]:
    """With an event and all after it moved towards the event before, as far as can be, then the event alone."""
    before: Fraction | int = 0
    for i, event in enumerate(steps):
        if event.at_ms is None:
            continue
        for gap in _lower(event.at_ms - before):
            by = event.at_ms - before - gap
            rest = tuple(one if one.at_ms is None else attrs.evolve(one, at_ms=one.at_ms - by) for one in steps[i:])
            yield steps[:i] + rest
            yield (*steps[:i], rest[0], *steps[i + 1 :])
        before = event.at_ms


def _with_less(steps: Steps) -> Iterator[Steps]:
    """With a number that an event picked made smaller."""
    for i, event in enumerate(steps):
        for name, value in event.args.items():
            if _is_number(value):
                assert not isinstance(value, str)
                for less in _lower(value):
                    args = FrozenMap({**event.args, name: less})
                    yield (*steps[:i], attrs.evolve(event, args=args), *steps[i + 1 :])


def _lower(value: Fraction | int) -> Iterator[Fraction | int]:
    """Numbers nearer to zero: zero, then ever nearer to the number itself, whole ones only."""
    if value < 0:
        return
    whole = value.numerator // value.denominator
    step = whole
    while step > 0:
        yield whole - step
        step //= 2
    if whole != value:
        yield whole


def _is_number(value: object) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)
