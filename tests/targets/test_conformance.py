"""The official conformance suite and our visit on one server: the page with both is what comes out of a run."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.needing import npm_install
from tests.scripts import script

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PINS = ("node@22", "@modelcontextprotocol/conformance@0.2.0-alpha.12")

pytestmark = [pytest.mark.slow, pytest.mark.needs("fastmcp", "npm"), pytest.mark.xdist_group("products")]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """The script that writes the page."""
    return script(REFERENCE / "conformance.py")


def test_the_page_is_what_comes_out(generator: ModuleType, tmp_path: Path) -> None:
    """Run anew, every scenario of the suite and every check of the visit says what the page says."""
    npm_install(tmp_path, *PINS)
    assert (REFERENCE / "conformance.md").read_text(encoding="utf-8") == generator.page(tmp_path)
