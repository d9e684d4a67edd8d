"""Policies and scopes as text, and the errors that say what to write."""

import pytest

from latchcheck.kernel import ModelError
from latchcheck.model.lifecycle import MODULES, available, closed
from latchcheck.model.policy import SWITCHES, Policy
from latchcheck.model.record import STEPS, TRANSITIONS
from latchcheck.model.scope import SIZES, Scope
from latchcheck.model.spelling import SpellingError
from latchcheck.properties.lifecycle.catalogue import rule

# The switches of section 6 of the semantics, and their values, the guarded one first.
CONTRACT = """
era 2026-07-28 2025-11-25
terminal_guard cas check-then-set none
version_check on off
expiry_check on-write off
tenant_check every-operation reads-only off
capability_check before-work after-work off
idempotency key-and-digest key-only none
create_durability before-reply after-reply
store durable volatile
dispatch outbox before-commit after-commit
lease fenced unfenced none
side_effect idempotent plain
restart triage resume-all drop
handle_store before-return after-return none
client_reissue same-key new-key never
unknown_id terminal retry
unknown_status not-terminal terminal
notifications none lossy reordered
view newest-wins last-arrival-wins
cancel_marker with-record own-life
failure_default permanent transient
input_keys unique reused
cleanup atomic piecewise
"""


def test_the_switches_are_those_of_the_semantics() -> None:
    """Names and values are a contract; the sweep order has six values, the published one first."""
    for line in CONTRACT.strip().splitlines():
        name, *values = line.split()
        assert tuple(values) == SWITCHES[name].values
    assert "timeouts-orphans-expiry" == SWITCHES["sweep_order"].guarded
    assert 6 == len(set(SWITCHES["sweep_order"].values))


def test_a_policy_reads_back_what_it_writes() -> None:
    """Text and policy are the same thing."""
    for text in ("guarded", "lease=none", "terminal_guard=check-then-set,era=2025-11-25"):
        assert Policy.parse(text) == Policy.parse(str(Policy.parse(text)))
    assert {"lease": "none"} == Policy.parse(" lease = none ").changed


def test_a_scope_reads_back_what_it_writes() -> None:
    """Text and scope are the same thing; what is not named is absent."""
    for text in ("ci", "deep", "wide", "tasks=2,workers=2"):
        assert Scope.parse(text) == Scope.parse(str(Scope.parse(text)))
    assert Scope(tasks=2, workers=2) == Scope.parse("tasks=2,workers=2")
    assert 0 == Scope.parse("tasks=2").crashes


@pytest.mark.parametrize(
    ("text", "what", "instead"),
    [
        ("leese=none", "policy: there is no 'leese'", "did you mean 'lease'?"),
        ("lease=fence", "policy: lease cannot be 'fence'", "did you mean 'fenced'?"),
        ("lease", "'lease' is no name=value", "write lease=fenced|"),
        ("lease=none,lease=fenced", "policy: 'lease' is given twice", "write it once"),
        ("", "policy: there is no ''", "`latchcheck list policies` names them all"),
    ],
)
def test_a_wrong_policy_teaches(text: str, what: str, instead: str) -> None:
    """The error says what is wrong, and on its second line what to write."""
    with pytest.raises(SpellingError) as error:
        Policy.parse(text)
    first, second = str(error.value).split("\n")
    assert what in first
    assert instead in second


@pytest.mark.parametrize(
    ("text", "what", "instead"),
    [
        ("dep", "scope: there is no 'dep'", "did you mean 'deep'?"),
        ("task=2", "scope: there is no 'task'", "did you mean 'tasks'?"),
        ("tasks=0", "scope: tasks cannot be '0'", "a whole number from 1 to 9"),
        ("tasks=two", "scope: tasks cannot be 'two'", "a whole number from 1 to 9"),
        ("tasks=\u0662", "scope: tasks cannot be", "a whole number from 1 to 9"),
        ("tasks=2,", "'' is no name=value", "write tasks=..."),
    ],
)
def test_a_wrong_scope_teaches(text: str, what: str, instead: str) -> None:
    """The error says what is wrong, and on its second line what to write."""
    with pytest.raises(SpellingError) as error:
        Scope.parse(text)
    first, second = str(error.value).split("\n")
    assert what in first
    assert instead in second


def test_every_size_of_a_scope_is_explained() -> None:
    """Each size and each switch says what it means."""
    assert all(size["meaning"] for size in SIZES.values())
    assert all(switch.meaning for switch in SWITCHES.values())


def test_the_transition_table_is_the_state_diagram() -> None:
    """Two open statuses lead to each other and to three terminal ones; any record may be created and removed."""
    expected = {
        ("none", "working"),
        ("working", "input_required"),
        ("input_required", "working"),
        *(
            (before, after)
            for before in ("working", "input_required")
            for after in ("completed", "failed", "cancelled")
        ),
        *((before, "deleted") for before in ("working", "input_required", "completed", "failed", "cancelled")),
    }
    assert expected == set(STEPS)
    assert ["completed", "failed", "cancelled"] == [status for status, after in TRANSITIONS.items() if not after]


def test_modules_are_there_only_where_a_scope_has_their_parties() -> None:
    """A module brings what it builds upon, and is absent where the scope lacks something for it."""
    assert {"workers", "queue", "stalls"} == closed(["stalls"])
    assert "stalls" not in available(Scope(workers=2))
    assert "stalls" in available(Scope(workers=2, stalls=1))
    assert set(MODULES) == available(Scope.parse("ci"))
    with pytest.raises(ModelError, match="no module 'stall'"):
        closed(["stall"])
    with pytest.raises(ModelError, match="no property 'one-outcome'"):
        rule("one-outcome")
