"""The reference of the language is what the code makes of it."""

from __future__ import annotations

from pathlib import Path

from tests.scripts import script

ROOT = Path(__file__).parents[2]


def test_the_reference_is_up_to_date() -> None:
    """The page with patterns and words is the one that the script writes."""
    path = ROOT / "docs/reference/generate_wording.py"
    made = script(path)
    assert made.page() == (ROOT / "docs/reference/wording.md").read_text(encoding="utf-8")
