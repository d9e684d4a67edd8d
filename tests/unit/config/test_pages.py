"""The reference pages of keys and presets are those that their data make."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.scripts import script

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """The script that writes the pages."""
    return script(REFERENCE / "generate.py")


def test_the_configuration_page_is_up_to_date(generate: ModuleType) -> None:
    """configuration.md is what docs/reference/generate.py writes."""
    assert generate.configuration_page() == (REFERENCE / "configuration.md").read_text(encoding="utf-8")


def test_the_presets_page_is_up_to_date(generate: ModuleType) -> None:
    """presets.md is what docs/reference/generate.py writes."""
    assert generate.presets_page() == (REFERENCE / "presets.md").read_text(encoding="utf-8")
