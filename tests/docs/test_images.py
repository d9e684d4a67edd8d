"""The pictures of the documentation are those that their script draws from the tool's own runs."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

IMAGES = Path(__file__).parents[2] / "docs" / "images"


@pytest.fixture(scope="module")
def make() -> ModuleType:
    """The script that draws the pictures."""
    spec = importlib.util.spec_from_file_location("make", IMAGES / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_picture_is_up_to_date(make: ModuleType) -> None:
    """Each SVG file is what docs/images/make.py draws, and there is no other."""
    assert make.pictures() == {file: file.read_text(encoding="utf-8") for file in IMAGES.glob("*.svg")}
