"""The pages and pictures of the study are those that come out of it."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.scripts import script

DOCS = Path(__file__).parents[2] / "docs"


def test_the_reference_page_holds_the_recomputed_tables() -> None:
    """docs/reference/study.md is what generate_study.py writes."""
    assert script(DOCS / "reference" / "generate_study.py").page() == (DOCS / "reference" / "study.md").read_text(
        "utf-8"
    )


def words(svg: bytes) -> list[str]:
    """The texts of a picture, and how many points its lines have: what it says, whatever library drew it."""
    root = ET.fromstring(svg)  # noqa: S314 - our own
    texts = [" ".join(part.split()) for part in root.itertext() if part.strip()]
    points = sum(len(re.findall(r"[ML] ", path.get("d", ""))) for path in root.iter("{http://www.w3.org/2000/svg}path"))
    return [text for text in texts if "matplotlib" not in text.lower()] + [f"{points // 50 * 50} points"]


@pytest.mark.slow
def test_the_pictures_of_the_documentation_are_up_to_date() -> None:
    """Each picture beside docs/images/study/make.py says what a new one says, and there is no other."""
    folder = DOCS / "images" / "study"
    drawn = script(folder / "make.py").pictures()
    assert {file.name for file in drawn} == {file.name for file in folder.iterdir() if file.suffix in (".svg", ".png")}
    for file, picture in drawn.items():
        if file.suffix == ".svg":
            assert words(file.read_bytes()) == words(picture), file.name
