"""The lifecycle properties in the order of docs/reference/semantics.md section 5, and the cone of each."""

from __future__ import annotations

from typing import Final

import attrs

from latchcheck.kernel import ModelError, Property, System

from ...model.lifecycle import MODULES, Lifecycle, available, closed, lifecycle
from ...model.policy import Policy
from ...model.scope import SIZES, SPARED, Scope
from . import admission, cancelling, clients, durability, execution, inputs, outcomes, sweeps, writes
from .rules import Rule

RULES: Final = (
    outcomes.ONE_TERMINAL_OUTCOME,
    outcomes.LEGAL_TRANSITIONS_ONLY,
    outcomes.BEGINS_WORKING,
    writes.STALE_WRITER_BLOCKED,
    outcomes.REPEAT_IS_NOT_REWRITE,
    writes.NO_WRITE_AFTER_EXPIRY,
    writes.DELETED_STAYS_DELETED,
    admission.TENANT_ISOLATION,
    admission.CAPABILITY_GATED,
    admission.REFUSED_BEFORE_STARTED,
    admission.IDEMPOTENT_CREATE,
    durability.DURABLE_BEFORE_REPLY,
    durability.DISPATCH_WITH_RECORD,
    execution.SINGLE_EXECUTION,
    execution.SIDE_EFFECT_ONCE,
    durability.RESTART_TRIAGES,
    clients.HANDLE_NEVER_LOST,
    clients.CLIENT_CONVERGES,
    clients.VIEW_NEVER_GOES_BACK,
    cancelling.CANCEL_IS_INTENT,
    inputs.INPUT_KEY_NAMES_ONE_QUESTION,
    inputs.ANSWERED_INPUT_IS_CONSUMED,
    sweeps.CLEANUP_IS_COMPLETE,
    sweeps.SWEEP_ORDER_MATTERS,
    execution.FAILURES_ARE_CLASSIFIED,
)
CATALOGUE: Final[dict[str, Rule]] = {rule.id: rule for rule in RULES}

# Sizes that matter whatever is built in.
_ALWAYS: Final = ("tasks",)


@attrs.frozen
class Cone:
    """What one property needs: modules, and a scope without what they do not read."""

    modules: frozenset[str]
    scope: Scope

    def build(self, policy: Policy) -> Lifecycle:
        """The lifecycle of this cone."""
        return lifecycle(self.scope, policy, self.modules)


def rule(name: str) -> Rule:
    """The property of that id; ModelError lists the ids there are."""
    if name not in CATALOGUE:
        raise ModelError(f"there is no property {name!r}; there is {', '.join(CATALOGUE)}")
    return CATALOGUE[name]


def cone(asked: Rule, scope: Scope, *, narrow: bool = True) -> Cone:
    """The modules of a property, and the part of a scope that they read.

    `narrow` also lowers the sizes that the property does not depend on to its limits.
    """
    modules = closed(asked.modules) & available(scope)
    read = {size for name in modules for size in MODULES[name][0]} | set(_ALWAYS)
    if "clients" in read:
        read |= {"tenants", "reissues"}
    if not modules & {"owners", "namespaces"}:
        read.discard("tenants")
    kept = {name: size for name, size in scope.named.items() if name in read}
    if "workers" not in read:
        kept["workers"] = 0
    smaller = Scope(**kept)
    limits = {name: limit for name, limit in asked.limits.items() if limit >= SIZES[name]["least"]}
    limits |= {name: limits[name] + scope.spare for name in SPARED if name in limits}
    return Cone(modules, smaller.at_most(**limits) if narrow else smaller)


def properties(built: Lifecycle) -> tuple[Property, ...]:
    """Every property that the modules built in can tell about."""
    return tuple(one.over(built.room) for one in RULES if not lacks(one, built.room.modules))


def lacks(asked: Rule, there: frozenset[str]) -> tuple[str, ...]:
    """The modules without which a property cannot be told; none where it is applicable."""
    return tuple(sorted(closed(asked.reads) - there))


def model(name: str, scope: Scope, policy: Policy) -> tuple[System, Property]:
    """The system and the property to search for one id."""
    asked = rule(name)
    built = cone(asked, scope).build(policy)
    return built.system, asked.over(built.room)
