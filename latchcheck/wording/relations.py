"""The relation of two wordings: which runs each forbids, and the words that make the difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import attrs
import z3

from latchcheck.kernel.doing import each

from .by_wording import implied_by_wording
from .causes import cause
from .files import Reading
from .language import used
from .moments import finer
from .proving import can_be_proved, proved
from .separating import Split, Watched, condition, separate_all, watch
from .words import Model, World

Relation = Literal[
    "equivalent", "not told apart", "A stronger", "B stronger", "incomparable", "compatible", "undecided"
]  # fmt: skip
"""A MAY forbids nothing: a MUST is stronger than it where some run that uses it breaks the MUST, else "compatible"."""
CHUNK = 6
"""How many sentences look on in one search: each multiplies the states a little, and each search costs its start."""


@attrs.frozen(eq=False)
class Difference:
    """What a comparison found.

    `basis` says what the relation is proved over; `splits` hold for each direction the shortest run.
    `cause` is the first difference in words that the first run turns on: what A says, what B says.
    `worlds` were searched; `given_up` could not be to the end.
    `proved` are the worlds with a clock of which induction shows, in dense time and for runs of any length, that the
    directions without a run have none.
    """

    relation: Relation
    basis: str
    splits: tuple[Split, ...]
    cause: tuple[str, str] | None
    worlds: tuple[str, ...]
    given_up: tuple[str, ...] = ()
    proved: tuple[str, ...] = ()


# -- two readings -------------------------------------------------------------------------------------------------


def compare(model: Model, a: Reading, b: Reading) -> Difference:
    """The relation of two readings: by wording, then over the runs of the guarded model and of every fault."""
    return compare_all(model, a, [b])[0]


def compare_all(model: Model, a: Reading, others: Sequence[Reading]) -> list[Difference]:
    """The relation of one reading to each of some others."""
    words = words_of([a, *others])
    base = model.world(model.base, words)
    assert base is not None
    implied = {k: implied_by_wording(base, a, other) for k, other in enumerate(others)}
    same = {k for k, sides in implied.items() if all(sides)}
    left = [k for k in range(len(others)) if k not in same]
    seen = _Seen(model.base, implied)
    for start in range(0, len(left), CHUNK):
        seen.search(model, words, a, {k: others[k] for k in left[start : start + CHUNK]})
    return [PROVED if k in same else seen.difference(model, words, base, a, others[k], k) for k in range(len(others))]


IMPLIED = "that one asks for the other is proved by their wording, for every model and runs of any length"
PROVED = Difference("equivalent", "proved by their wording for every model, for runs of any length", (), None, ())


def words_of(readings: Sequence[Reading]) -> tuple[str, ...]:
    """Every phrase that some readings use, their assumptions included."""
    found = [
        word
        for one in readings
        for word in (*used(one.sentence), *one.assuming, *(w for limit in one.restricting for w in used(limit)))
    ]
    return tuple(dict.fromkeys(found))


class _Seen:
    """The shortest run for each direction of each comparison so far, a run of the guarded model before any other."""

    def __init__(self, base: str, implied: Mapping[int, tuple[bool, bool]]) -> None:
        self.base, self.implied = base, implied
        self.splits: dict[tuple[int, int], Split] = {}
        self.searched: dict[str, None] = {}
        self.given_up: dict[int, dict[str, None]] = {}

    def search(self, model: Model, words: Sequence[str], a: Reading, others: dict[int, Reading]) -> None:
        for name in each("comparing in", (model.base, *model.also, *model.mutants), named=str):
            world = model.world(name, words)
            if world is None:
                continue
            self.searched[name] = None
            open_ = {k: one for k, one in others.items() if not all(self._settled(k, side) for side in (0, 1))}
            watched = watch(world, [a, *open_.values()])
            pairs = {
                pair: (k, side)
                for at, k in enumerate(open_, start=1)
                for side, pair in enumerate(((0, at), (at, 0)))
                if not self._settled(k, side)
            }
            if not pairs:
                continue
            for pair, (split, complete) in separate_all(watched, list(pairs)).items():
                k, side = pairs[pair]
                if not complete:
                    self.given_up.setdefault(k, {})[name] = None
                if split is not None and self._better(split, k, side):
                    self.splits[k, side] = attrs.evolve(split, obeys="AB"[side], breaks="BA"[side])

    def _settled(self, k: int, side: int) -> bool:
        return (k, side) in self.splits and self.splits[k, side].world == self.base

    def _better(self, split: Split, k: int, side: int) -> bool:
        found = self.splits.get((k, side))
        return found is None or split.length < found.length

    def difference(self, model: Model, words: Sequence[str], base: World, a: Reading, b: Reading, k: int) -> Difference:
        given_up = tuple(self.given_up.get(k, ()))
        timed = base.system.clock is not None and not given_up
        shown = self._proved(model, words, a, b, k) if timed else ()
        found = {side: self.splits[k, side] for side in (0, 1) if (k, side) in self.splits}
        relation = _relation(found, bool(given_up))
        if relation == "equivalent" and (a.sentence.pattern == "possibility") != (b.sentence.pattern == "possibility"):
            relation = "compatible"
        splits = tuple(found.values())
        why = cause(model.world(splits[0].world, words), a, b, splits[0]) if splits else None
        if relation == "equivalent" and timed and len(shown) < len(self.searched):
            relation = "not told apart"
        if len(found) == 1 and all(self.implied[k][side] for side in (0, 1) if side not in found):
            return Difference(relation, IMPLIED, splits, why, tuple(self.searched), given_up)
        basis = _basis(base, list(self.searched), shown)
        return Difference(relation, basis, splits, why, tuple(self.searched), given_up, shown)

    def _proved(self, model: Model, words: Sequence[str], a: Reading, b: Reading, k: int) -> tuple[str, ...]:
        """The worlds in which induction shows that no run goes in the directions in which the search found none.

        Where it does not, time is searched in finer steps, for what whole milliseconds leave between them.
        """
        shown: list[str] = []
        for name in self.searched:
            sides = [side for side in (0, 1) if (k, side) not in self.splits and not self.implied[k][side]]
            world = model.world(name, words)
            assert world is not None
            if not sides or not can_be_proved(watch(world, [a, b])):
                break
            if proved(world, [a, b], _apart(sides)) is not None:
                shown.append(name)
                continue
            pairs = {_pair(side): side for side in sides}
            for pair, (split, _) in separate_all(watch(finer(world), [a, b]), list(pairs)).items():
                if split is not None:
                    side = pairs[pair]
                    self.splits[k, side] = attrs.evolve(split, obeys="AB"[side], breaks="BA"[side])
            sides = [side for side in sides if (k, side) not in self.splits]
            if sides:
                if len(sides) == len(pairs) or proved(world, [a, b], _apart(sides)) is None:
                    break
                shown.append(name)
        return tuple(shown)


def _pair(side: int) -> tuple[int, int]:
    return (0, 1) if side == 0 else (1, 0)


def _apart(sides: Sequence[int]) -> Callable[[Watched], Any]:
    return lambda watched: z3.Or(*(condition(watched, *_pair(side)) for side in sides))


def _relation(splits: dict[int, Split], partial: bool) -> Relation:  # noqa: FBT001 - private
    if 0 in splits and 1 in splits:
        return "incomparable"
    if partial:
        return "undecided"
    # A run that obeys A and breaks B says that B asks for more.
    return "B stronger" if 0 in splits else "A stronger" if 1 in splits else "equivalent"


def _basis(base: World, searched: Sequence[str], shown: Sequence[str]) -> str:
    worlds = "1 model" if len(searched) == 1 else f"{len(searched)} models, the guarded one and each fault"
    if shown and len(shown) == len(searched):
        return f"proved by induction in {worlds}: runs of any length, in dense time, at the numbers of each"
    length = base.scope if base.horizon_ms is not None else f"runs of any length, scope {base.scope}"
    more = (
        f"; proved by induction, for runs of any length in dense time, in {len(shown)} of them, at its numbers"
        if shown
        else ""
    )
    return f"searched to the end in {worlds}: {length}{more}"
