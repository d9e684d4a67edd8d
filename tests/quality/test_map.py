"""The map of the rooms in docs/contributing/architecture.md is that of the code."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/contributing/architecture.md"
FOLDERS = ("latchcheck", "model", "properties", "counterexamples")


def rooms() -> dict[str, list[str]]:
    """What the page names in each room: files, some with a `*` for several."""
    found: dict[str, list[str]] = {}
    map_ = PAGE.read_text(encoding="utf-8").split("\n## ")[1]
    for part in map_.split("\n### ")[1:]:
        heading, _, text = part.partition("\n")
        found[heading.strip("`/")] = re.findall(r"`([\w*]+\.py)`", text)
    return found


def modules() -> dict[str, list[str]]:
    """The modules in each folder of code."""
    found: dict[str, list[str]] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            names = found.setdefault(path.parent.relative_to(ROOT).as_posix(), [])
            names += [path.name] if path.name != "__init__.py" else []
    return found


def test_every_module_is_in_its_room() -> None:
    """Each folder of code has a heading, and each of its modules is named below it."""
    named = rooms()
    missing = [
        f"{folder}/{name}"
        for folder, names in modules().items()
        for name in names or ["(its heading)"]
        if folder not in named or (names and not any(fnmatch(name, one) for one in named[folder]))
    ]
    assert [] == missing


def test_every_name_is_that_of_a_module() -> None:
    """Nothing stands on the map that is not there."""
    there = modules()
    gone = [
        f"{room}/{name}"
        for room, names in rooms().items()
        for name in names
        if not any(fnmatch(one, name) for one in there.get(room, []))
    ]
    assert [] == gone
