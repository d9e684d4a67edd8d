"""The lifecycle model under TLC, which shares no code with this checker: same states, same verdicts, same lengths."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from latchcheck.cli.main import main
from tests.engines.tlc import command

pytestmark = [pytest.mark.slow, pytest.mark.needs("java")]

# Scope, policy and property (empty: all that the scope can tell), and what a mutant breaks.
# The number of states is written down too: both checkers read one model, and a change of it should be seen.
PAIRS: tuple[tuple[str, str, str, int, frozenset[str]], ...] = (
    ("tasks=2,workers=2", "guarded", "", 345, frozenset()),
    ("tasks=2,workers=2", "dispatch=before-commit", "", 2_479, frozenset({"dispatch-with-record"})),
    ("tasks=2,clients=1,client_crashes=1,losses=1,reissues=1", "guarded", "", 1_133, frozenset()),
    (
        "tasks=2,clients=1,client_crashes=1,losses=1,reissues=1",
        "client_reissue=new-key",
        "",
        4_521,
        frozenset({"handle-never-lost"}),
    ),
    ("workers=2,crashes=1,stalls=1,redeliveries=1,cancels=1", "guarded", "", 5_663, frozenset()),
    ("workers=2,stalls=1,redeliveries=1", "lease=none", "", 261, frozenset({"single-execution"})),
    ("workers=2,stalls=1,redeliveries=1", "side_effect=plain", "", 277, frozenset({"side-effect-once"})),
    (
        "workers=2,cancels=1,redeliveries=1",
        "terminal_guard=none",
        "",
        651,
        frozenset({"one-terminal-outcome", "legal-transitions-only", "repeat-is-not-rewrite", "cancel-is-intent"}),
    ),
    ("workers=1,clients=1,cancels=1,expiries=1", "cleanup=piecewise", "", 2_487, frozenset({"cleanup-is-complete"})),
    ("workers=1,restarts=1,attempts=2,crashes=1", "era=2025-11-25", "", 434, frozenset()),
    (
        "lag=1,workers=1,cancels=1",
        "guard_reads=replica",
        "",
        281,
        frozenset(
            {
                "one-terminal-outcome",
                "legal-transitions-only",
                "stale-writer-blocked",
                "repeat-is-not-rewrite",
                "cancel-is-intent",
            }
        ),
    ),
    ("workers=1,lag=1,polls=1,cancels=1", "guarded", "", 1_813, frozenset()),
    ("workers=1,lag=1,polls=1", "era=2025-11-25", "", 243, frozenset()),
    ("workers=2,stalls=1", "lease_renewal=never", "", 667, frozenset({"single-execution"})),
    ("ci", "key_insert=check-then-insert", "idempotent-create", 9_525, frozenset({"idempotent-create"})),
    ("clients=2,tenants=2", "key_namespace=global", "", 4_453, frozenset({"tenant-isolation", "idempotent-create"})),
    ("workers=1,polls=1,expiries=1", "era=2025-11-25", "", 987, frozenset()),
    ("deep", "guarded", "answered-input-is-consumed", 23, frozenset()),
    (
        "ci",
        "view=last-arrival-wins,notifications=lossy",
        "view-never-goes-back",
        11751,
        frozenset({"view-never-goes-back"}),
    ),
    (
        "deadlines=1,silences=1,expiries=1",
        "sweep_order=expiry-orphans-timeouts",
        "",
        1_041,
        frozenset({"sweep-order-matters"}),
    ),
)


def judged(folder: Path) -> tuple[int, dict[str, int]]:
    """What TLC says of the module in a folder: its distinct states, and the broken properties with their distances.

    TLC stops at the first broken property, so each is taken out of the configuration and the rest is checked again.
    """
    config = folder / "Latchcheck.cfg"
    lengths: dict[str, int] = {}
    while True:
        output = checked(folder)
        broken = re.search(r"^Error: Invariant (\w+) is violated", output, re.MULTILINE)
        if broken is None:
            assert "Error:" not in output, output
            states = re.findall(r"([\d,]+) distinct states found", output)
            return int(states[-1].replace(",", "")), lengths
        steps = re.findall(r"^State (\d+):", output, re.MULTILINE)
        lengths[broken[1]] = int(steps[-1]) - 1 if steps else 0
        line = f"INVARIANT {broken[1]}\n"
        text = config.read_text(encoding="ascii")
        assert line in text
        config.write_text(text.replace(line, ""), encoding="ascii")


def checked(folder: Path) -> str:
    """What TLC prints about the module in a folder."""
    asked = [*command(folder), "-config", "Latchcheck.cfg", "Latchcheck"]
    return subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False, timeout=600).stdout


def _words(part: Any) -> str:
    """A parameter as part of a test's name, the same in every process."""
    return ", ".join(sorted(part)) if isinstance(part, frozenset) else str(part)


@pytest.mark.parametrize(("scope", "policy", "only", "states", "broken"), PAIRS, ids=_words)
def test_tlc_finds_the_same(
    scope: str, policy: str, only: str, states: int, broken: frozenset[str], tmp_path: Path, capfd: Any
) -> None:
    """TLC on the exported module finds as many states, the same broken properties, and runs of the same length."""
    asked = ["--scope", scope, "--policy", policy, *(["--property", only] if only else [])]
    assert main(["export", "tla", *asked, "-o", str(tmp_path)]) == 0
    capfd.readouterr()
    main(["explore", *asked, "--no-symmetry", "--format", "json"])
    found = json.loads(capfd.readouterr().out)
    violated = {one["id"]: one for one in found["properties"] if one["verdict"] == "violated"}

    there, lengths = judged(tmp_path)
    assert (there, found["complete"]) == (found["states"], True)
    assert lengths == {name.replace("-", "_"): len(one["witness"]["steps"]) for name, one in violated.items()}
    assert (found["states"], set(violated)) == (states, broken)
