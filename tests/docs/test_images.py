"""The pictures of the documentation are those that their script draws from the tool's own runs."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.scripts import script

IMAGES = Path(__file__).parents[2] / "docs" / "images"


@pytest.fixture(scope="module")
def make() -> ModuleType:
    """The script that draws the pictures."""
    return script(IMAGES / "make.py")


def test_every_picture_is_up_to_date(make: ModuleType) -> None:
    """Each SVG file is what docs/images/make.py draws, and there is no other."""
    assert make.pictures() == {file: file.read_text(encoding="utf-8") for file in IMAGES.glob("*.svg")}
