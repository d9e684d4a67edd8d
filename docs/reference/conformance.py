"""Writes docs/reference/conformance.md: the official suite's task scenarios and our visit, on the same server.

    python docs/reference/conformance.py FOLDER

FOLDER is a node project with `node@22` and `@modelcontextprotocol/conformance@0.2.0-alpha.12`, made by
`npm install` there; the target `fastmcp-http` is installed. The page holds what came out, and nothing by hand.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from attrs import frozen

from latchcheck.counterexamples.targets.environments import needed
from latchcheck.counterexamples.targets.live import UNSEEN, Plan, Record, Visit, Wire, begin, judge
from latchcheck.counterexamples.targets.loopback import Child

PAGE = Path(__file__).with_name("conformance.md")
SUITE = "@modelcontextprotocol/conformance"
PATIENCE_S = 300
"""For a machine that is busy: work may take a while there, and is not to be cancelled."""
WORK_S = 5
"""Long enough for the first reading to find it under way, also there."""
SCENARIOS = (
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-status-notifications",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
)
# Our check: the checks of the suite that are about the same sentence.
SAME = {
    "no-task-without-capability": ("sep-2663-server-rejects-undeclared-client",),
    "methods-need-capability": ("sep-2663-tasks-methods-non-declaring",),
    "durable-before-reply": ("sep-2663-durable-create-strong-consistency",),
    "result-type-complete": ("tasks-result-type-complete-on-non-task-responses",),
    "status-brings-its-payload": ("sep-2663-tasks-get-status-completed",),
    "unknown-id-of-get": ("sep-2663-tasks-get-invalid-task-id-32602",),
    "unknown-id-of-update-and-cancel": ("sep-2663-tasks-update-cancel-invalid-task-id-32602",),
    "cancel-of-finished": ("tasks-cancel-terminal-idempotent", "sep-2663-cancel-ack-empty-result"),
    "alive-until-ttl": ("tasks-no-early-ttl-expiry",),
}


def scenario(folder: Path, url: str, name: str) -> list[dict[str, str]]:
    """What a scenario of the suite says of a server: its checks."""
    node, main = folder / "node_modules/.bin/node", folder / f"node_modules/{SUITE}/dist/index.js"
    with tempfile.TemporaryDirectory() as out:
        command = [str(node), str(main), "server", "--url", url, "--scenario", name, "-o", out]
        subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=False)  # noqa: S603 - fixed words
        files = list(Path(out).rglob("checks.json"))
        return json.loads(files[0].read_text(encoding="utf-8")) if files else []


def visited(url: str) -> Record:
    """Our visit of the same server."""
    talk = begin(Wire(url, timeout_s=PATIENCE_S))
    try:
        return Visit(talk, Plan("slow_compute", {"seconds": WORK_S}, wait_s=PATIENCE_S)).run()
    finally:
        talk.wire.close()


@frozen
class Seen:
    """What one server was seen to do: by the suite, check by check of each scenario, and by our visit."""

    product: str
    theirs: Mapping[str, Sequence[Mapping[str, str]]]
    record: Record


def looked(folder: Path) -> Seen:
    """Start a server, and let the suite and our visit look at it."""
    environment = needed("fastmcp")
    child = Child(environment.interpreter, "fastmcp_server.py", ["--no-auth"])
    child.start()
    try:
        url = f"http://127.0.0.1:{child.port}/mcp"
        # Each makes tasks of its own, and spends its time waiting for them.
        with ThreadPoolExecutor() as pool:
            record = pool.submit(visited, url)
            found = pool.map(lambda name: scenario(folder, url, name), SCENARIOS)
            return Seen(environment.told(), dict(zip(SCENARIOS, found, strict=True)), record.result())
    finally:
        child.kill()


def scenario_rows(theirs: Mapping[str, Sequence[Mapping[str, str]]]) -> Iterator[str]:
    """A row a scenario of the suite."""
    for name, checks in theirs.items():
        count = {word: sum(one["status"] == word for one in checks) for word in ("SUCCESS", "FAILURE", "SKIPPED")}
        failed = ", ".join(f"`{one['id']}`" for one in checks if one["status"] == "FAILURE")
        yield f"| `{name}` | {count['SUCCESS']} | {count['FAILURE']} | {count['SKIPPED']} | {failed} |"


def check_rows(seen: Seen) -> Iterator[str]:
    """A row a check of ours, beside those of the suite that look at the same."""
    told = {one["id"]: one["status"] for checks in seen.theirs.values() for one in checks}
    for one in judge(seen.record):
        same = [f"`{name}`: {told[name].lower()}" for name in SAME.get(one.rule.id, ()) if name in told]
        shown = re.sub(r"\d{4}-\d\d-\d\dT[\d:.+]+", "(instant)", one.seen).replace("|", "\\|")
        shown = re.sub(r"\d+\.\d\d s", "(some) s", shown)
        shown = re.sub(r"\b\d+ answers\b", "(some) answers", shown)  # how often it polls is the machine's to say
        yield f"| `{one.rule.id}` | {one.verdict} | {shown} | {', '.join(same) or 'has no such check'} |"


def unseen_rows() -> Iterator[str]:
    """A row a sentence that nobody can check from outside."""
    for one in UNSEEN:
        yield f"| {one.keyword} | {one.sentence.text} | {', '.join(f'`{name}`' for name in one.properties)} |"


def page(folder: Path) -> str:
    """The whole page."""
    seen = looked(folder)
    version = json.loads((folder / f"node_modules/{SUITE}/package.json").read_text(encoding="utf-8"))["version"]
    lines = [
        "# The official conformance suite and our visit, side by side",
        "",
        "Generated by `docs/reference/conformance.py`; what came out of one run, and nothing by hand.",
        f"Server: `counterexamples/targets/programs/fastmcp_server.py` on {seen.product}.",
        f"Suite: `{SUITE}` {version}.",
        "",
        "A scenario fails where its tools are not offered: ours has none that asks the client for input,",
        "so that `tasks-mrtr-input` and `tasks-mrtr-composition` say nothing about the product here.",
        "",
        "## The suite's task scenarios",
        "",
        "| scenario | passed | failed | skipped | what failed |",
        "|---|---|---|---|---|",
        *scenario_rows(seen.theirs),
        *("", "## Our visit", "", "| check | ours | seen | the suite's |", "|---|---|---|---|"),
        *check_rows(seen),
        "",
        "## What nobody sees from outside",
        "",
        "The suite excludes these sentences as not observable; the model covers them.",
        "",
        "| keyword | sentence | properties of the model |",
        "|---|---|---|",
        *unseen_rows(),
    ]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page(Path(sys.argv[1])), encoding="utf-8")
