"""The conditions of retention are exact: theorems for all numbers."""

import pytest

from latchcheck.properties.timing.proofs import retention, shapes
from latchcheck.properties.timing.proofs.followed import Followed
from latchcheck.properties.timing.proofs.registry import theorems

ABOUT = ("result-reaches-client", "timeout-is-seen")


@pytest.mark.parametrize("name", [one.id for one in theorems() if one.property in ABOUT])
def test_the_theorem_is_proved(name: str) -> None:
    """For all numbers, of every shape that the registry lists."""
    (theorem,) = (one for one in theorems() if one.id == name)

    assert [] == [str(proof) for proof in theorem.prove() if not proof.proved]


@pytest.mark.parametrize("name", list(shapes.RETENTION))
def test_a_shorter_leg_would_not_be_safe(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the last gap's poll is taken to arrive as it is sent, the induction fails."""
    monkeypatch.setattr(Followed, "success", lambda shape, k: shape.sent(k, shape.followed).hi + shape.restart)

    assert not retention.reaches(shapes.RETENTION[name]).proved
