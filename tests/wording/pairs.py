"""Every two readings of a file, told apart in one search of each model: all monitors look on at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import attrs

from latchcheck.wording.files import Document, Reading
from latchcheck.wording.relations import words_of
from latchcheck.wording.separating import Split, separate_all, watch
from latchcheck.wording.words import Model

Run = tuple[str, int]
"""The model in which a run was found, and its steps."""


@attrs.frozen(eq=False)
class Apart:
    """What is known of two readings: the shortest run that obeys the first and breaks the second, and the reverse.

    A reading that allows is used, not obeyed, and no run breaks it.
    """

    first: Split | None
    second: Split | None
    relation: str


def told_apart(model: Model, document: Document) -> dict[tuple[str, str], Apart]:
    """Compare each two readings of a file in every model; a run of the file's own model goes before any other."""
    readings = document.readings
    words = words_of(readings)
    sides = [pair for i, j in combinations(range(len(readings)), 2) for pair in ((i, j), (j, i))]
    found: dict[tuple[int, int], Split] = {}
    for name in (model.base, *model.also, *model.mutants):
        world = model.world(name, words)
        left = [pair for pair in sides if pair not in found or found[pair].world != model.base]
        if world is None or not left:
            continue
        for pair, (split, complete) in separate_all(watch(world, readings), left).items():
            assert complete, (name, pair)
            if split is not None and (pair not in found or split.length < found[pair].length):
                found[pair] = split
    return {
        (readings[i].name, readings[j].name): Apart(
            found.get((i, j)), found.get((j, i)), _relation(readings, i, j, found.keys())
        )
        for i, j in combinations(range(len(readings)), 2)
    }


def _relation(readings: Sequence[Reading], i: int, j: int, found: object) -> str:
    one, other = (i, j) in found, (j, i) in found  # type: ignore[operator]
    if one and other:
        return "incomparable"
    if one or other:
        return "B stronger" if one else "A stronger"
    allows = [readings[k].sentence.pattern == "possibility" for k in (i, j)]
    return "compatible" if allows[0] != allows[1] else "equivalent"
