"""`latchcheck explain` and `latchcheck list` on the properties as they are."""

from __future__ import annotations

import json

import pytest

from latchcheck.cli.wiring import lifecycle_ids, property_ids
from tests.cli.conftest import Outcome

IDS = property_ids()


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> Outcome:
    """Runs the command line in this process, with the model behind it."""
    from latchcheck.cli.main import main

    code = main(arguments)
    captured = capfd.readouterr()
    return Outcome(code, captured.out, captured.err)


def test_they_are_listed_in_order(capfd: pytest.CaptureFixture[str]) -> None:
    """The list names each of the 20 timing and 25 lifecycle properties once, below the verb that answers."""
    outcome = run(capfd, "list", "properties")
    first, second = outcome.out.split("\n\n")
    for verb, ids, text in (("verify", IDS, first), ("explore", lifecycle_ids(), second)):
        head, *lines = text.splitlines()
        assert head.split() == [verb, "--property", "keyword", "claims"]
        assert [line.split()[0] for line in lines if not line.startswith(" ")] == list(ids)
        assert max(len(line) for line in lines) <= 80
    assert (len(IDS), len(lifecycle_ids())) == (20, 25)
    rows = json.loads(run(capfd, "list", "properties", "--format", "json").out)["properties"]
    assert [row["id"] for row in rows] == [*IDS, *lifecycle_ids()]


@pytest.mark.parametrize("name", IDS)
def test_every_property_is_explained(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Each property is explained by its sentence, keyword, source, condition in words, and the keys it reads."""
    outcome = run(capfd, "explain", name)
    assert (outcome.code, outcome.err) == (0, "")
    labels = [line.split()[0] for line in outcome.out.splitlines() if line.startswith("  ") and line[2] != " "]
    assert labels[-4:] == ["keyword", "source", "condition", "reads"]
    assert outcome.out.startswith(f"{name}\n  ")
