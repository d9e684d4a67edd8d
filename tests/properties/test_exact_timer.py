"""`sweep_period = 0` is an exact timer: what is due happens then, and at a tie of two limits the orders decide by hand.

A deadline and an orphan window (>) act beyond their end, a ttl and an orphan window (>=) at it.
"""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from latchcheck.kernel.verdict import PropertyVerdict
from latchcheck.model.config import Config
from latchcheck.properties.timing import verify

S = 1_000
DEADLINE, WINDOW, TTL = "server.execution_deadline_ms", "server.orphan_window_ms", "server.enforced_ttl_ms"
EXECUTION, PERIOD = "workload.execution_ms", "server.sweep_period_ms"


def asked(name: str, values: dict[str, object]) -> PropertyVerdict:
    """The verdict on one property under an exact timer."""
    return verify(Config().replace({PERIOD: 0, **values}), [name]).properties[0]


@pytest.mark.parametrize(
    ("values", "dead"),
    [
        ({DEADLINE: 59 * S}, None),
        # Not yet over at 60 s, when the task expires.
        ({DEADLINE: 60 * S}, DEADLINE),
        ({WINDOW: 60 * S}, WINDOW),
        # Over at 60 s, and the orphans pass comes first.
        ({WINDOW: 60 * S, "server.orphan_comparison": ">="}, None),
        (
            {
                WINDOW: 60 * S,
                "server.orphan_comparison": ">=",
                "server.sweep_order": ("expiry", "timeouts", "orphans"),
            },
            WINDOW,
        ),
    ],
    ids=str,
)
def test_a_limit_that_meets_the_ttl_is_dead_where_the_ttl_acts_first(
    values: dict[str, object], dead: str | None
) -> None:
    """Against a ttl of 60 s that counts from creation."""
    found = asked("every-window-can-fire", {TTL: 60 * S, **values})
    assert ("proved" if dead is None else "vacuous") == found.verdict
    assert dead is None or str(found.reason).startswith(dead)


def test_work_that_is_told_to_stop_and_goes_on_is_not_stopped() -> None:
    """The deadline fails the task at 10 s, and nothing but the work itself ends the work."""
    found = asked("abandoned-work-is-bounded", {DEADLINE: 10 * S, EXECUTION: [0, None]})
    assert "violated" == found.verdict
    bounded = asked("abandoned-work-is-bounded", {DEADLINE: 10 * S, EXECUTION: [0, 40 * S]})
    assert ("proved", 40 * S) == (bounded.verdict, bounded.bound_ms)


def test_work_that_goes_on_for_a_while_is_stopped_that_much_later() -> None:
    """Told to stop at 10 s, the work goes on for 5 s; told to stop and stopping, it ends at 10 s."""
    base: dict[str, object] = {DEADLINE: 10 * S, EXECUTION: [0, 40 * S]}
    bounds = [
        asked("abandoned-work-is-bounded", {**base, "workload.works_on_after_cancel": on}).bound_ms
        for on in (False, 5 * S)
    ]
    assert [10 * S, 15 * S] == bounds


@pytest.mark.parametrize(("least", "verdict"), [(5 * S, "violated"), (5 * S + 1, "vacuous")])
def test_work_that_ends_as_its_record_expires_may_end_first(least: int, verdict: str) -> None:
    """An outcome stored at 5 s, the instant at which the record goes, is lost; later there is none."""
    values: dict[str, object] = {TTL: 5 * S, EXECUTION: [least, 40 * S], "client.initial_delay_ms": 10 * S}
    assert verdict == asked("result-reaches-client", values).verdict


def drawn(seed: int) -> dict[str, object]:
    """A configuration in which no two limits meet, and none meets a poll."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    some = {
        "server.orphan_window_ms": rng.choice([2_003, 7_019, 13_007]),
        "server.execution_deadline_ms": rng.choice([5_011, 11_027, 31_013]),
        "server.enforced_ttl_ms": rng.choice([3_041, 9_059, 23_071]),
        "client.overall_timeout_ms": rng.choice([12_101, 61_103]),
        "workload.works_on_after_cancel": rng.choice([False, 1_500]),
        "client.jitter": (Fraction(1, 2), Fraction(1)),
        "server.abandoned_work_bound_ms": 20_201,
        "server.orphan_bound_ms": 8_219,
    }
    return {
        "client.initial_delay_ms": rng.choice([1_301, 3_307, 10_313]),
        "server.enforced_anchor": rng.choice(["creation", "terminal", "creation-then-terminal"]),
        "server.expiry_action": rng.choice(["delete", "fail"]),
        EXECUTION: rng.choice([[0, 6_407], [0, 17_417], [4_421, 40_423], [0, None]]),
        **{name: value for name, value in some.items() if rng.random() < 0.5},
    }


@pytest.mark.parametrize("seed", range(20))
def test_away_from_ties_it_is_a_sweep_every_millisecond(seed: int) -> None:
    """Where no two instants meet every verdict is that of sweeps a millisecond apart, and margins differ by that."""
    values = drawn(seed)
    exact, swept = (verify(Config().replace({**values, PERIOD: period})).properties for period in (0, 1))
    assert [one.verdict for one in swept] == [one.verdict for one in exact]
    margins = [(one.margin_ms, other.margin_ms) for one, other in zip(exact, swept, strict=True)]
    assert all((one is None) == (other is None) for one, other in margins)
    assert all(abs(one - other) <= 1 for one, other in margins if one is not None and other is not None)
