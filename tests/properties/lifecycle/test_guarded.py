"""The guarded model: every property holds, is put to the test, and every action happens."""

import attrs
import pytest

from latchcheck.engines.explicit import explore
from latchcheck.engines.judging import answer
from latchcheck.kernel import Action, Clause, Property
from latchcheck.model import network, record
from latchcheck.model.lifecycle import lifecycle
from latchcheck.model.policy import Policy
from latchcheck.model.room import both, no
from latchcheck.model.scope import Scope
from latchcheck.properties.lifecycle.catalogue import CATALOGUE, cone, properties
from latchcheck.properties.lifecycle.killing import VARIANTS
from latchcheck.properties.lifecycle.searches import plan

CI = Scope.parse("ci")

# Distinct states and transitions of each cone, as the search counted them when the model was written.
# A changed number is a changed model: look before writing down a new one.
COUNTS = {
    "one-terminal-outcome": (1_100, 3_517),
    "legal-transitions-only": (155, 285),
    "begins-working": (5, 4),
    "stale-writer-blocked": (405, 1_290),
    "repeat-is-not-rewrite": (18, 20),
    "no-write-after-expiry": (10, 11),
    "deleted-stays-deleted": (39, 65),
    "tenant-isolation": (5_937, 35_632),
    "capability-gated": (59, 125),
    "refused-before-started": (263, 722),
    "idempotent-create": (1_073, 2_636),
    "durable-before-reply": (12, 15),
    "dispatch-with-record": (17, 21),
    "single-execution": (124, 267),
    "side-effect-once": (310, 763),
    "restart-triages": (109, 135),
    "handle-never-lost": (59, 68),
    "client-converges": (1_380, 4_897),
    "view-never-goes-back": (651, 1_739),
    "cancel-is-intent": (104, 262),
    "input-key-names-one-question": (42, 59),
    "answered-input-is-consumed": (23, 26),
    "cleanup-is-complete": (475, 1_256),
    "sweep-order-matters": (46, 61),
    "failures-are-classified": (22, 21),
}


def test_the_catalogue_is_that_of_the_semantics() -> None:
    """The twenty-five ids stand in the order of section 5."""
    assert list(COUNTS) == list(CATALOGUE)
    assert len(CATALOGUE) == 25


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_guarded_model_satisfies(name: str) -> None:
    """With every guard the property holds in its cone, its situation occurs, and the state space is the known one."""
    asked = CATALOGUE[name]
    built = cone(asked, CI).build(Policy())
    found = explore(built.system, [asked.over(built.room)])
    assert (None, True) == (found.violated, found.complete)
    assert found.reached[name] > 0
    assert COUNTS[name] == (found.states, found.transitions)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_of_the_world_breaks_nothing(variant: str) -> None:
    """The other era, notifications, and a client without versions are no faults by themselves."""
    broken = []
    for name, asked in CATALOGUE.items():
        built = cone(asked, CI).build(Policy.parse(variant))
        found = explore(built.system, [asked.over(built.room)])
        broken += [name] if found.violated or not found.complete else []
    assert [] == broken


def test_every_action_happens() -> None:
    """Each action of either era fires in some cone of the guarded model."""
    fired: dict[str, int] = {}
    for era in ("2026-07-28", "2025-11-25"):
        for asked in CATALOGUE.values():
            system = cone(asked, CI).build(Policy(era=era)).system
            for action, times in explore(system).fired.items():
                fired[action] = fired.get(action, 0) + times
    assert [] == [action for action, times in fired.items() if not times]


@pytest.mark.parametrize(
    ("scope", "states"),
    [
        ("tasks=1", 15),
        ("tasks=2,workers=2", 345),
        ("workers=2,crashes=1,stalls=1,redeliveries=1,cancels=1", 5_663),
        ("workers=1,deadlines=1,silences=1,expiries=1,restarts=1,attempts=2,crashes=1", 20_562),
        ("workers=1,clients=2,tenants=2,cancels=1", 14_521),
        ("tasks=2,clients=1,client_crashes=1,losses=1,reissues=1", 1_133),
        ("workers=1,clients=1,cancels=1,inputs=1,expiries=1", 9_291),
        ("workers=1,polls=1,inputs=1,notifications=1,cancels=1,unknown_statuses=1", 17_479),
        ("workers=2,instances=1,cancels=1,inputs=1,restarts=1,stalls=1", 24_074),
    ],
)
def test_a_whole_scope_satisfies_all_it_can_tell(scope: str, states: int) -> None:
    """With every module of a scope built in at once, every property that can be told holds."""
    built = lifecycle(Scope.parse(scope), Policy())
    found = explore(built.system, properties(built))
    assert (None, True) == (found.violated, found.complete)
    assert states == found.states


def test_the_eras_are_told_apart() -> None:
    """An era has the operations of its specification, each happens, and the other era has none of them."""
    only = {
        "2026-07-28": {"update"},
        "2025-11-25": {"respond", "ask_result", "return_result", "list_status", "result", "list"},
    }
    happened: dict[str, set[str]] = {era: set() for era in only}
    scope = Scope.parse("workers=1,polls=1,inputs=1")
    callers = Scope.parse("clients=1,tenants=2")
    for era, names in happened.items():
        for one in (scope, callers):
            names |= {name for name, times in explore(lifecycle(one, Policy(era=era)).system).fired.items() if times}
    assert only["2026-07-28"] == happened["2026-07-28"] - happened["2025-11-25"]
    assert only["2025-11-25"] == happened["2025-11-25"] - happened["2026-07-28"]


# Which reads an instance may answer from a replica, by the policy.
STALE_READS = {
    "every-read": {"get", "get_status", "list", "list_status", "result", "ask_result", "return_result"},
    "tasks-get": {"get", "get_status"},
    "tasks-list": {"list", "list_status"},
    "tasks-result": {"result", "ask_result", "return_result"},
    "none": set(),
}


@pytest.mark.parametrize("reads", STALE_READS)
def test_a_read_is_stale_where_the_policy_says_so(reads: str) -> None:
    """What the policy names can be answered from a replica, nothing else can, and nothing where there is none."""
    policy = Policy(era="2025-11-25", tenant_check="off", replica_reads=reads)
    for lag, expected in ((1, STALE_READS[reads]), (0, set())):
        scope = Scope(workers=1, polls=1, clients=2, tenants=2, lag=lag)
        actions = lifecycle(scope, policy).system.actions
        assert expected == {one.name for one in actions if any(choice.name == "replica" for choice in one.choices)}


def test_a_stranger_answers_no_question() -> None:
    """An answer to a question is a write like any other: where writes are compared only the owner's is taken."""
    scope = Scope(workers=1, clients=2, tenants=2, inputs=1)
    broken = {}
    for check in ("every-operation", "reads-only"):
        built = lifecycle(scope, Policy(tenant_check=check), {"owners", "inputs"})
        asked = CATALOGUE["tenant-isolation"].over(built.room)
        found = explore(attrs.evolve(built.system, actions=_without(built.system.actions, "fail_as")), [asked])
        broken[check] = None if found.counterexample is None else found.counterexample.steps[-1].action
    assert {"every-operation": None, "reads-only": "update"} == broken


def _without(actions: tuple[Action, ...], name: str) -> tuple[Action, ...]:
    return tuple(one for one in actions if one.name != name)


def test_a_held_result_call_returns_with_the_outcome() -> None:
    """In 2025-11-25 tasks/result answers nothing while the task is open, and the outcome when it is over."""
    built = lifecycle(Scope.parse("workers=1,polls=1"), Policy(era="2025-11-25"))
    room = built.room
    never = no(both(room.read("blocked", "t1"), record.is_open(room.read("status", "t1")), room.read("stopped", "t1")))
    asked = Property("held", "MUST", network.BLOCKS, (Clause("a held call ends no polling", never),))
    found = explore(built.system, [asked])
    assert (None, True) == (found.violated, found.complete)
    assert found.fired["return_result"] > 0


def test_no_name_is_misspelled() -> None:
    """What an action or a property reads or changes is declared under some policy in some cone.

    A name that nobody declares would read as absent and pass unseen.
    """
    named: set[str] = set()
    declared: set[str] = set()
    for asked in CATALOGUE.values():
        inside = cone(asked, CI)
        for text in ("guarded", *asked.mutants, *VARIANTS):
            built = inside.build(Policy.parse(text))
            asked.over(built.room)
            named |= built.room.named
            declared |= set(built.room.families)
    whole = lifecycle(CI, Policy())
    declared |= set(whole.room.families)
    assert set() == named - declared


def test_what_is_vacuous_says_what_would_try_it() -> None:
    """A property that a small scope never tries is named with sizes under which its situation occurs."""
    found = answer(plan("tasks=2,workers=1", "guarded"))
    vacuous = {one.id: one.reason or "" for one in found.properties if one.verdict == "vacuous"}
    assert {"single-execution", "side-effect-once", "repeat-is-not-rewrite", "stale-writer-blocked"} == set(vacuous)
    for name, reason in vacuous.items():
        sizes = reason.partition(" with ")[2].replace(" ", "")
        more = {size: int(number) for size, _, number in (part.partition("=") for part in sizes.split(","))}
        larger = attrs.evolve(Scope.parse("tasks=2,workers=1"), **more)
        again = answer(plan(str(larger), "guarded", [name]))
        assert ["holds"] == [one.verdict for one in again.properties]
