"""`latchcheck kill`: processes that die by SIGKILL at every statement, and what their databases then hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from . import wiring
from .errors import complain, no_such
from .options import TEXT_OR_JSON, OneOf
from .output import Output

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict

SCHEMA = "latchcheck/kills/1"


@click.command(
    "kill",
    short_help="Kill processes at every statement.",
    epilog="Exit code: 0 whatever died left nothing wrong, 1 something did, 2 bad usage or no database, 4 interrupted.",
)
@click.option("--target", metavar="NAME", default="sqlite", show_default=True,
              type=OneOf(wiring.STORES), help="The store: " + ", ".join(wiring.STORES) + ".")  # fmt: skip
@click.option(
    "--story",
    metavar="NAME",
    help="Only this story; worker-plain and client-after-return are told only so, as each lacks a guard.",
)
@TEXT_OR_JSON
@click.pass_context
def command(context: click.Context, /, *, target: str, story: str | None, form: str) -> None:
    """Tell each story once for every statement of its victim, who is killed there, and judge what is left.

    What a database holds right after the death, and after another process has taken over, is put into the variables
    of the model, and the model's properties are asked about it.
    """
    from latchcheck.kernel.exits import exit_code

    names = wiring.story_names()
    if story is not None and story not in names:
        raise no_such("--story", "story", story, names)
    try:
        told, interrupted = wiring.kill_store(target, story)
    except wiring.NotReady as error:
        complain(str(error))
        context.exit(exit_code([], usage_error=True))
    verdicts: list[Verdict] = ["violated" if one.broken else "holds" if one.points else "vacuous" for one in told]
    if interrupted:
        complain("interrupted: what is told was found until then")
        verdicts.append("inconclusive")
    code = exit_code(verdicts)
    out = Output(None)
    if form == "json":
        rows = [row(one) for one in told]
        whole = {"schema": SCHEMA, "target": target, "stories": rows, "exit": code}
        out.write(json.dumps(whole, indent=2, ensure_ascii=False) + "\n")
    else:
        out.write(out.fitted("".join(text(one) for one in told)))
    context.exit(code)


def row(one: Any) -> dict[str, Any]:
    """A story as plain data."""
    points = [
        {"statement": point.statement, "left": point.left, "recovered": point.recovered, "broken": list(point.broken)}
        for point in one.points
    ]
    return {"story": one.story, "victim": one.victim, "points": points, "broken": len(one.broken)}


def text(one: Any) -> str:
    """A story in words."""
    lines = [
        f"{one.story}: the {one.victim} killed at {len(one.points)} points, {len(one.broken)} leave something wrong"
    ]
    for point in one.broken:
        lines += [f"  at point {point.statement}: {what}" for what in point.broken]
    return "\n".join(lines) + "\n"
