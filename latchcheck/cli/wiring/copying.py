"""The saved counterexamples of this project, copied into somebody's repository."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .fixtures import fixture_path, saved_fixtures
from .targets import applies_to, open_target


class Exists(Exception):
    """A file is in the way that is not the same; the text says which."""


def copied_fixtures(
    folder: Path, ids: Sequence[str], properties: Sequence[str], target: str | None, *, force: bool
) -> tuple[list[Path], int]:
    """Copy the saved fixtures, or those that are selected, below a folder: all of them, or none where it fails.

    With `target` those are left out that its table rules out; nothing is started for it, except a driver.
    Returns the files that are new or changed there, and how many were selected.
    Raises Exists without `force`, FixtureError, UnknownTarget, TargetError and OSError.
    """
    from latchcheck.counterexamples import SAVED
    from latchcheck.counterexamples.writing import copy_all

    for ident in ids:
        if fixture_path(ident) != SAVED / f"{ident}.json":
            raise Exists(f"{ident}: no counterexample is saved under this id; `latchcheck fixtures list` names them")
    wanted = [
        (path, fixture)
        for path, fixture in saved_fixtures()
        if (fixture.id in ids or not ids) and (fixture.property in properties or not properties)
    ]
    if target is not None:
        made = open_target(target)
        wanted = [(path, fixture) for path, fixture in wanted if applies_to(fixture, made)]
    places = {folder / path.relative_to(SAVED): path for path, _ in wanted}
    folders = [to for to in places if to.is_dir()]
    if folders:
        raise Exists(f"{folders[0]}: this is a directory, where a file is to be")
    other = [to for to, path in places.items() if to.exists() and not _same(to, path)]
    if other and not force:
        more = f" and {len(other) - 1} more" if len(other) > 1 else ""
        raise Exists(f"{other[0]}{more}: there already, and not the same; --force writes over it")
    return copy_all({path: to for to, path in places.items()}), len(places)


def _same(one: Path, other: Path) -> bool:
    return one.is_file() and one.read_bytes() == other.read_bytes()
