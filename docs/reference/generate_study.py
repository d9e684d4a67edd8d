"""Writes the recomputed tables into study.md: `python docs/reference/generate_study.py`, after a change of the study.

What stands above the mark in the page is written by hand and kept. A test compares the rest with the data.
"""

from __future__ import annotations

from pathlib import Path

from latchcheck.cli import wiring
from latchcheck.cli.study import TABLES
from latchcheck.report.study.tables import as_markdown

PAGE = Path(__file__).parent / "study.md"
MADE = "<!-- What follows is made by docs/reference/generate_study.py: change the study, not this page. -->"


def page() -> str:
    """Return the text that study.md should have."""
    head = PAGE.read_text(encoding="utf-8").split(MADE)[0]
    return head + MADE + "\n\n" + as_markdown(list(wiring.recompute(list(TABLES), lambda: None)))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
