"""A command starts without what it does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Loads the command line as the console script does, runs it, and names what was imported on the way.
PROBE = """
import sys
from latchcheck.cli.main import main
main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
"""
VERIFY = ("verify", "--client", "strands-py", "--server", "mcp-py-1", "--set", "workload.execution=2m")
NEVER = {"hypothesis", "jsonschema", "networkx", "numba", "numpy", "pytest", "rich", "asyncio", "multiprocessing"}


def loaded(*arguments: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    command = [sys.executable, "-c", PROBE, *arguments]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stderr.split())


@pytest.mark.parametrize("arguments", [VERIFY, (*VERIFY, "--format", "json")], ids=["text", "json"])
def test_verify_starts_without_what_it_does_not_need(arguments: tuple[str, ...]) -> None:
    """No test tool, compiler, graph library, engine or proof is imported by a plain verify, and the solver is."""
    modules = loaded(*arguments)
    assert "z3" in modules
    assert modules & NEVER == set()
    assert [
        name for name in modules if name.startswith(("latchcheck.engines", "latchcheck.properties.timing.proofs"))
    ] == []


@pytest.mark.parametrize("arguments", [("-h",), ("verify", "-h"), ("explain", "-h"), ("list", "-h")])
def test_help_needs_no_solver(arguments: tuple[str, ...]) -> None:
    """Help comes without the solver, which takes as long to load as all the rest."""
    modules = loaded(*arguments)
    assert "click" in modules
    assert modules & ({"z3"} | NEVER) == set()
