"""Tables 2 and 3: what a policy of polling costs, and how stale the client's view is when the task ends (E2)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from statistics import mean
from typing import Final

import attrs

from latchcheck.kernel.figures import Figure, cells, rounded
from latchcheck.model.config import Client

from .poller import SECOND_MS, Arithmetic, adaptive, fixed, instants
from .published import DURATIONS, TABLE_2, TABLE_3

SEEDS: Final = range(20)
PHASES: Final = 11
"""A task of d seconds ends at 0.90 d, 0.92 d, ..., 1.10 d: one run each."""

POLICIES: Final[Mapping[str, Client]] = {
    **{f"fixed {interval} ms": fixed(interval) for interval in (250, 1000, 5000)},
    **{f"adaptive, max {ceiling} s": adaptive(ceiling * SECOND_MS) for ceiling in (10, 30, 60)},
}
"""The rows of Table 2."""


@attrs.frozen
class Cost:
    """What one policy costs on tasks of one length: mean number of polls, median staleness in seconds."""

    polls: float | Fraction
    staleness_s: float | Fraction


Grid = Mapping[tuple[str, int], Cost]
"""Costs by policy and length of the task in seconds."""


def ends(duration_s: int, arithmetic: Arithmetic) -> Iterator[float | Fraction]:
    """When a task of about this length ends, in each of the phases.

    In binary the phases are the sums that the paper's program makes, `0.9 + 0.02 * i`, which miss the round number by
    a hair: a poll that is due exactly then comes before the end, and one more is counted.
    """
    for phase in range(PHASES):
        factor = 0.9 + 0.02 * phase if arithmetic == "binary" else Fraction(90 + 2 * phase, 100)
        yield duration_s * factor


def run(client: Client, seed: int, end: float | Fraction, arithmetic: Arithmetic) -> tuple[int, float | Fraction]:
    """Polls up to and including the first at or after the end, and by how many seconds that one is late."""
    return next(runs(client, seed, (end,), arithmetic))


def runs(
    client: Client, seed: int, ends_s: Iterable[float | Fraction], arithmetic: Arithmetic
) -> Iterator[tuple[int, float | Fraction]]:
    """What `run` says of each end, the earliest first: one schedule serves all of them, however long it is."""
    waiting = deque(sorted(ends_s))
    for count, at in enumerate(instants(client, seed, arithmetic), start=1):
        while waiting and at >= waiting[0]:
            yield count, at - waiting.popleft()
        if not waiting:
            return


def cost(client: Client, duration_s: int, arithmetic: Arithmetic) -> Cost:
    """The cost over all seeds and phases; a client without jitter has one run a phase."""
    low, high = client.jitter
    seeds = SEEDS if low != high else SEEDS[:1]
    found = [one for seed in seeds for one in runs(client, seed, ends(duration_s, arithmetic), arithmetic)]
    return Cost(mean(Fraction(polls) for polls, _ in found), _median([late for _, late in found]))


def _median(values: Sequence[float | Fraction]) -> float | Fraction:
    """The middle one, or halfway between the two, in the arithmetic of the values."""
    in_order, half = sorted(values), len(values) // 2
    return in_order[half] if len(values) % 2 else (in_order[half - 1] + in_order[half]) / 2


def grid(arithmetic: Arithmetic, step: Callable[[], None] = lambda: None) -> Grid:
    """Every cell of Table 2; `step` is called after each."""
    found: dict[tuple[str, int], Cost] = {}
    for policy, client in POLICIES.items():
        for duration in DURATIONS.values():
            found[policy, duration] = cost(client, duration, arithmetic)
            step()
    return found


STEPS: Final = len(POLICIES) * len(DURATIONS)
"""How often `grid` calls its `step`."""


def table_2(binary: Grid, exact: Grid) -> list[Figure]:
    """The 36 figures of Table 2, `beside` them those of exact arithmetic."""

    def printed(grid: Grid, policy: str) -> Iterator[str]:
        for duration in DURATIONS.values():
            cell = grid[policy, duration]
            yield rounded(cell.polls, 1)
            yield f"{rounded(cell.staleness_s, 2)} s"

    return cells(TABLE_2, partial(printed, binary), partial(printed, exact))


def table_3(binary: Grid, exact: Grid) -> list[Figure]:
    """The 12 figures of Table 3, `beside` them those of exact arithmetic."""

    def printed(grid: Grid, policy: str) -> Iterator[str]:
        for duration in DURATIONS.values():
            yield f"{rounded(100 * Fraction(grid[policy, duration].staleness_s) / duration, 1)}%"

    return cells(TABLE_3, partial(printed, binary), partial(printed, exact))
