"""A state graph laid out in columns, one for each distance from the initial state."""

from __future__ import annotations

from attrs import frozen

from latchcheck.kernel import State
from latchcheck.kernel.errors import show

from ..interchange.dot import Graph

COLUMN, ROW, EDGE = 90, 26, 20
"""Distances in pixels: between columns, between rows, and from the border."""


@frozen
class Node:
    """A state: its place in pixels, what differs from the initial state, and whether a property is broken in it."""

    x: int
    y: int
    label: str
    broken: bool


@frozen
class Arrow:
    """Steps from one state to another, as an SVG path with their names."""

    path: str
    label: str


@frozen
class Picture:
    """A drawn graph; `width` and `height` in pixels."""

    width: int
    height: int
    nodes: tuple[Node, ...]
    edges: tuple[Arrow, ...]


def picture(drawn: Graph, broken: frozenset[int] = frozenset()) -> Picture:
    """Lay out a graph; `broken` are the positions of states that break a property."""
    depth = {0: 0}
    for edge in drawn.edges:  # in the order in which the search found them
        depth.setdefault(edge.after, depth[edge.before] + 1)
    columns: dict[int, list[int]] = {}
    for position in range(len(drawn.states)):
        columns.setdefault(depth[position], []).append(position)
    tallest = max(len(column) for column in columns.values())
    places: dict[int, tuple[int, int]] = {}
    for count, column in columns.items():
        top = EDGE + (tallest - len(column)) * ROW // 2
        places |= {one: (EDGE + count * COLUMN, top + row * ROW) for row, one in enumerate(column)}
    start = drawn.states[0]
    nodes = [
        Node(*places[position], _difference(state, start), position in broken)
        for position, state in enumerate(drawn.states)
    ]
    joined: dict[tuple[int, int], list[str]] = {}
    for edge in drawn.edges:
        args = ", ".join(f"{name}={show(value)}" for name, value in edge.args.items())
        joined.setdefault((edge.before, edge.after), []).append(f"{edge.action.name}({args})")
    arrows = [
        Arrow(_path(places[before], places[after]), "; ".join(dict.fromkeys(names)))
        for (before, after), names in joined.items()
    ]
    return Picture(2 * EDGE + (len(columns) - 1) * COLUMN, 2 * EDGE + (tallest - 1) * ROW, tuple(nodes), tuple(arrows))


def _difference(state: State, start: State) -> str:
    changed = [f"{name} = {show(value)}" for name, value in state.items() if value != start[name]]
    return ", ".join(changed) or "start"


def _path(before: tuple[int, int], after: tuple[int, int]) -> str:
    """A straight line to the next column, a bow to anywhere else."""
    (x, y), (to_x, to_y) = before, after
    if to_x == x + COLUMN:
        return f"M{x} {y}L{to_x} {to_y}"
    return f"M{x} {y}C{x + COLUMN // 3} {y - ROW} {to_x + COLUMN // 3} {to_y - ROW} {to_x} {to_y}"
