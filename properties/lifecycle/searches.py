"""From a scope and a policy, as text, to the systems that are searched and what each is asked."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod
from typing import Final

from latchcheck.engines.explicit import Symmetry
from latchcheck.engines.judging import not_applicable
from latchcheck.engines.questions import Plan, Search
from latchcheck.kernel import Clause, Property
from latchcheck.kernel.verdict import PropertyVerdict
from latchcheck.naming import instead

from ...model.lifecycle import MODULES, Lifecycle, available, closed, lifecycle
from ...model.policy import Policy
from ...model.room import FALSE
from ...model.scope import SCOPES, Scope
from ...model.spelling import SpellingError
from .catalogue import CATALOGUE, RULES, cone, lacks, properties
from .rules import Rule
from .swapping import symmetries

LATER: Final = "/leads-to"
# Each state is compared with every way to swap, so more ways than this cost more than they save.
WAYS_MAX: Final = 720


def plan(scope: str, policy: str, only: Sequence[str] = (), *, symmetry: bool = True) -> Plan:
    """The searches that answer the named properties, or all.

    A scope that is spelled out is one system with every module it makes available.
    A named scope is too large for that, so each property is searched in its own cone.
    `only` narrows the system to what one property needs, or several need together; `ID/leads-to` asks for the leads-to
    form of a property, which is searched by itself and without symmetry.
    Raises SpellingError where something is misspelled.
    """
    size, switches = Scope.parse(scope), Policy.parse(policy)
    now = [known(name) for name in only if not name.endswith(LATER)]
    later = [known(name) for name in only if name.endswith(LATER)]
    rules = list(dict.fromkeys(now if only else RULES))
    told = [rule for rule in rules if not missing(rule, size)]
    groups = [[rule] for rule in told] if not only and is_named(scope) else [told] if told else []
    searches = [_search(build(size, switches, group if only or is_named(scope) else ()), symmetry) for group in groups]
    absent = [_absent(rule, size) for rule in rules if rule not in told]
    for rule in dict.fromkeys(later):
        if missing(rule, size):
            absent.append(_absent(rule, size, LATER))
        else:
            searches.append(_later(rule, size, switches))
    ids = list(dict.fromkeys(only)) or [rule.id for rule in RULES]
    source = f"scope {scope.strip()}, policy {switches}"
    return Plan(source, size.named, switches.changed, tuple(searches), tuple(absent), tuple(ids), symmetry)


def build(scope: Scope, policy: Policy, rules: Sequence[Rule] = ()) -> tuple[Lifecycle, tuple[Property, ...]]:
    """The system for some properties and what it is asked.

    None: everything that the scope makes available, and all it can tell. One: its cone, without what that does not
    read. Several: their modules together.
    """
    if len(rules) == 1:
        built = cone(rules[0], scope).build(policy)
    else:
        built = lifecycle(scope, policy, {module for one in rules for module in one.modules} if rules else None)
    return built, tuple(one.over(built.room) for one in rules) if rules else properties(built)


def is_named(scope: str) -> bool:
    """Whether a scope is given by its name."""
    return scope.strip() in SCOPES


def known(name: str) -> Rule:
    """The property of that id, or of that leads-to form; SpellingError says what there is."""
    base = name.removesuffix(LATER)
    if base not in CATALOGUE:
        raise SpellingError(f"property: there is no {name!r}", instead(name, CATALOGUE, "latchcheck list properties"))
    rule = CATALOGUE[base]
    if name != base and rule.obligation is None:
        forms = ", ".join(one.id + LATER for one in RULES if one.obligation is not None)
        raise SpellingError(f"property: {base!r} has no leads-to form", f"there is {forms}")
    return rule


def missing(rule: Rule, scope: Scope) -> str:
    """What a scope lacks for a property, as it would be written into the scope; empty where it lacks nothing."""
    absent = lacks(rule, available(scope))
    modules = {need for name in absent for need in closed((name,))}
    sizes = {size for name in modules for size in MODULES[name][0] if not getattr(scope, size)}
    needs = [f"{size}=1" for size in sorted(sizes)]
    there = available(scope)
    if "owners" in modules - there and scope.tenants == 1:
        needs.append("tenants=2")
    if "sweeps" in modules - there and "expiries" not in sizes:
        needs.append("deadlines=1, silences=1 or expiries=1")
    return ", ".join(needs)


def _absent(rule: Rule, scope: Scope, suffix: str = "") -> PropertyVerdict:
    asked = Property(rule.id + suffix, rule.keyword, rule.sentence, (Clause("never judged", FALSE),))
    return not_applicable(asked, f"the scope needs {missing(rule, scope)}")


def _search(made: tuple[Lifecycle, tuple[Property, ...]], symmetry: bool) -> Search:  # noqa: FBT001 - private
    built, asked = made
    groups = _affordable(symmetries(built)) if symmetry else ()
    hints = {one.id: hint for one in asked if (hint := _hint(CATALOGUE[one.id], built.room.scope))}
    return Search(built.system, asked, str(built.room.scope), groups, _kinds(built, groups), hints=hints)


def _hint(rule: Rule, scope: Scope) -> str:
    """What a scope has less of than the part of ci in which the property is put to the test, to be written into it."""
    enough = cone(rule, SCOPES["ci"]).scope.named
    more = [f"{name}={size}" for name, size in enough.items() if getattr(scope, name) < size]
    return f"in ci it is, with {', '.join(more)}" if more else ""


def _later(rule: Rule, scope: Scope, policy: Policy) -> Search:
    built = cone(rule, rule.unhurried(scope)).build(policy)
    form = rule.leads_to(built.room)
    assert form is not None, rule.id
    return Search(built.system, (form[0],), str(built.room.scope), fairness=form[1])


def _affordable(groups: Sequence[Symmetry]) -> tuple[Symmetry, ...]:
    """The groups, smallest first, as long as together they can be swapped in few enough ways."""
    kept: list[Symmetry] = []
    for group in sorted(groups, key=lambda one: len(one.members)):
        if prod(factorial(len(one.members)) for one in (*kept, group)) <= WAYS_MAX:
            kept.append(group)
    return tuple(kept)


def _kinds(built: Lifecycle, groups: Sequence[Symmetry]) -> tuple[str, ...]:
    """The groups in words: the kind of whom each swaps."""
    room = built.room
    members = {
        tuple(f"{family.name}_{label}" for family in room.families.values() if tuple(family.terms) == labels): kind
        for kind in ("tasks", "workers", "instances", "clients")
        if (labels := getattr(room, kind))
        for label in labels[:1]
    }
    return tuple(members[group.members[0]] for group in groups)
