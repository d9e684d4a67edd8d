"""The lifecycle as a transition system: one scope, one policy, and only the modules that are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import attrs

from latchcheck.kernel import ModelError, System

from . import (
    access,
    admission,
    cancelling,
    client,
    dispatch,
    failures,
    idempotency,
    inputs,
    network,
    notifications,
    reaper,
    record,
    replica,
    restart,
    worker,
)
from .policy import Policy
from .room import Room
from .scope import Scope

# Each module with the sizes that a scope must name for it, and the modules it builds upon.
MODULES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "version": ((), ()),
    "was": ((), ()),
    "outcomes": ((), ()),
    "slots": ((), ()),
    "queue": (("workers",), ()),
    "workers": (("workers",), ("queue",)),
    "outbox": (("workers",), ("queue",)),
    "effects": (("workers",), ("workers",)),
    "crashes": (("workers", "crashes"), ("workers",)),
    "stalls": (("workers", "stalls"), ("workers",)),
    "redeliveries": (("workers", "redeliveries"), ("workers",)),
    "stale_writes": (("workers",), ("workers", "version")),
    "late_writes": (("workers", "expiries"), ("workers", "expiries")),
    "reports": (("workers",), ("workers",)),
    "attempts": (("attempts",), ()),
    "failures": (("workers", "attempts"), ("workers", "attempts")),
    "calls": (("clients",), ()),
    "keys": (("clients",), ("calls",)),
    "key_race": (("clients", "instances"), ("keys",)),
    "namespaces": (("clients",), ("keys",)),
    "capability": (("clients",), ("calls",)),
    "owners": (("clients",), ()),
    "handles": (("clients",), ("calls",)),
    "client_crashes": (("clients", "client_crashes"), ("handles",)),
    "losses": (("losses",), ()),
    "cancels": (("cancels",), ()),
    "acks": (("cancels",), ("cancels",)),
    "instances": (("cancels", "instances"), ("cancels",)),
    "lag": (("lag",), ()),
    "inputs": (("workers", "inputs"), ("workers",)),
    "deadlines": (("deadlines",), ()),
    "silences": (("silences",), ()),
    "expiries": (("expiries",), ()),
    "deletion": (("expiries",), ("expiries",)),
    "sweeps": ((), ()),
    "durability": ((), ()),
    "restarts": (("restarts",), ()),
    "triage": (("restarts", "workers"), ("restarts", "queue")),
    "polls": (("polls",), ()),
    "notifications": (("notifications", "polls"), ("polls",)),
    "unknown_statuses": (("unknown_statuses", "polls"), ("polls",)),
}
PARTIES: Final = (
    record,
    replica,
    admission,
    idempotency,
    dispatch,
    worker,
    failures,
    inputs,
    cancelling,
    access,
    client,
    network,
    notifications,
    reaper,
    restart,
)


@attrs.frozen(eq=False)
class Lifecycle:
    """A system with the room it was built in, from which properties take their expressions."""

    system: System
    room: Room


def available(scope: Scope) -> frozenset[str]:
    """The modules that a scope has the parties and events for, history included."""
    absent = {name for name, (sizes, _) in MODULES.items() if not all(getattr(scope, size) for size in sizes)}
    if not (scope.deadlines or scope.silences or scope.expiries):
        absent.add("sweeps")
    if scope.tenants == 1:
        absent |= {"owners", "namespaces"}
    return frozenset(name for name in MODULES if not closed((name,)) & absent)


def closed(modules: Iterable[str]) -> frozenset[str]:
    """These modules and those that they build upon; ModelError for a name that is none."""
    wanted = set(modules)
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        if name not in MODULES:
            raise ModelError(f"there is no module {name!r}; there is {', '.join(MODULES)}")
        for need in MODULES[name][1]:
            if need not in wanted:
                wanted.add(need)
                waiting.append(need)
    return frozenset(wanted)


def lifecycle(scope: Scope, policy: Policy, modules: Iterable[str] | None = None) -> Lifecycle:
    """Build the lifecycle for a scope and a policy.

    `modules` are those to build in, with what they build upon; None stands for all that the scope has the parties and
    events for.
    A module that the scope lacks something for is left out, as an absent party does nothing.
    """
    there = available(scope)
    wanted = there if modules is None else closed(modules) & there
    room = Room(scope, policy, wanted)
    if room.has("losses"):
        room.budget("losses", scope.losses)
    for party in PARTIES:
        party.variables(room)
    for party in PARTIES:
        if party is not record:
            party.actions(room)
    name = f"lifecycle {scope} {policy}"
    return Lifecycle(System(name, room.variables, room.actions), room)


def lifecycle_system(scope: Scope, policy: Policy, modules: Iterable[str] | None = None) -> System:
    """The transition system alone; see `lifecycle`."""
    return lifecycle(scope, policy, modules).system
