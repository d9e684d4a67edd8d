"""A human's answer through every nested limit: each limit alone by hand, ties, runs, and what has no bound."""

import pytest

from latchcheck.model.config import Config
from latchcheck.properties.timing.answers import Answer, NotApplicable
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.human import input_window_covers_human
from latchcheck.properties.timing.verifying import shown


def asked(**changes: object) -> Config:
    """Polls every 50, a network of 1 to 3, work of at most 200, a human of at most 1000; keys with two underscores.

    The client is told at most 3 + 50 + 3 + 3 = 59 after the question, the answer is given at 1059 and arrives at 1062.
    """
    base = {
        "client.initial_delay_ms": 50,
        "network.latency_ms": [1, 3],
        "workload.execution_ms": [0, 200],
        "workload.human_answer_ms": [10, 1000],
    }
    return Config().replace({**base, **{key.replace("__", "."): value for key, value in changes.items()}})


def answer(config: Config) -> Answer:
    """The answer on a configuration with some limit."""
    outcome = input_window_covers_human(Facts(config))
    assert isinstance(outcome, Answer)
    return outcome


def closed_by(config: Config) -> str:
    """What closes in the executed run, just before the event that meets it closed."""
    found = shown(answer(config))
    assert found is not None
    return found.steps[-2].action


# key, the last value that is too short, what it must exceed; strict limits act only beyond their end
LIMITS = [
    ("client.input_request_timeout_ms", 1000, {}),
    ("server.input_window_ms", 1062, {}),
    ("server.input_state_retention_ms", 1062, {}),
    # asked at the end of the work, at 200
    ("server.enforced_ttl_ms", 1262, {}),
    ("server.enforced_ttl_ms", 1264, {"server__clock_skew_ms": 2}),
    ("server.execution_deadline_ms", 1261, {}),
    # sent at 1259; the limit from the call began 3 before creation, from the handle 1 after it
    ("client.overall_timeout_ms", 1262, {}),
    ("client.overall_timeout_ms", 1258, {"client__overall_timeout_from": "handle"}),
    # silence from the poll: 3 back, the human, 3 there, and 50 + 3 to the next poll where the answer does not count
    ("server.orphan_window_ms", 1058, {}),
    ("server.orphan_window_ms", 1059, {"server__orphan_comparison": ">="}),
    ("server.orphan_window_ms", 1005, {"server__contact_includes": ["update"]}),
    ("server.orphan_window_ms", 1006, {"server__contact_includes": ["update"], "server__orphan_comparison": ">="}),
    ("server.enforced_ttl_ms", 1006, {"server__enforced_anchor": "activity", "server__contact_includes": ["update"]}),
]


@pytest.mark.parametrize(("key", "short", "modes"), LIMITS, ids=str)
def test_each_limit_alone(key: str, short: int, modes: dict[str, object]) -> None:
    """The last value that is too short is, and closes in a run; one millisecond more is enough."""
    config = asked(**modes).replace({key: short})
    outcome, enough = answer(config), answer(config.replace({key: short + 1}))

    assert (False, (key,)) == (outcome.safe, outcome.binding)
    assert enough.safe
    assert (enough.margin_ms, outcome.margin_ms) in {(1, 0), (0, -1)}
    assert closed_by(config) == key.split(".")[1].removesuffix("_ms") + "_ends"


def test_give_up_counts_as_the_clients_limit() -> None:
    """A client that gives up at the advertised ttl stops at it, counted from creation."""
    config = asked(client__ttl_mode="give-up", server__advertised_ttl_ms=1259, server__enforced_ttl_ms="none")

    assert (False, "server.advertised_ttl_ms") == (answer(config).safe, answer(config).binding[0])
    assert answer(config.replace({"server.advertised_ttl_ms": 1260})).safe


def test_the_tightest_limit_is_named() -> None:
    """Of two limits that fail both are in the clause, and the margin is that of the worse."""
    config = asked(server__input_window_ms=1000, client__input_request_timeout_ms=900)
    outcome = answer(config)

    assert (-100, ("client.input_request_timeout_ms",)) == (outcome.margin_ms, outcome.binding)
    assert "input_window" in outcome.clause


def test_polling_while_waiting_keeps_the_task() -> None:
    """A client that polls while the human thinks is never silent for so long."""
    config = asked(client__polls_while_waiting=True, server__orphan_window_ms=100, server__input_window_ms=1063)

    assert (True, 1) == (answer(config).safe, answer(config).margin_ms)


def test_an_exempt_task_waits_as_long_as_it_takes() -> None:
    """A ttl that spares running tasks is no limit on an answer."""
    config = asked(server__enforced_ttl_ms=100, server__expire_running=False)

    assert isinstance(input_window_covers_human(Facts(config)), NotApplicable)


def test_failures_and_a_restart_delay_the_telling() -> None:
    """One failed poll noticed after 20 and a restart of 30 add 20 + 50 + 30 to the 1062."""
    config = asked(
        network__max_consecutive_failures=1, client__request_timeout_ms=20, client__restart_gap_ms=30
    ).replace({"server.input_window_ms": 1162})

    assert (False, 0) == (answer(config).safe, answer(config).margin_ms)
    assert answer(config.replace({"server.input_window_ms": 1163})).safe


def test_only_gaps_that_run_while_the_work_does_count() -> None:
    """Doubling from 50, the third gap starts at 154 at the earliest and the fourth after the work: 209 + 1003 it is."""
    config = asked(client__multiplier="2", server__input_window_ms=1212)

    assert (False, 0) == (answer(config).safe, answer(config).margin_ms)
    assert answer(config.replace({"server.input_window_ms": 1213})).safe


def test_undeclared_work_asks_at_once() -> None:
    """Nothing is known of a later question, and the clause says so."""
    config = asked(workload__execution_ms=None, server__enforced_ttl_ms=1062)

    assert (False, 0) == (answer(config).safe, answer(config).margin_ms)
    assert "asked at creation" in answer(config).clause


def test_without_a_stated_poller_the_client_knows_at_once() -> None:
    """The answer then takes the human and its way: 1003."""
    config = asked(client__initial_delay_ms=None, server__input_window_ms=1003)

    assert (False, 0) == (answer(config).safe, answer(config).margin_ms)
    assert answer(config.replace({"server.input_window_ms": 1004})).safe


@pytest.mark.parametrize(
    "changes",
    [
        {"client__multiplier": "2", "workload__execution_ms": [3, None], "server__input_window_ms": 9000},
        {"workload__execution_ms": [3, None], "server__enforced_ttl_ms": 9000},
    ],
    ids=str,
)
def test_without_a_bound_there_is_no_margin(changes: dict[str, object]) -> None:
    """Gaps that grow for ever, and work that may ask at any time, outlast every limit; a run shows it."""
    config = asked(**changes)

    assert (False, None) == (answer(config).safe, answer(config).margin_ms)
    assert closed_by(config).endswith("_ends")


def test_no_human_or_no_limit_is_no_question() -> None:
    """Both a declared answer and some limit are needed."""
    assert isinstance(input_window_covers_human(Facts(asked())), NotApplicable)
    config = asked(server__input_window_ms=9000, workload__human_answer_ms=None)
    assert isinstance(input_window_covers_human(Facts(config)), NotApplicable)
