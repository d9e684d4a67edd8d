"""Events that overlap: whether some order of them is a run of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

from latchcheck.engines.explaining import TooMany

from .log import Entry
from .meaning import Reading
from .ordering import Held, before

ORDERS_MAX: Final = 20_000
"""So many beginnings of orders are tried of one group."""
LOOK: Final = "get"


@attrs.frozen
class Stuck:
    """Where no order goes on: how many events of the group the best one explains, its states, and what comes next."""

    explained: int
    states: int
    entry: Entry


def through(group: Sequence[Held], states: int, reading: Reading) -> int | Stuck:
    """The states after a group of events, by number, in whatever order they happened. Raises TooMany."""
    if len(group) == 1:
        after = reading.advance(states, group[0][4].event)
        return Stuck(0, states, group[0][4]) if after is None else after
    earlier = [sum(1 << i for i, one in enumerate(group) if one is not each and before(one, each)) for each in group]
    whole, ends = (1 << len(group)) - 1, set[int]()
    best = (-1, states, 0)
    todo, seen = [(0, states)], {(0, states)}
    while todo:
        done, number = todo.pop()
        if done == whole:
            ends.add(number)
            continue
        following = _following(group, earlier, done, number, reading)
        count = done.bit_count()
        if count > best[0]:
            best = (count, number, next(i for i in range(len(group)) if _may_come(earlier[i], done, i)))
        for one in following:
            if one not in seen:
                if len(seen) >= ORDERS_MAX:
                    raise TooMany(f"line {group[0][4].line}: more than {ORDERS_MAX} orders of events that overlap")
                seen.add(one)
                todo.append(one)
    return reading.either(ends) if ends else Stuck(best[0], best[1], group[best[2]][4])


def _following(
    group: Sequence[Held], earlier: Sequence[int], done: int, number: int, reading: Reading
) -> list[tuple[int, int]]:
    """What may come next, and where it leads to."""
    found: list[tuple[int, int]] = []
    for index, one in enumerate(group):
        if not _may_come(earlier[index], done, index):
            continue
        event = one[4].event
        after = reading.advance(number, event)
        if after == number and event.kind == LOOK:
            return [(done | 1 << index, number)]  # a look that tells nothing new loses nothing by coming first
        if after is not None:
            found.append((done | 1 << index, after))
    return found


def _may_come(earlier: int, done: int, index: int) -> bool:
    return not done >> index & 1 and not earlier & ~done
