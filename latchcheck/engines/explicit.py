"""Exhaustive search of a system with finite domains: breadth first, so the first counterexample is a shortest one.

Limits of soundness: the verdict speaks about the states that the setting lets it reach.
With a clock, time passes in whole ticks and stops at the horizon, and dense choices are read as multiples of the tick;
`complete` says only that this finite system was searched to the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from latchcheck.kernel import FrozenMap, ModelError, Property, System, Trace, record
from latchcheck.kernel.compiling import define
from latchcheck.kernel.stepping import Stepper

from .search_source import Number, Setting, find_source, search_source

ELAPSE = "elapse"


@attrs.frozen
class Exploration:
    """What a search found.

    `states` are distinct states, `transitions` the steps between them (a step that leads back to a known state counts),
    `depth` the number of steps to the state farthest from the start, `fired` how often each action happened.
    `complete` is False where `states_max` ended the search.
    `violated` and `clause` name the property and the condition that `counterexample` breaks.
    `reached` counts for each property the states in which its antecedent held: zero means that it said nothing.
    `witnesses` holds a shortest run for each "reachable" property that is reached; after a complete search, one that is
    missing is not reachable.
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


def explore(
    system: System,
    properties: Sequence[Property] = (),
    *,
    states_max: int = 1_000_000,
    horizon_ms: Number | None = None,
    unit_ms: Number = 1,
    bounds: Mapping[str, tuple[Number, Number]] | None = None,
) -> Exploration:
    """Search every state of a system breadth first and stop at the first broken property.

    A system with a clock also lets `unit_ms` milliseconds pass wherever every urgency clause still holds afterwards,
    until `horizon_ms`; events happen at the present instant.
    Dense choices are the multiples of `unit_ms` between their lower and upper bound, or between `bounds[name]`.
    "always" is judged in every state where the antecedent holds, "never-changes" on every step that leaves such a
    state: each clause must be as true after as before.
    "leads-to" is a ModelError, and so are open parameters and values outside their domain.
    """
    for asked in properties:
        if asked.expectation == "leads-to":
            raise ModelError(
                f"property {asked.id!r} is a leads-to; this search judges always, never-changes, reachable"
            )
    if system.clock is not None and any(action.name == ELAPSE for action in system.actions):
        raise ModelError(f"system {system.name!r} has an action named {ELAPSE!r}, which stands for time passing here")
    run = _Run(system, tuple(properties), Setting(unit_ms, horizon_ms, bounds or {}))
    return run.search(states_max)


class _Run:
    """One search and what it leaves behind."""

    def __init__(self, system: System, properties: tuple[Property, ...], setting: Setting) -> None:
        self.system = system
        self.properties = properties
        self.setting = setting
        self.codes = [action.name for action in system.actions] + ([ELAPSE] if system.clock is not None else [])
        start = tuple(Stepper(system).state.values())
        self.order: list[tuple[Any, ...]] = [start]
        self.seen: dict[tuple[Any, ...], int] = {start: -1}

    def search(self, states_max: int) -> Exploration:
        writer = search_source(self.system, self.properties, self.setting)
        function = define("search", writer.lines, writer.constants)
        outcome, fired, reached, witness = function(self.order, self.seen, states_max)
        counterexample, violated, clause = None, None, None
        if outcome[0] == "range":
            self._outside(*outcome[1:])
        if outcome[0] == "violated":
            _, k, j, parent, code, state = outcome
            asked = self.properties[k]
            violated, clause = asked.id, asked.clauses[j].label
            counterexample = self._trace(parent, code, state)
        ids = [asked.id for asked in self.properties]
        return Exploration(
            states=len(self.order),
            transitions=sum(fired),
            depth=len(self._path(self.order[-1])),
            fired=dict(zip(self.codes, fired, strict=True)),
            complete=outcome[0] == "done",
            counterexample=counterexample,
            violated=violated,
            clause=clause,
            reached=dict(zip(ids, reached, strict=True)),
            witnesses={
                name: self._trace(at, -1, self.order[at]) for name, at in zip(ids, witness, strict=True) if at >= 0
            },
        )

    def _path(self, state: tuple[Any, ...]) -> list[tuple[tuple[Any, ...], int, tuple[Any, ...]]]:
        """(before, code, after) for each step of a shortest run to a state."""
        steps = []
        while (packed := self.seen[state]) >= 0:
            parent, code = divmod(packed, len(self.codes))
            steps.append((self.order[parent], code, state))
            state = self.order[parent]
        return steps[::-1]

    def _trace(self, parent: int, code: int, state: tuple[Any, ...]) -> Trace:
        """The run to a state, executed again by the plain stepper; time passing shows only in the instants."""
        steps = self._path(self.order[parent]) + ([(self.order[parent], code, state)] if code >= 0 else [])
        clock = self.system.clock
        at = None if clock is None else [variable.name for variable in self.system.variables].index(clock)
        planned = [
            (None if at is None else Fraction(before[at]), self.codes[code], self._args(before, code, after))
            for before, code, after in steps
            if self.codes[code] != ELAPSE or clock is None
        ]
        return record(self.system, planned)

    def _args(self, before: tuple[Any, ...], code: int, after: tuple[Any, ...]) -> Mapping[str, Any]:
        action = self.system.actions[code]
        writer = find_source(self.system, action, self.setting)
        picked = define("find", writer.lines, writer.constants)(before, after)
        assert picked is not None, f"no choice of {action.name} leads from {before} to {after}"
        return dict(zip((choice.name for choice in action.choices), picked, strict=True))

    def _outside(self, position: int, _: int, parent: int, code: int, state: tuple[Any, ...]) -> None:
        variable = self.system.variables[position]
        raise ModelError(
            f"action {self.codes[code]!r} sets variable {variable.name!r} to {state[position]}, "
            f"outside {variable.domain}, after {len(self._path(self.order[parent]))} steps"
        )
