"""The reference of the language is what the code makes of it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_reference_is_up_to_date() -> None:
    """The page with patterns and words is the one that the script writes."""
    path = ROOT / "docs/reference/generate_wording.py"
    spec = importlib.util.spec_from_file_location("generate_wording", path)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.page() == (ROOT / "docs/reference/wording.md").read_text(encoding="utf-8")
