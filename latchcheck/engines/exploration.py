"""What a search can be asked for beside its bounds, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import attrs

from latchcheck.kernel import FrozenMap, Trace

from .symmetry import Symmetry

MEMORY_MAX_BYTES = 2 << 30

Stopped = Literal["violation", "states", "memory", "no-memory", "interrupt"]
Searcher = Literal["auto", "python", "compiled", "exact"]


@attrs.frozen
class Progress:
    """How far a search is: states found, states not yet looked at, steps taken, seconds since it began."""

    states: int
    waiting: int
    transitions: int
    seconds: float


@attrs.frozen
class Options:
    """How to search a finite system.

    `symmetry` keeps states that differ in interchangeable members as one; none means the plain search.
    `fairness` names the actions that happen if they stay enabled (weak fairness), for leads-to; as a mapping it names
    for each the choices whose every value is treated so by itself: {"finish": ("worker",)}.
    `within` bounds a leads-to: property id to the number of steps after which the goal must have come.
    `keep_going` searches on after a violation, for a shortest counterexample of every property.
    `memory_max_bytes` ends the search when the states take more.
    `progress` is called about twice a second.
    `reduction` leaves out orders of steps that do not meet (reduction.py): fewer states, the same verdicts, searched in
    pure Python; a violation is then searched for again without it, for a shortest run.
    `keep_interrupted`: where the user ends the search, what was found by then is the answer, with `stopped` saying so;
    otherwise the interrupt is raised, so that nobody takes it for an answer.
    `searcher` chooses between packed states in pure Python and in compiled code, which "auto" does by their number,
    and the slow search over exact values, which shares no generated code with them.
    """

    symmetry: tuple[Symmetry, ...] = attrs.field(default=(), converter=tuple)
    fairness: Mapping[str, Sequence[str]] = attrs.field(
        factory=dict, converter=lambda given: given if isinstance(given, Mapping) else dict.fromkeys(given, ())
    )
    within: Mapping[str, int] = attrs.field(factory=dict)
    keep_going: bool = False
    memory_max_bytes: int = MEMORY_MAX_BYTES
    progress: Callable[[Progress], None] | None = None
    searcher: Searcher = "auto"
    reduction: bool = False
    keep_interrupted: bool = False


@attrs.frozen
class Exploration:
    """What a search found.

    `states` are distinct states, `transitions` the steps between them (a step that leads back to a known state counts),
    `depth` the number of steps to the state farthest from the start, `fired` how often each action happened.
    `complete` says that every state was looked at; where it is False, `stopped` says what ended the search: "memory" is
    the limit that was set, "no-memory" is a machine that gives no more.
    `violated` and `clause` name the property and the condition that `counterexample` breaks.
    `counterexamples` and `clauses` tell the same of every property found broken: all of them where the search kept
    going, for each a shortest run.
    `loops` tells for a broken leads-to after how many steps of its counterexample the rest repeats for ever; nothing
    left to repeat means that the system may stop there.
    `reached` counts for each property the states in which its antecedent held: zero means that it said nothing.
    `witnesses` holds a shortest run for each "reachable" property that is reached; after a complete search, one that is
    missing is not reachable.
    `reduced` says that a partial-order reduction left out states, steps and shorter ways: `states`, `transitions`,
    `depth` and the counts are then those of what was kept.
    `longer` names the properties whose run, found in a reduced search, need not be a shortest one: the search without
    reduction, within the same limits, did not come that far; of a leads-to, that a shorter loop was not excluded.
    `engine` is "python", "compiled" or "exact"; `bytes_used` is what the states took, measured where compiled, else
    estimated.
    """

    states: int
    transitions: int
    depth: int
    fired: FrozenMap[int] = attrs.field(converter=FrozenMap)
    complete: bool
    counterexample: Trace | None = None
    violated: str | None = None
    clause: str | None = None
    reached: FrozenMap[int] = attrs.field(default=FrozenMap(), converter=FrozenMap)
    witnesses: FrozenMap[Trace] = attrs.field(default=FrozenMap(), converter=FrozenMap)
    counterexamples: FrozenMap[Trace] = attrs.field(default=FrozenMap(), converter=FrozenMap)
    clauses: FrozenMap[str] = attrs.field(default=FrozenMap(), converter=FrozenMap)
    loops: FrozenMap[int] = attrs.field(default=FrozenMap(), converter=FrozenMap)
    stopped: Stopped | None = None
    engine: str = "exact"
    bytes_used: int = 0
    reduced: bool = False
    longer: tuple[str, ...] = ()
