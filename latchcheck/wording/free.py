"""A world in which nothing is known but what can hold together: two wordings that agree there agree in every model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as combinations
from typing import Any

import z3

from latchcheck.engines.obligations import possible
from latchcheck.kernel import Action, Bool, Choice, Clause, IntRange, System, Variable

from .conditions import Moment
from .language import Compared, Joined, Not, Phrase, Prop, Sentence
from .words import Occurrence, Vocabulary, Word, World

ATOMS_MAX = 7


def atoms(sentences: Sequence[Sentence]) -> tuple[Phrase | Compared, ...]:
    """The conditions without inner structure that sentences are made of, each once."""
    found: dict[str, Phrase | Compared] = {}

    def gather(prop: Prop) -> None:
        if isinstance(prop, Not):
            gather(prop.inner)
        elif isinstance(prop, Joined):
            for part in prop.parts:
                gather(part)
        else:
            found.setdefault(str(prop), prop)

    for one in sentences:
        for _, prop in one.props:
            gather(prop)
    return tuple(found.values())


def free_world(world: World, sentences: Sequence[Sentence]) -> World | None:
    """The free world of some sentences; None where they are made of too much to be listed."""
    parts = atoms(sentences)
    if len(parts) > ATOMS_MAX or any(isinstance(one, Compared) for one in parts):
        return None
    names = [f"p{i}" for i in range(len(parts))]
    events = [isinstance(world.value(str(one)), Occurrence) for one in parts]
    at = Moment(world, None, lambda expr: expr)
    states = [None if event else at.value(one) for one, event in zip(parts, events, strict=True)]
    inside = [
        z3.And(variable.term >= variable.domain.lo, variable.term <= variable.domain.hi)
        for variable in world.system.variables
        if isinstance(variable.domain, IntRange)
    ]
    allowed = [values for values in combinations((False, True), repeat=len(parts)) if _together(values, states, inside)]
    start = _start(world, states)
    variables = [Variable(name, Bool(), value) for name, value in zip(names, start, strict=True)]
    choices = [Choice(f"{name}'", Bool()) for name in names]
    guard = z3.Or(*(z3.And(*(c.term == v for c, v in zip(choices, values, strict=True))) for values in allowed))
    step = Action(
        "step", "anybody", (Clause("these can hold together", guard),),
        {name: choice.term for name, choice in zip(names, choices, strict=True)}, choices,
    )  # fmt: skip
    system = System("free", variables, (step,))
    words = [_word(str(one), name, event) for one, name, event in zip(parts, names, events, strict=True)]
    words += [Word(name, "assumption", "", lambda _: ()) for name in world.vocabulary.of_kind("assumption")]
    return World("free", system, None, Vocabulary.of("free", words), "every model")


def _word(phrase: str, name: str, event: bool) -> Word:  # noqa: FBT001 - private
    if event:
        return Word(phrase, "event", "", lambda _: Occurrence(("step",), picked={f"{name}'": z3.BoolVal(True)}))
    return Word(phrase, "state", "", lambda _: z3.Bool(name))


def _together(values: Sequence[bool], states: Sequence[Any], inside: Sequence[Any]) -> bool:
    """Whether the states can be so at one moment; an event may always happen or not."""
    asked = [z3.simplify(one == value) for one, value in zip(states, values, strict=True) if one is not None]
    return possible("together", [*inside, *asked]).answer != "refuted"


def _start(world: World, states: Sequence[Any]) -> list[bool]:
    pairs = [(variable.term, variable.domain.literal(variable.initial)) for variable in world.system.variables]
    return [one is not None and z3.is_true(z3.simplify(z3.substitute(one, *pairs))) for one in states]
