"""`latchcheck audit`: a server's own log, checked against the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from latchcheck.report.layout import printable

from .errors import complain
from .options import TEXT_OR_JSON, OneOf
from .output import Output, target

SCHEMA = "latchcheck/audit/1"
LINES_MAX = 8

# What the wiring hands over: the checker does not import counterexamples, so it does not name their types.
Audit = Any
Unexplained = Any


@click.command(
    "audit",
    short_help="Check a server's log against the model.",
    epilog="Exit code: 0 every task's log is a run of the model, 1 one is not, 2 bad input, 4 inconclusive, "
    "5 no event tells a status, so that nothing was checked. "
    "docs/how-to/audit-a-log.md describes the log and the mapping.",
)
@click.argument("file", metavar="EVENTS.jsonl")
@click.option(
    "--policy", metavar="POLICY", default="guarded", show_default=True, help="guarded, or SWITCH=VALUE,SWITCH=VALUE."
)
@click.option(
    "--shape",
    type=OneOf(["own", "otel"]),
    default="own",
    show_default=True,
    help="Our own lines, or OpenTelemetry spans in JSON.",
)
@click.option("--mapping", metavar="FILE", help="TOML: where in a line the parts stand, and what its words mean.")
@click.option(
    "--slack",
    metavar="TIME",
    help="By how much a line may stand behind what happened after it [default: 1s; 10s for spans].",
)
@click.option("--from-middle", is_flag=True, help="The log begins in the middle of the lives of its tasks.")
@TEXT_OR_JSON
@click.option("-o", "--output", metavar="FILE", help="Write here instead of to stdout, whole or not at all.")
@click.pass_context
def command(  # noqa: PLR0913 - one parameter an option
    context: click.Context,
    /,
    *,
    file: str,
    policy: str,
    shape: str,
    mapping: str | None,
    slack: str | None,
    from_middle: bool,
    form: str,
    output: str | None,
) -> None:
    """Say whether the log EVENTS.jsonl (- reads stdin) is a run of the model, task by task.

    Of a task whose log is none: the first event that no run explains, how many events before it are explained, what a
    reader may be shown there, which events would have been explained, and the first false condition of the others.
    """
    out = Output(target(output, (file, mapping)))
    from latchcheck.engines.explaining import TooMany
    from latchcheck.kernel.exits import exit_code

    from .wiring.auditing import audit_log

    try:
        found = audit_log(file, policy=policy, shape=shape, mapping=mapping, anywhere=from_middle, slack=slack)
    except TooMany as error:
        complain(f"{file}: {error}")
        context.exit(exit_code(["inconclusive"]))
    # A log in which nothing is told has nothing to be explained.
    verdict = "violated" if found.broken else "holds" if found.telling else "vacuous"
    if found.interrupted:
        complain("interrupted: what is told was found until then")
        verdict = "violated" if found.broken else "inconclusive"
    code = exit_code([verdict])
    text = _json(found, file, code) if form == "json" else out.fitted(_text(found, file, code))
    context.exit(out.deliver(text, code, cut_short=found.interrupted))


def _json(found: Audit, file: str, code: int) -> str:
    from latchcheck.report.envelope import json_text

    told = {
        "schema": SCHEMA,
        "source": file,
        "events": found.events,
        "telling_events": found.telling,
        "tasks": found.tasks,
        "late_events": found.late,
        "repeated_events": found.repeated,
        "unfinished": found.unfinished,
        "unexplained_tasks": found.broken,
        "unexplained": [_row(one) for one in found.found],
        "exit": code,
    }
    return json_text(told, one_line=False) + "\n"


def _row(one: Unexplained) -> dict[str, Any]:
    from latchcheck.report.envelope import plain

    return {
        "line": one.entry.line,
        "at_ms": one.entry.at_ms,
        "task": one.entry.task,
        "event": one.entry.event.kind,
        "status": one.entry.event.status,
        "refused": one.entry.event.refused,
        "explained": one.explained,
        "overlaps": list(one.overlaps),
        "alike": one.alike,
        "shown": list(one.shown),
        "possible": list(one.possible),
        "hindrances": [
            {"action": each.action, "clause": each.label, "reads": plain(each.reads)} for each in one.hindrances
        ],
    }


def _text(found: Audit, file: str, code: int) -> str:
    lines = [printable(file), ""]
    for one in found.found:
        task, event = printable(str(one.entry.task)), one.entry.event
        lines += [
            f"line {one.entry.line}: task {task}: {event}: no run of the model explains it",
            f"  explained before it: {one.explained} {'event' if one.explained == 1 else 'events'} of this task",
            f"  a reader is shown:   {', '.join(one.shown)}",
            f"  would be explained:  {', '.join(one.possible) or 'nothing'}",
        ]
        if one.overlaps:
            lines.append(f"  overlaps {_listed(one.overlaps)}: no order of these is explained")
        if one.alike is not None:
            told = "if the log tells events twice, give them ids, so that this is seen"
            lines.append(f"  line {one.alike} tells the same of the same instant: {told}")
        for each in one.hindrances:
            reads = ", ".join(f"{name} = {value}" for name, value in each.reads.items())
            lines.append(f"  {each.action}: not ({each.label}); {reads}")
        lines.append("")
    if found.broken > len(found.found):
        lines += [f"and {found.broken - len(found.found)} more tasks", ""]
    lines += _remarks(found)
    lines.append(
        f"{found.events:,} events of {found.tasks:,} tasks, {found.telling:,} of them tell a status: "
        f"{found.tasks - found.broken:,} explained, {found.broken:,} not. Exit code {code}."
    )
    return "\n".join(lines) + "\n"


def _remarks(found: Audit) -> list[str]:
    """What a reader should know of how the log was read."""
    said = []
    if found.late:
        said.append(
            f"{found.late:,} events stand behind what happened after them: each was taken as of any time in between."
        )
    if found.repeated:
        said.append(f"{found.repeated:,} events were told again under their own id, and are left out.")
    if found.unfinished:
        said.append("The last line is cut off, as of a log that is being written, and is left out.")
    return [*said, ""] if said else []


def _listed(lines: Sequence[int]) -> str:
    """The numbers of lines, of many the first."""
    told = ", ".join(map(str, lines[:LINES_MAX]))
    more = f" and {len(lines) - LINES_MAX} more" if len(lines) > LINES_MAX else ""
    return f"{'line' if len(lines) == 1 else 'lines'} {told}{more}"
