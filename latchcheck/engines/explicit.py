"""Exhaustive search of a system: breadth first, so the first counterexample is a shortest one.

Limits of soundness: the verdict speaks about the states that the setting lets it reach.
With a clock, time passes in whole ticks and stops at the horizon, and dense choices are read as multiples of the tick;
`complete` says only that this finite system was searched to the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from latchcheck.kernel import ModelError, Property, System

from .exploration import Exploration, Options, Progress
from .layout import Grid, NotPackable, Number
from .symmetry import Symmetry
from .ticks import ELAPSE, TickSearch
from .ticks_source import Setting

EXACT_STATES_MAX = 1_000_000

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

    States are searched in packed form, see `Options`; what has none is searched over exact values, more slowly.
    A system with a clock also lets `unit_ms` milliseconds pass wherever every urgency clause still holds afterwards,
    until `horizon_ms`; events happen at the present instant.
    Dense choices are the multiples of `unit_ms` between their lower and upper bound, or between `bounds[name]`.
    "always" is judged in every state where the antecedent holds, "never-changes" on every step that leaves such a
    state: each clause must be as true after as before.
    "leads-to" is judged once a finite system was searched to the end: from every state where the antecedent holds, all
    clauses hold together now or later in every run that is fair. A search that ends early leaves it open, and symmetry
    is refused: a loop among representatives need not be one of the system. Partial-order reduction is refused too.
    Where the user ends it, the interrupt is raised, unless the options keep what was found.
    ModelError: open parameters, values outside their domain, a question that this kind of system cannot answer.
    """
    options = options or Options()
    grid = Grid(unit_ms, horizon_ms, bounds or {})
    found = _explored(system, tuple(properties), states_max, grid, options)
    if found.stopped == "interrupt" and not options.keep_interrupted:
        raise KeyboardInterrupt
    return found


def _explored(
    system: System, properties: tuple[Property, ...], states_max: int | None, grid: Grid, options: Options
) -> Exploration:
    if system.clock is not None:
        _check_clock(system, properties, options)
    if options.searcher != "exact":
        from .packed import explore_packed

        try:
            return explore_packed(system, properties, states_max, options, grid)
        except NotPackable as reason:
            _refuse_options(system, properties, options, f": {reason}")
    _refuse_options(system, properties, options, "")
    run = TickSearch(system, properties, Setting(grid.unit_ms, grid.horizon_ms, grid.bounds))
    return run.search(EXACT_STATES_MAX if states_max is None else states_max)


def _check_clock(system: System, properties: Sequence[Property], options: Options) -> None:
    for asked in properties:
        if asked.expectation == "leads-to":
            raise ModelError(
                f"property {asked.id!r} is a leads-to, and {system.name!r} has a clock: a search that ends at a "
                "horizon cannot tell what happens for ever"
            )
    if options.symmetry:
        raise ModelError(f"symmetry is for systems without a clock; {system.name!r} has one")
    if options.reduction:
        from .reduction import check_reduction

        check_reduction(system, properties)
    if any(action.name == ELAPSE for action in system.actions):
        raise ModelError(f"system {system.name!r} has an action named {ELAPSE!r}, which stands for time passing here")


def _refuse_options(system: System, properties: Sequence[Property], options: Options, reason: str) -> None:
    """What only the packed search can do is an error elsewhere, never passed over."""
    later = any(asked.expectation == "leads-to" for asked in properties)
    packed = options.symmetry or options.keep_going or options.reduction
    if later or packed or options.searcher not in ("auto", "exact"):
        raise ModelError(
            "leads-to, symmetry, reduction, keep_going and a choice of searcher need a system in packed form; "
            f"{system.name!r} is searched over exact values{reason}"
        )
