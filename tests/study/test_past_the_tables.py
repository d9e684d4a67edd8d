"""What lies past Table 5: compared with simulations and searches that are written here, and not with the model."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

from latchcheck.model.config import Client, Config, Server, Workload
from latchcheck.properties.study import beyond, orphans, region_proof, silence_proof
from latchcheck.properties.timing import verify

SECOND = 1_000
STEP, HOUR, SEED = 30.0, 3600.0, 7


def delays(ceiling: float, seed: int) -> list[float]:
    """Gaps of the paper's poller, in the floating point of a program written from its description."""
    draw = random.Random(seed)  # noqa: S311 - the paper's generator
    return [min(ceiling, 0.25 * 1.6 ** min(k, 60)) * draw.uniform(0.5, 1.0) for k in range(2000)]


def in_steps(ceiling: float, window: float, seed: int) -> str:
    """The paper's program: a clock that advances by 30 s; at each step a poll that is due, then a sweep by `>=`."""
    gaps = iter(delays(ceiling, seed))
    now, contact, due = 0.0, 0.0, next(gaps)
    while now < HOUR:
        now += STEP
        if due <= now:
            contact, due = now, now + next(gaps)
        if now - contact >= window:
            return f"orphaned at {now:g} s"
    return "survived"


def by_event(ceiling: float, window: float, seed: int) -> str:
    """The same client and reaper event by event: polls when they are due, sweeps on the multiples of 30 s."""
    contacts = [0.0]
    for gap in delays(ceiling, seed):
        contacts.append(contacts[-1] + gap)
    for number in range(1, int(HOUR / STEP) + 1):
        sweep = number * STEP
        if sweep - max(one for one in contacts if one <= sweep) >= window:
            return f"orphaned at {sweep:g} s"
    return "survived"


@pytest.mark.parametrize("seed", range(5, 10))
@pytest.mark.parametrize("ceiling", [60, 300, 900])
def test_the_model_runs_as_a_program_with_a_stepping_clock(ceiling: int, seed: int) -> None:
    """Both outcomes of a cell are those of a plain simulation, for other seeds than the published one too."""
    cell = orphans.cell(ceiling, 120, seed)
    assert in_steps(ceiling, 120, seed) == cell.stepped.told
    assert by_event(ceiling, 120, seed) == cell.exact.told


@pytest.mark.parametrize(("ceiling", "window"), [(300, 280), (300, 255), (900, 700), (1800, 1000)])
def test_a_run_is_orphaned_up_to_the_longest_silence_that_a_sweep_saw(ceiling: int, window: int) -> None:
    """For each seed the model's run is orphaned exactly under a window no longer than that silence."""
    config = orphans.configuration(ceiling, window, stepped=False)
    seen = beyond.seen_by_sweeps(config, range(6), orphans.EXECUTION_S)
    runs = [orphans.play(config, seed, orphans.at_once) for seed in range(6)]
    assert [one >= window for one in seen] == [run.orphaned_at_s is not None for run in runs]


def test_a_silence_of_the_window_is_allowed_where_it_must_exceed_it() -> None:
    """Under `>` the stepped run is orphaned one step later than under `>=`: at 780 s it sees a silence of 120 s."""
    config = orphans.configuration(300, 120, stepped=True, comparison=">")
    assert "orphaned at 810 s" == orphans.play(config, SEED, orphans.at_the_next_step).told


# The longest silence of the hour: the ceiling, until the ramp takes so long that the work ends first.
# Delay k is 0.25 * 1.6^(k-1) s; the earliest contact before poll k comes after half of the delays before.
@pytest.mark.parametrize(("ceiling", "longest"), [(10, 10), (300, 300), (900, 900), (1800, 1800)])
def test_the_longest_silence_is_the_ceiling_while_the_ramp_reaches_it(ceiling: int, longest: int) -> None:
    """1800 s are reached after 1211 s at the earliest (half of 0.25 * 1.6^k for k < 19), well inside the hour."""
    config = orphans.configuration(ceiling, 120, stepped=False)
    assert longest * SECOND == beyond.longest_silence_ms(config)


def test_beyond_the_hour_the_ceiling_no_longer_matters() -> None:
    """At a ceiling of an hour the longest silence is the largest of min(delay, what is left of the hour)."""
    config = orphans.configuration(3600, 120, stepped=False)
    start, longest = Fraction(0), Fraction(0)
    for k in range(40):
        delay = min(Fraction(3600), Fraction(1, 4) * Fraction(8, 5) ** k)
        longest = max(longest, min(delay, 3600 - start))
        start += delay / 2
    assert longest * SECOND == beyond.longest_silence_ms(config)


# -- must every run be orphaned? ------------------------------------------------------------------------------------


def survivor_of(low: int, high: int, window: int, period: int, *, inclusive: bool) -> float:
    """Most silences that any run survives, infinity if one survives for ever: all choices in whole ticks.

    A contact is known by how long ago the last sweep was; a gap is survived if no sweep inside it is too late.
    """

    def survives(since: int, gap: int) -> bool:
        return not any(
            silence >= window if inclusive else silence > window for silence in range(period - since, gap, period)
        )

    moves = {
        since: {(since + gap) % period for gap in range(low, high + 1) if survives(since, gap)}
        for since in range(period)
    }
    alive, count = set(range(period)), 0
    for count in range(10 * period):
        after = set().union(*(moves[one] for one in alive)) if alive else set()
        if not after:
            return count
        alive = after
    return float("inf")


def small(low: int, high: int, window: int, period: int, comparison: str) -> Config:
    """A client that waits from `low` to `high` ms each time."""
    client = Client(initial_delay_ms=high, max_delay_ms=high, jitter=(Fraction(low, high), Fraction(1)))
    server = Server(orphan_window_ms=window, sweep_period_ms=period, orphan_comparison=comparison)  # type: ignore[arg-type]
    return Config(client=client, server=server, workload=Workload(execution_ms=(10**6, 10**6)))


CASES = [
    (low, window, period, comparison)
    for window, period, comparison in product((6, 7, 8, 11), (3, 4, 5), (">", ">="))
    for low in range(window - 2, window + period + 3)
]


@pytest.mark.parametrize(("low", "window", "period", "comparison"), CASES)
def test_every_run_is_orphaned_exactly_beyond_the_least_multiple(
    low: int, window: int, period: int, comparison: str
) -> None:
    """A search of all runs in whole ticks finds a survivor for ever exactly where some gap can be that multiple."""
    high = 2 * low
    config = small(low, high, window, period, comparison)
    most = survivor_of(low, high, window, period, inclusive=comparison == ">=")
    assert (most != float("inf")) == beyond.certain(config)
    if beyond.certain(config):
        assert most == beyond.silences_survived_max(config)


# -- runs at the edges ----------------------------------------------------------------------------------------------


def test_the_shortest_orphaned_run_has_fourteen_polls() -> None:
    """112.6 s (0.25 * 1.6^13) is the longest gap up to poll 14; poll 15 may wait 180 s, so a gap of 2m1ms is its first.

    Half of all delays before it are 149.91 s, and the sweep comes 120 s later.
    """
    edge = beyond.orphaned_just_above(orphans.configuration(300, 120, stepped=False))
    before = sum(Fraction(1, 8) * Fraction(8, 5) ** k for k in range(14))
    assert 14 == edge.polls
    assert 120_001 == edge.gap_ms
    assert (before + 120) * SECOND == edge.ends_ms
    assert (False, True) == edge.trace.steps[-4].changed["orphaned_live"]


def test_no_shorter_run_is_orphaned() -> None:
    """The shortest violation that `verify` finds has as many polls."""
    (verdict,) = verify(orphans.configuration(300, 120, stepped=False), ["no-live-orphan"]).properties
    assert verdict.witness is not None
    assert 14 == sum(step.action == "tasks/get" for step in verdict.witness)


def test_a_gap_of_window_and_period_survives_the_hour() -> None:
    """Under `>` gaps of 150 s, each contact on a sweep, live through: 120 s is not too long, the next sweep is late."""
    edge = beyond.survives_above(orphans.configuration(300, 120, stepped=False, comparison=">"))
    assert edge is not None
    assert 150 * SECOND == edge.gap_ms
    assert "write_terminal" in {step.action for step in edge.trace}
    assert not any("orphaned_live" in step.changed for step in edge.trace)


def test_under_the_papers_comparison_no_run_of_the_cell_survives() -> None:
    """Under `>=` the most that dodges every sweep is 120 s, and the gaps at the ceiling are 150 s and more."""
    config = orphans.configuration(300, 120, stepped=False)
    assert beyond.survives_above(config) is None
    assert beyond.certain(config)
    assert 0 == beyond.silences_survived_max(config)


def test_the_lemmas_behind_the_region_are_proved() -> None:
    """For all windows, contacts and gaps at once, and for both comparisons, by the solver."""
    found = region_proof.proofs()
    assert [6, 6] == [len(proof.obligations) for proof in found]
    assert [] == [str(proof) for proof in found if not proof.proved]


def test_the_theorems_for_the_extension_are_proved() -> None:
    """Those of the page for its maintainers, beside the first: for all numbers, and for up to nine lost polls."""
    found = silence_proof.proofs()
    assert [2, 1, 5, 10] == [len(proof.obligations) for proof in found]
    assert [] == [str(proof) for proof in found if not proof.proved]
