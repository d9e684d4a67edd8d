"""`verify` and the brute-force oracle answer alike on random small configurations."""

from collections.abc import Iterator

import pytest

from latchcheck.properties.timing import search
from latchcheck.properties.timing.facts import Facts
from latchcheck.properties.timing.verifying import answer
from tests.agreement.brute import Outcome, decide
from tests.agreement.conversion import configuration
from tests.agreement.draws import draw

SEEDS = 2_000
CHUNK = 50

COVERED = (
    "no-live-orphan",
    "result-reaches-client",
    "ttl-covers-execution",
    "patience-covers-execution",
    "timeout-is-seen",
    "restart-inside-orphan-window",
    # These the oracle decides by enumerating their own little systems.
    "hint-inside-orphan-window",
    "hint-inside-ttl",
    "advertised-ttl-is-enforced",
    "orphans-found-in-time",
    "lease-outlives-stall",
    "retries-inside-deadline",
    "idempotency-outlives-retries",
)
"""Properties that both read alike; the first six the oracle decides by a search of the whole system."""


def violated(name: str, outcomes: dict[str, Outcome]) -> bool:
    """Whether the oracle finds a run that breaks the property.

    The oracle keeps silences in which the client was away apart; they break `no-live-orphan` as well, since a client
    that is away for its restart gap has not stopped (docs/reference/semantics.md, section 2, item 10).
    """
    found = outcomes[name].violated
    return found or (name == "no-live-orphan" and outcomes["restart-inside-orphan-window"].violated)


INCONCLUSIVE_MAX = 1
"""How many of the 650 answers of a chunk may be given up: the search ends at a number of states."""


def disagreements(seed: int) -> Iterator[tuple[str, str]]:
    """What `verify` and the oracle answer differently for one drawn configuration: the verdict, and both in words."""
    drawn = draw(seed)
    facts, outcomes = Facts(configuration(drawn)), decide(drawn, COVERED)
    for name in COVERED:
        ours = answer(name, facts).verdict
        theirs = violated(name, outcomes)
        if ours == "inconclusive" or (ours == "violated") != theirs:
            words = f"seed {seed}, {name}: verify says {ours}, the oracle {'violated' if theirs else 'not violated'}"
            yield ours, words


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few of the drawn configurations need a longer search than a person at a terminal would wait for."""
    monkeypatch.setattr(search, "STATES_MAX", 400_000)


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_agreement(first: int) -> None:
    """For every property that both decide, `verify` and the oracle give the same verdict."""
    found = [each for seed in range(first, first + CHUNK) for each in disagreements(seed)]
    given_up = [words for ours, words in found if ours == "inconclusive"]

    assert [words for ours, words in found if ours != "inconclusive"] == []
    assert len(given_up) <= INCONCLUSIVE_MAX, given_up
