"""The lifecycle half in plain data, for lists, explanations and generated pages."""

from __future__ import annotations

from typing import Any

from ...model.lifecycle import closed
from ...model.policy import SWITCHES, Policy
from ...model.scope import SCOPES, SIZES, Scope
from .catalogue import CATALOGUE, RULES, cone
from .killing import MUTANTS, VARIANTS
from .rules import Rule
from .searches import LATER

CI = "ci"


def property_rows() -> list[dict[str, object]]:
    """Every lifecycle property, in the order of docs/reference/semantics.md section 5."""
    return [
        {"id": one.id, "keyword": one.keyword, "sentence": one.sentence.text, "source": _source(one)} for one in RULES
    ]


def explained(name: str) -> dict[str, object] | None:
    """What a property claims and what decides it; None where there is none of that id."""
    rule = CATALOGUE.get(name)
    if rule is None:
        return None
    inside = cone(rule, Scope.parse(CI))
    built = inside.build(Policy())
    form = None if rule.obligation is None else rule.obligation(built.room)
    found: dict[str, object] = {
        "sentence": rule.sentence.text,
        "keyword": rule.keyword,
        "source": _source(rule),
        "clauses": [label for label, _ in rule.claim(built.room).clauses],
        "reads": sorted(closed(rule.reads)),
        "parties": [name for name in rule.parties if name not in closed(rule.reads)],
        "within ci": str(inside.scope),
        "mutants": list(rule.mutants),
    }
    if form is not None:
        found["leads-to"] = f"--property {name}{LATER}: {form.note}"
        found["fair"] = list(form.fair)
    return found


def switch_rows() -> list[dict[str, object]]:
    """Every switch of a policy with its values, the guarded one first, and the properties its other values break."""
    return [
        {
            "switch": switch.name,
            "values": list(switch.values),
            "meaning": switch.meaning,
            "mutants": [f"{switch.name}={value}" for value in switch.values if f"{switch.name}={value}" in MUTANTS],
            "variants": [f"{switch.name}={value}" for value in switch.values if f"{switch.name}={value}" in VARIANTS],
        }
        for switch in SWITCHES.values()
    ]


def scope_rows() -> list[dict[str, object]]:
    """Every size of a scope: what it counts, what absence means, the least, and its value in each named scope."""
    absent = Scope()
    return [
        {
            "size": name,
            "meaning": size["meaning"],
            "default": getattr(absent, name),
            "least": size["least"],
            **{scope: getattr(sizes, name) for scope, sizes in SCOPES.items()},
        }
        for name, size in SIZES.items()
    ]


def mutant_rows() -> list[dict[str, object]]:
    """Every mutant with the properties that name it as theirs."""
    return [{"mutant": one, "properties": [rule.id for rule in RULES if one in rule.mutants]} for one in MUTANTS]


def explained_setting(name: str) -> dict[str, Any] | None:
    """A switch or a size of a scope as a row; None where there is none of that name."""
    rows: dict[str, dict[str, object]] = {str(row["switch"]): row for row in switch_rows()}
    rows |= {str(row["size"]): row for row in scope_rows()}
    return rows.get(name)


def _source(rule: Rule) -> str:
    return f"{rule.sentence.source}, {rule.sentence.where}"
