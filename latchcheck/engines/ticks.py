"""Breadth-first search of systems with a clock or dense numbers: time passes in whole ticks up to a horizon."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from latchcheck.kernel import ModelError, Property, System, Trace, record
from latchcheck.kernel.compiling import define
from latchcheck.kernel.doing import doing
from latchcheck.kernel.stepping import Stepper

from .exploration import Exploration, Stopped
from .packed_source import ELAPSE
from .ticks_source import Setting, find_source, search_source


class TickSearch:
    """One search of a system with a clock or dense numbers, over tuples of exact values."""

    def __init__(self, system: System, properties: tuple[Property, ...], setting: Setting) -> None:
        self.system = system
        self.properties = properties
        self.setting = setting
        self.codes = [action.name for action in system.actions] + ([ELAPSE] if system.clock is not None else [])
        start = tuple(Stepper(system).state.values())
        self.order: list[tuple[Any, ...]] = [start]
        self.seen: dict[tuple[Any, ...], int] = {start: -1}

    def search(self, states_max: int) -> Exploration:
        """Search to the end, a broken property or the limit."""
        writer = search_source(self.system, self.properties, self.setting)
        function = define("search", writer.lines, writer.constants)
        with doing("searching", unit="states", done=lambda: len(self.order)):
            outcome, fired, reached, witness = function(self.order, self.seen, states_max)
        counterexample, violated, clause = None, None, None
        stopped: Stopped | None = "states" if outcome[0] == "limit" else None
        broken: dict[str, Trace] = {}
        if outcome[0] == "range":
            self._outside(*outcome[1:])
        if outcome[0] == "violated":
            _, k, j, parent, code, state = outcome
            asked = self.properties[k]
            violated, clause = asked.id, asked.clauses[j].label
            counterexample = broken[asked.id] = self._trace(parent, code, state)
            stopped = "violation"
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
            counterexamples=broken,
            clauses=dict.fromkeys(broken, clause or ""),
            stopped=stopped,
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
