"""`latchcheck replay`: a saved counterexample, executed again step by step."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from . import wiring
from .options import OneOf
from .output import FORMATS, FORMATS_HELP, Output
from .output import target as destination
from .replaying import replayed

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict

SCHEMA = "latchcheck/replays/1"

# What the wiring hands over: the checker does not import counterexamples, so it does not name their types.
Fixture = Any
Replayed = Any


@click.command(
    "replay",
    short_help="Execute saved counterexamples again.",
    epilog="Exit code: the first of 3, 1, 2, 5, 0 that applies to any fixture: 1 the counterexample reproduces, "
    "2 it cannot be read, 5 it is stale: the model no longer breaks what it broke, or no longer knows its words. "
    "On a target: 1 it is reproduced, or answered as no correct one does, 4 the target could not be driven, 0 it "
    "conforms, or the fixture is not applicable there, 5 none of the fixtures is, so that nothing was tried.",
)
@click.argument("files", nargs=-1, required=True, metavar="FIXTURE...")
@click.option(
    "--target",
    metavar="NAME",
    default="model",
    show_default=True,
    help="What the events are done to; `latchcheck targets list` names them.",
)
@click.option("--format", "form", type=OneOf(FORMATS), default="text", show_default=True, help=FORMATS_HELP)
@click.option("-o", "--output", metavar="FILE", help="Write here instead of to stdout, whole or not at all.")
@click.pass_context
def command(context: click.Context, /, *, files: tuple[str, ...], target: str, form: str, output: str | None) -> None:
    """Execute each FIXTURE again and judge it by the property that it breaks."""
    out = Output(destination(output, files))
    if target != "model":
        from .targets import replay_files

        text, code, interrupted = replay_files(files, target, form, out.width)
        context.exit(out.deliver(text, code, cut_short=interrupted))
    from latchcheck.kernel.exits import exit_code

    found, faults = replayed(files)
    stale = any(one.stale for _, one in found)
    verdicts: list[Verdict] = ["violated" for _, one in found if not one.stale]
    code = exit_code([*verdicts, *faults.cut_short], usage_error=faults.unreadable, stale=stale)
    if form == "json":
        rows = [row(file, one, steps=True) for file, one in found]
        text = json.dumps({"schema": SCHEMA, "fixtures": rows, "exit": code}, indent=2, ensure_ascii=False) + "\n"
    elif form == "text":
        text = "\n".join(told(one, out.width, steps=True) for _, one in found)
    else:
        from latchcheck.report.formats import shown

        from . import replay_findings

        text = shown(form, [replay_findings.on_model(*one) for one in found])
    context.exit(out.deliver(text, code, cut_short=faults.interrupted))


def row(file: str, one: Replayed, *, steps: bool) -> dict[str, Any]:
    """The outcome of one fixture as plain data."""
    from latchcheck.report.envelope import plain

    fixture = one.fixture
    found: dict[str, Any] = {
        "file": file,
        "id": fixture.id,
        "property": fixture.property,
        "outcome": "stale" if one.stale else "reproduces",
        "reason": one.reason,
        "violates": {"step": fixture.violates.step, "clause": fixture.violates.clause},
        "found_by": fixture.found_by.engine,
    }
    if steps and one.trace is not None:
        found["steps"] = [
            {
                "at_ms": plain(step.at_ms),
                "party": step.party,
                "action": step.action,
                "args": plain(step.args),
                "changed": {name: [plain(old), plain(new)] for name, (old, new) in step.changed.items()},
            }
            for step in one.trace
        ]
    return found


def told(one: Replayed, width: int, *, steps: bool) -> str:
    """The outcome of one fixture in words."""
    from latchcheck.report.layout import hung

    fixture = one.fixture
    if one.trace is None:
        return "\n".join(hung([f"{fixture.id}: stale", f"  {one.reason}"], width)) + "\n"
    lines = [f"{fixture.id}: reproduces"]
    if steps:
        from latchcheck.report.timeline import lines_of

        rows = lines_of(one.trace, wiring.lifecycle_telling(), first=0)
        lines += [f"  {_setting(fixture)}", *(f"  {line}" for line in rows)]
        lines.append(f"  step {fixture.violates.step} breaks {fixture.property}: {fixture.violates.clause}")
    return "\n".join(hung(lines, width)) + "\n"


def _setting(fixture: Fixture) -> str:
    """Under which policy, or configuration, the run happens."""
    if fixture.config is not None:
        return "under its own configuration"
    switches = ", ".join(f"{name}={value}" for name, value in fixture.policy.items())
    return f"policy {switches or 'guarded'}" + (f", era {fixture.era}" if fixture.era else "")
