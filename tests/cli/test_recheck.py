"""`latchcheck recheck`: the theorems are proved again, and the exit code says whether they were."""

import json
from collections.abc import Iterator

import pytest

from latchcheck.cli import wiring
from latchcheck.cli.main import main
from latchcheck.engines.obligations import Obligation, Proof, Theorem


def registered(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    """Put one theorem in place of all, with an obligation for each answer."""

    def prove() -> Iterator[Proof]:
        yield Proof("a statement", tuple(Obligation(f"part {i}", one, 5) for i, one in enumerate(answers)))  # type: ignore[arg-type]

    theorem = Theorem("a-theorem", "no-live-orphan", "Something holds.", prove)
    monkeypatch.setattr(wiring, "theorems", lambda: (theorem,))


def test_a_property_is_proved_again(capsys: pytest.CaptureFixture[str]) -> None:
    """One property's theorems alone, in text; where nobody watches nothing is said of how far it is."""
    assert 0 == main(["recheck", "--property", "idempotency-outlives-retries"])
    shown = capsys.readouterr()

    assert shown.out.startswith("proved    key-remembered")
    assert "1 of 1 theorems proved" in shown.out
    assert "" == shown.err


@pytest.mark.parametrize(
    ("answers", "code"),
    [(["proved", "proved"], 0), (["proved", "unknown"], 4), (["refuted", "unknown"], 3), ([], 4)],
    ids=str,
)
def test_the_exit_code(
    answers: list[str], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A refuted condition is the checker's failure, one that the solver gave up on is open; nothing proves nothing."""
    registered(monkeypatch, *answers)

    assert code == main(["recheck", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert code == found["exit"]
    assert len(answers) == found["theorems"][0]["obligations"]
    assert sum(one != "proved" for one in answers) == len(found["theorems"][0]["failed"])


def test_an_unknown_property_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """With the nearest one that there is."""
    assert 2 == main(["recheck", "--property", "no-live-orphans"])
    assert "did you mean 'no-live-orphan'?" in capsys.readouterr().err
