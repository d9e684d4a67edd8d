"""Exhaustive search of a system: breadth first, so the first counterexample is a shortest one.

Limits of soundness: the verdict speaks about the states that the setting lets it reach.
With a clock, time passes in whole ticks and stops at the horizon, and dense choices are read as multiples of the tick;
`complete` says only that this finite system was searched to the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from latchcheck.kernel import Domain, ModelError, Property, Real, System

from .exploration import Exploration, Options, Progress
from .symmetry import Symmetry
from .ticks import ELAPSE, TickSearch
from .ticks_source import Number, Setting

TICK_STATES_MAX = 1_000_000

__all__ = ["ELAPSE", "Exploration", "Options", "Progress", "Symmetry", "explore"]


def explore(
    system: System,
    properties: Sequence[Property] = (),
    *,
    states_max: int | None = None,
    horizon_ms: Number | None = None,
    unit_ms: Number = 1,
    bounds: Mapping[str, tuple[Number, Number]] | None = None,
    options: Options | None = None,
) -> Exploration:
    """Search every state of a system breadth first and stop at the first broken property, or go on if so asked.

    A finite system (enums, bools, ranges of integers) is searched in packed form, see `Options`.
    A system with a clock also lets `unit_ms` milliseconds pass wherever every urgency clause still holds afterwards,
    until `horizon_ms`; events happen at the present instant.
    Dense choices are the multiples of `unit_ms` between their lower and upper bound, or between `bounds[name]`.
    "always" is judged in every state where the antecedent holds, "never-changes" on every step that leaves such a
    state: each clause must be as true after as before.
    "leads-to" is judged once a finite system was searched to the end: from every state where the antecedent holds, all
    clauses hold together now or later in every run that is fair. A search that ends early leaves it open, and symmetry
    is refused: a loop among representatives need not be one of the system.
    ModelError: open parameters, values outside their domain, a question that this kind of system cannot answer.
    """
    options = options or Options()
    if system.clock is None and not any(isinstance(domain, Real) for domain in _domains(system)):
        from .layout import NotPackable
        from .packed import explore_packed

        try:
            return explore_packed(system, tuple(properties), states_max, options)
        except NotPackable as reason:
            _refuse_options(system, properties, options, str(reason))
    else:
        _refuse_options(system, properties, options, "it has a clock or dense numbers")
    run = TickSearch(system, tuple(properties), Setting(unit_ms, horizon_ms, bounds or {}))
    return run.search(TICK_STATES_MAX if states_max is None else states_max)


def _domains(system: System) -> list[Domain]:
    choices = (choice for action in system.actions for choice in action.choices)
    return [item.domain for item in (*system.variables, *choices)]


def _refuse_options(system: System, properties: Sequence[Property], options: Options, reason: str) -> None:
    """What only the packed search can do is an error elsewhere, never passed over."""
    for asked in properties:
        if asked.expectation == "leads-to":
            raise ModelError(
                f"property {asked.id!r} is a leads-to, which needs a finite system; {system.name!r} is not: {reason}"
            )
    if options.symmetry or options.keep_going or options.searcher != "auto":
        raise ModelError(
            f"symmetry, keep_going and searcher need a finite system; {system.name!r} is searched in ticks: {reason}"
        )
    if system.clock is not None and any(action.name == ELAPSE for action in system.actions):
        raise ModelError(f"system {system.name!r} has an action named {ELAPSE!r}, which stands for time passing here")
