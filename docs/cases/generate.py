"""Writes the table of docs/cases/README.md from the property files beside it; a test compares the two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from latchcheck.properties.wording.models import vocabularies
from latchcheck.wording.files import Document, load

FOLDER = Path(__file__).parent
PAGE = FOLDER / "README.md"
MADE = "<!-- What follows is made by docs/cases/generate.py: change the property files, not this table. -->"


def documents() -> list[Document]:
    """Every property file, by its number, those of the tutorial first and those without a number last."""
    found = [load(str(path), vocabularies()) for path in sorted(FOLDER.glob("*.toml"))]
    return sorted(found, key=lambda one: (one.cases[0] != "tutorial", one.cases[0], one.id))


def page() -> str:
    """Return the text that README.md should have."""
    lines = [PAGE.read_text(encoding="utf-8").partition(MADE)[0] + MADE, ""]
    heads = ("file", "number or field case", "question", "readings", "which products do which")
    lines += [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    lines += [f"| {' | '.join(_cells(one))} |" for one in documents()]
    outside = [one for one in documents() if one.outside]
    lines += ["", "## What no model here can say", ""]
    lines += [f"- [{one.id}]({one.id}.toml): {one.outside}" for one in outside]
    return "\n".join(lines) + "\n"


def _cells(one: Document) -> Iterator[str]:
    yield f"[{one.id}]({one.id}.toml)"
    yield ", ".join(one.cases)
    yield one.question
    yield ", ".join(f"`{reading.name}`" for reading in one.readings)
    named = {
        reading.name: ", ".join(product.partition(":")[0] for product in reading.products) for reading in one.readings
    }
    yield "; ".join(f"`{name}`: {products}" for name, products in named.items() if products) or "not seen"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
