"""The pages of the documentation keep its rules: links lead somewhere, and a sentence has its own line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "tests").rglob("*.md"))]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
MADE = "<!-- What follows is made by "
END = re.compile(r"\S*[.!?][)\"'*_]*(?= +[A-Z`\"*(])")
NO_END = re.compile(r"(?:\b(?:e\.g|i\.e|vs|cf|etc|l|p|No)|\.\.)\.$|^\d+\.$")


def prose(page: str) -> list[tuple[int, str]]:
    """The lines of a page that are neither code nor table, with their numbers."""
    lines: list[tuple[int, str]] = []
    fenced = False
    for number, line in enumerate(page.splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not line.startswith(("|", "    ")):
            lines.append((number, re.sub(r"`[^`]*`", "`code`", line)))
    return lines


def crowded(page: str) -> list[int]:
    """The numbers of the lines on which one sentence ends and another begins, above what is made from data."""
    by_hand = page.partition(MADE)[0]
    return [number for number, line in prose(by_hand) if any(not NO_END.search(end) for end in END.findall(line))]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_sentence_has_its_own_line(page: Path) -> None:
    """No line of prose holds the end of one sentence and the start of another, so that a change is a small diff."""
    assert crowded(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_link_leads_to_a_file(page: Path) -> None:
    """Every link to a file of the project leads to one that exists."""
    links = [
        target for _, line in prose(page.read_text(encoding="utf-8")) for target in re.findall(r"\]\(([^)\s]+)\)", line)
    ]
    files = [link.partition("#")[0] for link in links if not re.match(r"[a-z]+:", link)]
    assert [file for file in files if file and not (page.parent / file).exists()] == []


def test_crowded_lines_are_found() -> None:
    """Two sentences on a line are found in prose written by hand, and not in code, tables, items, abbreviations."""
    page = "One. Two.\nOne.\n| One. Two. |\n```\nOne. Two.\n```\n1. One.\nSee e.g. Two.\nA `b. C` d.\nOne? (Two.)\n"
    assert crowded(page) == [1, 10]
    assert crowded("One.\n<!-- What follows is made by a script. -->\nOne. Two.\n") == []
