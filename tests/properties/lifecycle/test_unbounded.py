"""Beyond one search: proofs for runs of any length, leads-to under fairness, and swapping of what is alike."""

import attrs
import pytest

from latchcheck.engines.explicit import Options, explore
from latchcheck.engines.judging import answer
from latchcheck.engines.obligations import Theorem
from latchcheck.model.lifecycle import MODULES, available
from latchcheck.model.policy import Policy
from latchcheck.model.scope import SCOPES, SIZES, Scope
from latchcheck.properties.lifecycle.catalogue import CATALOGUE, cone
from latchcheck.properties.lifecycle.proofs import ERAS, LARGE_SCOPE, LEMMAS, proof, theorems
from latchcheck.properties.lifecycle.searches import plan
from latchcheck.properties.lifecycle.swapping import symmetries

CI = Scope.parse("ci")
# Nothing that multiplies states without saying more about what may be swapped.
BARE = attrs.evolve(CI, instances=1, lag=0)


@pytest.mark.parametrize("name", LEMMAS)
def test_a_proof_needs_the_guard(name: str) -> None:
    """The invariant is inductive in the guarded model, and in no mutant that the property is for."""
    assert proof(name, CI).proved
    assert [] == [mutant for mutant in CATALOGUE[name].mutants if proof(name, CI, Policy.parse(mutant)).proved]


@pytest.mark.parametrize("theorem", theorems(), ids=lambda theorem: theorem.id)
def test_no_run_of_any_length_breaks_it(theorem: Theorem) -> None:
    """The invariant is inductive in a large cone, and in the whole model of ci with every party at once."""
    proofs = list(theorem.prove())
    assert [True] * len(proofs) == [one.proved for one in proofs]
    assert len(proofs) in (1, len(ERAS))


def test_the_whole_model_has_every_module() -> None:
    """What is called the whole model of ci leaves nothing out, and the large scope has five of everything."""
    assert set(MODULES) == available(CI)
    assert {5} == {getattr(LARGE_SCOPE, name) for name in SIZES}


# Property by property, the mutants on which what should come never comes.
NEVER_COMES = {
    "dispatch-with-record": {"dispatch=after-commit"},
    "restart-triages": set(),
    "handle-never-lost": set(CATALOGUE["handle-never-lost"].mutants),
    "client-converges": {"unknown_id=retry"},
    "answered-input-is-consumed": {"input_keys=reused"},
}


@pytest.mark.parametrize("name", NEVER_COMES)
def test_what_should_come_comes(name: str) -> None:
    """The leads-to form holds under fairness in the guarded model, and fails where a mutant leaves a run waiting."""
    asked = CATALOGUE[name]
    failed = set()
    for text in ("guarded", *asked.mutants):
        built = cone(asked, asked.unhurried(CI)).build(Policy.parse(text))
        form = asked.leads_to(built.room)
        assert form is not None
        found = explore(built.system, [form[0]], options=Options(fairness=form[1]))
        assert found.complete
        assert found.reached[form[0].id] > 0
        failed |= {text} if found.violated else set()
    assert NEVER_COMES[name] == failed


def test_a_budget_does_not_end_a_run_that_should_go_on() -> None:
    """In every named scope what should come comes, whatever number of reissues the scope allows."""
    for scope in (*SCOPES, "tasks=2,clients=1,client_crashes=2,losses=1,reissues=1"):
        found = answer(plan(scope, "guarded", ["handle-never-lost/leads-to"]))
        assert ["holds"] == [one.verdict for one in found.properties]


def test_every_leads_to_form_is_tried() -> None:
    """No property with such a form is left out above."""
    assert set(NEVER_COMES) == {name for name, asked in CATALOGUE.items() if asked.obligation is not None}


# Two tasks and two workers that differ in nothing; counts of representatives as the search found them.
@pytest.mark.parametrize(
    ("name", "plain", "swapped"),
    [
        ("one-terminal-outcome", 27_130, 7_791),
        ("tenant-isolation", 4_057, 1_030),
        ("idempotent-create", 1_073, 280),
        ("restart-triages", 4_671, 1_753),
    ],
)
def test_what_is_alike_may_be_swapped(name: str, plain: int, swapped: int) -> None:
    """With symmetry the verdict is the same and the states are fewer, at most by the number of ways to swap."""
    asked = CATALOGUE[name]
    # Owners need no workers, with which a plain search of theirs would take long.
    scope = attrs.evolve(BARE, workers=0) if name == "tenant-isolation" else BARE
    built = cone(asked, scope, narrow=False).build(Policy())
    groups = symmetries(built)
    whole = explore(built.system, [asked.over(built.room)])
    reduced = explore(built.system, [asked.over(built.room)], options=Options(symmetry=groups))
    assert (plain, swapped) == (whole.states, reduced.states)
    assert whole.violated is None
    assert reduced.violated is None
    assert reduced.states * 2 ** len(groups) >= whole.states
