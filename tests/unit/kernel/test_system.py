"""What a model must get right to be built at all, and putting numbers in place of parameters."""

from fractions import Fraction
from typing import Any

import pytest
import z3

from latchcheck.kernel import (
    Action,
    Bool,
    Choice,
    Clause,
    Enum,
    IntRange,
    ModelError,
    Property,
    Real,
    Sentence,
    Step,
    System,
    Variable,
    execute,
)
from latchcheck.kernel.nodes import Nodes

now = Variable("now", Real(), 0)
polls = Variable("polls", IntRange(0, 3), 0)
idle = Variable("idle", Bool(), True)
gap_ms = z3.Real("gap_ms")


def poll(guard: Any = (), updates: Any = None, choices: Any = ()) -> Action:
    """An action of the client."""
    return Action("poll", "client", guard, updates or {}, choices)


def build(action: Action, **other: Any) -> System:
    """A system with one action."""
    return System("s", (now, polls, idle), (action,), "now", **other)


def clause(expr: Any) -> tuple[Clause, ...]:
    """A guard of one clause labelled c."""
    return (Clause("c", expr),)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Variable("n", IntRange(0, 3), 4), r"variable 'n' starts at 4, which is not in IntRange\(lo=0, hi=3\)"),
        (lambda: Choice("c", Bool(), lower=1), r"choice 'c': only a Real\(\) choice takes lower and upper"),
        (lambda: Clause("late", now.term + 1), "clause 'late' is no condition: now \\+ 1"),
        (lambda: poll(updates={"polls": 1}), r"action 'poll': the update of 'polls' is 1, no z3 expression"),
        (lambda: poll(guard=(now.term > 0,)), r"action 'poll': write Clause\(label, condition\) in the guard"),
        (lambda: poll(choices=(Choice("d", Bool()), Choice("d", Bool()))), "action 'poll' names a choice twice: d, d"),
        (lambda: build(poll(updates={"poll": polls.term})), "updates 'poll', which is no variable of system 's'"),
        (lambda: build(poll(updates={"now": now.term + 1})), "updates the clock 'now'; only time moves it"),
        (
            lambda: build(poll(updates={"polls": z3.ToReal(polls.term)})),
            "the update of 'polls' has sort Real, the variable has Int",
        ),
        (
            lambda: System("s", (now, polls), (poll(updates={"now": polls.term}),)),
            "sort Int, the variable has Real; wrap it in z3.ToReal",
        ),
        (
            lambda: build(poll(guard=clause(z3.Real("gap_ms") > 1))),
            "action 'poll', clause 'c' reads 'gap_ms', which is no variable, choice or parameter of system 's'",
        ),
        (
            lambda: build(poll(updates={"polls": z3.Int("polls2")})),
            "action 'poll', update of 'polls' reads 'polls2', which is no",
        ),
        (lambda: build(poll(guard=clause(z3.Bool("now")))), "reads 'now' as another sort than it is declared with"),
        (lambda: build(poll(), urgency=clause(z3.Bool("b"))), "clause 'c' reads 'b', which is no"),
        (lambda: build(poll(), initial=clause(z3.Bool("b"))), "clause 'c' reads 'b', which is no"),
        (
            lambda: build(poll(choices=(Choice("polls", Bool()),))),
            "action 'poll': choice 'polls' clashes with the variable or parameter of that name",
        ),
        (
            lambda: build(poll(choices=(Choice("d", Real(), 0, z3.Real("z")),))),
            "action 'poll', bound of choice 'd' reads 'z'",
        ),
        (lambda: System("s", (now, now), ()), "system 's' has two variables named 'now'"),
        (lambda: System("s", (now,), (poll(), poll())), "system 's' has two actions named 'poll'"),
        (lambda: System("s", (now,), (), "then"), r"clock 'then' must name a Real\(\) variable"),
        (lambda: System("s", (now, polls), (), "polls"), r"clock 'polls' must name a Real\(\) variable"),
        (lambda: System("s", (now,), (), urgency=clause(now.term < 1)), "has urgency clauses and no clock"),
        (lambda: build(poll(), parameters={"now": now.term}), "'now' is both a variable and a parameter"),
        (lambda: build(poll(), parameters={"gap": gap_ms}), "parameter 'gap' is mapped to gap_ms"),
    ],
)
def test_a_malformed_model_is_refused_by_name(make: Any, message: Any) -> None:
    """A model that does not fit together is refused when it is built, and the message names what to look at."""
    with pytest.raises(ModelError, match=message):
        make()


def test_a_property_expects_one_of_four() -> None:
    """An expectation that no engine knows is refused."""
    with pytest.raises(ValueError, match="expectation"):
        Property("p", "MUST", Sentence("s", "t", "u"), expectation="sometimes")  # pyright: ignore[reportArgumentType]


def parametric() -> System:
    """A system with one parameter, read wherever a system reads one."""
    late = Clause("late enough", now.term >= gap_ms * 2)
    wait = Choice("wait_ms", Real(), 0, gap_ms)
    return System(
        "parametric",
        (now, polls, idle),
        (poll((late,), {"polls": z3.If(gap_ms > 10, polls.term + 2, polls.term + 1)}, (wait,)),),
        "now",
        urgency=(Clause("not too late", now.term <= gap_ms * 4),),
        parameters={"gap_ms": gap_ms},
        initial=(Clause("a gap", gap_ms > 0),),
    )


def test_numbers_take_the_place_of_parameters_everywhere() -> None:
    """Guards, updates, bounds, urgency and initial conditions hold numbers afterwards, simplified."""
    system = parametric().at({"gap_ms": Fraction(1, 2)})
    action = system.action("poll")

    assert [str(part.expr) for part in action.guard] == ["now >= 1"]
    assert str(action.updates["polls"]) == "1 + polls"
    assert (str(action.choices[0].lower), str(action.choices[0].upper)) == ("0", "1/2")
    assert str(system.urgency[0].expr) == "now <= 2"
    assert str(system.initial[0].expr) == "True"
    assert dict(system.parameters) == {}


def test_numbers_leave_the_general_system_as_it_was() -> None:
    """The system that numbers were put into keeps its parameters."""
    system = parametric()
    system.at({"gap_ms": 1})

    assert system == parametric()


def test_a_number_for_no_parameter_is_refused() -> None:
    """A value for a name that is no parameter names those there are."""
    with pytest.raises(ModelError, match="system 'parametric' has no parameter 'gap'; it has gap_ms"):
        parametric().at({"gap": 1})


def test_a_number_of_another_sort_is_refused() -> None:
    """A truth value is no duration."""
    with pytest.raises(ModelError, match="True is no value of sort Real"):
        parametric().at({"gap_ms": True})


def test_an_open_parameter_cannot_run() -> None:
    """A system with an open parameter does not run, and says which number it lacks."""
    with pytest.raises(ModelError, match=r"no number for gap_ms; use System\.at"):
        execute(parametric(), ())


def test_parameters_may_be_labels_and_truth_values() -> None:
    """A parameter of an enum sort takes a label, one of sort Bool a truth value, in two rounds if need be."""
    mode = Enum("Mode", ("floor", "ceiling"))
    which, on = mode.const("which"), z3.Bool("on")
    guard = (Clause("floor mode", which == mode["floor"]), Clause("on", on))
    system = System("s", (polls,), (poll(guard),), parameters={"which": which, "on": on})

    bound = system.at({"which": "floor"}).at({"on": True})

    assert [str(part.expr) for part in bound.action("poll").guard] == ["True", "True"]
    assert len(execute(bound, [Step(None, "client", "poll")])) == 2
    assert len(execute(system.at({"which": "floor"}), [Step(None, "client", "poll")], {"on": True})) == 2


def test_asking_for_a_name_that_is_none_lists_the_names() -> None:
    """Looking up an unknown variable or action lists those there are."""
    with pytest.raises(ModelError, match="system 'parametric' has no variable 'then'; it has now, polls, idle"):
        parametric().variable("then")
    with pytest.raises(ModelError, match="system 'parametric' has no action 'reap'; it has poll"):
        parametric().action("reap")


def test_equal_models_are_equal_and_hash_alike() -> None:
    """Two models built from equal parts are equal, whatever was compiled from one of them."""
    one, two = parametric(), parametric()
    execute(one.at({"gap_ms": 1}), ())

    assert one == two
    assert hash(one) == hash(two)
    assert one != one.at({"gap_ms": 1})


def test_an_action_prints_its_conditions() -> None:
    """The representation of an action shows its guard and updates as z3 prints them."""
    action = poll((Clause("late", now.term > 3),), {"idle": z3.BoolVal(False)})

    assert repr(action) == (
        "Action(name='poll', party='client', guard=(Clause(label='late', expr=now > 3),), "
        "updates={idle: False}, choices=(), sentences=())"
    )


def test_expressions_that_came_and_went_are_not_confused() -> None:
    """z3 gives the identifier of a dead expression to the next one, which must not be taken for it."""
    nodes = Nodes()

    assert [nodes.names(nodes.read(z3.Real(f"x{k}") + 1)) for k in range(500)] == [{f"x{k}"} for k in range(500)]
