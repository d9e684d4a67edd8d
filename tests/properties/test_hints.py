"""The hint honoured, and inside the ttl: arithmetic by hand, ties, runs, and the proof of the conditions."""

from itertools import product

import pytest

from latchcheck.model.config import Config
from latchcheck.properties.timing.answers import NotApplicable
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.hints import hint_honoured, hint_inside_ttl
from latchcheck.properties.timing.proofs.hints import honoured_proofs, inside_proofs
from tests.properties.asked import answer, events


def polling(**changes: object) -> Config:
    """A client that polls every second against a hint of five seconds; keys are written with a double underscore."""
    base = {"client.initial_delay_ms": 1000, "server.poll_interval_ms": 5000, "client.hint_mode": "ignore"}
    return Config().replace({**base, **{key.replace("__", "."): value for key, value in changes.items()}})


# -- hint-honoured ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "safe", "margin"),
    [("ignore", False, -4000), ("ceiling", False, -4000), ("floor", True, 0), ("replace", True, 0), ("clamp", True, 0)],
)
def test_the_mode_decides(mode: str, *, safe: bool, margin: int) -> None:
    """A delay of 1 s against a hint of 5 s honours it only where the hint bounds or replaces the delay."""
    outcome = answer(hint_honoured(Facts(polling(client__hint_mode=mode, client__max_delay_ms=9000))))

    assert (safe, margin) == (outcome.safe, outcome.margin_ms)


@pytest.mark.parametrize(("floor", "safe", "margin"), [(4999, False, -1), (5000, True, 0), (5001, True, 1)])
def test_a_gap_of_exactly_the_hint_honours_it(floor: int, *, safe: bool, margin: int) -> None:
    """Polling sooner means sooner: equality is fine."""
    outcome = answer(hint_honoured(Facts(polling(client__min_delay_ms=floor))))

    assert (safe, margin) == (outcome.safe, outcome.margin_ms)
    assert "client.min_delay_ms" == outcome.binding[0]


def test_jitter_makes_a_gap_shorter() -> None:
    """A delay of 6 s jittered down to a half is 3 s: 2 s too soon."""
    config = polling(client__initial_delay_ms=6000, client__jitter=["1/2", "1"])

    assert -2000 == answer(hint_honoured(Facts(config))).margin_ms


def test_a_ttl_that_caps_the_gap_comes_before_the_hint() -> None:
    """An advertised ttl of 3 s caps the gap at 3 s, and no floor of the client's helps."""
    config = polling(client__hint_mode="floor", client__ttl_mode="cap-gap", server__advertised_ttl_ms=3000)
    outcome = answer(hint_honoured(Facts(config)))

    assert (False, -2000, "server.advertised_ttl_ms") == (outcome.safe, outcome.margin_ms, outcome.binding[0])


def test_the_run_is_the_first_poll() -> None:
    """Three events show a poll that comes too soon."""
    assert ["create", "handle_arrives", "poll"] == events(hint_honoured(Facts(polling())))


def failing(**changes: object) -> Config:
    """Ordinary gaps of 5 s, and 1 s after a failed poll that is noticed after 100 ms."""
    return polling(
        client__initial_delay_ms=5000,
        client__error_initial_delay_ms=1000,
        client__request_timeout_ms=100,
        network__max_consecutive_failures=2,
        **changes,
    )


def test_a_gap_after_a_failure_counts() -> None:
    """An error backoff below the hint breaks it at the second poll, which is where the run ends."""
    outcome = hint_honoured(Facts(failing()))

    assert -4000 == answer(outcome).margin_ms
    assert ["create", "handle_arrives", "poll", "failure_noticed", "poll"] == events(outcome)


@pytest.mark.parametrize(("limit", "safe"), [(6099, True), (6100, False)])
def test_what_the_limit_forbids_is_never_sent(limit: int, *, safe: bool) -> None:
    """5 s + 100 ms + 1 s of waiting fit into 6.1 s from the handle and not into less; at the tie the poll is sent."""
    config = failing(client__overall_timeout_ms=limit, client__overall_timeout_from="handle")

    assert safe == answer(hint_honoured(Facts(config))).safe


@pytest.mark.parametrize(("limit", "safe"), [(6101, True), (6102, False)])
def test_from_the_call_the_limit_has_begun_before(limit: int, *, safe: bool) -> None:
    """With a least latency of 1 ms each way, call and handle take 2 ms of a limit that counts from the call."""
    config = failing(client__overall_timeout_ms=limit, network__latency_ms=[1, 7])
    outcome = hint_honoured(Facts(config))

    assert safe == answer(outcome).safe
    assert safe or events(outcome)


def test_a_client_that_stops_at_its_first_error_has_no_second_gap() -> None:
    """With max_consecutive_errors = 1 the error backoff is never waited."""
    assert answer(hint_honoured(Facts(failing(client__max_consecutive_errors=1)))).safe


def test_no_hint_is_nothing_to_honour() -> None:
    """Without a hint, and without a poller, the property does not apply."""
    assert isinstance(hint_honoured(Facts(polling(server__poll_interval_ms=None))), NotApplicable)
    silent = Config().replace({"server.poll_interval_ms": 5000, "client.hint_mode": "ignore"})
    assert isinstance(hint_honoured(Facts(silent)), NotApplicable)


LIMITS = [
    {},
    {"client__overall_timeout_ms": 9},
    {"client__overall_timeout_ms": 9, "client__overall_timeout_from": "handle"},
    {"client__ttl_mode": "give-up", "server__advertised_ttl_ms": 9, "client__overall_timeout_ms": 9},
    {"client__ttl_mode": "cap-gap", "server__advertised_ttl_ms": 9},
]
FAILURES = [
    {},
    {"client__error_initial_delay_ms": 1, "client__error_multiplier": 2, "client__error_max_delay_ms": 9},
    {"client__max_consecutive_errors": 1},
    {"client__restart_gap_ms": 3},
]


@pytest.mark.parametrize(
    ("mode", "limit", "failure"),
    [
        ("ignore", 0, 1),
        ("ignore", 1, 1),
        ("ignore", 2, 1),
        ("ignore", 3, 2),
        ("ceiling", 4, 3),
        ("clamp", 2, 1),
        ("floor", 4, 1),
        ("replace", 1, 0),
    ],
)
def test_honouring_is_exactly_the_condition(mode: str, limit: int, failure: int) -> None:
    """For all numbers: where the condition holds no poll comes too soon, where it fails the run does."""
    failures = {"network__max_consecutive_failures": 2, "client__request_timeout_ms": 1} if failure else {}
    config = polling(
        client__hint_mode=mode,
        client__max_delay_ms=9000,
        client__multiplier="1.5",
        client__jitter=["1/2", "3/2"],
        client__min_delay_ms=1,
        network__latency_ms=[0, 1],
        **failures,
        **FAILURES[failure],
        **LIMITS[limit],
    )

    assert [] == [str(proof) for proof in honoured_proofs(config) if not proof.proved]


# -- hint-inside-ttl ----------------------------------------------------------------------------------------------


def hinted(ttl: int, anchor: str = "creation", skew: int = 0) -> Config:
    """A hint of 1 s over a network of 1 to 3 ms, the work taking at least 2 ms."""
    return Config().replace(
        {
            "server.poll_interval_ms": 1000,
            "server.enforced_ttl_ms": ttl,
            "server.enforced_anchor": anchor,
            "server.clock_skew_ms": skew,
            "network.latency_ms": [1, 3],
            "workload.execution_ms": [2, 10],
        }
    )


# The poll arrives 3 + 1000 + 3 = 1006 ms after creation at the latest.
@pytest.mark.parametrize(
    ("ttl", "anchor", "skew", "safe", "margin"),
    [
        (1006, "creation", 0, False, 0),
        (1007, "creation", 0, True, 1),
        (1007, "creation", 1, False, 0),
        (1004, "terminal", 0, False, 0),
        (1005, "terminal", 0, True, 1),
        (2, "terminal", 5, False, -1007),
        # Restarted by the work's end, which comes at 2 at the earliest and surely before the ttl.
        (1004, "activity", 0, False, 0),
        (1005, "creation-then-terminal", 0, True, 1),
        (10, "creation-then-terminal", 0, False, -994),
    ],
)
def test_the_ttl_ends_first_at_a_tie(ttl: int, anchor: str, skew: int, *, safe: bool, margin: int) -> None:
    """A poll at the very end of the ttl is too late; under `terminal` it counts from the earliest write, at 2 ms."""
    outcome = hint_inside_ttl(Facts(hinted(ttl, anchor, skew)))

    assert (safe, margin) == (answer(outcome).safe, answer(outcome).margin_ms)
    assert safe or "tasks/get" == events(outcome)[-1]


@pytest.mark.parametrize(
    ("ttl", "first", "safe", "margin"), [(1006, 2, False, 0), (1, 1006, False, -1005), (1, 1007, True, None)]
)
def test_an_exempt_task_is_there_until_it_ends(ttl: int, first: int, *, safe: bool, margin: int | None) -> None:
    """Exempt while it runs, a task that ends after the first hinted poll may have any ttl from creation."""
    config = hinted(ttl).replace({"server.expire_running": False, "workload.execution_ms": [first, 2000]})
    outcome = hint_inside_ttl(Facts(config))

    assert (safe, margin) == (answer(outcome).safe, answer(outcome).margin_ms)
    assert safe or "tasks/get" == events(outcome)[-1]


def test_work_that_may_outlast_its_ttl_does_not_restart_it() -> None:
    """Anchored at creation and then at the write: work of up to 2 s is expired 1006 after creation, running."""
    config = hinted(1006, "creation-then-terminal").replace({"workload.execution_ms": [2, 2000]})

    assert (False, 0) == (answer(hint_inside_ttl(Facts(config))).safe, answer(hint_inside_ttl(Facts(config))).margin_ms)
    assert events(hint_inside_ttl(Facts(config)))


def test_a_hint_as_long_as_the_least_ttl_is_too_long() -> None:
    """The helidon pair: hint 1 s, ttl 1 s, deleted no later than the first hinted poll."""
    config = Config().replace({"server.poll_interval_ms": 1000, "server.advertised_ttl_ms": 1000})

    assert not answer(hint_inside_ttl(Facts(config))).safe


def test_without_hint_or_ttl_it_does_not_apply() -> None:
    """Both are needed."""
    config = hinted(1000)
    assert isinstance(hint_inside_ttl(Facts(config.replace({"server.poll_interval_ms": None}))), NotApplicable)
    assert isinstance(hint_inside_ttl(Facts(config.replace({"server.enforced_ttl_ms": "none"}))), NotApplicable)


@pytest.mark.parametrize(
    ("anchor", "execution", "expire_running"),
    [
        *product(["creation", "activity", "creation-then-terminal"], [[1, 2], None], [True]),
        ("creation", [1, 2], False),
        ("creation-then-terminal", [1, None], False),
        ("terminal", [2, 2], True),
        ("terminal", None, True),
    ],
    ids=str,
)
def test_being_inside_is_exactly_the_condition(anchor: str, execution: object, *, expire_running: bool) -> None:
    """For all numbers: where the condition holds no hinted poll is too late, where it fails the run shows one."""
    modes = {"workload.execution_ms": execution, "server.expire_running": expire_running}
    config = hinted(9, anchor).replace(modes)

    assert [] == [str(proof) for proof in inside_proofs(config) if not proof.proved]
