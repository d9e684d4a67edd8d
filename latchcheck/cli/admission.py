"""`latchcheck admission`: what an admission policy decides about requests, and what it keeps out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from . import wiring
from .interrupting import interruptible
from .options import TEXT_OR_JSON
from .output import Output, target

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict

SCHEMA = "latchcheck/admission/1"


@click.command(
    "admission",
    short_help="Decide requests against stored task records.",
    epilog="Exit code: 0 decided, and as expected where a packet says what it expects; 1 another decision than "
    "expected, or one that breaks a property; 2 a packet cannot be read; 3 the model has no single decision; "
    "4 interrupted.",
)
@click.argument("file", required=False, metavar="[FILE]")
@click.option(
    "--policy",
    metavar="POLICY",
    default="guarded",
    show_default=True,
    help="guarded, unguarded, or SWITCH=VALUE,SWITCH=VALUE.",
)
@TEXT_OR_JSON
@click.option("-o", "--output", metavar="FILE", help="Write here instead of to stdout, whole or not at all.")
@click.pass_context
def command(context: click.Context, /, *, file: str | None, policy: str, form: str, output: str | None) -> None:
    """Decide each packet of FILE by the lifecycle model's own actions, and again without any guard.

    A packet is one request and the record it meets; `-` reads the standard input.
    Without FILE the thirty-two packets of the source are decided.
    """
    from latchcheck.report.envelope import json_text, versions

    out = Output(target(output, [file]))
    about, count, decided = wiring.decide_packets(file, policy)
    rows: list[dict[str, Any]] = []
    with interruptible(lambda: f"{len(rows)} of {count} packets are decided") as cut:
        rows.extend(decided)
    found = {**about, "packets": rows}
    code = _exit(rows, cut.verdicts)
    if form == "json":
        whole = {"schema": SCHEMA, "versions": versions(), **found, "summary": _summary(found["packets"]), "exit": code}
        text = json_text(whole, one_line=False) + "\n"
    else:
        text = _text(found, out.width)
    context.exit(out.deliver(text, code, cut_short=cut.short))


def _exit(rows: Sequence[dict[str, Any]], cut_short: Sequence[Verdict]) -> int:
    from latchcheck.kernel.exits import exit_code

    broken: list[Verdict] = ["violated" for row in rows if row["as_expected"] is False or row["breaks"]]
    return exit_code([*cut_short, *broken])


def _summary(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    return {
        "packets": len(rows),
        "as_expected": sum(row["as_expected"] is True for row in rows),
        "not_as_expected": sum(row["as_expected"] is False for row in rows),
        "refused": sum(row["decision"].startswith("BLOCK_") for row in rows),
        "let_through_unguarded": sum(row["unguarded"]["lets_through"] for row in rows),
    }


def _text(found: dict[str, Any], width: int) -> str:
    from latchcheck.report.layout import columns, hung, printable, wrap

    rows, changed = found["packets"], found["policy"]
    switches = ", ".join(f"{name}={value}" for name, value in changed.items()) or "guarded"
    head = [
        *wrap(f"{printable(found['file'])},", width),
        f"  sha256 {found['sha256']}",
        *wrap(f"policy {switches}, {found['era']}", width),
        "",
    ]
    if not rows:
        return "\n".join([*head, "no packets\n"])
    cells = [(printable(row["id"]), row["operation"], row["decision"]) for row in rows]
    first, *table = columns([("packet", "operation", "decision"), *cells], align="<<<", width=width)
    lines = [*head, first]
    for row, line in zip(rows, table, strict=True):
        lines += [line, *([] if row["as_expected"] is not False else [f"      expected {row['expected']}"])]
    lines += _broken(rows, printable) + _through(rows, printable, changed)
    count = _summary(rows)
    told = f"{count['packets']} packets, {count['refused']} refused"
    if count["as_expected"] + count["not_as_expected"]:
        told += f", {count['as_expected']} of {count['as_expected'] + count['not_as_expected']} decided as expected"
    return "\n".join([*hung(lines, width), "", *wrap(told, width)]) + "\n"


def _broken(rows: Sequence[dict[str, Any]], printable: Any) -> list[str]:
    lines = [f"  {printable(row['id'])}: {one['property']}: {one['clause']}" for row in rows for one in row["breaks"]]
    return ["", "broken under this policy:", *lines] if lines else []


def _through(rows: Sequence[dict[str, Any]], printable: Any, changed: dict[str, str]) -> list[str]:
    """What the guards keep out; of no interest where they are taken away anyway."""
    through = [row for row in rows if row["unguarded"]["lets_through"]]
    if not through or changed:
        return []
    lines = ["", "without guards these would be let through:"]
    for row in through:
        breaks = ", ".join(dict.fromkeys(one["property"] for one in row["unguarded"]["breaks"])) or "no property"
        lines.append(f"  {printable(row['id'])}: {row['unguarded']['decision']}")
        by = ", ".join(row["unguarded"]["kept_out_by"]) or "more than one switch together"
        lines.append(f"      breaks {breaks}; let through by {by}")
    return lines
