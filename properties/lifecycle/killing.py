"""The kill table: which mutant is caught by which property, and after how many steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from latchcheck.engines.explicit import explore
from latchcheck.kernel import System

from ...model.client import PRINTED
from ...model.network import STALE
from ...model.policy import SWITCHES, Policy
from ...model.scope import Scope
from .catalogue import RULES, cone
from .rules import Rule

# Switches whose other values are variants of the world that a guarded model must withstand, not missing guards.
VARIANTS: Final = (
    "era=2025-11-25",
    "notifications=lossy",
    "notifications=reordered",
    # The extension has no tasks/result; that of 2025-11-25 may answer that there is nothing yet.
    "result_while_open=answers-wait",
    "result_while_open=returns",
    "era=2025-11-25,result_while_open=answers-wait",
    # Fewer reads that may be stale than the guarded model withstands.
    "replica_reads=tasks-get",
    "replica_reads=tasks-list",
    "replica_reads=tasks-result",
    "replica_reads=none",
)
_COMBINED: Final = (
    "notifications=lossy,view=last-arrival-wins",
    "notifications=reordered,view=last-arrival-wins",
    PRINTED,
    "era=2025-11-25,result_while_open=returns",
    # One kind of read alone is stale, and a client that keeps what comes last goes back by it.
    *STALE,
)
MUTANTS: Final = (
    *(
        f"{switch.name}={value}"
        for switch in SWITCHES.values()
        for value in switch.values[1:]
        if f"{switch.name}={value}" not in VARIANTS
    ),
    *_COMBINED,
)
STATES_MAX: Final = 400_000


def kill_table(
    scope: Scope, mutants: Iterable[str] = MUTANTS, rules: Iterable[Rule] = RULES, *, states_max: int = STATES_MAX
) -> dict[str, dict[str, int | None]]:
    """For each property and each mutant the length of a shortest counterexample, or None where the property holds.

    A mutant that does not change the cone of a property cannot break it there, so it is not searched.
    """
    wanted = tuple(mutants)
    return {one.id: _row(one, scope, wanted, states_max) for one in rules}


def _row(asked: Rule, scope: Scope, mutants: Iterable[str], states_max: int) -> dict[str, int | None]:
    inside = cone(asked, scope)
    guarded = _content(inside.build(Policy()).system)
    row: dict[str, int | None] = {}
    for text in mutants:
        built = inside.build(Policy.parse(text))
        # The expressions of the property may read the policy too, so they are compared as well.
        found = None
        if _content(built.system) != guarded or asked.mutants.count(text):
            found = explore(built.system, [asked.over(built.room)], states_max=states_max).counterexample
        row[text] = None if found is None else len(found)
    return row


def _content(system: System) -> Mapping[str, Any]:
    return {"variables": system.variables, "actions": system.actions}
