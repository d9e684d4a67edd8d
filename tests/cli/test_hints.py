"""A search that was too small for its policy says so, and a property of the other kind where it is answered."""

from __future__ import annotations

import json

import pytest

from latchcheck.cli.main import main

SMALL = [
    ("tasks=1,workers=1", "terminal_guard=none", "one-terminal-outcome"),
    ("tasks=1,workers=1,redeliveries=1", "lease=none", "single-execution"),
]


def explored(capsys: pytest.CaptureFixture[str], scope: str, policy: str, name: str) -> dict[str, str]:
    """What explore says of one property."""
    main(["explore", "--scope", scope, "--policy", policy, "--property", name, "--format", "json"])
    found: dict[str, str] = json.loads(capsys.readouterr().out)["properties"][0]
    return found


@pytest.mark.parametrize(("scope", "policy", "name"), SMALL)
def test_a_scope_too_small_for_the_harm_says_what_it_lacks(
    capsys: pytest.CaptureFixture[str], scope: str, policy: str, name: str
) -> None:
    """It holds for want of room; with the sizes that are named, and no others, it is violated."""
    found = explored(capsys, scope, policy, name)
    assert "holds" == found["verdict"]
    _, _, more = found["reason"].partition("with ")
    sizes = more.partition(" it is violated")[0].replace(" ", "")
    whole = ",".join({one.partition("=")[0]: one for one in [*scope.split(","), *sizes.split(",")]}.values())
    assert "violated" == explored(capsys, whole, policy, name)["verdict"]


def test_nothing_is_hinted_at_where_every_guard_is_on(capsys: pytest.CaptureFixture[str]) -> None:
    """A guarded model that holds needs no larger scope to be told of."""
    assert explored(capsys, "tasks=1,workers=1", "guarded", "one-terminal-outcome")["reason"] is None


def test_the_hint_stands_below_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """In text it is a sentence of its own."""
    scope, policy, name = SMALL[0]
    main(["explore", "--scope", scope, "--policy", policy, "--property", name])
    shown = " ".join(capsys.readouterr().out.split())
    assert f"{name}: too small to show the harm of this policy: with cancels=1 it is violated" in shown


@pytest.mark.parametrize("verb", [("explore",), ("export", "tla")])
def test_a_timing_property_is_answered_by_verify(capsys: pytest.CaptureFixture[str], verb: tuple[str, ...]) -> None:
    """Asked of the lifecycle, it is said which verb answers it; exit code 2."""
    assert 2 == main([*verb, "--property", "no-live-orphan"])
    assert "`latchcheck verify CONFIG.toml --property no-live-orphan` answers it" in capsys.readouterr().err
