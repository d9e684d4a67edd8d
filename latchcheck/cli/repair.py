"""`latchcheck repair`: the nearest numbers at which everything that is violated holds."""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import click

from . import wiring
from .errors import check_timing, complain
from .numbers import configuration, knob, of_configuration
from .options import TEXT_OR_JSON
from .output import Output, target, write_whole

if TYPE_CHECKING:
    from pathlib import Path


SCHEMA = "latchcheck/repair/1"


@click.command(
    "repair",
    short_help="Find the nearest safe numbers.",
    epilog="Exit code: 0 a repair was found or nothing is violated, 1 none was found, 2 bad input, 4 interrupted.",
)
@of_configuration
@click.option("--knob", "knobs", metavar="KEY", multiple=True, help="Change this key only; may be repeated.")
@click.option("--pick", metavar="LETTER", default="a", show_default=True, help="Which repair -o writes.")
@click.option("-o", "--output", metavar="FILE", help="Write the repaired configuration here, a whole TOML file.")
@TEXT_OR_JSON
@click.pass_context
def command(  # noqa: PLR0913 - one parameter an option
    context: click.Context,
    /,
    *,
    file: str | None,
    client: str | None,
    server: str | None,
    sets: tuple[str, ...],
    only: tuple[str, ...],
    knobs: tuple[str, ...],
    pick: str,
    output: str | None,
    form: str,
) -> None:
    """Find the smallest changes after which all that is violated holds, and nothing that held is broken.

    Nothing in a change can be left out, and no number in it can be a millisecond nearer to what it is now.
    Each is verified in full before it is offered.
    """
    if len(pick) != 1 or pick not in ascii_lowercase:
        raise click.UsageError(f"--pick {pick}: write the letter of one repair, such as a")
    if output == "-":
        raise click.UsageError("-o -: the answer goes to standard output; name a file for the configuration")
    path = target(output, (file,))
    check_timing(only)
    config, source = configuration("repair", file, client, server, sets)
    allowed = [knob("--knob", name) for name in knobs] or None
    found = wiring.repairs_together(config, only, allowed)
    if found.interrupted:
        complain("interrupted: what is told was found until then")
    written, unwritten = None, False
    if path is not None and found.repairs:
        try:
            written = _write(config, source, found, pick, path)
        except OSError as error:  # what was found is told all the same
            complain(f"cannot write to {path}: {error.strerror or error}")
            unwritten = True
    code = _code(found, unwritten=unwritten)
    answer = row(config, source, found, allowed, written, code)
    context.exit(Output(None).deliver(_shown(answer, form), code))


def _code(found: Any, *, unwritten: bool) -> int:
    from latchcheck.kernel.exits import exit_code

    if found.repairs or not (found.violated or found.interrupted):
        return exit_code([], usage_error=unwritten)
    return exit_code(["inconclusive" if found.interrupted else "violated"], usage_error=unwritten)


def _write(config: Any, source: str, found: Any, pick: str, path: Path) -> str:
    """Write the repaired configuration; its name. Raises OSError."""
    from latchcheck.report.layout import printable
    from latchcheck.report.repair import change_lines

    index = ascii_lowercase.index(pick)
    if index >= len(found.repairs):
        letters = ", ".join(ascii_lowercase[: len(found.repairs)])
        raise click.UsageError(f"--pick {pick}: there is no such repair\n  write one of {letters}")
    changes = found.repairs[index].set
    lines = [f"Repaired by latchcheck repair: {printable(source)}", *change_lines(changes, config.flat())]
    write_whole(path, wiring.changed_file(config, changes, "\n".join(lines)))
    return str(path)


def row(
    config: Any, source: str, found: Any, knobs: list[str] | None, written: str | None, code: int
) -> dict[str, Any]:
    """What came of it, as plain data."""
    from latchcheck.report.envelope import measure, plain, versions

    now = config.flat()
    return {
        "schema": SCHEMA,
        "versions": versions(),
        "source": source,
        "violated": list(found.violated),
        "knobs": knobs,
        "repairs": [
            {
                "letter": letter,
                "set": plain(repair.set),
                "before": {key: plain(now[key]) for key in repair.set},
                "cost_ms": measure(repair.cost_ms),
                "verified": repair.verified,
                "verdicts": [{"id": name, "before": was, "after": after[name]} for name, was in found.before.items()],
            }
            for letter, repair, after in zip(ascii_lowercase, found.repairs, found.after, strict=False)
        ],
        "tried": {"changes": found.tried, "all": found.whole and not found.interrupted},
        "obstacle": _obstacle(found.obstacle, now),
        "file": written,
        "exit": code,
    }


def _obstacle(obstacle: Any, now: dict[str, object]) -> dict[str, Any] | None:
    """What stood in the way, as plain data."""
    from latchcheck.report.envelope import plain

    return obstacle and {
        "properties": list(obstacle.properties),
        "evidence": obstacle.evidence,
        "tried": obstacle.tried,
        "clauses": dict(obstacle.clauses),
        "fixed": [{"key": key, "now": plain(now[key]), "met_at": plain(to)} for key, to in obstacle.fixed.items()],
    }


def _shown(answer: dict[str, Any], form: str) -> str:
    if form == "json":
        from latchcheck.report.envelope import json_text

        return json_text(answer, one_line=False) + "\n"
    from latchcheck.report.repair import repair_told

    return repair_told(answer)
