"""What the figures show beyond the cells of the tables: the same measures, at more policies and more lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

import attrs

from . import beyond, defaults, orphans
from .frontier import POLICIES, cost
from .poller import SECOND_MS, adaptive, fixed
from .published import DURATIONS, TABLE_3

INTERVALS_MS: Final = (250, 500, 1000, 2000, 5000, 10_000, 20_000)
CEILINGS_S: Final = (2, 5, 10, 20, 30, 60)
PUBLISHED: Final = {
    "fixed interval": ("250 ms", "1 s", "5 s"),
    "backoff, by ceiling": ("10 s", "30 s", "60 s"),
}
"""The rows of Table 2, by curve."""
LENGTHS_S: Final = (60, 120, 300, 600, 1200, 1800, 3600)
SHARES: Final = range(0, 101, 5)
MAP_CEILINGS_S: Final = (
    10,
    15,
    20,
    30,
    45,
    60,
    90,
    120,
    180,
    240,
    300,
    450,
    600,
    900,
    1200,
    1500,
    1800,
    2400,
    3000,
    3600,
)
MAP_WINDOWS_S: Final = (30, 3600)
"""Least and greatest window of the map."""
SEEDS: Final = range(20)
Step = Callable[[], None]


@attrs.frozen
class Point:
    """One policy on one length of task: its name on the curve, mean polls, median staleness in seconds."""

    name: str
    polls: float
    staleness_s: float


def frontier(duration_s: int, step: Step) -> dict[str, list[Point]]:
    """The frontier of fixed intervals and that of ceilings, from quick to slow."""
    kinds = {
        "fixed interval": {_short(ms): fixed(ms) for ms in INTERVALS_MS},
        "backoff, by ceiling": {f"{s} s": adaptive(s * SECOND_MS) for s in CEILINGS_S},
    }
    found: dict[str, list[Point]] = {}
    for kind, clients in kinds.items():
        found[kind] = []
        for name, client in clients.items():
            measured = cost(client, duration_s, "binary")
            found[kind].append(Point(name, float(measured.polls), float(measured.staleness_s)))
            step()
    return found


FRONTIER_STEPS: Final = len(DURATIONS) * (len(INTERVALS_MS) + len(CEILINGS_S))


def _short(ms: int) -> str:
    return f"{ms} ms" if ms < SECOND_MS else f"{ms // SECOND_MS} s"


def fractions_of_duration(step: Step) -> dict[str, list[tuple[int, float]]]:
    """For each policy of Table 3: length of the task in seconds, median staleness in percent of it."""
    found: dict[str, list[tuple[int, float]]] = {}
    for policy in TABLE_3.rows:
        found[policy] = []
        for length in LENGTHS_S:
            staleness = float(cost(POLICIES[policy], length, "binary").staleness_s)
            found[policy].append((length, 100 * staleness / length))
            step()
    return found


FRACTION_STEPS: Final = len(TABLE_3.rows) * len(LENGTHS_S)


def prices() -> dict[str, list[tuple[int, defaults.Price]]]:
    """For each default: percent of the unknowns that are truly transient, and the price."""
    return {
        default: [(share, defaults.price(default, defaults.UNRECOGNISED * share // 100)) for share in SHARES]
        for default in ("permanent", "transient")
    }


@attrs.frozen
class Region:
    """The plane of ceilings and windows, in seconds, for the hour of work of Table 5 and its comparison, `>=`.

    `can` is the longest silence that the schedule allows, by ceiling: under a window no longer some run is orphaned.
    `must` are corners `(ceiling, window)` of the line below which every run is orphaned, if the work lasts.
    `sampled` is, by ceiling and seed, the longest silence that a sweep saw: orphaned under a window no longer.
    """

    can: Sequence[tuple[int, Fraction]]
    must: Sequence[tuple[int, int]]
    sampled: Sequence[tuple[int, Sequence[Fraction]]]


def region(step: Step) -> Region:
    """Everything that the orphan map shows."""
    can: list[tuple[int, Fraction]] = []
    sampled: list[tuple[int, Sequence[Fraction]]] = []
    for ceiling in MAP_CEILINGS_S:
        config = orphans.configuration(ceiling, MAP_WINDOWS_S[0], stepped=False)
        can.append((ceiling, Fraction(beyond.longest_silence_ms(config)) / SECOND_MS))
        sampled.append((ceiling, beyond.seen_by_sweeps(config, SEEDS, orphans.EXECUTION_S)))
        step()
    return Region(can, _corners(), sampled)


REGION_STEPS: Final = len(MAP_CEILINGS_S)


def _corners() -> list[tuple[int, int]]:
    """The staircase `lo = M`: for each window, the ceiling whose shortest silence is the least that no run survives."""
    corners: list[tuple[int, int]] = []
    for window in range(MAP_WINDOWS_S[0], MAP_CEILINGS_S[-1] // 2 + 1, orphans.SWEEP_S):
        config = orphans.configuration(MAP_CEILINGS_S[0], window, stepped=False)
        ceiling = round(beyond.tolerated_ms(config) / config.client.jitter[0] / SECOND_MS)
        corners += [(ceiling, max(window - orphans.SWEEP_S, MAP_WINDOWS_S[0])), (ceiling, window)]
    return corners
