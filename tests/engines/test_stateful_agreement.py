"""The three engines on the same random questions: none may contradict another."""

from __future__ import annotations

from random import Random

import pytest

from latchcheck.engines.explicit import explore
from latchcheck.engines.stateful import fuzz
from latchcheck.engines.unrolled import refute
from latchcheck.kernel import replay
from latchcheck.model.policy import SWITCHES, Policy
from latchcheck.model.scope import Scope
from latchcheck.properties.lifecycle.catalogue import CATALOGUE, cone, lacks
from latchcheck.properties.lifecycle.proofs import LEMMAS, proof

PAIRS = 500
PARTS = 10
STATES_MAX = 20_000
RUNS_MAX = 12
# So far the solver is asked where the exhaustive search has found nothing.
DEPTH = 2
# The solver takes most of the time: it answers one question in so many, and with --long each.
SOLVED_OF = 5
CI = Scope.parse("ci")


def drawn(number: int) -> tuple[str, Scope, Policy]:
    """A property, a small scope in which it can be told, and a policy with up to two guards taken away."""
    random = Random(number)  # noqa: S311 - the same pairs every time
    name = list(CATALOGUE)[number % len(CATALOGUE)]
    switches = dict.fromkeys(random.sample(list(SWITCHES), random.randint(0, 2)))
    mutants = CATALOGUE[name].mutants
    texts = [f"{one}={random.choice(SWITCHES[one].values)}" for one in switches]
    # Half of the policies take away a guard that the property is about: few others would break it.
    policy = Policy.parse(random.choice(mutants) if random.random() < 0.5 else ",".join(texts) or "guarded")
    sizes = {size: random.randint(0, count) for size, count in CI.named.items() if size not in ("tasks", "tenants")}
    scope = CI.at_most(**{**sizes, "tasks": 1, "workers": max(1, sizes.get("workers", 0))})
    asked = CATALOGUE[name]
    return name, CI if lacks(asked, cone(asked, scope).build(policy).room.modules) else scope, policy


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_engines_agree(part: int, pytestconfig: pytest.Config) -> None:
    """Solver and exhaustive search have shortest runs of one length; no sample has a shorter, and no proof has one."""
    broken, solved_of = 0, 1 if pytestconfig.getoption("--long") else SOLVED_OF
    for number in range(part, PAIRS, PARTS):
        name, scope, policy = drawn(number)
        question = f"{name}, {scope}, {policy}"
        asked = CATALOGUE[name]
        built = cone(asked, scope).build(policy)
        over = asked.over(built.room)
        whole = explore(built.system, [over], states_max=STATES_MAX)
        assert whole.complete or whole.violated, question
        length = None if whole.counterexample is None else len(whole.counterexample)
        if number // PARTS % solved_of == 0:
            solved = refute(built.system, over, steps_max=DEPTH if length is None else length)
            assert (length, False) == (None if solved.trace is None else len(solved.trace), solved.unknown), question
        sampled = fuzz(built.system, [over], seed=number, runs_max=RUNS_MAX, shrink=False)
        if sampled.counterexample is not None:
            broken += 1
            assert whole.violated == name, question
            assert length is not None
            assert length <= len(sampled.counterexample), question
            replay(built.system, sampled.counterexample)
        if name in LEMMAS and proof(name, scope, policy).proved:
            assert (whole.violated, sampled.violated) == (None, None), question
    assert broken > 0


def test_some_questions_have_a_proof() -> None:
    """The questions above hold some that are proved and some that are not, so that proofs are compared at all."""
    open_ends = {True, False}
    for number in range(PAIRS):
        question = drawn(number)
        if question[0] in LEMMAS:
            open_ends.discard(proof(*question).proved)
        if not open_ends:
            return
    assert set() == open_ends
