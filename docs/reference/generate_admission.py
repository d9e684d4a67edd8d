"""Writes what is made from the model in the pages about admission, the policy layer and the handle store.

What stands above the mark in a page is written by hand and kept. A test compares all three with the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from latchcheck.model.handles import PRINTED, REPAIRED, REPAIRS
from latchcheck.model.packets.tables import MEANINGS, OPERATIONS, rows
from latchcheck.model.policy import Policy
from latchcheck.properties.admission import handles, policy_layer

HERE = Path(__file__).parent
MADE = "<!-- What follows is made by docs/reference/generate_admission.py: change the model, not this page. -->"
DECISIONS, LAYER, STORE = "admission-decisions.md", "../explanation/policy-layer.md", "../how-to/keep-task-handles.md"


def decisions_page() -> str:
    """Return the text that admission-decisions.md should have."""
    lines = [_head(DECISIONS), "## Decisions\n"]
    made = {name: {row.decision for row in rows(Policy(), name, "c1")} for name in OPERATIONS}
    made = {name: found | {row.decision for row in rows(Policy(), name, "c2")} for name, found in made.items()}
    lines += _table(
        ("decision", "operations", "what it says"),
        (
            (f"`{name}`", ", ".join(f"`{one}`" for one, found in made.items() if name in found), meaning)
            for name, meaning in MEANINGS.items()
        ),
    )
    return "\n".join([*lines, ""])


def layer_page() -> str:
    """Return the text that policy-layer.md should have."""
    lines = [_head(LAYER), "## The other choice, and the shortest run that it breaks\n"]
    lines += _table(("choice", "breaks", "what is broken", "the run"), _others())
    lines += ["", "## What a default costs\n"]
    lines += _table(("retryable of 60", "default", "attempts", "recovered", "lost", "dead letters"), _prices())
    lines += ["", "## Backoff with one part left out\n"]
    lines += _table(("part", "what it is for", "without it"), _parts())
    lines += ["", "## What jitter is for\n"]
    lines += _table(("attempt", "nominal delay", "no jitter", "full jitter, expected"), _herds())
    return "\n".join([*lines, ""])


def store_page() -> str:
    """Return the text that keep-task-handles.md should have."""
    lines = [_head(STORE), "## What the printed store breaks\n"]
    words = handles.promises()
    lines += _table(
        ("property", "what should hold", "steps", "the shortest run"),
        (
            (f"`{name}`", words[name][0], len(run), " · ".join(step.action for step in run))
            for name in words
            if (run := handles.shortest(name, PRINTED)) is not None
        ),
    )
    lines += ["", "## What each repair is for\n"]
    lines += _table(("repair", "what it is", "broken without it alone"), _repairs())
    return "\n".join([*lines, ""])


def _others() -> Iterator[Iterable[object]]:
    for name, policy in policy_layer.OTHERWISE:
        found = policy_layer.otherwise(name, policy)
        yield f"`{policy}`", f"`{name}`", found.clause, " · ".join(step.action for step in found.run)


def _prices() -> Iterator[Iterable[object]]:
    for retryable in (0, 15, 30, 45, 60):
        for default in ("permanent", "transient"):
            cost = policy_layer.price(default, retryable)
            yield retryable, default, cost.attempts, cost.recovered, cost.lost, cost.dead_letters


def _parts() -> Iterator[Iterable[object]]:
    from latchcheck.model.backoff import PARTS

    for part, meaning in PARTS.items():
        run = policy_layer.backoff_run(part)
        told = " · ".join(f"{step.action}({', '.join(f'{value} ms' for value in step.args.values())})" for step in run)
        yield part, meaning, told


def _herds() -> Iterator[Iterable[object]]:
    for attempt, nominal_ms in enumerate((1_000, 2_000, 4_000, 8_000), start=1):
        together, spread = policy_layer.herd(100, 10, nominal_ms)
        yield attempt, f"{nominal_ms} ms", together, f"{float(spread):g}"


def _repairs() -> Iterator[Iterable[object]]:
    for repair, meaning in REPAIRS.items():
        broken = [name for name in handles.promises() if handles.shortest(name, REPAIRED - {repair}) is not None]
        yield repair, meaning, ", ".join(f"`{name}`" for name in broken) or "nothing, where the server knows keys"


def _table(head: Iterable[object], body: Iterable[Iterable[object]]) -> list[str]:
    names = list(head)
    lines = [names, ["---"] * len(names), *(list(row) for row in body)]
    return ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines]


def _head(page: str) -> str:
    """Return the part of a page that is written by hand, with the mark."""
    return (HERE / page).read_text(encoding="utf-8").split(MADE)[0] + MADE + "\n"


def main() -> None:
    """Write the three pages."""
    for page, made in ((DECISIONS, decisions_page), (LAYER, layer_page), (STORE, store_page)):
        (HERE / page).write_text(made(), encoding="utf-8")


if __name__ == "__main__":
    main()
