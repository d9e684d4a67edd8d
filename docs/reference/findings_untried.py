"""The last part of docs/reference/findings.md: what no product can be asked for, and why; see findings.py.

It is told by the capability tables alone, so that nothing is started for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from latchcheck.cli import wiring
from latchcheck.cli.wiring.targets import why_not

ELSEWHERE: Final = ("sqlite", "postgres-standby", "client:docs/how-to/handle_store.py")
"""Targets that can do what products cannot; from the folder of the project."""


def untried(names: Sequence[str]) -> list[str]:
    """The fixtures that none of these targets can be asked for, by the reasons, and where else each is tried."""
    rows: dict[tuple[str, str], list[str]] = {}
    targets, others = ([wiring.open_target(name) for name in some] for some in (names, ELSEWHERE))
    for _, one in wiring.saved_fixtures():
        reasons = list(takewhile(bool, (why_not(one, target) for target in targets)))
        if len(reasons) == len(targets):
            where = ", ".join(f"`{target.name}`" for target in others if why_not(one, target) is None)
            rows.setdefault(("; ".join(sorted(set(map(str, reasons)))), where or "nowhere"), []).append(one.id)
    return [
        "## What none of these products can be asked for",
        "",
        f"{sum(map(len, rows.values()))} of the counterexamples, by what the tables of the products lack.",
        "The last column names targets that can be asked.",
        "",
        "| why | counterexamples | asked of |",
        "|---|---|---|",
        *(
            f"| {told} | {', '.join(f'`{one}`' for one in found)} | {at} |"
            for (told, at), found in sorted(rows.items())
        ),
    ]
