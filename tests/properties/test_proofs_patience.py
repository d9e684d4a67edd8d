"""The condition of a patient client is exact: theorems for all numbers."""

import pytest

from latchcheck.properties.timing.proofs import patience, shapes
from latchcheck.properties.timing.proofs.followed import Followed
from latchcheck.properties.timing.proofs.registry import theorems


@pytest.mark.parametrize("name", [one.id for one in theorems() if one.property == "patience-covers-execution"])
def test_the_theorem_is_proved(name: str) -> None:
    """For all numbers, of every shape that the registry lists."""
    (theorem,) = (one for one in theorems() if one.id == name)

    assert [] == [str(proof) for proof in theorem.prove() if not proof.proved]


@pytest.mark.parametrize(
    "name", ["a limit from the call", "a failure stops the client, a restart, a limit from the handle"]
)
def test_the_reply_and_the_failure_that_stops_count(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted up to the poll's arrival alone, the limit can still come first: during the reply, or a failing poll."""
    monkeypatch.setattr(patience, "waited", Followed.success)

    assert not patience.sees(shapes.PATIENCE[name]).proved
