"""Is a sequence of observed events a run of a system? Answered by keeping every state in which the system can be.

An event stands for one of some actions, or for several of them; silent actions may happen at any time.
Sets of states are kept by number and each is advanced once for an event, so that a long log costs a look-up an event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from attrs import frozen

from latchcheck.kernel import Action, FrozenMap, ModelError, State, System, Value, compile_expr
from latchcheck.kernel.program import program

SETS_MAX, STATES_MAX = 20_000, 200_000
Values = tuple[Value, ...]


@frozen
class Meaning:
    """What an event stands for: one of these actions, each with the choices that the event tells.

    `again` says that several of them may follow one another. `none` says that nothing may have happened at all.
    `refused` says that it was asked for and not done: none of the actions can happen, or none shows.
    """

    actions: tuple[tuple[str, FrozenMap[Value]], ...]
    again: bool = False
    none: bool = False
    refused: bool = False


@frozen
class Hindrance:
    """Why an action that the event stands for could not happen: the first false condition and what it reads."""

    action: str
    label: str
    reads: FrozenMap[Value]


class TooMany(Exception):
    """There are more states, or sets of them, than are kept; the text says which."""


class Explainer:
    """Follows events on a system of finite domains without clock.

    `silent` are the actions that nobody sees. `refilled` are variables that bound a scope and no system: they get their
    initial value again after every event, so that a log may be longer than any scope.
    `view` gives what an observer is shown of a state: an event that tells it keeps the states in which it is so.
    """

    def __init__(self, system: System, *, silent: Iterable[str], refilled: Iterable[str], view: Any) -> None:
        if system.clock is not None:
            raise ModelError(f"system {system.name!r} has a clock; its instants cannot be listed")
        self.system = system
        self._names = tuple(variable.name for variable in system.variables)
        self._program = program(system)
        self._silent = [(action, args) for name in silent for action, args in self._picks(name, {})]
        refilled = frozenset(refilled)
        self._refill = [(i, v.initial) for i, v in enumerate(system.variables) if v.name in refilled]
        self._view = compile_expr(view)
        self._sets: list[frozenset[Values]] = []
        self._numbers: dict[frozenset[Values], int] = {}
        self._after: dict[tuple[int, Any], int | None] = {}
        self._shown: dict[Values, Value] = {}
        self.start = self._number(self._closed({tuple(variable.initial for variable in system.variables)}))

    def advance(
        self, number: int, key: Any, meaning: Callable[[], Meaning], shown: frozenset[Value] | None
    ) -> int | None:
        """The set of states after an event, by number; None where no run of the system explains it.

        `key` stands for the event: events with equal keys mean the same. `shown` are the views that the event allows.
        """
        at = (number, key)
        if at not in self._after:
            self._after[at] = self._advanced(number, meaning(), shown)
        return self._after[at]

    def either(self, numbers: Iterable[int]) -> int:
        """The states of several sets together, by number."""
        return self._number(frozenset[Values]().union(*(self._sets[number] for number in numbers)))

    def anywhere(self) -> int:
        """Every state that a run can be in, as the start of a log that begins in the middle."""
        every = [(action, args) for one in self.system.actions for action, args in self._picks(one.name, {})]
        return self._number(self._closed(self._reached(set(self._sets[self.start]), every)))

    def states(self, number: int) -> Iterator[State]:
        """The states of a set, in a fixed order."""
        for values in sorted(self._sets[number], key=repr):
            yield State(dict(zip(self._names, values, strict=True)))

    def views(self, number: int) -> tuple[Value, ...]:
        """What an observer may be shown in a set of states."""
        return tuple(sorted({self._view_of(values) for values in self._sets[number]}, key=str))

    def hindrances(self, number: int, meaning: Meaning) -> tuple[Hindrance, ...]:
        """For each action of an event that cannot happen in any state, what is false where it gets furthest."""
        found: list[Hindrance] = []
        for name, told in meaning.actions:
            best: tuple[int, Hindrance | None] = (-1, None)
            for values, (action, args) in product(sorted(self._sets[number], key=repr), self._picks(name, told)):
                result = self._program.action(action.name)(values, args)
                if not isinstance(result, int):
                    break
                if result > best[0]:
                    best = (result, self._hindrance(action, result, values, args))
            else:
                found += [] if best[1] is None else [best[1]]
        return tuple(found)

    def _hindrance(self, action: Action, index: int, values: Values, args: Values) -> Hindrance:
        clause = action.guard[index]
        nodes = self.system.nodes
        known = dict(zip(self._names, values, strict=True))
        known |= {choice.name: value for choice, value in zip(action.choices, args, strict=True)}
        reads = {name: known[name] for name in sorted(nodes.names(nodes.read(clause.expr)))}
        return Hindrance(action.name, clause.label, FrozenMap(reads))

    def _advanced(self, number: int, meaning: Meaning, shown: frozenset[Value] | None) -> int | None:
        moves = [(action, args) for name, told in meaning.actions for action, args in self._picks(name, told)]
        before = self._sets[number]
        if meaning.refused:
            after = self._refusing(before, moves)
        else:
            after = {result for values in before for result in self._moved(values, moves)}
        if meaning.again:
            after = self._reached(after, moves)
        if meaning.none:
            after |= before
        if shown is not None:
            after = {values for values in after if self._view_of(values) in shown}
        return self._number(self._closed(after)) if after else None

    def _refusing(self, before: Iterable[Values], moves: Sequence[tuple[Action, Values]]) -> set[Values]:
        """The states in which none of these can happen, and those after one that no observer is shown."""
        after: set[Values] = set()
        for values in before:
            results = list(self._moved(values, moves))
            after |= {one for one in results if self._view_of(one) == self._view_of(values)} if results else {values}
        return after

    def _picks(self, name: str, told: Mapping[str, Value]) -> list[tuple[Action, Values]]:
        """An action with every way of picking what is not told."""
        action = self.system.action(name)
        lists: list[Sequence[Value]] = []
        for choice in action.choices:
            known = choice.name in told
            lists.append([told[choice.name]] if known else list(choice.domain.members()))  # type: ignore[union-attr]
        return [(action, tuple(args)) for args in product(*lists)]

    def _moved(self, values: Values, moves: Sequence[tuple[Action, Values]]) -> Iterator[Values]:
        for action, args in moves:
            result = self._program.action(action.name)(values, args)
            if not isinstance(result, int):
                yield self._refilled(result)

    def _refilled(self, values: Values) -> Values:
        if not self._refill:
            return values
        changed = list(values)
        for index, initial in self._refill:
            changed[index] = initial
        return tuple(changed)

    def _closed(self, values: Iterable[Values]) -> frozenset[Values]:
        """These states and all that silent actions lead to from them."""
        return frozenset(self._reached(set(values), self._silent))

    def _reached(self, values: set[Values], moves: Sequence[tuple[Action, Values]]) -> set[Values]:
        found, todo = set(values), list(values)
        while todo:
            for result in self._moved(todo.pop(), moves):
                if result not in found:
                    if len(found) >= STATES_MAX:
                        raise TooMany(f"more than {STATES_MAX} states explain the same events")
                    found.add(result)
                    todo.append(result)
        return found

    def _number(self, values: frozenset[Values]) -> int:
        if values not in self._numbers:
            if len(self._sets) >= SETS_MAX:
                raise TooMany(f"the events lead to more than {SETS_MAX} sets of states")
            self._numbers[values] = len(self._sets)
            self._sets.append(values)
        return self._numbers[values]

    def _view_of(self, values: Values) -> Value:
        if values not in self._shown:
            names = dict(zip(self._names, values, strict=True))
            self._shown[values] = self._view.function(**{name: names[name] for name in self._view.names})
        return self._shown[values]
