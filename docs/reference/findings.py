"""Writes docs/reference/findings.md: what published implementations did, target by target.

    python docs/reference/findings.py collect FOLDER [TARGET...]     replays and visits, into FOLDER
    python docs/reference/findings.py visit TARGET                   what a visit of its server says
    python docs/reference/findings.py write FOLDER                   the page, from what FOLDER holds

A finding is a row of FINDINGS; one that was not observed in FOLDER is an error, so that nothing is told from memory.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

import attrs

from latchcheck.cli import wiring
from latchcheck.cli.targets import row
from latchcheck.counterexamples.targets.environments import needed
from latchcheck.counterexamples.targets.live import Plan, Visit, Wire, begin, judge
from latchcheck.counterexamples.targets.served import Child

PAGE: Final = Path(__file__).with_name("findings.md")
TARGETS: Final = ("mcp-python", "mcp-typescript", "mcp-python-http", "fastmcp3", "fastmcp-http", "fastmcp-redis")
SERVERS: Final = {
    "fastmcp-http": ("fastmcp", "fastmcp_server.py", "/mcp", ["--no-auth"]),
    "fastmcp3": ("fastmcp3", "fastmcp_server.py", "/mcp", ["--no-auth"]),
    "mcp-python-http": ("mcp-python", "mcp_python_server.py", "/mcp/", []),
}
VERSIONS: Final = {
    "mcp-python": "mcp 1.30.0",
    "mcp-python-http": "mcp 1.30.0",
    "mcp-typescript": "@modelcontextprotocol/sdk 1.32.2",
    "fastmcp3": "fastmcp 3.4.11",
    "fastmcp-http": "fastmcp-tasks 4.1.4",
    "fastmcp-redis": "fastmcp-tasks 4.1.4",
}
DRAFT: Final = "MCP Tasks extension, draft"
MCP_2025: Final = "MCP 2025-11-25, Tasks"


@attrs.frozen
class Finding:
    """A deviation: where it shows (a fixture, or a sentence of a visit), what it is, and what it contradicts."""

    title: str
    shows: tuple[tuple[str, str], ...]
    what: str
    sentence: str
    source: str
    note: str = ""


FINDINGS: Final = (
    Finding(
        "A cancelled task reads completed",
        (
            ("fastmcp-http", "cancel-marker-outlives-record/read-uncancelled"),
            ("fastmcp-redis", "cancel-marker-outlives-record/read-uncancelled"),
        ),
        "One reader reads cancelled, and later completed, where a tool ignores the cancellation and returns late.",
        "terminal --> [*]",
        f"{DRAFT}, Task Status, state diagram",
        "The sentence with MUST NOT stands in 2025-11-25 only; the draft forbids it in its diagram. The record's life "
        "of 15 minutes has no public setting; the server program shortens it to 2 s.",
    ),
    Finding(
        "A cancelled task reads completed as soon as its work ends",
        (("fastmcp3", "cancel-is-intent/terminal-guard-check-then-set"),),
        "A tool that ignores the cancellation and returns late turns the cancelled task into a completed one at once.",
        "Once a task is cancelled, it MUST remain in cancelled status even if execution continues to completion or "
        "fails.",
        f"{MCP_2025}, Task Cancellation",
    ),
    Finding(
        "The end of cancelled work ends the session",
        (("mcp-python-http", "cancel-is-intent/terminal-guard-check-then-set"),),
        "After a tool that ignored the cancellation has returned, the next tasks/get of the session that created the "
        "task is answered with HTTP 404, Session not found.",
        "Once a task is cancelled, it MUST remain in cancelled status even if execution continues to completion or "
        "fails.",
        f"{MCP_2025}, Task Cancellation",
        "The fixture ends as failed: what the task would have read cannot be asked any more.",
    ),
    Finding(
        "A late report revives an expired task",
        (
            ("mcp-python", "no-write-after-expiry/expiry-check-off"),
            ("mcp-python-http", "no-write-after-expiry/expiry-check-off"),
        ),
        "A worker that reports after the ttl, before anybody has read the expired record, succeeds, and the task then "
        "reads completed.",
        "A worker that reports after expiresAt should not revive a record merely because it holds an old queue "
        "message.",
        "MCP Tasks: The Export That Finished Twice, The task ID is a locator, not permission",
        "No sentence of MCP forbids it: 2025-11-25 says that an expired task may be deleted, and not that it must be.",
    ),
    Finding(
        "A restart of the server loses every task",
        tuple((name, "dispatch-with-record/store-volatile") for name in TARGETS if name != "fastmcp-redis"),
        "After the server process was killed and started again, a task whose handle was given out is not known.",
        "A server MUST NOT return CreateTaskResult until the task is durably created — that is, until a tasks/get for "
        "the returned taskId would resolve.",
        f"{DRAFT}, Task Creation",
        "These stores are in memory, and the products say so; with Redis the same product keeps its tasks.",
    ),
    Finding(
        "The time of the last update moves with every reading",
        (("fastmcp-http", "visit last-updated-tells-updates"), ("fastmcp3", "visit last-updated-tells-updates")),
        "Two readings of a finished task tell different values of lastUpdatedAt, although nothing was updated.",
        "ISO 8601 timestamp when the task was last updated.",
        f"{DRAFT}, Tasks; in 2025-11-25: TTL and Resource Management",
    ),
    Finding(
        "A finished task is cancelled, and the answer says so",
        (("fastmcp3", "visit cancel-of-finished"),),
        "tasks/cancel of a completed task is answered with a task whose status is cancelled; tasks/get still reads "
        "completed.",
        "Receivers MUST reject cancellation requests for tasks already in a terminal status (completed, failed, or "
        "cancelled) with error code -32602 (Invalid params).",
        f"{MCP_2025}, Task Cancellation",
    ),
    Finding(
        "tasks/get tells another ttl than the one that counts, or none",
        (("fastmcp3", "visit ttl-is-told"), ("mcp-python-http", "visit ttl-is-told")),
        "FastMCP 3 creates a task with one ttl and tells another in tasks/get; the Python SDK leaves ttl out where it "
        "is unlimited, instead of null.",
        "Receivers MUST include the actual ttl duration (or null for unlimited) in tasks/get responses.",
        f"{MCP_2025}, TTL and Resource Management",
    ),
)


def collect(folder: Path, names: tuple[str, ...]) -> None:
    """Replay every saved fixture on each target, and visit each server; what came out, a file a target."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        target = wiring.open_target(name)
        rows = [row(path.name, wiring.replay_on_target(one, target)) for path, one in wiring.saved_fixtures()]
        found: dict[str, Any] = {"target": name, "fixtures": rows, "visit": visited(name) if name in SERVERS else []}
        (folder / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def visited(name: str) -> list[dict[str, str]]:
    """What a visit of a target's server says, a row a sentence."""
    environment, program, path, options = SERVERS[name]
    child = Child(needed(environment).interpreter, program, options)
    child.start()
    try:
        talk = begin(Wire(f"http://127.0.0.1:{child.port}{path}"))
        record = Visit(talk, Plan("quick", {}, wait_s=8)).run()
        talk.wire.close()
    finally:
        child.kill()
    return [{"id": one.rule.id, "verdict": one.verdict, "seen": one.seen} for one in judge(record)]


def outcome(found: dict[str, dict[str, Any]], target: str, what: str) -> tuple[str, str]:
    """What was observed: a fixture's outcome, or the verdict of a sentence of a visit, and the words of it."""
    kind, _, name = what.rpartition(" ")
    rows = found[target]["visit" if kind else "fixtures"]
    one = next((each for each in rows if each["id"] == name), None)
    if one is None:
        raise SystemExit(f"{target}: {what} was not tried")
    return (one["verdict"], one["seen"]) if kind else (one["outcome"], one["reason"])


def command(target: str, what: str) -> str:
    """The command that shows it again."""
    kind, _, name = what.rpartition(" ")
    if not kind:
        return f"latchcheck replay --target {target} counterexamples/saved/{name}.json"
    return f"python docs/reference/findings.py visit {target}"


def page(folder: Path) -> str:
    """The whole page."""
    found = {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in TARGETS}
    lines = [
        "# Findings in published implementations",
        "",
        "Generated by `docs/reference/findings.py` from replays and visits; only what was observed is told.",
        "Each row of a finding was observed in the versions named, on Linux with Python 3.11 and Node 20.",
        "",
    ]
    for one in FINDINGS:
        lines += [f"## {one.title}", "", one.what, "", f"Contradicts: “{one.sentence}” ({one.source})", ""]
        lines += [one.note.replace(". ", ".\n"), ""] if one.note else []  # one sentence a line
        lines += ["| target | version | by | observed |", "|---|---|---|---|"]
        for target, what in one.shows:
            verdict, seen = outcome(found, target, what)
            if verdict not in ("reproduced", "differs", "violated", "failed"):
                raise SystemExit(f"{target}: {what} is {verdict}: {one.title!r} was not observed")
            lines.append(f"| `{target}` | {VERSIONS[target]} | {what} | {clean(seen)} |")
        commands = dict.fromkeys(command(target, what) for target, what in one.shows)
        lines += ["", "Again:", "", "```sh", *commands, "```", ""]
    return "\n".join([*lines, *matrix(found), ""])


def clean(text: str) -> str:
    """Words of a run without what is another in every run, on one line of a table."""
    import re

    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.+Z]+", "(instant)", text)
    return re.sub(r"[0-9a-f]{8}-?[0-9a-f-]{24,}", "(id)", text).replace("|", "\\|")


def matrix(found: dict[str, dict[str, Any]]) -> list[str]:
    """Target by property: what became of its fixtures."""
    letters = {"reproduced": "**reproduced**", "differs": "**differs**", "conforms": "conforms", "failed": "failed"}
    names = sorted({one["property"] for each in found.values() for one in each["fixtures"]})
    lines = [
        "## Every property on every target",
        "",
        "How many fixtures of a property were reproduced, differ from every correct run, or conform; `-` where none is",
        "applicable, with the reason of each in `latchcheck replay --target NAME FIXTURE`.",
        "",
        "| property | " + " | ".join(f"`{name}`" for name in found) + " |",
        "|---|" + "---|" * len(found),
    ]
    most = max(len(each["fixtures"]) for each in found.values())
    few = [name for name, each in found.items() if len(each["fixtures"]) < most // 2]
    lines[4:4] = [f"`{name}` was tried on {len(found[name]['fixtures'])} fixtures only." for name in few]
    for name in names:
        cells = []
        for each in found.values():
            count = Counter(one["outcome"] for one in each["fixtures"] if one["property"] == name)
            cells.append(", ".join(f"{count[word]} {letters[word]}" for word in letters if count[word]) or "-")
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return lines


if __name__ == "__main__":
    verb, where, *rest = sys.argv[1:]
    if verb == "collect":
        collect(Path(where), tuple(rest) or TARGETS)
    elif verb == "visit":
        for told in visited(where):
            sys.stdout.write(f"{told['verdict']:15} {told['id']:32} {told['seen']}\n")
    else:
        PAGE.write_text(page(Path(where)), encoding="utf-8")
