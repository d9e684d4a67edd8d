"""Makes a run shorter by another way to the same harm, where no change of its own events leads to one.

From the states that a run passes through, the last ones first, the steps that the system allows are tried breadth
first, as deep as a shorter run may be. A way found replaces the rest of the run, and the search begins again from it.
When the search from the initial state ends too, no run of any kind is shorter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import attrs

from latchcheck.engines.stateful_states import EXPECTATIONS, Judge, Values
from latchcheck.engines.stateful_states import Event as Move
from latchcheck.engines.stateful_states import Steps as Moves
from latchcheck.engines.stateful_timed import is_dense
from latchcheck.kernel import ModelError, Property, System

from .fixture import Event
from .minimising import Steps
from .replaying import run

EXPANDED_MAX = 8_000
"""So many states are expanded for one run; a scope that has more is searched near the run only."""


@attrs.frozen
class Rerouted:
    """A run that breaks a property with its last step; `shortest` says that every shorter one was looked at."""

    steps: Steps
    shortest: bool = False


class Rerouter:
    """Looks for shorter ways in one system, and remembers its steps from one run to the next."""

    def __init__(self, system: System, *, expanded_max: int = EXPANDED_MAX) -> None:
        self._system = system
        self._expanded_max = expanded_max
        self._moves = _moves(system)
        self._parties = {action.name: action.party for action in system.actions}

    def shorter(self, steps: Steps, asked: Property) -> Rerouted:
        """The shortest run that is found from the states of a run, the run itself where there is none.

        `steps` must break `asked` with the last of them.
        A system whose steps cannot be listed is left alone, and so is a promise that should be kept some day.
        """
        if self._moves is None or not steps or asked.expectation not in EXPECTATIONS:
            return Rerouted(steps)
        search = _Search(self._moves, Judge(self._system, [asked]), self._expanded_max)
        best, states = steps, _passed(self._system, steps)
        while True:
            found = search.better(states)
            if found is None:
                return Rerouted(best, search.left > 0)
            begin, moves = found
            best = (*best[:begin], *(Event(None, self._parties[one.action], one.action, one.args) for one in moves))
            states = [*states[: begin + 1], *(one.after for one in moves)]


class _Search:
    """Breadth-first searches of one question, which share what is known to lead nowhere."""

    def __init__(self, moves: Moves, judge: Judge, expanded_max: int) -> None:
        self._moves, self._judge = moves, judge
        self.left = expanded_max
        # For a state the number of steps within which nothing breaks from there.
        self._harmless: dict[Values, int] = {}

    def better(self, states: Sequence[Values]) -> tuple[int, tuple[Move, ...]] | None:
        """A way from one of the states to the harm that makes the whole run shorter: where it leaves, and its steps."""
        length = len(states) - 1
        for begin in range(length - 2, -1, -1):
            found = self._from(states[begin], length - 1 - begin)
            if found is not None:
                return begin, found
            if self.left <= 0:
                return None
        return None

    def _from(self, start: Values, depth_max: int) -> tuple[Move, ...] | None:
        """A shortest way of at most so many steps from a state to the harm."""
        depths: dict[Values, int] = {start: 0}
        reached_by: dict[Values, tuple[Values, Move | None]] = {start: (start, None)}
        waiting = deque([start])
        while waiting:
            state = waiting.popleft()
            depth = depths[state]
            if depth >= depth_max or self._harmless.get(state, 0) >= depth_max - depth:
                continue
            if self.left <= 0:
                return None
            self.left -= 1
            for events in self._moves.of(state).values():
                for move in events:
                    if self._judge.broken(state, move.after) is not None:
                        return (*_way(reached_by, state), move)
                    if move.after not in depths:
                        depths[move.after] = depth + 1
                        reached_by[move.after] = (state, move)
                        waiting.append(move.after)
        for state, depth in depths.items():
            self._harmless[state] = max(self._harmless.get(state, 0), depth_max - depth)
        return None


def _way(reached_by: dict[Values, tuple[Values, Move | None]], state: Values) -> tuple[Move, ...]:
    """The steps that led to a state."""
    moves: list[Move] = []
    before, move = reached_by[state]
    while move is not None:
        moves.append(move)
        before, move = reached_by[before]
    return tuple(reversed(moves))


def _passed(system: System, steps: Steps) -> list[Values]:
    """The states of a run, the initial one first."""
    _, states = run(system, steps)
    return [tuple(state.values()) for state in states]


def _moves(system: System) -> Moves | None:
    """The steps of each state, or None where they cannot be listed."""
    try:
        return None if is_dense(system) else Moves(system)
    except ModelError:
        return None
