"""What people read fits a terminal of eighty columns, whole: long lines go on further in, and nothing is cut."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from latchcheck.counterexamples import SAVED

from .conftest import Run

WIDTH = 80
FIXTURE = str(SAVED / "one-terminal-outcome/terminal-guard-check-then-set.json")
OTHER = str(SAVED / "one-terminal-outcome/terminal-guard-none.json")
PAIR = ("--client", "mcp-py-1", "--server", "sdar")
BROKEN = ("--policy", "terminal_guard=none", "--property", "one-terminal-outcome")
LOG = [
    {"at_ms": 0, "task": "t1", "event": "create", "status": "working"},
    {"at_ms": 10, "task": "t1", "event": "worker_write", "status": "completed"},
    {"at_ms": 20, "task": "t1", "event": "worker_write", "status": "failed"},
]
ASKED = (
    ("verify", *PAIR),
    ("repair", *PAIR),
    ("matrix", *PAIR, "--server", "mcp-py-1"),
    ("sweep", *PAIR, "--vary", "server.poll_interval=1s,2s"),
    ("admission",),
    ("admission", "--policy", "terminal_guard=none"),
    ("audit", "log.jsonl"),
    ("explain", "no-live-orphan"),
    ("explain", "one-terminal-outcome"),
    ("explain", "server.orphan_window"),
    ("explore", "--scope", "tasks=1,workers=2", *BROKEN),
    ("fuzz", *BROKEN, "--max-runs", "5"),
    ("fuzz", *PAIR, "--max-runs", "3"),
    ("fuzz", "--target", "model", "--max-runs", "2", "--scope", "tasks=1,workers=2,cancels=1", "--policy", "guarded"),
    ("fixtures", "list"),
    ("fixtures", "check", FIXTURE),
    *(("list", what) for what in ("presets", "keys", "properties", "policies", "scopes", "mutants", "sentences")),
    ("recheck", "--property", "idempotency-outlives-retries"),
    ("replay", FIXTURE),
    ("replay", FIXTURE, "--target", "model"),
    ("show", FIXTURE, "--plain"),
    ("show", FIXTURE, "--compare", OTHER),
    ("study", "--table", "2"),
    ("study", "--table", "5"),
    ("targets", "list"),
    ("wording", "next", "globally,"),
    ("wording", "vocabulary"),
)


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: " ".join(Path(word).stem for word in asked[:3]))
def test_text_fits_eighty_columns(
    asked: tuple[str, ...], call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No line is wider, but for one that is a single word: an id or a policy, whole so that it can be copied."""
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(one) + "\n" for one in LOG), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    outcome = call(*asked)
    assert outcome.code in {0, 1, 4, 5}, outcome.err
    lines = outcome.out.splitlines()
    wide = [line for line in lines if len(line) > WIDTH and len(line.removeprefix("- ").removeprefix("+ ").split()) > 1]
    assert lines
    assert [] == wide
