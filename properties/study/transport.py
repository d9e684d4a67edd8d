"""The frontier of Tables 2 and 3 against a real server: what the model says of a run, and what a network adds.

Time is scaled: a task of 1800 s at a scale of 120 lasts 15 s. The network is not, so that a round trip of 2 ms stands
for one of 0.24 s. Each run is compared with the model's run of the same seed and phase.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean, median
from typing import Final

import attrs

from .frontier import POLICIES, ends, run
from .poller import gaps
from .published import DURATIONS

SCALES: Final = {60: 20, 300: 60, 1800: 120}
"""How many seconds of a task a second of the experiment stands for, by its length in seconds."""
RUNS: Final = ((0, 1), (1, 5), (2, 9))
"""Seed and phase of each run of a cell; a client without jitter draws the same from every seed."""


@attrs.frozen
class Planned:
    """One run of a cell: how long the work takes and when to poll, both scaled down, in seconds."""

    policy: str
    duration_s: int
    seed: int
    phase: int

    @property
    def scale(self) -> int:
        """Seconds of the task in one of the experiment."""
        return SCALES[self.duration_s]

    @property
    def work_s(self) -> float:
        """How long the work takes, scaled."""
        return self._end / self.scale

    @property
    def gaps_s(self) -> Iterator[float]:
        """The gaps between polls, scaled."""
        return (float(gap) / self.scale for gap in gaps(POLICIES[self.policy], self.seed, "binary"))

    @property
    def _end(self) -> float:
        return float(list(ends(self.duration_s, "binary"))[self.phase])

    def modelled(self) -> tuple[int, float]:
        """Polls and staleness in unscaled seconds, as the model has them, without a network."""
        polls, late = run(POLICIES[self.policy], self.seed, self._end, "binary")
        return polls, float(late)

    def with_network(self, handle_s: float, round_trip_s: float, overslept_s: float, ended_s: float) -> int:
        """Polls, when the handle, every round trip and every sleep take what they were measured to take (scaled)."""
        at = handle_s - round_trip_s / 2
        for count, gap in enumerate(self.gaps_s, start=1):
            at += round_trip_s + overslept_s + gap
            if at >= ended_s:
                return count
        raise AssertionError("a schedule has no last poll")


def plan() -> list[list[Planned]]:
    """The cells of Table 2, each with its runs."""
    return [
        [Planned(policy, duration, seed, phase) for seed, phase in RUNS]
        for duration in DURATIONS.values()
        for policy in POLICIES
    ]


@attrs.frozen
class Observed:
    """What a real run showed, in scaled seconds from the moment the call was sent."""

    polls: int
    staleness_s: float
    handle_s: float
    round_trip_s: float
    overslept_s: float
    ended_s: float


@attrs.frozen
class Compared:
    """One cell: means over its runs. Staleness is in unscaled seconds, the round trip as it was measured.

    `explained_polls` is what the model says once the handle, the round trips and the sleeps take as long as measured.
    """

    policy: str
    duration_s: int
    scale: int
    runs: int
    model_polls: float
    server_polls: float
    explained_polls: float
    model_staleness_s: float
    server_staleness_s: float
    round_trip_ms: float

    @property
    def off(self) -> float:
        """By which share the model's count is above the server's, in percent of the server's."""
        return 100 * (self.model_polls - self.server_polls) / self.server_polls

    @property
    def unexplained(self) -> float:
        """The same once the network is in the model."""
        return 100 * (self.explained_polls - self.server_polls) / self.server_polls


def compare(planned: Sequence[Planned], observed: Sequence[Observed]) -> Compared:
    """Put the runs of a cell beside the model's."""
    first = planned[0]
    modelled = [one.modelled() for one in planned]
    explained = [
        one.with_network(seen.handle_s, seen.round_trip_s, seen.overslept_s, seen.ended_s)
        for one, seen in zip(planned, observed, strict=True)
    ]
    return Compared(
        policy=first.policy,
        duration_s=first.duration_s,
        scale=first.scale,
        runs=len(planned),
        model_polls=mean(polls for polls, _ in modelled),
        server_polls=mean(one.polls for one in observed),
        explained_polls=mean(explained),
        model_staleness_s=median(late for _, late in modelled),
        server_staleness_s=median(one.staleness_s for one in observed) * first.scale,
        round_trip_ms=1000 * mean(one.round_trip_s for one in observed),
    )


def notes(cells: Sequence[Compared]) -> Iterator[str]:
    """How far the model's counts are off, and why."""
    exact = sum(one.model_polls == one.server_polls for one in cells)
    worst = max(cells, key=lambda one: abs(one.off))
    left = max(cells, key=lambda one: abs(one.unexplained))
    yield (
        f"The model counts as many polls as the server in {exact} of {len(cells)} cells; it is off by up to "
        f"{worst.off:+.1f}% ({worst.policy}, ~{worst.duration_s} s task)."
    )
    yield (
        "A gap runs from one answer to the next question, so a poll costs its gap and a round trip: with a gap g and a "
        "round trip r, of which the model knows nothing, it counts (g + r) / g times as many polls as arrive. The work "
        "also ends later than the model's, by the time from the call to its start."
    )
    yield (
        f"With the measured handle, round trips and sleeps in the schedule the count is off by at most "
        f"{left.unexplained:+.1f}% ({left.policy}, ~{left.duration_s} s task)."
    )
