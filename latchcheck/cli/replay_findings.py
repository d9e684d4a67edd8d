"""What became of replayed fixtures as findings, which SARIF, JUnit and their like are made from: a question a file.

Each finding stands at the line of the fixture whose step breaks the property, or is answered as no correct one does.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from . import wiring

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict
    from latchcheck.report.findings import Finding, Findings

OUTCOMES: Final[dict[str, Verdict]] = {
    "reproduces": "violated",
    "reproduced": "violated",
    "differs": "violated",
    "conforms": "holds",
    "not-applicable": "not-applicable",
    "failed": "inconclusive",
    "stale": "vacuous",
}
"""What an outcome is as a verdict; a stale fixture says nothing any more."""


def on_model(file: str, one: Any) -> Findings:
    """What became of a fixture on the model."""
    from latchcheck.report.timeline import rows_of

    fixture, telling = one.fixture, wiring.fixture_telling(one.fixture)
    if one.stale:
        return _asked(file, fixture, "model", "stale", (one.reason,), None)
    details = (f"fails: {fixture.violates.clause}", _shown_by(file, fixture))
    rows = tuple(rows_of(one.trace, telling))
    run = {"trace": one.trace, "rows": rows, "telling": telling}
    return _asked(file, fixture, "model", "reproduces", details, fixture.violates.step, **run)


def on_target(file: str, one: Any) -> Findings:
    """What became of a fixture on a target."""
    from latchcheck.report.timeline import Row

    wrong = one.outcome in ("reproduced", "differs")
    rows = []
    for seen in one.steps if wrong else ():
        read = ", ".join(f"{task} {status}" for task, status in sorted(seen.observed.items()))
        what = str(seen.call).partition(": ")[2]
        told = f"{seen.answer}; read: {read}" if read else str(seen.answer)
        rows.append(Row("", seen.call.by, what, told, marked=seen is one.steps[-1]))
    step = one.steps[-1].step if one.steps else None
    return _asked(
        file, one.fixture, one.target, one.outcome, (one.reason, _shown_by(file, one.fixture)), step, rows=rows
    )


def _shown_by(file: str, fixture: Any) -> str:
    return f"`{shlex.join(['latchcheck', 'show', file])}` walks through its run, which {fixture.found_by.engine} found"


def _asked(
    file: str, fixture: Any, target: str, outcome: str, details: Sequence[str], step: int | None, **run: Any
) -> Findings:
    from latchcheck.kernel.exits import exit_code
    from latchcheck.report.findings import Finding, Findings, Place

    path = wiring.fixture_path(file)
    keyword: Any = wiring.property_keyword(fixture.property) or "MUST"
    finding: Finding = Finding(
        id=fixture.property,
        keyword=keyword,
        sentence=fixture.sentence,
        verdict=OUTCOMES[outcome],
        engine="replay",
        title=f"{fixture.id}: {outcome} on {target}",
        details=tuple(details),
        place=Place(str(path), None if step is None else line_of(path, step)),
        **{**run, "rows": tuple(run.get("rows", ()))},
    )
    onto = [] if target == "model" else ["--target", target]
    command = shlex.join(["latchcheck", "replay", *onto, file])
    return Findings("replay", f"{fixture.id} on {target}", (finding,), exit_code([finding.verdict]), command)


def line_of(path: Path, step: int) -> int | None:
    """The line (from 1) of a file of a fixture on which a step begins; None where it is not to be found."""
    text = path.read_text(encoding="utf-8")
    steps = re.search(r'"steps"\s*:\s*\[', text)
    if steps is None:
        return None
    found = list(re.finditer(r'"action"\s*:', text[steps.end() :]))
    return text.count("\n", 0, steps.end() + found[step].start()) + 1 if step < len(found) else None
