"""`latchcheck targets`: what saved counterexamples can be replayed on, whether it is ready, and whether it conforms."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from . import wiring
from .errors import complain
from .interrupting import interruptible
from .options import TEXT_OR_JSON
from .output import Output
from .replaying import each_fixture

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict

REPLAYS_SCHEMA = "latchcheck/target-replays/1"
LIST_SCHEMA = "latchcheck/targets/1"
CHECK_SCHEMA = "latchcheck/target-check/1"
INSTALLED_SCHEMA = "latchcheck/installed/1"

CHECKED: Mapping[str, Verdict] = {
    "passed": "holds",
    "broken": "violated",
    "failed": "inconclusive",
    "not-applicable": "not-applicable",
}

# What the wiring hands over: the checker does not import counterexamples, so it does not name their types.
Ran = Any


@click.group("targets", short_help="What fixtures can be replayed on.")
def command() -> None:
    """Implementations that saved counterexamples are replayed on."""


@command.command("list", short_help="What there is, what is ready, what is missing.")
@TEXT_OR_JSON
@click.pass_context
def list_(context: click.Context, /, *, form: str) -> None:
    """Every target, whether it is ready here, and how to get what is missing. Starts nothing."""
    rows = wiring.target_rows()
    out = Output(None)
    if form == "json":
        out.write(json.dumps({"schema": LIST_SCHEMA, "targets": rows, "exit": 0}, indent=2, ensure_ascii=False) + "\n")
        context.exit(0)
    from latchcheck.report.layout import columns

    cells = []
    for row in rows:
        state = "ready" if row["ready"] else "missing" if row["ready"] is not None else "named"
        cells.append((row["name"] + ("..." if row["name"].endswith(":") else ""), state, row["meaning"]))
        cells += [("", "", line) for line in row["missing"]]
    out.write("".join(f"{line}\n" for line in columns(cells, align="<<w", width=out.width, indent=0)))
    context.exit(0)


@command.command("install", short_help="Make the environment that a target needs.")
@click.argument("name")
@click.option("--into", metavar="FOLDER", help="Instead of the cache folder; LATCHCHECK_TARGETS names it later on.")
@TEXT_OR_JSON
@click.pass_context
def install(context: click.Context, /, *, name: str, into: str | None, form: str) -> None:
    """Make the environment that a target needs, apart from this one, as the products need conflicting versions."""
    if into is not None:
        os.environ["LATCHCHECK_TARGETS"] = os.path.abspath(into)  # noqa: PTH100 - resolves no links
    from latchcheck.kernel.doing import doing

    with doing(f"installing {name}"):
        lines = wiring.install_target(name)
    out = Output(None)
    if form == "json":
        whole = {"schema": INSTALLED_SCHEMA, "target": name, "done": list(lines), "exit": 0}
        out.write(json.dumps(whole, indent=2, ensure_ascii=False) + "\n")
    else:
        out.write("".join(f"{line}\n" for line in lines))
    context.exit(0)


@command.command(
    "check",
    short_help="Whether a driver speaks the protocol.",
    epilog="Exit code: 0 it does, 1 it breaks a rule, 4 it could not be driven (no answer, an early end), or the user "
    "ended it.",
)
@click.argument("name")
@TEXT_OR_JSON
@click.pass_context
def check(context: click.Context, /, *, name: str, form: str) -> None:
    """Drive the target NAME through every event that it says it can do, and check each answer."""
    from latchcheck.kernel.exits import exit_code

    rules, rows = wiring.check_target(name)
    out, checks = Output(None), list[dict[str, Any]]()
    with interruptible(lambda: f"{len(checks)} of {len(rules)} rules were tried") as cut, closing(rows):
        _check_each(name, rules, rows, checks, out if form == "text" else None)
    verdicts: list[Verdict] = [CHECKED[one["outcome"]] for one in checks]
    code = exit_code([*verdicts, *cut.verdicts])
    if form == "json":
        whole = {"schema": CHECK_SCHEMA, "target": name, "checks": checks, "exit": code}
        out.write(json.dumps(whole, indent=2, ensure_ascii=False) + "\n")
    context.exit(code)


def _check_each(
    name: str, rules: Sequence[str], rows: Iterable[dict[str, Any]], checks: list[dict[str, Any]], out: Output | None
) -> None:
    """Gather the rows, and show each as soon as its rule was tried, so that a slow target is seen to move."""
    from latchcheck.kernel.doing import doing
    from latchcheck.report.layout import wrap

    with doing(f"checking {name}", len(rules)) as stage:
        for one in rows:
            checks.append(one)
            stage.step()
            if out is not None:
                what = wrap(one["what"], out.width - 16) if one["what"] else []
                out.write(f"{one['outcome']:15} {one['rule']}\n" + "".join(f"{'':16}{line}\n" for line in what))


def replay_files(files: Sequence[str], name: str, form: str, width: int) -> tuple[str, int, bool]:
    """Replay fixtures on a target: what is told of each, the exit code, and whether the user ended it."""
    from latchcheck.kernel.exits import exit_code

    from . import replay_findings

    target = wiring.open_target(name)
    if lacks := target.missing():
        complain(f"the target {name} is not ready\n  " + "\n  ".join(lacks))
        return "", exit_code([], usage_error=True), False
    try:
        found, faults = each_fixture(files, lambda fixture: wiring.replay_on_target(fixture, target))
    finally:
        getattr(target, "stop", lambda: None)()
    verdicts: list[Verdict] = [replay_findings.OUTCOMES[one.outcome] for _, one in found]
    untried = bool(found) and set(verdicts) == {"not-applicable"}
    code = exit_code([*verdicts, *faults.cut_short], usage_error=faults.unreadable, stale=untried)
    if form == "json":
        whole = {"schema": REPLAYS_SCHEMA, "target": name, "fixtures": [row(*one) for one in found], "exit": code}
        return json.dumps(whole, indent=2, ensure_ascii=False) + "\n", code, faults.interrupted
    if form == "text":
        text = "\n".join(told(one, width) for _, one in found)
        if untried:
            text += f"\nnothing was tried: none of the fixtures applies to {name}. Exit code {code}.\n"
        return text, code, faults.interrupted
    from latchcheck.report.formats import shown

    return shown(form, [replay_findings.on_target(*one) for one in found]), code, faults.interrupted


def row(file: str, one: Ran) -> dict[str, Any]:
    """What became of a fixture on a target, as plain data."""
    return {
        "file": file,
        "id": one.fixture.id,
        "property": one.fixture.property,
        "outcome": one.outcome,
        "reason": one.reason,
        "steps": [_step(step) for step in one.steps],
    }


def _step(step: Any) -> dict[str, Any]:
    answer = step.answer
    return {
        "step": step.step,
        "event": step.call.kind,
        "task": step.call.task,
        "by": step.call.by,
        "args": dict(step.call.args),
        "answer": {
            "refused": answer.refused,
            "why": answer.why,
            "status": answer.status,
            "version": answer.version,
            "same_as": answer.same_as,
            "tasks": None if answer.tasks is None else list(answer.tasks),
        },
        "observed": step.observed,
        "expected": [dict(one) for one in step.expected],
    }


def told(one: Ran, width: int) -> str:
    """What became of a fixture on a target, in words."""
    from latchcheck.report.layout import wrap

    lines = [f"{one.fixture.id}: {one.outcome} on {one.target}"]
    lines += [f"  {line}" for part in one.reason.split("\n") for line in wrap(part.strip(), width - 2)]
    for step in one.steps:
        read = ", ".join(f"{task} {status}" for task, status in sorted(step.observed.items()))
        first, *rest = wrap(f"{step.call}  ->  {step.answer}" + (f"; read: {read}" if read else ""), width - 9)
        lines += [f"  {step.step:>3}  {first}", *(f"{'':9}{line}" for line in rest)]
    return "\n".join(lines) + "\n"
