"""Which slips in a sentence anything notices: each mutant of the sentence against the model and its faults."""

from __future__ import annotations

from typing import Literal

import attrs

from .files import Reading
from .mutating import Slip, slips
from .relations import Difference, compare_all
from .separating import Split
from .words import Model

Fate = Literal["killed", "equivalent", "not told apart", "undecided"]


@attrs.frozen(eq=False)
class Row:
    """One mutant of one sentence: `fate`, how it relates to the sentence, and the shortest run that tells them apart.

    "equivalent" is proved for every model; "not told apart" says that no run of these models shows a difference.
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
    return tuple(_row(slip, found[id(slip)]) if id(slip) in found else _softer(slip) for slip in made)


def _same(slip: Reading, one: Reading) -> bool:
    return slip.sentence == one.sentence and slip.assumptions == one.assumptions


def _softer(slip: Slip) -> Row:
    """What is only recommended forbids no run."""
    return Row(
        slip, "killed", "weaker", None, "what is only recommended forbids no run; `check` shows what ignoring it breaks"
    )


def _row(slip: Slip, found: Difference) -> Row:
    words = {"A stronger": "weaker", "B stronger": "stronger"}
    relation = words.get(found.relation, found.relation)
    if found.splits:
        return Row(slip, "killed", relation, min(found.splits, key=lambda one: len(one.trace)), found.basis)
    if found.relation == "undecided":
        return Row(slip, "undecided", relation, None, found.basis)
    proved = not found.worlds
    return Row(slip, "equivalent" if proved else "not told apart", relation, None, found.basis)
