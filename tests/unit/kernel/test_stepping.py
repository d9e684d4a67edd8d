"""The plain stepper: what it runs, what it refuses, and what it says then.

The system under test is a traffic light with a button: pressed at an instant, it turns green after a delay of 2 to 5
milliseconds that the press picks, and not later than at that instant.
Every expected state is worked out by hand from that sentence.
"""

from fractions import Fraction
from typing import Any

import attrs
import pytest
import z3

from latchcheck.kernel import (
    Action,
    Bool,
    Choice,
    Clause,
    Enum,
    FrozenMap,
    IntRange,
    ModelError,
    NotAStep,
    Real,
    State,
    Step,
    Stepper,
    System,
    Trace,
    Variable,
    execute,
    record,
    replay,
)
from latchcheck.kernel.stepping import Planned

LIGHT = Enum("Light", ("red", "green"))
now, due_ms = Variable("now", Real(), 0), Variable("due_ms", Real(), -1)
light = Variable("light", LIGHT, "red")
presses = Variable("presses", IntRange(0, 2), 0)
delay_ms = Choice("delay_ms", Real(), 2, 5)
waiting = due_ms.term >= 0


def traffic_light(**other: Any) -> System:
    """The light, with other parts of a System added."""
    return System(
        "traffic light",
        (now, due_ms, light, presses),
        (
            Action(
                "press",
                "walker",
                (
                    Clause("nobody waits", z3.Not(waiting)),
                    Clause("the delay is 2 to 5 ms", z3.And(delay_ms.term >= 2, delay_ms.term <= 5)),
                ),
                {"due_ms": now.term + delay_ms.term, "presses": presses.term + 1, "light": LIGHT["red"]},
                (delay_ms,),
            ),
            Action(
                "turn",
                "light",
                (Clause("somebody waits", waiting), Clause("it is due", now.term == due_ms.term)),
                {"light": LIGHT["green"], "due_ms": z3.RealVal(-1)},
            ),
        ),
        "now",
        urgency=(Clause("the light is not late", z3.Or(z3.Not(waiting), now.term <= due_ms.term)),),
        **other,
    )


PLAN: list[Planned] = [
    (1, "press", {"delay_ms": Fraction(5, 2)}),
    (Fraction(7, 2), "turn", {}),
    (9, "press", {"delay_ms": 2}),
]
STATES = (
    State({"now": 0, "due_ms": -1, "light": "red", "presses": 0}),
    State({"now": 1, "due_ms": Fraction(7, 2), "light": "red", "presses": 1}),
    State({"now": Fraction(7, 2), "due_ms": -1, "light": "green", "presses": 1}),
    State({"now": 9, "due_ms": 11, "light": "red", "presses": 2}),
)


def refusal(plan: list[Planned], system: System | None = None) -> NotAStep:
    """What the stepper says to a plan that it must refuse."""
    with pytest.raises(NotAStep) as caught:
        record(system or traffic_light(), plan)
    return caught.value


def test_a_run_gives_every_state() -> None:
    """Running a trace gives the initial state and the one after each step."""
    system = traffic_light()

    assert execute(system, record(system, PLAN).steps) == STATES


def test_a_record_names_party_and_change() -> None:
    """A recorded step holds its party and every variable that changed, the clock left out."""
    trace = record(traffic_light(), PLAN)

    assert trace == Trace(
        "traffic light",
        (
            Step(
                Fraction(1),
                "walker",
                "press",
                {"delay_ms": Fraction(5, 2)},
                {"due_ms": (-1, Fraction(7, 2)), "presses": (0, 1)},
            ),
            Step(Fraction(7, 2), "light", "turn", {}, {"due_ms": (Fraction(7, 2), -1), "light": ("red", "green")}),
            Step(
                Fraction(9),
                "walker",
                "press",
                {"delay_ms": 2},
                {"due_ms": (-1, 11), "light": ("green", "red"), "presses": (1, 2)},
            ),
        ),
    )


def test_a_trace_prints_one_line_an_event() -> None:
    """A trace prints as instant, party, action with its choices, and what changed."""
    assert str(record(traffic_light(), PLAN[:2])) == (
        "1 ms  walker  press(delay_ms=5/2)  due_ms: -1 -> 7/2, presses: 0 -> 1\n"
        "7/2 ms  light  turn()  due_ms: 7/2 -> -1, light: red -> green"
    )


def test_updates_read_the_state_before() -> None:
    """Two variables that take each other's value swap."""
    a, b = Variable("a", IntRange(0, 9), 1), Variable("b", IntRange(0, 9), 2)
    system = System("swap", (a, b), (Action("swap", "x", (), {"a": b.term, "b": a.term}),))

    assert execute(system, [Step(None, "x", "swap")])[-1] == {"a": 2, "b": 1}


@pytest.mark.parametrize(
    ("plan", "index", "clause", "reads"),
    [
        ([(0, "press", {"delay_ms": 6})], 0, "the delay is 2 to 5 ms", {"delay_ms": 6}),
        ([*PLAN[:1], (2, "press", {"delay_ms": 6})], 1, "nobody waits", {"due_ms": Fraction(7, 2)}),
        ([(0, "turn", {})], 0, "somebody waits", {"due_ms": -1}),
        ([*PLAN[:1], (3, "turn", {})], 1, "it is due", {"now": 3, "due_ms": Fraction(7, 2)}),
        ([*PLAN[:1], (4, "turn", {})], 1, "the light is not late", {"now": 4, "due_ms": Fraction(7, 2)}),
        ([(2, "press", {"delay_ms": 2}), (1, "turn", {})], 1, None, {"now": 2, "at_ms": 1}),
        ([(0, "jump", {})], 0, None, {}),
        ([(0, "press", {})], 0, None, {}),
        ([(0, "turn", {"delay_ms": 2})], 0, None, {"delay_ms": 2}),
        ([(0, "press", {"delay_ms": "2"})], 0, None, {"delay_ms": "2"}),
        ([(0, "press", {"delay_ms": 2.5})], 0, None, {"delay_ms": 2.5}),
        ([(None, "press", {"delay_ms": 2})], 0, None, {}),
    ],
)
def test_the_first_false_condition_is_reported(plan: Any, index: Any, clause: Any, reads: Any) -> None:
    """What is no step is refused with its position, the first false clause, and exactly the values that clause read."""
    refused = refusal(plan)

    assert (refused.index, refused.action, refused.clause, refused.reads) == (index, plan[-1][1], clause, reads)


def test_a_refusal_reads_as_a_sentence() -> None:
    """The message says which step, which condition, and the values."""
    assert str(refusal([*PLAN[:1], (4, "turn", {})])) == (
        "step 1 (turn): 'the light is not late' is false when time has advanced so far [due_ms = 7/2, now = 4]"
    )


def test_a_refused_step_leaves_the_state_as_it_was() -> None:
    """After a refusal the stepper stands where it stood, the clock included, and goes on."""
    stepper = Stepper(traffic_light())
    stepper.do(1, "press", {"delay_ms": Fraction(5, 2)})
    with pytest.raises(NotAStep):
        stepper.do(2, "turn", {})

    assert stepper.state == STATES[1]
    assert stepper.do(Fraction(7, 2), "turn", {}) == STATES[2]


def test_a_timeless_system_takes_no_instant() -> None:
    """A system without clock refuses a step that names an instant."""
    system = System("s", (presses,), (Action("press", "walker"),))

    assert "has no clock; give no instant" in refusal([(0, "press", {})], system).reason


def test_events_may_share_an_instant() -> None:
    """Time need not pass between two steps."""
    system = System("s", (now, presses), (Action("press", "walker", (), {"presses": presses.term + 1}),), "now")

    assert [s["presses"] for s in execute(system, record(system, [(3, "press", {})] * 2).steps)] == [0, 1, 2]


def test_leaving_a_range_is_an_error_of_the_model() -> None:
    """An update beyond the range of its variable is no refusal of a step but a fault of the model."""
    system = System("s", (presses,), (Action("press", "walker", (), {"presses": presses.term + 1}),))

    with pytest.raises(ModelError, match=r"'press' sets variable 'presses' to 3, outside IntRange\(lo=0, hi=2\)"):
        record(system, [(None, "press", {})] * 3)


def test_initial_conditions_are_checked() -> None:
    """A false initial clause refuses the system before its first step."""
    refused = refusal([], traffic_light(initial=(Clause("it starts green", light.term == LIGHT["green"]),)))

    assert (refused.index, refused.clause, refused.reads) == (-1, "it starts green", {"light": "red"})


def test_a_faithful_trace_replays() -> None:
    """A recorded trace replays to the same states."""
    system = traffic_light()

    assert replay(system, record(system, PLAN)) == STATES


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ({"changed": {}}, "recorded to change nothing, it changes due_ms: -1 -> 7/2, presses: 0 -> 1"),
        ({"party": "light"}, "recorded for 'light', it is done by 'walker'"),
    ],
)
def test_a_doctored_trace_does_not_replay(edit: Any, message: Any) -> None:
    """A trace whose recorded party or change is not what happens is refused."""
    system = traffic_light()
    trace = record(system, PLAN)
    doctored = Trace(trace.system, (attrs.evolve(trace.steps[0], **edit), *trace.steps[1:]))

    with pytest.raises(NotAStep, match=message):
        replay(system, doctored)


def test_numbers_given_at_the_run_act_like_numbers_put_in() -> None:
    """Running a parametric system with values is running the system that `at` makes of them."""
    gap_ms = z3.Real("gap_ms")
    beat = Action("beat", "heart", (Clause("in time", now.term == gap_ms),), {"presses": presses.term + 1})
    system = System("heart", (now, presses), (beat,), "now", parameters={"gap_ms": gap_ms})
    plan = [(Fraction(1, 3), "beat", {})]

    assert record(system, plan, {"gap_ms": Fraction(1, 3)}) == record(system.at({"gap_ms": Fraction(1, 3)}), plan)
    with pytest.raises(NotAStep, match=r"'in time' is false \[gap_ms = 2, now = 1/3\]"):
        record(system, plan, {"gap_ms": 2})
    with pytest.raises(ModelError, match="no parameter gap"):
        record(system, plan, {"gap_ms": 2, "gap": 1})


def test_two_configurations_of_one_model_do_not_mix() -> None:
    """Systems that share compiled code keep their own numbers."""
    limit, on = z3.Int("limit"), Variable("on", Bool(), False)
    start = Action("start", "x", (Clause("allowed", limit > 1),), {"on": z3.BoolVal(True)})
    system = System("s", (on,), (start,), parameters={"limit": limit})
    open_, shut = system.at({"limit": 2}), system.at({"limit": 1})

    assert execute(open_, [Step(None, "x", "start")])[-1] == {"on": True}
    assert refusal([(None, "start", {})], shut).clause == "allowed"


def test_states_are_values() -> None:
    """Equal states are equal, hash alike, and print as people write them."""
    one, two = State({"now": Fraction(1, 2), "light": "red"}), State({"light": "red", "now": Fraction(1, 2)})

    assert (one, hash(one), repr(one)) == (two, hash(two), "State(now=1/2, light=red)")
    assert one != FrozenMap({"now": 1})
