"""Which slips in a sentence anything notices: each mutant of the sentence against the model and its faults."""

from __future__ import annotations

from typing import Literal

import attrs

from .files import Reading
from .judging import judge
from .mutating import Slip, slips
from .relations import Difference, compare_all, words_of
from .separating import Split
from .words import Model

Fate = Literal["killed", "equivalent", "not told apart", "undecided"]


@attrs.frozen(eq=False)
class Row:
    """One mutant of one sentence: `fate`, how it relates to the sentence, and the shortest run that tells them apart.

    "equivalent" is proved for every model, or with a clock for each of these; "not told apart" says that no run of
    these models shows a difference.
    """

    slip: Slip
    fate: Fate
    relation: str
    split: Split | None
    basis: str


def kill(model: Model, one: Reading) -> tuple[Row, ...]:
    """Compare a reading with each of its mutants."""
    made = slips(one, model.vocabulary)
    changed = [slip for slip in made if not _same(slip.reading, one)]
    found = dict(zip(map(id, changed), compare_all(model, one, [slip.reading for slip in changed]), strict=True))
    broken = None if len(changed) == len(made) else _broken(model, one)
    return tuple(_row(slip, found[id(slip)]) if id(slip) in found else _softer(slip, broken) for slip in made)


def _same(slip: Reading, one: Reading) -> bool:
    return slip.sentence == one.sentence and slip.assumptions == one.assumptions


def _broken(model: Model, one: Reading) -> Split | None:
    """The shortest run that breaks a reading, of the guarded model before any fault."""
    found: list[Split] = []
    for name in (model.base, *model.mutants):
        world = model.world(name, words_of([one]))
        seen = None if world is None else judge(world, one)
        if seen is not None and seen.verdict == "violated" and seen.trace is not None:
            found.append(Split(name, "B", "A", seen.trace, seen.loop, seen.stops, seen.until_ms))
            if name == model.base:
                break
    return min(found, key=lambda split: split.length, default=None)


def _softer(slip: Slip, broken: Split | None) -> Row:
    """What is only recommended forbids no run, so a run that breaks the duty tells the two apart."""
    basis = "what is only recommended forbids no run; `check` shows what ignoring it breaks"
    if broken is None:
        return Row(slip, "not told apart", "weaker", None, f"{basis}; no run of these models breaks it")
    return Row(slip, "killed", "weaker", broken, basis)


def _row(slip: Slip, found: Difference) -> Row:
    words = {"A stronger": "weaker", "B stronger": "stronger"}
    relation = words.get(found.relation, found.relation)
    if found.splits:
        return Row(slip, "killed", relation, min(found.splits, key=lambda one: one.length), found.basis)
    if found.relation == "undecided":
        return Row(slip, "undecided", relation, None, found.basis)
    # Searched to the end is a proof for the scope of a search; only proofs are called equivalent here.
    proved = found.relation == "equivalent" and len(found.proved) == len(found.worlds)
    return Row(slip, "equivalent" if proved else "not told apart", "equivalent", None, found.basis)
