"""Writes saved counterexamples: the same fixture is the same bytes, and writing it again changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from latchcheck.kernel.numbers import exact_text
from latchcheck.placing import put

from .errors import FixtureError
from .fixture import FORMAT, Event, Fixture
from .loading import load


def dump(fixture: Fixture) -> str:
    """The text of a fixture: a line a field and a line a step, keys in a fixed order, a line end at the end."""
    sentence = {"text": fixture.sentence.text, "source": fixture.sentence.source, "where": fixture.sentence.where}
    found = fixture.found_by
    fields: dict[str, Any] = {
        "format": FORMAT,
        "id": fixture.id,
        "property": fixture.property,
        "sentence": sentence,
        "era": fixture.era,
        "policy": _sorted(fixture.policy),
        "scope": _sorted(fixture.scope),
        "config": None if fixture.config is None else _sorted(fixture.config),
        "steps": [_event(step) for step in fixture.steps],
        "repeats_from": fixture.repeats_from,
        "violates": {"step": fixture.violates.step, "clause": fixture.violates.clause},
        "found_by": {"engine": found.engine, "seed": found.seed, "versions": _sorted(found.versions)},
        "minimal": {"steps": fixture.minimal.steps, "shortest": fixture.minimal.shortest},
    }
    if fixture.repeats_from is None:
        del fields["repeats_from"]
    return "{\n" + ",\n".join(f"  {_line(name)}: {_field(value)}" for name, value in fields.items()) + "\n}\n"


def write(path: Path, fixture: Fixture) -> bool:
    """Write a fixture into a file, folders included, whole or not at all; whether the file changed. Raises OSError.

    A file that means the same already stays as it is: who found a run, and with which versions, is no part of what
    it means, and would change with every upgrade.
    """
    return bool(write_all({path: fixture}))


def write_all(fixtures: Mapping[Path, Fixture]) -> list[Path]:
    """Write each fixture as `write` does, all of them or none; the files that changed. Raises OSError."""
    return put_all(texts_of(fixtures))


def texts_of(fixtures: Mapping[Path, Fixture]) -> dict[Path, bytes]:
    """What is to stand in each file: what stands there, where it means the same."""
    texts: dict[Path, bytes] = {}
    for path, fixture in fixtures.items():
        before = _before(path)
        texts[path] = dump(before if before is not None and means_the_same(before, fixture) else fixture).encode()
    return texts


def copy_all(files: Mapping[Path, Path]) -> list[Path]:
    """Copy each file to its place, folders included, all of them or none; the places that changed. Raises OSError."""
    return put_all({place: path.read_bytes() for path, place in files.items()})


def put_all(contents: Mapping[Path, bytes], gone: Iterable[Path] = ()) -> list[Path]:
    """Give each file its contents and take others away, all of it or nothing; the files that changed. Raises OSError.

    What has its contents already is not touched.
    """
    new = {place: text for place, text in contents.items() if not (place.is_file() and place.read_bytes() == text)}
    lost = list(gone)
    put(new, lost)
    return [*new, *lost]


def means_the_same(one: Fixture, other: Fixture) -> bool:
    """Whether two fixtures differ at most in who found them."""
    return one == attrs.evolve(other, found_by=one.found_by)


def _before(path: Path) -> Fixture | None:
    try:
        return load(path)
    except FixtureError:
        return None  # absent or damaged: it is written anew


def _event(event: Event) -> dict[str, Any]:
    fields = {"at_ms": _plain(event.at_ms), "party": event.party, "action": event.action, "args": _sorted(event.args)}
    return fields if event.guarded is None else {**fields, "guarded": _plain(event.guarded)}


def _field(value: Any) -> str:
    if not isinstance(value, list):
        return _line(value)
    return "[\n" + ",\n".join(f"    {_line(one)}" for one in value) + "\n  ]"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _sorted(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(values[name]) for name in sorted(values)}


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else exact_text(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
