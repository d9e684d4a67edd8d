"""`latchcheck probe`: a live MCP server, seen from outside, and its timeouts checked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from latchcheck.report.layout import printable

from . import wiring
from .errors import complain
from .options import TEXT_OR_JSON, OneOf
from .output import Output
from .wiring import live

SCHEMA = "latchcheck/probe/1"
SECONDS_MAX = 3600.0

# What the wiring hands over: the checker does not import counterexamples, so it does not name their types.
Record = Any
Judged = Any


@click.command(
    "probe",
    short_help="Check a live MCP server from outside.",
    epilog="Exit code: the first of 3, 1, 2, 5, 4, 0 that applies: 1 a sentence is broken, or a timing property "
    "violated; 2 the server cannot be reached, is no MCP server with tasks, or has no such tool; 5 the call made no "
    "task; 4 something could not be seen in the time given.",
)
@click.argument("url", metavar="URL")
@click.option("--tool", required=True, metavar="NAME", help="The one tool that is called, at most twice.")
@click.option("--args", "arguments", default="{}", metavar="JSON", show_default=True, help="Its arguments.")
@click.option("--era", type=OneOf(["2026-07-28", "2025-11-25"]), help="Speak this era only.")
@click.option("--ttl-ms", type=click.IntRange(min=0), help="Ask for this ttl (2025-11-25 only).")
@click.option("--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="Sent with every request.")
@click.option(
    "--other-header", "others", multiple=True, metavar="'NAME: VALUE'", help="A second caller; without, none is tried."
)
@click.option(
    "--wait", "wait_s", type=click.FloatRange(1, SECONDS_MAX), default=60.0, show_default=True, help="Seconds."
)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(0.1, SECONDS_MAX),
    default=10.0,
    show_default=True,
    help="Seconds that one request may take.",
)
@click.option("--client", metavar="PRESET", help="Verify its timeouts with a published client's defaults.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Set one key of the configuration to verify.")
@TEXT_OR_JSON
@click.pass_context
def command(
    context: click.Context, /, *, url: str, form: str, client: str | None, sets: tuple[str, ...], **given: Any
) -> None:
    """Speak to the MCP server at URL as a client with tasks, in its newest era, and judge what it answers.

    The tool is called once as a task and, in 2026-07-28, once by a client without the capability; polls keep to the
    server's own hint. The ttl and the poll interval that the task tells are then verified.
    """
    from latchcheck.kernel.doing import doing
    from latchcheck.kernel.exits import exit_code

    url = url.removeprefix("mcp:")
    if wrong := live.wrong_address(url):
        raise click.UsageError(wrong)
    for option in ("wait", "timeout"):
        if given[f"{option}_s"] != given[f"{option}_s"]:  # what is no number is not equal to itself
            raise click.UsageError(f"--{option}: nan is no number of seconds")
    wiring.check_laid_over(client, sets)  # before a server is asked, which takes a while
    options: dict[str, Any] = {
        "tool": given["tool"],
        "arguments": _object(given["arguments"]),
        "era": given["era"],
        "wait_s": given["wait_s"],
        "timeout_s": given["timeout_s"],
        "ttl_ms": given["ttl_ms"],
        "headers": _headers("--header", given["headers"]),
        "other": _headers("--other-header", given["others"]) if given["others"] else None,
    }
    try:
        with doing("probing") as stage:
            record, judged = live.visit_server(url, **options, progress=lambda text: setattr(stage, "what", text))
    except Exception as error:
        if not live.is_unreachable(error):
            raise
        complain(str(error))
        context.exit(exit_code([], usage_error=True))
    report = _timing(record, client, sets)
    verdicts: list[Any] = [one.verdict for one in (*judged, *(() if report is None else report.properties))]
    if record.interrupted:
        complain("interrupted: what is told was seen until then")
        verdicts.append("inconclusive")
    code = exit_code(verdicts, usage_error=not record.offer.tasks)
    out = Output(None)
    if form == "json":
        out.write(json.dumps(envelope(url, record, judged, report, code), indent=2, ensure_ascii=False) + "\n")
    else:
        out.write(out.fitted(told(url, record, judged, report, code)))
    context.exit(code)


def _object(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"--args is no JSON: {error}; write an object, such as '{{\"seconds\": 1}}'") from None
    if not isinstance(found, dict):
        raise click.UsageError("--args is no object; write one, such as '{\"seconds\": 1}'")
    return found


def _headers(option: str, given: Sequence[str]) -> dict[str, str]:
    found = {}
    for one in given:
        name, colon, value = one.partition(":")
        if not colon or not name.strip():
            # The value may be a secret, so that it is not shown.
            raise click.UsageError(f"{option}: write 'NAME: VALUE', for instance 'Authorization: Bearer TOKEN'")
        if not (name.strip() + value.strip()).isprintable():
            raise click.UsageError(f"{option}: a header is one line, without control characters")
        found[name.strip()] = value.strip()
    return found


def _timing(record: Record, client: str | None, sets: Sequence[str]) -> Any:
    """The timing properties of what the task tells, None where there is no task or it tells nothing usable."""
    if record.task is None:
        return None
    try:
        return wiring.verify(live.learned_config(record.task, None, client, None, sets), None)
    except Exception as error:
        if not wiring.is_bad_input(error):
            raise
        complain(f"its timeouts cannot be verified: {error}")
        return None


def envelope(url: str, record: Record, judged: Sequence[Judged], report: Any, code: int) -> dict[str, Any]:
    """The whole answer as plain data."""
    from latchcheck.report.envelope import envelope as verdicts

    return {
        "schema": SCHEMA,
        "url": url,
        "era": record.offer.era,
        "server": record.offer.server,
        "tasks": record.offer.tasks,
        "checks": [
            {
                "id": one.rule.id,
                "keyword": one.rule.keyword,
                "verdict": one.verdict,
                "seen": one.seen,
                "sentence": _sentence(one.rule.sentence),
            }
            for one in judged
        ],
        "reads": [{"at_ms": round(1000 * one.at_s), "status": one.status} for one in record.reads],
        "unseen": [
            {"keyword": one.keyword, "properties": list(one.properties), "sentence": _sentence(one.sentence)}
            for one in live.unseen_sentences()
        ],
        "timing": None if report is None else verdicts(report),
        "exit": code,
    }


def _sentence(sentence: Any) -> dict[str, str]:
    return {"text": sentence.text, "source": sentence.source, "where": sentence.where}


def told(url: str, record: Record, judged: Sequence[Judged], report: Any, code: int) -> str:
    """The whole answer in words."""
    lines = [f"{printable(record.offer.server)} at {url}, speaking {record.offer.era}", ""]
    if not record.offer.tasks:
        return "\n".join([*lines, f"It does not say that it has tasks. Exit code {code}.", ""])
    width = max(len(one.rule.id) for one in judged)
    lines += [f"  {one.verdict:15}{one.rule.id:{width}}  {printable(one.seen)}" for one in judged]
    for one in judged:
        if one.verdict == "violated":
            sentence = one.rule.sentence
            lines += ["", f"violated: {one.rule.id}", f"  {one.rule.keyword}  {sentence.text}"]
            lines += [f"  source  {sentence.source}, {sentence.where}", f"  seen    {printable(one.seen)}"]
    if report is not None:
        asked = [one for one in report.properties if one.verdict != "not-applicable"]
        lines += [
            "",
            f"the timeouts that its task tells, verified ({len(report.properties) - len(asked)} not applicable):",
        ]
        lines += [f"  {one.verdict:15}{one.id}" for one in asked] or ["  nothing can be said of them alone"]
    covered = sorted({name for one in live.unseen_sentences() for name in one.properties})
    lines += ["", "not to be seen from outside, and covered by the model: " + ", ".join(covered)]
    return "\n".join([*lines, "", f"Exit code {code}.", ""])
