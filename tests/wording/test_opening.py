"""For which other numbers a proof about time holds: the conditions by hand, and numbers on both sides of them tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from latchcheck.properties.wording.models import model, vocabularies
from latchcheck.wording.files import Reading, load
from latchcheck.wording.grammar import parse
from latchcheck.wording.judging import judge
from latchcheck.wording.proving import settled
from latchcheck.wording.reaching import Reach, reach
from latchcheck.wording.words import Model

CASES = Path(__file__).parents[2] / "docs" / "cases"


def case(file: str, name: str) -> tuple[Model, Reading]:
    """A reading of a case with the model that it is about."""
    found = load(str(CASES / f"{file}.toml"), vocabularies())
    return model(found.model, sets=found.sets), found.reading(name)


def reached(about: Model, one: Reading) -> Reach:
    """How far the proof of a reading reaches; it has one."""
    base = about.world(about.base, ())
    assert base is not None
    _, proof = settled(base, one)
    assert proof is not None
    return reach(about, base, one, proof)


@pytest.mark.parametrize(
    ("file", "name", "expected"),
    [
        # The ttl is enforced from creation, whatever it is, and nothing else removes a record.
        ("ttl", "kept-from-creation", []),
        # A record goes once the enforced ttl is over, and the sentence is about the advertised one.
        ("ttl-unit", "milliseconds", ["server.advertised_ttl <= server.enforced_ttl"]),
        # The least gap that the words can mean is that of the first delay, at the most jitter and with both messages
        # slow; a delay grows only where the ceiling is no lower.
        ("paper-e4", "seen-by-the-server", [
            "client.initial_delay <= client.max_delay",
            "server.orphan_window < 3/2 * client.initial_delay + 2 * network.latency[1]",
        ]),
    ],
)  # fmt: skip
def test_a_proof_holds_under_these_conditions(file: str, name: str, expected: list[str]) -> None:
    """The conditions that are left are those that were worked out by hand, and no number need be as configured."""
    found = reached(*case(file, name))
    assert (True, expected, ()) == (found.shown, [text for text, _ in found.conditions], found.fixed)


def test_numbers_on_both_sides_of_a_condition_are_as_it_says() -> None:
    """Where the condition holds no run breaks the reading; where it fails, at the numbers that are told, one does."""
    about, one = case("ttl-unit", "milliseconds")
    ((_, broken),) = reached(about, one).conditions
    assert broken is not None
    within = (
        "server.enforced_ttl=5ms",
        "server.advertised_ttl=3ms",
        "server.enforced_ttl=2ms,server.advertised_ttl=2ms",
    )
    for setting, verdict in (*((each, "holds") for each in within), (broken, "violated")):
        world = about.world(setting, ())
        assert world is not None
        assert judge(world, one).verdict == verdict, setting


def test_a_number_in_the_sentence_is_compared() -> None:
    """Work that ends by 5 ms, as its declared time says, is proved for all work that is declared to end by then."""
    text = "globally, it is never the case that the worker finishes and the time since createdAt > 5ms"
    found = reached(model("timing"), Reading("r", text, parse(text, vocabularies()["timing"])))
    assert [text for text, _ in found.conditions] == ["workload.execution[1] <= 5ms"]
    assert "in which workload.execution[1] <= 5ms" in str(found)


def test_a_proof_for_these_numbers_alone_says_so() -> None:
    """Without a proof for other numbers the answer is that none was found."""
    assert str(Reach(shown=False)) == "not shown: with the numbers left open no proof is found"
