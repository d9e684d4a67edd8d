"""The documentation as a site, and the pages that are made from the command line."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_commands_page_is_what_the_commands_say() -> None:
    """The page holds the help of every verb as it is now."""
    spec = importlib.util.spec_from_file_location("commands", ROOT / "docs" / "reference" / "generate_commands.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert script.commands_page() == page, "run docs/reference/generate_commands.py"


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """Every page is rendered, and nothing is said about it."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path / "site"],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    sources = {page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")}
    # The page of a folder is its index.
    pages = {
        page.with_name("index.md" if page.name == "README.md" else page.name).with_suffix(".html") for page in sources
    }
    assert set() == {page for page in pages if not (tmp_path / "site" / page).is_file()}
