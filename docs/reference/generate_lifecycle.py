"""Writes what is made from the lifecycle model in the pages: run it after a change of properties, switches or guards.

That is `lifecycle-properties.md`, `policies-and-scopes.md`, `kill-table.md` (whose last section has its numbers from
measure_sampled.py, which takes minutes), and the diagrams of `../explanation/lifecycle.md`.
What stands above the mark in a page is written by hand and kept. A test compares all four with the model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from latchcheck.engines.explicit import explore
from latchcheck.engines.stateful import RUNS_MAX, STEPS_MAX
from latchcheck.model.lifecycle import lifecycle
from latchcheck.model.policy import SWITCHES, Policy
from latchcheck.model.record import GONE, OPEN, SEED, TERMINAL, TRANSITIONS
from latchcheck.model.scope import SCOPES, Scope
from latchcheck.model.telling import RECEIVERS, telling
from latchcheck.properties.lifecycle.catalogue import RULES, model
from latchcheck.properties.lifecycle.describing import explained, mutant_rows, scope_rows, switch_rows
from latchcheck.properties.lifecycle.killing import kill_table
from latchcheck.report.interchange import to_mermaid

HERE = Path(__file__).parent
MADE = "<!-- What follows is made by docs/reference/generate_lifecycle.py: change the model, not this page. -->"
PROPERTIES, POLICIES, KILLS = "lifecycle-properties.md", "policies-and-scopes.md", "kill-table.md"
MODEL = "../explanation/lifecycle.md"
SAMPLED = "sampled.json"
QUICK = 100

Table = Mapping[str, Mapping[str, int]]


def properties_page() -> str:
    """Return the text that lifecycle-properties.md should have."""
    return _head(PROPERTIES) + "\n".join(_property(one.id) for one in RULES)


def policies_page() -> str:
    """Return the text that policies-and-scopes.md should have."""
    switches = (
        (f"`{row['switch']}`", _code(row["values"]), row["meaning"], _code(row["variants"])) for row in switch_rows()
    )
    sizes = (
        (f"`{row['size']}`", row["default"], *(row[name] for name in SCOPES), row["meaning"]) for row in scope_rows()
    )
    return "\n".join(
        [
            _head(POLICIES),
            "## Switches\n",
            *_table(("switch", "values, the guarded one first", "what it decides", "no fault by itself"), switches),
            "\n## Sizes\n",
            *_table(("size", "absent", *SCOPES, "what it counts"), sizes),
            "",
        ]
    )


def kill_page(killed: Table) -> str:
    """Return the text that kill-table.md should have, for a table of mutant, property and steps."""
    own = {str(row["mutant"]): row["properties"] for row in mutant_rows()}
    rows = []
    for mutant, killers in killed.items():
        names = [f"{_own(name, own[mutant])} {steps}" for name, steps in sorted(killers.items(), key=_by_length)]
        rows.append((f"`{mutant}`", ", ".join(names)))
    counts = [(f"`{one.id}`", sum(one.id in killers for killers in killed.values())) for one in RULES]
    return "\n".join(
        [
            _head(KILLS),
            "## By mutant\n",
            *_table(("mutant", "caught by, after so many steps"), rows),
            "\n## By property\n",
            *_table(("property", "mutants that it catches"), counts),
            "",
            *_sampled(json.loads((HERE / SAMPLED).read_text(encoding="utf-8"))),
        ]
    )


def _sampled(measured: Mapping[str, Any]) -> Iterable[str]:
    """What docs/reference/measure_sampled.py has measured: every pair of the kill table, and deeper faults."""
    rows, seeds = measured["rows"], measured["seeds"]
    usual = [row for row in rows if row["scope"] == "ci"]
    late = sorted((run for row in usual for run in row["runs"]), reverse=True)
    quick = sum(run <= QUICK for run in late)
    yield "## What the sampled search finds\n"
    yield f"`latchcheck fuzz` draws {RUNS_MAX} runs of up to {STEPS_MAX} steps unless told otherwise."
    yield f"In that budget it finds every pair of the table above, with each of the seeds {', '.join(map(str, seeds))}:"
    yield f"{quick} of {len(late)} within {QUICK} runs, the last in run {late[0]}."
    yield "Each is left as long as the shortest run of the exhaustive search."
    yield f"Measured with Hypothesis {measured['hypothesis']}; another release draws other runs.\n"
    head = ("property", "mutant", "shortest", "found in run, by seed", "steps as drawn", "steps left")
    yield from _table(head, map(_sample, usual))
    yield "\n### Deeper faults\n"
    yield "No mutant of the table needs more than eight steps."
    yield "What needs more is found by more runs: here each further attempt puts the fault two steps deeper."
    yield "The budget that each needs is the largest number in its row; `--max-runs` and `--steps` set it.\n"
    deeper = [row for row in rows if row["scope"] != "ci"]
    yield from _table(("scope", *head), ((f"`{row['scope']}`", *_sample(row)) for row in deeper))
    yield ""


def _sample(row: Mapping[str, Any]) -> tuple[object, ...]:
    def told(values: Iterable[object]) -> str:
        return ", ".join("not found" if value is None else str(value) for value in values)

    found = (told(row[name]) for name in ("runs", "drawn", "left"))
    return f"`{row['property']}`", f"`{row['mutant']}`", row["shortest"], *found


def model_page() -> str:
    """Return the text that lifecycle.md should have."""
    return "\n".join(
        [_head(MODEL), "## The status of a task\n", *_diagram(), "", "## Who does what\n", *_parties(), "", *_stories()]
    )


def _stories() -> Iterable[str]:
    """The two worked stories: their shortest runs as diagrams, and what makes a side effect happen once."""
    yield "## The export that finished twice\n"
    yield "A worker checks, then writes; a cancel reads, then writes; both saw the task open, both store an outcome."
    yield "Under `terminal_guard=check-then-set` this is a shortest run that breaks `one-terminal-outcome`:\n"
    yield _drawn("one-terminal-outcome", "terminal_guard=check-then-set", SCOPES["ci"])
    yield "A write that carries its condition (`cas`) leaves no step between the two, and no run breaks the property.\n"
    yield "## The worker killed between side effect and completion\n"
    yield "The export is made, its worker dies before it reports, the message comes again, and it is made again:\n"
    yield _drawn("side-effect-once", "side_effect=plain", ONE_CRASH)
    yield "The protocol alone does not prevent it; nor does a lease, which keeps a second worker out, not a later one."
    yield "One worker, one crash, one redelivery; for each setting all runs were searched:\n"
    yield from _table(("side effect", "lease", "delivery", "at most once"), _once())
    yield "\nWhat helps is an effect that is keyed by the task, or a message that is never delivered again."
    yield "The latter has its price: a task whose worker died is then not run again.\n"


ONE_CRASH = Scope(workers=1, crashes=1, redeliveries=1)


def _once() -> Iterable[tuple[str, ...]]:
    for effect, lease, delivery in product(
        SWITCHES["side_effect"].values, SWITCHES["lease"].values, SWITCHES["delivery"].values
    ):
        policy = Policy(side_effect=effect, lease=lease, delivery=delivery)
        system, asked = model("side-effect-once", ONE_CRASH, policy)
        found = explore(system, [asked]).counterexample
        answer = "yes" if found is None else f"no, after {len(found)} steps"
        yield f"`{effect}`", f"`{lease}`", f"`{delivery}`", answer


def _drawn(name: str, policy: str, scope: Scope) -> str:
    system, asked = model(name, scope, Policy.parse(policy))
    found = explore(system, [asked]).counterexample
    assert found is not None
    words = telling()
    shown = {variable.name for variable in system.variables if variable.name.startswith(("status", "effects"))}
    hidden = {variable.name for variable in system.variables} - shown
    return f"```mermaid\n{to_mermaid(found, telling=words, receivers=RECEIVERS, hidden=hidden)}```\n"


def killed(scope: str = "ci") -> Table:
    """The kill table, searched: mutant to property to the fewest steps."""
    table = kill_table(Scope.parse(scope))
    return {
        str(row["mutant"]): {
            name: steps for name, found in table.items() if (steps := found[str(row["mutant"])]) is not None
        }
        for row in mutant_rows()
    }


def _diagram() -> Iterable[str]:
    """The transition table as a state diagram; removal, which may follow any status, is drawn once for each kind."""
    yield "```mermaid\nstateDiagram-v2"
    yield f"    [*] --> {SEED}"
    for before, afters in TRANSITIONS.items():
        yield from (f"    {before} --> {after}" for after in afters)
    yield from (f"    {before} --> {GONE}" for before in (*OPEN, *TERMINAL))
    yield f"    {GONE} --> [*]\n```"


def _parties() -> Iterable[str]:
    """Every action of either era by its party, with the sentence that it implements."""
    actions = {}
    for era in ("2026-07-28", "2025-11-25"):
        for action in lifecycle(SCOPES["ci"], Policy(era=era)).system.actions:
            actions.setdefault(action.name, (action.party, action.sentences))
    rows = [
        (party, f"`{name}`", "; ".join(f"{one.text} ({one.source}, {one.where})" for one in sentences))
        for name, (party, sentences) in sorted(actions.items(), key=lambda item: item[1][0])
    ]
    return _table(("party", "action", "the sentence it implements"), rows)


def _property(name: str) -> str:
    found = explained(name)
    assert found is not None
    lines = [f"### {name}\n", f"> {found['sentence']}\n", f"- {found['keyword']}; source: {found['source']}."]
    clauses = "; ".join(str(one) for one in _list(found["clauses"]))
    lines += [f"- Conditions: {clauses}.", f"- Speaks about {_code(found['reads'])}."]
    if found["parties"]:
        lines.append(f"- Searched together with {_code(found['parties'])}.")
    lines += [f"- Its part of the scope `ci`: `{found['within ci']}`.", f"- Mutants: {_code(found['mutants'])}."]
    if "leads-to" in found:
        lines.append(f"- Leads-to form, {found['leads-to']}. Fair to it: {_code(found['fair'])}.")
    return "\n".join(lines) + "\n"


def _own(name: str, own: object) -> str:
    return f"**{name}**" if name in _list(own) else name


def _by_length(item: tuple[str, int]) -> int:
    return item[1]


def _table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> list[str]:
    names = list(head)
    lines = [names, ["---"] * len(names), *(list(row) for row in rows)]
    return ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines]


def _code(values: object) -> str:
    return ", ".join(f"`{value}`" for value in _list(values))


def _list(values: object) -> list[object]:
    assert isinstance(values, (list, tuple))
    return list(values)


def _head(page: str) -> str:
    """Return the part of a page that is written by hand, with the mark."""
    return (HERE / page).read_text(encoding="utf-8").split(MADE)[0] + MADE + "\n\n"


def main() -> None:
    """Write the four pages."""
    pages = {PROPERTIES: properties_page(), POLICIES: policies_page(), KILLS: kill_page(killed()), MODEL: model_page()}
    for page, text in pages.items():
        (HERE / page).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
