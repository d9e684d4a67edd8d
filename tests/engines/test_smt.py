"""The prover, on a lamp that somebody must switch off in time."""

from typing import Any, cast

import pytest
import z3

from latchcheck.engines.obligations import Proof, possible, prove
from latchcheck.engines.smt import Event, inductive, valid_run
from latchcheck.kernel import Action, Choice, Clause, Enum, IntRange, ModelError, Real, System, Variable

LIGHT = Enum("Lamp", ("off", "on", "burnt"))
now: Any = z3.Real("now")
lamp: Any = LIGHT.const("lamp")
since: Any = z3.Real("since")
times: Any = z3.Int("times")
patience: Any = z3.Real("patience")
life: Any = z3.Real("life")
glow = Choice("glow", Real())


def the_lamp() -> System:
    """Switched on at any moment, off within `patience`; it burns out after `life` of burning."""
    return System(
        "lamp",
        (
            Variable("now", Real(), 0),
            Variable("lamp", LIGHT, "off"),
            Variable("since", Real(), 0),
            Variable("times", IntRange(0, 3), 0),
        ),
        (
            Action(
                "switch_on",
                "child",
                (Clause("it is off", lamp == LIGHT["off"]), Clause("fewer than three times", times < 3)),
                {"lamp": LIGHT["on"], "since": now, "times": times + 1},
            ),
            Action(
                "switch_off",
                "parent",
                (Clause("it is on", lamp == LIGHT["on"]), Clause("after the glow", now - since >= glow.term)),
                {"lamp": LIGHT["off"]},
                (glow,),
            ),
            Action(
                "burn_out",
                "lamp",
                (Clause("it is on", lamp == LIGHT["on"]), Clause("it lived its life", now - since >= life)),
                {"lamp": LIGHT["burnt"]},
            ),
        ),
        clock="now",
        urgency=(Clause("off in time", z3.Or(lamp != LIGHT["on"], now - since <= patience)),),
        parameters={"patience": patience, "life": life},
    )


BURNT = lamp == LIGHT["burnt"]
ON = Clause("it is not burnt", lamp != LIGHT["burnt"])


def names(proof: Proof) -> list[str]:
    """The obligations that are not proved."""
    return [one.name for one in proof.failed]


def test_a_harm_that_urgency_excludes_is_proved_unreachable() -> None:
    """Time advances no further than urgency allows, and guards read the instant to which it advanced."""
    assert inductive(the_lamp(), [life > patience], [ON], BURNT).proved


def test_equality_is_not_enough() -> None:
    """At patience == life the lamp may burn out: the step that breaks the lemma is named."""
    proof = inductive(the_lamp(), [life >= patience, patience > 0], [ON], BURNT)

    assert ["kept by burn_out: it is not burnt"] == names(proof)


def test_a_failing_step_comes_with_a_model_and_is_no_violation() -> None:
    """A refuted induction step says what makes the lemma fail, in words that do not claim a run."""
    (failed,) = inductive(the_lamp(), [], [ON], BURNT).failed

    assert failed.answer == "refuted"
    assert failed.model is not None
    assert {"life", "patience", "now'", "since"} <= set(failed.model)


def test_a_lemma_that_is_false_at_the_start_is_named() -> None:
    """The initial state must meet every lemma."""
    proof = inductive(the_lamp(), [life > patience], [ON, Clause("switched once", times == 1)], BURNT)

    assert "at the start: switched once" in names(proof)


def test_an_invariant_that_does_not_exclude_the_harm_proves_nothing() -> None:
    """Inductive lemmas alone are not enough: together they must exclude the harm."""
    proof = inductive(the_lamp(), [life > patience], [Clause("times counts", times >= 0)], BURNT)

    assert ["the invariant excludes the harm"] == names(proof)


def test_assumptions_that_contradict_each_other_prove_nothing() -> None:
    """From a contradiction everything follows, so it is refused by name."""
    proof = inductive(the_lamp(), [life > patience, life < patience], [ON], BURNT)

    assert ["the assumptions and the invariant can hold"] == names(proof)


def test_a_run_is_proved_for_all_parameters() -> None:
    """The scripted run is allowed, and ends in the harm, for every life up to patience."""
    events = [(5, "switch_on", {}), (5 + life, "burn_out", {})]

    assert valid_run(the_lamp(), [0 <= life, life <= patience], events, BURNT).proved


@pytest.mark.parametrize(
    ("events", "failed"),
    [
        ([(5, "switch_on", {}), (5 + life, "burn_out", {})], "event 2, burn_out: off in time"),
        ([(5, "burn_out", {})], "event 1, burn_out: it is on"),
        ([(5, "switch_on", {}), (4, "burn_out", {})], "event 2, burn_out: time does not run backwards"),
        ([(5, "switch_on", {})], "the harm is there at the end"),
        (
            [(5, "switch_on", {}), (5, "switch_off", {"glow": patience})],
            "event 2, switch_off: after the glow",
        ),
    ],
)
def test_a_run_that_is_none_names_what_forbids_it(events: list[Event], failed: str) -> None:
    """Without `life <= patience`, or with events that the system does not allow, the false condition is named."""
    assert failed in names(valid_run(the_lamp(), [life > 0, patience > 0], events, BURNT))


def test_a_variable_that_leaves_its_range_is_no_run() -> None:
    """The stepper refuses a value outside its domain, so a proof of a run does too."""
    start = [Clause("it was switched three times", times == 3)]
    unguarded = System(
        "unguarded",
        the_lamp().variables,
        (Action("switch_on", "child", (), {"times": times + 1}),),
        clock="now",
        parameters={"patience": patience},
    )
    proof = valid_run(unguarded, [], [(now, "switch_on", {})], times == 4, start=start)

    assert ["event 1, switch_on: times stays in its range"] == names(proof)


def test_a_run_may_begin_in_any_state_of_a_kind() -> None:
    """With `start` the events are allowed from every state that meets the clauses: a step of a longer run."""
    start = [Clause("just switched on", z3.And(lamp == LIGHT["on"], since == now))]

    assert valid_run(
        the_lamp(), [0 <= life, life <= patience], [(now + life, "burn_out", {})], BURNT, start=start
    ).proved


def test_a_choice_must_be_made() -> None:
    """An event names a value for every choice of its action, and for no other."""
    with pytest.raises(ModelError, match="'switch_off' picks glow, not"):
        valid_run(the_lamp(), [], [(0, "switch_on", {}), (0, "switch_off", {})], BURNT)


@pytest.mark.parametrize(("picked", "failed"), [(3, []), (4, ["event 1, add: by is in its range"])])
def test_a_choice_stays_in_its_range(picked: int, failed: list[str]) -> None:
    """A run that picks what an action does not offer is none, even where its guard would let it pass."""
    count, by = Variable("count", IntRange(0, 9), 0), Choice("by", IntRange(1, 3))
    add = Action("add", "counter", (), {"count": count.term + by.term}, (by,))
    proof = valid_run(System("counter", [count], [add]), [], [(None, "add", {"by": picked})], count.term > 0)
    assert failed == names(proof)


def test_an_answer_does_not_depend_on_what_was_asked_before() -> None:
    """Each obligation gets a fresh solver: the same question costs the same number of solver steps."""
    first = prove("x", [life > 0], life + patience > patience)
    prove("y", [life * life == 2, life > 0], life > 1)
    again = prove("x", [life > 0], life + patience > patience)

    assert (first.answer, first.rlimit) == (again.answer, again.rlimit) == ("proved", first.rlimit)


def test_what_runs_out_among_old_terms_is_asked_among_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first spent budget settles nothing: the same formulas are asked again among terms of their own."""
    asked: list[Any] = []

    def once_unknown(solver: Any) -> z3.CheckSatResult:
        asked.append(solver)
        return z3.unknown if len(asked) == 1 else solver.check()

    monkeypatch.setattr("latchcheck.engines.obligations.decided", once_unknown)
    assert prove("x", [life > 0], life + patience > patience).proved
    assert [str(one) for one in asked[0].assertions()] == [str(one) for one in asked[1].assertions()]
    assert asked[0].ctx == z3.main_ctx() != asked[1].ctx


def test_a_spent_budget_is_unknown_and_says_so() -> None:
    """An obligation that exceeds its budget is neither proved nor refuted."""
    x, y, z = (cast("Any", z3.Int(name)) for name in "xyz")
    answer = prove("cubes", [x > 1, y > 1, z > 1], x * x * x + y * y * y != z * z * z, rlimit=1000)

    assert answer.answer == "unknown"
    assert answer.reason is not None


def test_assumptions_can_be_tried_alone() -> None:
    """`possible` proves that there is something to speak about."""
    assert possible("one", [life > 0]).proved
    assert not possible("none", [life > 0, life < 0]).proved
