"""What is told of the ttl against what happens: cases by hand, an enumeration, and the proof for equal anchors."""

from fractions import Fraction
from itertools import product

import pytest

from latchcheck.model.config import UNLIMITED, Config
from latchcheck.properties.timing.advertised import advertised_ttl_is_enforced
from latchcheck.properties.timing.answers import Answer, NotApplicable
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.proofs.advertised import proofs
from latchcheck.properties.timing.verifying import shown

ANCHORS = ("creation", "terminal", "creation-then-terminal", "activity")


def ttls(told: object, kept: object, **changes: object) -> Config:
    """A told and an enforced ttl; further server keys by name."""
    server = {f"server.{name}": value for name, value in changes.items() if name != "execution_ms"}
    values = {"server.advertised_ttl_ms": told, "server.enforced_ttl_ms": kept, **server}
    return Config().replace({**values, "workload.execution_ms": changes.get("execution_ms")})


def answer(config: Config) -> Answer:
    """The answer on a configuration to which the property applies."""
    outcome = advertised_ttl_is_enforced(Facts(config))
    assert isinstance(outcome, Answer)
    return outcome


def harm(config: Config) -> str | None:
    """Which harm the executed run shows, or None where there is none to show."""
    outcome = answer(config)
    if outcome.safe:
        return None
    assert shown(outcome) is not None
    return outcome.harm


@pytest.mark.parametrize("anchor", ANCHORS)
def test_the_same_ttl_and_anchor_agree(anchor: str) -> None:
    """Told and enforced are one and the same, whenever the task ends: proved, with no difference."""
    for execution in (None, [0, 5], [10, 10], [3, 40]):
        outcome = answer(ttls(10, 10, advertised_anchor=anchor, execution_ms=execution))

        assert (True, 0) == (outcome.safe, outcome.margin_ms)


@pytest.mark.parametrize(
    ("told", "kept", "expected", "margin"),
    [(10, 13, "gave_up_on_live", -3), (13, 10, "read_gone", -3), (10, UNLIMITED, "gave_up_on_live", None)],
)
def test_one_of_two_clauses_breaks(told: int, kept: object, expected: str, margin: int | None) -> None:
    """A shorter told ttl is given up too early, a longer one read too late; no end at all is no finite difference."""
    config = ttls(told, kept, execution_ms=[50, 50])

    assert expected == harm(config)
    assert margin == answer(config).margin_ms


def test_told_without_end_is_read_after_the_end() -> None:
    """The client was told null, and the server removes the task after all."""
    config = ttls("none", 10)

    assert ("read_gone", None) == (harm(config), answer(config).margin_ms)


def test_never_and_never_agree() -> None:
    """Neither told nor enforced ends: nothing differs."""
    assert None is harm(ttls("none", "none"))


def test_skew_alone_makes_a_difference() -> None:
    """With clocks 2 ms apart the end comes up to 2 ms early or late."""
    config = ttls(10, 10, clock_skew_ms=2)

    assert harm(config)
    assert -2 == answer(config).margin_ms


@pytest.mark.parametrize(("longest", "safe", "margin"), [(9, True, 0), (10, True, 0), (11, False, -1), (14, False, -4)])
def test_an_exempt_task_lives_past_the_told_end(longest: int, *, safe: bool, margin: int) -> None:
    """Counted from creation with running tasks exempt, a task that ends at the ttl itself still agrees."""
    config = ttls(10, 10, expire_running=False, execution_ms=[1, longest])

    assert (safe, margin) == (answer(config).safe, answer(config).margin_ms)
    assert safe or harm(config) == "gave_up_on_live"


@pytest.mark.parametrize(("longest", "safe"), [(9, True), (10, False), (11, False)])
def test_a_restart_at_the_told_end_comes_too_late(longest: int, *, safe: bool) -> None:
    """Where the terminal write restarts the ttl of an exempt task, a write at the told end already outlives it."""
    config = ttls(10, 10, advertised_anchor="creation-then-terminal", expire_running=False, execution_ms=[1, longest])

    assert safe == (harm(config) is None)


def test_another_anchor_is_another_end() -> None:
    """Told from creation and kept from the terminal write: the same only for work of exactly one length."""
    assert "gave_up_on_live" == harm(ttls(10, 10, enforced_anchor="terminal", execution_ms=[5, 5]))
    assert None is harm(ttls(15, 10, enforced_anchor="terminal", execution_ms=[5, 5]))
    assert harm(ttls(15, 10, enforced_anchor="terminal", execution_ms=[5, 6]))


def test_activity_lives_on_as_long_as_somebody_polls() -> None:
    """Against a fixed told end the difference has no bound."""
    config = ttls(10, 10, enforced_anchor="activity", execution_ms=[5, 50])

    assert harm(config)
    assert None is answer(config).margin_ms


def test_nothing_told_is_nothing_to_believe() -> None:
    """Without an advertised ttl the property does not apply; a ttl as requested is one that was told."""
    assert isinstance(advertised_ttl_is_enforced(Facts(ttls(None, 10))), NotApplicable)
    honoured = ttls(None, None, honours_requested_ttl=True)
    assert isinstance(advertised_ttl_is_enforced(Facts(honoured)), NotApplicable)
    assert answer(honoured.replace({"client.requested_ttl_ms": 10})).safe


def ends(anchor: str, ttl: int, write: Fraction, *, exempt: bool) -> list[Fraction]:
    """The ends of a ttl with the write at an instant, by hand; two where the write falls on the end."""
    if anchor == "terminal":
        return [write + ttl]
    if anchor == "creation":
        return [max(write, Fraction(ttl)) if exempt else Fraction(ttl)]
    if exempt or write < ttl:
        return [write + ttl]
    return [Fraction(ttl)] if write > ttl else [Fraction(ttl), write + ttl]


def test_an_enumeration_by_hand_agrees() -> None:
    """Every write in half milliseconds, no contact after creation: the same verdict, and a run for each difference."""
    fixed = [anchor for anchor in ANCHORS if anchor != "activity"]
    for told_at, kept_at, exempt, (told, kept), (low, high) in product(
        fixed, fixed, (False, True), ((2, 2), (2, 3), (3, 2), (4, 2)), ((0, 0), (1, 2), (2, 2), (1, 5), (3, 3))
    ):
        differs = False
        for half in range(2 * low, 2 * high + 1):
            write = Fraction(half, 2)
            running_ends = kept_at != "terminal" and not exempt and write >= kept
            # A task that expired while it ran is never written, so a told end that counts from there never comes.
            real = [Fraction(kept)] if running_ends else ends(kept_at, kept, write, exempt=exempt)[-1:]
            told_ends: list[Fraction | None] = [*ends(told_at, told, write, exempt=False)]
            if running_ends:
                told_ends = [None if told_at == "terminal" else Fraction(told)]
            differs = differs or any(end != real[0] for end in told_ends)
        config = ttls(
            told,
            kept,
            advertised_anchor=told_at,
            enforced_anchor=kept_at,
            expire_running=not exempt,
            execution_ms=[low, high],
        )

        assert differs == (harm(config) is not None), config


@pytest.mark.parametrize("anchor", ANCHORS)
@pytest.mark.parametrize("expire_running", [True, False])
@pytest.mark.parametrize("execution", [[1, 2], None], ids=str)
def test_with_one_anchor_the_condition_is_exact(anchor: str, execution: object, *, expire_running: bool) -> None:
    """For all numbers: where the condition holds nobody is misled, where it fails one of the runs shows it."""
    config = ttls(9, 9, advertised_anchor=anchor, expire_running=expire_running, execution_ms=execution)

    assert [] == [str(proof) for proof in proofs(config) if not proof.proved]
