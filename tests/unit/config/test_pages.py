"""The reference pages of keys and presets are those that their data make."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """The script that writes the pages."""
    spec = importlib.util.spec_from_file_location("generate", REFERENCE / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_configuration_page_is_up_to_date(generate: ModuleType) -> None:
    """configuration.md is what docs/reference/generate.py writes."""
    assert generate.configuration_page() == (REFERENCE / "configuration.md").read_text(encoding="utf-8")


def test_the_presets_page_is_up_to_date(generate: ModuleType) -> None:
    """presets.md is what docs/reference/generate.py writes."""
    assert generate.presets_page() == (REFERENCE / "presets.md").read_text(encoding="utf-8")
