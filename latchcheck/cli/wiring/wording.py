"""The words of MCP Tasks and the models that sentences are tried on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from latchcheck.wording.files import Document
    from latchcheck.wording.words import Model, Vocabulary

FILES_MAX = 500
"""More sentences than anybody has at hand: what a folder of other files is cut off at."""


def wording_vocabularies() -> Mapping[str, Vocabulary]:
    """Each vocabulary by the name of its model."""
    from latchcheck.properties.wording.models import vocabularies

    return vocabularies()


def wording_examples() -> Mapping[str, tuple[str, str]]:
    """By the kind of a scope or of a pattern: a model, and a reading of it."""
    from latchcheck.properties.wording.examples import EXAMPLES

    return EXAMPLES


def wording_document(file: str) -> Document:
    """Read a property file. Raises WordingError, for which `is_bad_input` is true."""
    from latchcheck.wording.files import load

    return load(file, wording_vocabularies())


def wording_model(document: Document) -> Model:
    """The model that a property file speaks about; errors for which `is_bad_input` is true."""
    from latchcheck.properties.wording.models import model

    return model(document.model, scope=document.scope, policy=document.policy, sets=document.sets, also=document.also)


def wording_beside(
    files: Sequence[str], against: Sequence[str]
) -> tuple[tuple[str, ...], list[Document], list[tuple[str, str]]]:
    """Where to look, the property files there without `files`, and those that cannot be read, with the reason.

    Without `against` these are the folders of `files`. Raises WordingError for what is named and cannot be read.
    """
    from latchcheck.wording.faults import WordingError

    places = tuple(dict.fromkeys(against or (str(Path(file).parent) for file in files)))
    taken = {Path(file).resolve() for file in files}
    found: list[Document] = []
    left_out: list[tuple[str, str]] = []
    for place in places:
        inside = Path(place).is_dir()
        try:
            paths = _property_files(Path(place)) if inside else [Path(place)]
        except OSError as error:
            left_out.append((place, error.strerror or str(error)))
            continue
        for path in paths:
            if path.resolve() in taken:
                continue
            taken.add(path.resolve())
            if len(found) == FILES_MAX:
                left_out.append((str(path), f"more than {FILES_MAX} files: name those that matter by --against"))
                continue
            try:
                found.append(wording_document(str(path)))
            except WordingError as error:
                if not inside:
                    raise
                left_out.append((str(path), str(error).splitlines()[0].removeprefix(f"{path}: ")))
    return places, found, left_out


def _property_files(folder: Path) -> list[Path]:
    """The files of a folder that look like property files: with readings, as TOML or as front matter."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix in (".toml", ".md", ".markdown") and path.is_file():
            try:
                with path.open(encoding="utf-8", errors="replace") as opened:
                    begin = opened.read(1 << 16)
            except OSError:
                continue
            if "[readings." in begin and (path.suffix == ".toml" or begin.startswith("+++")):
                found.append(path)
    return found
