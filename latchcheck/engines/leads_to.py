"""Judges "leads-to" on the graph of all states: a lasso, a fair run that never reaches the goal, refutes it.

A run may stop for ever in a state in which no fair action is enabled; it may not where one is. Weak fairness asks of a
run that repeats for ever that each fair action is taken again and again, or is disabled again and again.

The run that is shown is a shortest one: of all such runs it begins to repeat (or stops) after the fewest steps, and of
those that begin as soon it repeats in the fewest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import attrs

from .exploration import Options
from .packed_runs import Move, Runs, judgements
from .packed_source import Plan

LOOKED_MAX = 300_000
"""So many pairs of a state and the duties met by then are looked at for a shortest loop; beyond, the first is taken."""

# What a state takes here in Python, and each step from it that leaves the goal open, measured; networkx has its part.
STATE_BYTES, STEP_BYTES = 900, 420

# What weak fairness is about: an action, or an action with some of its choices made.
Duty = tuple[int, tuple[int, ...]]
# From which seed, by which steps, how many of them before the rest repeats, and whether the loop may be too long.
Found = tuple[int, list[Move], int | None, bool]


@attrs.frozen
class Lasso:
    """A run against the property: from state number `seed`, `moves`, of which those after the first `before` repeat.

    Where `before` is None nothing repeats: the run is too long already.
    `roundabout` says that a shorter loop was not excluded.
    """

    seed: int
    moves: tuple[Move, ...]
    before: int | None
    clause: str
    roundabout: bool = False


@attrs.frozen
class Graph:
    """Every reachable state, in the order in which a breadth-first search finds them.

    `depth` tells the steps of a shortest run to the state of a position, `room_bytes` the memory there is to judge it.
    """

    plan: Plan
    runs: Runs
    states: Sequence[int]
    depth: Callable[[int], int]
    room_bytes: int


class TooLarge(Exception):
    """The part of the graph that is to be looked at takes more than there is room for."""


def judge(graph: Graph, k: int, options: Options) -> Lasso | None:
    """A run that breaks property k, or None where every fair run obeys it; TooLarge where there is no room to tell."""
    asked = graph.plan.properties[k]
    read = judgements(graph.plan)
    goal_at = 0 if asked.antecedent is None else 1

    def open_goal(state: int) -> bool:
        return not all(read(state)[k][goal_at:])

    seeds = {
        state: at
        for at, state in enumerate(graph.states)
        if (asked.antecedent is None or read(state)[k][0]) and open_goal(state)
    }
    waiting = _Waiting(graph, seeds, open_goal, options)
    bound = options.within.get(asked.id)
    found = None if bound is None else waiting.late(bound)
    if found is None:
        found = waiting.endless()
    if found is None:
        return None
    seed, moves, before, roundabout = found
    # The clause to name is one that the run ends without.
    end = moves[-1][2] if moves else seed
    failing = [clause.label for clause, holds in zip(asked.clauses, read(end)[k][goal_at:], strict=True) if not holds]
    return Lasso(seeds[seed], tuple(moves), before, failing[0], roundabout)


class _Waiting:
    """The states from which the goal is still open after a seed, with the steps that leave it open."""

    def __init__(
        self, graph: Graph, seeds: Mapping[int, int], open_goal: Callable[[int], bool], options: Options
    ) -> None:
        self.seeds = seeds
        self.each = _chosen(graph.plan, options.fairness)
        self.moves: dict[int, list[Move]] = {}
        self.enabled: dict[int, frozenset[Duty]] = {}
        # How each state is reached by the fewest steps: from which state and by which step; a seed by a run to it.
        self.came: dict[int, tuple[int, Move] | None] = {}
        self.steps: dict[int, int] = {}
        self._spread(graph, deque(seeds.items()), open_goal)

    def _spread(self, graph: Graph, later: deque[tuple[int, int]], open_goal: Callable[[int], bool]) -> None:
        """Layer by layer, by how many steps a run to a state takes; seeds come in where their own depth is."""
        layer: list[int] = []
        steps, room = 0, graph.room_bytes
        while later or layer:
            steps = steps if layer else graph.depth(later[0][1])
            while later and graph.depth(later[0][1]) == steps:
                state, _ = later.popleft()
                if state not in self.came:
                    layer.append(state)
                self.came[state], self.steps[state] = None, steps
            after: list[int] = []
            for state in layer:
                every = list(graph.runs.steps(state))
                self.enabled[state] = frozenset(duty for move in every if (duty := self._duty(move)) is not None)
                self.moves[state] = [move for move in every if move[2] in self.came or open_goal(move[2])]
                room -= STATE_BYTES + STEP_BYTES * len(self.moves[state])
                if room < 0:
                    raise TooLarge
                for move in self.moves[state]:
                    if move[2] not in self.came:
                        self.came[move[2]], self.steps[move[2]] = (state, move), steps + 1
                        after.append(move[2])
            layer, steps = after, steps + 1

    def _duty(self, move: Move) -> Duty | None:
        code, picked, _ = move
        places = self.each.get(code)
        return None if places is None else (code, tuple(picked[place] for place in places))

    def late(self, bound: int) -> Found | None:
        """A run of `bound` steps from a seed on which the goal never comes, from the first seed that has one."""
        # Layer by layer, the states that a run may be in with the goal still open, and how it came there.
        layers: list[dict[int, tuple[int, Move]]] = []
        layer: Iterable[int] = self.seeds
        for _ in range(bound):
            after: dict[int, tuple[int, Move]] = {}
            for state in layer:
                for move in self.moves[state]:
                    after.setdefault(move[2], (state, move))
            layers.append(after)
            layer = after
        state = next(iter(layer), None)
        if state is None:
            return None
        moves: list[Move] = []
        for after in reversed(layers):
            state, move = after[state]
            moves.append(move)
        return state, moves[::-1], None, False

    def endless(self) -> Found | None:
        """A fair run on which the goal never comes: the fewest steps before a loop, then the fewest in it."""
        try:
            import networkx as nx
        except ImportError as missing:
            from latchcheck.needs import Needs

            raise Needs("a leads-to question", "networkx", "explore") from missing
        graph = nx.DiGraph()
        graph.add_nodes_from(self.moves)
        graph.add_edges_from((state, move[2]) for state, moves in self.moves.items() for move in moves)
        fair = {
            state: part for part in nx.strongly_connected_components(graph) if self._is_fair(part) for state in part
        }
        if not fair:
            return None
        soonest = min(map(self.steps.__getitem__, fair))
        left, best = LOOKED_MAX, None
        for entry in (state for state in self.came if state in fair and self.steps[state] == soonest):
            loop, looked = self._loop(entry, fair[entry], left)
            left -= looked
            if best is None or len(loop) < len(best[1]):
                best = entry, loop
            if not loop:
                break
        assert best is not None
        seed, before = _back(self.came, best[0])
        return seed, [*before, *best[1]], len(before), left <= 0 and bool(best[1])

    def _is_fair(self, part: set[int]) -> bool:
        """Whether a run can stay in the component for ever and be fair."""
        always = frozenset.intersection(*(self.enabled[state] for state in part))
        taken = {self._duty(move) for state in part for move in self.moves[state] if move[2] in part}
        return always <= taken

    def _loop(self, entry: int, part: set[int], limit: int) -> tuple[list[Move], int]:
        """The fewest steps from the entry back to it that meet every duty, and how much was looked at for them.

        None where the run may stop at the entry. Some steps, not the fewest, where the limit comes first.
        """
        duties = sorted(self.enabled[entry])
        if not duties:
            return [], 0
        start = (entry, frozenset(duties))
        came: dict[tuple[int, frozenset[Duty]], tuple[Any, Move] | None] = {start: None}
        queue = deque((start,))
        while queue and len(came) < limit:
            here = queue.popleft()
            for move in self.moves[here[0]]:
                if move[2] not in part:
                    continue
                after = (move[2], frozenset(duty for duty in here[1] if not self._meets(duty, move)))
                if after == (entry, frozenset()):
                    return [*_back(came, here)[1], move], len(came)
                if after not in came:
                    came[after] = (here, move)
                    queue.append(after)
        return self._some_loop(entry, part, duties), limit

    def _some_loop(self, entry: int, part: set[int], duties: list[Duty]) -> list[Move]:
        """Steps from the entry back to it that meet one duty after the other."""
        run: list[Move] = []
        here = entry
        while duties:
            stretch = self._towards(here, part, partial(self._meets, duties[0]))
            run += stretch
            here = stretch[-1][2]
            duties = [duty for duty in duties if not any(self._meets(duty, move) for move in stretch)]
        return run if here == entry else run + self._towards(here, part, lambda move: move[2] == entry)

    def _meets(self, duty: Duty, move: Move) -> bool:
        """Whether a step takes the fair action, or leads to where it is disabled."""
        return self._duty(move) == duty or duty not in self.enabled[move[2]]

    def _towards(self, start: int, part: set[int], wanted: Callable[[Move], bool]) -> list[Move]:
        """A shortest way inside the component whose last step is a wanted one."""
        came: dict[int, tuple[int, Move] | None] = {start: None}
        queue = deque((start,))
        while True:
            state = queue.popleft()
            for move in self.moves[state]:
                if move[2] not in part:
                    continue
                if wanted(move):
                    return [*_back(came, state)[1], move]
                if move[2] not in came:
                    came[move[2]] = (state, move)
                    queue.append(move[2])


def _back(came: Mapping[Any, tuple[Any, Move] | None], state: Any) -> tuple[Any, list[Move]]:
    """Where a search began, and its steps from there to a state."""
    moves: list[Move] = []
    while (step := came[state]) is not None:
        state, move = step
        moves.append(move)
    return state, moves[::-1]


def _chosen(plan: Plan, fairness: Mapping[str, Sequence[str]]) -> dict[int, tuple[int, ...]]:
    """For each fair action, by position, which of its choices are treated value by value."""
    found: dict[int, tuple[int, ...]] = {}
    for code, action in enumerate(plan.system.actions):
        if action.name in fairness:
            names = [choice.name for choice in action.choices]
            found[code] = tuple(names.index(name) for name in fairness[action.name])
    return found
