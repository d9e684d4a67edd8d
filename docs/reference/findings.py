"""Writes docs/reference/findings.md: what published implementations did, target by target.

    python docs/reference/findings.py collect FOLDER [TARGET...]     replays and visits, into FOLDER
    python docs/reference/findings.py visit TARGET                   what a visit of its server says
    python docs/reference/findings.py write FOLDER                   the page, from what FOLDER holds

A finding is a row of FINDINGS; one that was not observed in FOLDER is an error, so that nothing is told from memory.
So is an outcome that no finding explains: what differs has been looked into, or the page is not written.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import attrs
from findings_untried import untried

from latchcheck.cli import wiring
from latchcheck.cli.targets import row
from latchcheck.counterexamples.targets.environments import needed
from latchcheck.counterexamples.targets.live import Plan, Visit, Wire, begin, judge
from latchcheck.counterexamples.targets.loopback import Child

PAGE: Final = Path(__file__).with_name("findings.md")
TARGETS: Final = (
    "mcp-python",
    "mcp-typescript",
    "mcp-python-http",
    "fastmcp3",
    "fastmcp",
    "fastmcp-http",
    "fastmcp-redis",
)
SERVERS: Final = {
    "fastmcp-http": ("fastmcp", "fastmcp_server.py", "/mcp", ["--no-auth"]),
    "fastmcp3": ("fastmcp3", "fastmcp_server.py", "/mcp", ["--no-auth"]),
    "mcp-python-http": ("mcp-python", "mcp_python_server.py", "/mcp/", []),
}
SIDE_BY_SIDE: Final = 3
TRIES_MAX: Final = 3
PRODUCTS: Final = {
    "mcp-python": ("mcp-python", "mcp 1.30.0"),
    "mcp-python-http": ("mcp-python", "mcp 1.30.0"),
    "mcp-typescript": ("mcp-typescript", "@modelcontextprotocol/sdk 1.32.2"),
    "fastmcp3": ("fastmcp3", "fastmcp 3.4.11"),
    "fastmcp": ("fastmcp", "fastmcp-tasks 4.1.4"),
    "fastmcp-http": ("fastmcp", "fastmcp-tasks 4.1.4"),
    "fastmcp-redis": ("fastmcp", "fastmcp-tasks 4.1.4"),
}
"""The environment of each target, and the version that a row names."""
FASTMCP_4: Final = ("fastmcp", "fastmcp-http", "fastmcp-redis")
# Whose tasks are in the memory of a process that can be killed; `fastmcp` shares it with whoever drives it.
VOLATILE: Final = tuple(name for name in TARGETS if name not in ("fastmcp", "fastmcp-redis"))
# Where an outcome is written after a cancel.
LATE_OUTCOMES: Final = (
    "client-converges/terminal-guard-check-then-set",
    "repeat-is-not-rewrite/terminal-guard-check-then-set",
)
DRAFT: Final = "MCP Tasks extension, draft"
MCP_2025: Final = "MCP 2025-11-25, Tasks"


@attrs.frozen
class Finding:
    """A deviation: where it shows (a fixture, or a sentence of a visit), what it is, and what it contradicts.

    `also` are fixtures that come out as they do on the same targets for the same reason.
    `upstream` is what its project says of it, where that was found.
    """

    title: str
    shows: tuple[tuple[str, str], ...]
    what: str
    sentence: str
    source: str
    note: str = ""
    also: tuple[str, ...] = ()
    upstream: str = ""


FINDINGS: Final = (
    Finding(
        "A cancelled task reads completed",
        tuple((name, "cancel-marker-outlives-record/read-uncancelled") for name in FASTMCP_4),
        "One reader reads cancelled, and later completed, where a tool ignores the cancellation and returns late.",
        "terminal --> [*]",
        f"{DRAFT}, Task Status, state diagram",
        "The sentence with MUST NOT stands in 2025-11-25 only; the draft forbids it in its diagram. The record's life "
        "of 15 minutes has no public setting; the server program shortens it to 2 s.",
        upstream="[PrefectHQ/fastmcp#2679](https://github.com/PrefectHQ/fastmcp/issues/2679), open, tells that a "
        "cancelled tool runs on to its end; that its outcome is read afterwards is not told there.",
    ),
    Finding(
        "A cancelled task reads completed as soon as its work ends",
        (("fastmcp3", "cancel-is-intent/terminal-guard-check-then-set"),),
        "A tool that ignores the cancellation and returns late turns the cancelled task into a completed one at once.",
        "Once a task is cancelled, it MUST remain in cancelled status even if execution continues to completion or "
        "fails.",
        f"{MCP_2025}, Task Cancellation",
        "A tool that fails late turns it into a failed one: `latchcheck fuzz --target fastmcp3 --max-runs 12 --steps "
        "15 --seed 5` has found and saved that run by itself.",
        also=LATE_OUTCOMES,
    ),
    Finding(
        "The end of cancelled work ends the session",
        (("mcp-python-http", "cancel-is-intent/terminal-guard-check-then-set"),),
        "After a tool that ignored the cancellation has returned, the next tasks/get of the session that created the "
        "task is answered with HTTP 404, Session not found.",
        "Once a task is cancelled, it MUST remain in cancelled status even if execution continues to completion or "
        "fails.",
        f"{MCP_2025}, Task Cancellation",
        "The store refuses the second outcome, as it must. The SDK then reports the refusal as a failure of the task, "
        "which is refused as well; that error ends the session. No read can tell any more that the task remains "
        "cancelled, so that the fixtures end as failed. Where the session had a second task whose tool was at work, "
        "tasks/get was not answered within 10 s, for either task. A new session is served.",
        also=LATE_OUTCOMES,
        upstream="No thread that tells it was found.",
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
        "No sentence of MCP forbids it: 2025-11-25 says that an expired task may be deleted, and not that it must be. "
        "Reads look for expired records first and remove them; the write of an outcome does not look. So it is with a "
        "second report of an outcome that is stored already: it gives an expired record another life, as `latchcheck "
        "fuzz --target mcp-python --policy terminal_guard=check-then-set --scope "
        "workers=2,instances=2,cancels=1,expiries=1 --seed 201 --max-runs 100` finds by itself.",
        also=("no-write-after-expiry/terminal-guard-check-then-set",),
    ),
    Finding(
        "A restart of the server loses every task",
        tuple((name, "dispatch-with-record/store-volatile") for name in VOLATILE),
        "After the server process was killed and started again, a task whose handle was given out is not known.",
        "A server MUST NOT return CreateTaskResult until the task is durably created — that is, until a tasks/get for "
        "the returned taskId would resolve.",
        f"{DRAFT}, Task Creation",
        "These stores are in memory, and the products say so; with Redis the same product keeps its tasks. Every "
        "fixture with a restart comes out as it does because of this, whatever else it is about.",
        also=(
            "dispatch-with-record/dispatch-after-commit",
            "durable-before-reply/create-durability-after-reply",
            "durable-before-reply/store-volatile",
            "restart-triages/restart-drop",
        ),
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
    """Replay every saved fixture on each target, and visit each server; what came out, a file a target.

    Each target has a process of its own, and some run side by side, since they wait for their clocks.
    What is not ready is told before anything is begun; a target that fails keeps no other from its file.
    """
    lacks = [f"{name}: {line}" for name in names for line in wiring.open_target(name).missing()]
    if lacks:
        raise SystemExit("\n".join(lacks))
    folder.mkdir(parents=True, exist_ok=True)
    broken = []
    with ProcessPoolExecutor(SIDE_BY_SIDE, get_context("spawn")) as pool:
        # The slowest are the last of TARGETS.
        jobs = {pool.submit(collected, name): name for name in reversed(names)}
        for job in as_completed(jobs):
            name = jobs[job]
            try:
                found = job.result()
            except Exception as error:  # noqa: BLE001 - whatever became of one, the others are told
                broken.append(f"{name}: {type(error).__name__}: {error}")
                continue
            write_text(folder / f"{name}.json", json.dumps(found, indent=1) + "\n")
            counts = Counter(one["outcome"] for one in found["fixtures"])
            told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
            sys.stderr.write("\n  ".join([f"{name}: {told}", *unexplained({name: found})]) + "\n")
    if broken:
        raise SystemExit("not collected\n  " + "\n  ".join(broken))


def collected(name: str) -> dict[str, Any]:
    """What came out on one target, with what and when; in a process of its own."""
    target = wiring.open_target(name)
    begun = datetime.now(UTC).date().isoformat()
    try:
        rows = [replayed(path.name, one, target) for path, one in wiring.saved_fixtures()]
    finally:
        getattr(target, "stop", lambda: None)()
    visit = visited(name) if name in SERVERS else []
    versions = needed(PRODUCTS[name][0]).told()
    return {"target": name, "collected": begun, "versions": versions, "fixtures": rows, "visit": visit}


def replayed(file: str, fixture: Any, target: Any) -> dict[str, Any]:
    """What became of a fixture; where a target could not be driven, and no finding says why, it is tried again."""
    failed: list[str] = []
    while True:
        found = row(file, wiring.replay_on_target(fixture, target))
        told = found["outcome"] != "failed" or why(target.name, found["id"]) is not None
        if told or len(failed) == TRIES_MAX - 1:
            return found | {"failed_before": failed}
        failed.append(found["reason"])


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    half = path.with_suffix(".half")
    half.write_text(text, encoding="utf-8")
    half.replace(path)


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
    found = {name: taken(folder, name) for name in TARGETS}
    dates = sorted({one["collected"] for one in found.values()})
    when = "on " + " and ".join(dates)
    lines = [
        "# Findings in published implementations",
        "",
        "Generated by `docs/reference/findings.py` from replays and visits; only what was observed is told.",
        "Each row of a finding was observed in the versions named, on Linux with Python 3.11 and Node 20.",
        f"Collected {when}, with all {len(found[TARGETS[0]]['fixtures'])} counterexamples that were saved then, with:",
        "",
        *(f"- `{name}`: {told}" for name, told in {PRODUCTS[one][0]: found[one]["versions"] for one in found}.items()),
        "",
    ]
    for number, one in enumerate(FINDINGS, 1):
        lines += [f"## {number}. {one.title}", "", one.what, "", f"Contradicts: “{one.sentence}” ({one.source})", ""]
        lines += [one.note.replace(". ", ".\n"), ""] if one.note else []  # one sentence a line
        lines += ["| target | version | by | observed |", "|---|---|---|---|"]
        for target, what in one.shows:
            verdict, seen = outcome(found, target, what)
            if verdict not in ("reproduced", "differs", "violated", "failed"):
                raise SystemExit(f"{target}: {what} is {verdict}: {one.title!r} was not observed")
            lines.append(f"| `{target}` | {PRODUCTS[target][1]} | {what} | {clean(seen)} |")
        lines += ["", "For the same reason: " + ", ".join(f"`{name}`" for name in one.also) + "."] if one.also else []
        lines += ["", f"Upstream: {one.upstream}"] if one.upstream else []
        commands = dict.fromkeys(command(target, what) for target, what in one.shows)
        lines += ["", "Again:", "", "```sh", *commands, "```", ""]
    return "\n".join([*lines, *matrix(found), "", *untried(TARGETS), ""])


def taken(folder: Path, name: str) -> dict[str, Any]:
    """What was collected of a target. SystemExit where that is not there, or not of the fixtures that are saved now."""
    try:
        found = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SystemExit(f"{name}: nothing is collected ({error}); run: collect {folder} {name}") from None
    saved, tried = {one.id for _, one in wiring.saved_fixtures()}, {one["id"] for one in found["fixtures"]}
    if saved != tried:
        other = ", ".join(sorted(saved ^ tried)[:5])
        raise SystemExit(f"{name}: {len(tried)} of {len(saved)} fixtures: {other}; run: collect {folder} {name}")
    return found


def clean(text: str) -> str:
    """Words of a run without what is another in every run, on one line of a table."""
    import re

    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.+Z]+", "(instant)", text)
    return re.sub(r"[0-9a-f]{8}-?[0-9a-f-]{24,}", "(id)", text).replace("|", "\\|")


def matrix(found: dict[str, dict[str, Any]]) -> list[str]:
    """Target by property: what became of its fixtures."""
    odd = unexplained(found)
    if odd:
        raise SystemExit("no finding explains\n  " + "\n  ".join(odd))
    letters = {"reproduced": "**reproduced**", "differs": "**differs**", "conforms": "conforms", "failed": "failed"}
    names = sorted({one["property"] for each in found.values() for one in each["fixtures"]})
    lines = [
        "## Every property on every target",
        "",
        "How many fixtures of a property were reproduced, differ from every correct run, or conform; `-` where none is",
        "applicable, with the reason of each in `latchcheck replay --target NAME FIXTURE`.",
        "In brackets the finding above that tells why.",
        "",
        "| property | " + " | ".join(f"`{name}`" for name in found) + " |",
        "|---|" + "---|" * len(found),
    ]
    for name in names:
        cells = []
        for target, each in found.items():
            rows = [one for one in each["fixtures"] if one["property"] == name]
            count = Counter(one["outcome"] for one in rows)
            told = [
                f"{count[word]} {letters[word]}{whys(target, [one['id'] for one in rows if one['outcome'] == word])}"
                for word in letters
                if count[word]
            ]
            cells.append(", ".join(told) or "-")
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return lines


def why(target: str, fixture: str) -> int | None:
    """The number of the finding that explains an outcome, None where none does."""
    for number, one in enumerate(FINDINGS, 1):
        targets = {name for name, _ in one.shows}
        if (target, fixture) in one.shows or (target in targets and fixture in one.also):
            return number
    return None


def whys(target: str, fixtures: list[str]) -> str:
    """The findings that explain these, in brackets."""
    numbers = sorted({number for one in fixtures if (number := why(target, one)) is not None})
    return f" ({', '.join(map(str, numbers))})" if numbers else ""


def unexplained(found: dict[str, dict[str, Any]]) -> list[str]:
    """What neither conforms nor is explained, a line each."""
    return [
        f"{target}: {one['id']}: {one['outcome']}: {one['reason']}"
        for target, each in found.items()
        for one in each["fixtures"]
        if one["outcome"] in ("reproduced", "differs", "failed", "stale") and why(target, one["id"]) is None
    ]


if __name__ == "__main__":
    verb, where, *rest = sys.argv[1:]
    if verb == "collect":
        collect(Path(where), tuple(rest) or TARGETS)
    elif verb == "visit":
        for told in visited(where):
            sys.stdout.write(f"{told['verdict']:15} {told['id']:32} {told['seen']}\n")
    else:
        write_text(PAGE, page(Path(where)))
