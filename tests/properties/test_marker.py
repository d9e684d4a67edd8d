"""A cancel kept in a marker of its own: known instance, anchors by hand, ties, runs, and the proof."""

import pytest

from latchcheck.model.config import Config
from latchcheck.properties.timing.answers import Answer, NotApplicable
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.marker import cancel_marker_outlives_record
from latchcheck.properties.timing.proofs.marker import from_creation, from_terminal, restarted
from latchcheck.properties.timing.verifying import shown

SECOND, MINUTE = 1_000, 60_000


def marked(marker: int, on: object = None, execution: object = None, **server: object) -> Config:
    """A marker, work that goes on for `on` after its cancel (None: until it is done), other server keys by name.

    The ttl is 10 ms, judged at each access.
    """
    base = {"enforced_ttl_ms": 10, "enforced_anchor": "terminal", "sweep_period_ms": "lazy"}
    keys = {**base, **server, "cancel_marker_retention_ms": marker}
    config = Config().replace({f"server.{name}": value for name, value in keys.items()})
    return config.replace(
        {"workload.works_on_after_cancel": True if on is None else on, "workload.execution_ms": execution}
    )


def answer(config: Config) -> Answer:
    """The answer on a configuration with a marker."""
    outcome = cancel_marker_outlives_record(Facts(config))
    assert isinstance(outcome, Answer)
    return outcome


def events(config: Config) -> list[str]:
    """The actions of the run that shows the harm, executed."""
    found = shown(answer(config))
    assert found is not None
    return [step.action for step in found.steps]


def test_the_known_instance() -> None:
    """Marker and record live 15 min each, the record from its late write: it reads completed after cancelled."""
    quarter = 15 * MINUTE
    config = marked(quarter, execution=[2 * SECOND, 5 * SECOND], enforced_ttl_ms=quarter)

    assert (False, -5 * SECOND) == (answer(config).safe, answer(config).margin_ms)
    assert ["create", "tasks/cancel", "write_terminal", "tasks/get"] == events(config)
    assert answer(config.replace({"server.cancel_marker_retention_ms": quarter + 5 * SECOND})).safe


# Read, relative to the cancel, until: see each line. At the tie the record goes first, or the marker does.
@pytest.mark.parametrize(
    ("last", "config"),
    [
        # written 7 after the cancel at 0, gone 10 later
        (17, marked(0, execution=[2, 7])),
        # the work stops at most 4 after the cancel, so written 4 after it
        (14, marked(0, 4, execution=[2, 7])),
        (14, marked(0, 4)),
        # swept at most 3 + 1 late
        (21, marked(0, execution=[2, 7], sweep_period_ms=3, sweep_lateness_ms=1)),
        (18, marked(0, execution=[2, 7], clock_skew_ms=1)),
        # from creation: gone 10 after it, cancelled at 0
        (10, marked(0, execution=[2, 7], enforced_anchor="creation")),
        (13, marked(0, execution=[2, 7], enforced_anchor="creation", sweep_period_ms=3)),
        # work of 6 that stops 4 after its cancel is cancelled at 2 or never written
        (8, marked(0, 4, execution=[6, 7], enforced_anchor="creation")),
        # restarted by the write, which a grid of 3 can miss until ceil(10 / 3) * 3 = 12
        (25, marked(0, enforced_anchor="creation-then-terminal", sweep_period_ms=3)),
        (20, marked(0, execution=[2, 7], enforced_anchor="creation-then-terminal", sweep_period_ms=3)),
        # exempt while it runs
        (17, marked(0, execution=[2, 7], enforced_anchor="creation-then-terminal", expire_running=False)),
    ],
    ids=str,
)
def test_the_marker_must_last_until_the_record_goes(last: int, config: Config) -> None:
    """A marker as long as the record can be read is enough; one millisecond less is not, and a run shows it."""
    enough = config.replace({"server.cancel_marker_retention_ms": last})
    short = config.replace({"server.cancel_marker_retention_ms": last - 1})

    assert (True, 0) == (answer(enough).safe, answer(enough).margin_ms)
    assert (False, -1) == (answer(short).safe, answer(short).margin_ms)
    assert "tasks/get" == events(short)[-1]


def test_an_exempt_task_can_be_read_at_its_late_write() -> None:
    """Exempt while it runs past the ttl from creation, the record reads working until 15 itself: a tie is a harm."""
    config = marked(15, execution=[2, 15], enforced_anchor="creation", expire_running=False)

    assert (False, 0) == (answer(config).safe, answer(config).margin_ms)
    assert answer(config.replace({"server.cancel_marker_retention_ms": 16})).safe


@pytest.mark.parametrize(
    "config",
    [
        marked(9 * MINUTE),
        marked(9 * MINUTE, 4, enforced_ttl_ms="none"),
        marked(9 * MINUTE, 4, execution=[2, 7], enforced_anchor="activity"),
        marked(9 * MINUTE, 4, execution=[2, 7], sweep_period_ms=None),
        marked(9 * MINUTE, 4, execution=[2, 7], expiry_action="fail", expired_terminal="keep"),
    ],
    ids=str,
)
def test_some_records_can_be_read_for_ever(config: Config) -> None:
    """Work without end, no ttl, a ttl that polls renew, no sweep, nothing that removes: no marker is long enough."""
    assert (False, None) == (answer(config).safe, answer(config).margin_ms)
    assert "tasks/get" == events(config)[-1]


def test_a_read_waits_for_the_late_write() -> None:
    """Judged at each access, a running task must not be read once its ttl is over; its late write restarts the ttl."""
    config = marked(5, execution=[10, 10], enforced_anchor="creation-then-terminal", enforced_ttl_ms=3)

    assert ["create", "tasks/cancel", "write_terminal", "tasks/get"] == events(config)
    assert -8 == answer(config).margin_ms


def test_work_that_stops_at_once_leaves_a_cancelled_record() -> None:
    """The record itself reads cancelled, so the marker may go at any time."""
    assert answer(marked(0, on=False)).safe


def test_a_bound_of_one_millisecond_is_not_for_ever() -> None:
    """1 == True in Python, and 1 ms after a cancel is not until the work is done."""
    assert 12 - 11 == answer(marked(12, 1, execution=[2, 7])).margin_ms
    assert ["create", "tasks/cancel", "write_terminal", "tasks/get"] == events(marked(10, 1, execution=[2, 7]))


def test_a_marker_that_lives_with_the_record_is_no_question() -> None:
    """Without a retention of its own the property does not apply."""
    config = marked(0).replace({"server.cancel_marker_retention_ms": None})

    assert isinstance(cancel_marker_outlives_record(Facts(config)), NotApplicable)


@pytest.mark.parametrize("period", [5, "lazy"])
@pytest.mark.parametrize(
    "server",
    [{"enforced_anchor": "terminal"}, {"enforced_anchor": "creation-then-terminal", "expire_running": False}],
    ids=str,
)
@pytest.mark.parametrize(("on", "execution"), [(True, [1, 2]), (5, [1, 2]), (5, None), (True, None)], ids=str)
def test_from_the_terminal_write_the_condition_is_exact(
    period: object, server: dict[str, object], on: object, execution: object
) -> None:
    """For all numbers, both implications."""
    config = marked(9, on, execution, sweep_period_ms=period, clock_skew_ms=1, **server)

    assert [] == [str(proof) for proof in from_terminal(config) if not proof.proved]


@pytest.mark.parametrize("period", [5, "lazy"])
@pytest.mark.parametrize("execution", [[1, 2], None], ids=str)
def test_from_creation_the_condition_is_exact(period: object, execution: object) -> None:
    """For all numbers, both implications, for work that goes on until it is done."""
    config = marked(9, True, execution, sweep_period_ms=period, clock_skew_ms=1, enforced_anchor="creation")

    assert [] == [str(proof) for proof in from_creation(config) if not proof.proved]


def test_restarted_by_the_late_write_the_condition_is_exact() -> None:
    """For all numbers, both implications, one grid of sweeps for the running record and the terminal one."""
    config = marked(9, sweep_period_ms=5, clock_skew_ms=1, enforced_anchor="creation-then-terminal")

    assert [] == [str(proof) for proof in restarted(config) if not proof.proved]
