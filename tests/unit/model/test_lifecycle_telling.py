"""The words for runs of the lifecycle model."""

from __future__ import annotations

import pytest

from latchcheck.engines.explicit import explore
from latchcheck.kernel.telling import moments
from latchcheck.model.lifecycle import lifecycle
from latchcheck.model.policy import Policy
from latchcheck.model.scope import SCOPES, Scope
from latchcheck.model.telling import HARMS, PHRASES, QUIET, QUIET_SINGLES, RECEIVERS, telling
from latchcheck.properties.lifecycle.catalogue import CATALOGUE, model
from latchcheck.properties.lifecycle.killing import MUTANTS, VARIANTS
from latchcheck.report.interchange import to_mermaid
from latchcheck.report.timeline import harm, lines_of

# All that may happen in ci, to one of each party; and small models in which a task is created and deleted in one step.
SIZES = (
    SCOPES["ci"].at_most(tasks=1, workers=1, clients=1, instances=1),
    Scope.parse("tasks=1,expiries=1"),
    Scope.parse("cancels=1,restarts=1"),
)


def test_every_action_has_its_words_and_no_other_has() -> None:
    """Under every policy each action has a phrase, and no phrase, receiver, harm or quiet family is of nothing."""
    actions: set[str] = set()
    families: set[str] = set()
    for text in ("guarded", *MUTANTS, *VARIANTS, "cleanup=piecewise,terminal_guard=check-then-set"):
        for scope in SIZES:
            room = lifecycle(scope, Policy.parse(text)).room
            actions |= {action.name for action in room.actions}
            families |= set(room.families)
    # Without sweeps a deletion is one step of its own, which no scope that is spelled out has.
    assert actions | {"delete_expired"} == set(PHRASES)
    assert set() == set(RECEIVERS) - set(PHRASES)
    assert set() == (set(QUIET) | set(QUIET_SINGLES) | set(HARMS)) - families


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_run_is_told_without_gaps(name: str) -> None:
    """Each step of a shortest counterexample is a sentence in which nothing is left to fill in."""
    system, asked = model(name, SCOPES["ci"], Policy.parse(CATALOGUE[name].mutants[0]))
    trace = explore(system, [asked]).counterexample
    assert trace is not None
    lines = lines_of(trace, telling())
    assert len(trace) == len(lines)
    for line, moment in zip(lines, moments(trace), strict=True):
        assert PHRASES[moment.step.action].split("{")[0] in line
        assert not set("{}") & set(line)


def test_a_harm_is_said() -> None:
    """The flag that the last step raises has a sentence."""
    system, asked = model("tenant-isolation", SCOPES["ci"], Policy.parse("tenant_check=off"))
    trace = explore(system, [asked]).counterexample
    assert trace is not None
    assert harm(trace, telling()) == HARMS["changed"]


def test_a_diagram_has_words_and_arrows() -> None:
    """A message is an arrow to its receiver, in words, without bookkeeping."""
    system, asked = model("single-execution", SCOPES["ci"], Policy.parse("lease=none"))
    trace = explore(system, [asked]).counterexample
    assert trace is not None
    drawn = to_mermaid(trace, telling=telling(), receivers={"deliver": "server"})
    assert "p1->>p0: w1 receives the message for t1 and begins" in drawn
    assert "seen_w1" not in drawn
