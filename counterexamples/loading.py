"""Reads saved counterexamples; every error names the file, the place in it, and what to write instead."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from latchcheck.gathering import all_read
from latchcheck.kernel import FrozenMap, Sentence

from .errors import FixtureError
from .fixture import FORMAT, Event, Fixture, FoundBy, Minimal, Violation

SAVED = Path(__file__).parent / "saved"
"""Where the saved counterexamples of this project are; the file of one is its id."""

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+([-.][a-z0-9]+)*")
_EXACT = re.compile(r"-?[0-9]+(\.[0-9]+|/[1-9][0-9]*)?")
_SHOWN_MAX = 40
_TYPES = {
    bool: "a flag",
    int: "an integer",
    float: "a number with a point",
    str: "a text",
    list: "a list",
    dict: "an object",
}


def load(path: Path) -> Fixture:
    """Read one file; raises FixtureError, for one that cannot be opened too."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise FixtureError(str(path), "", str(error.strerror), "name a file that can be read") from None
    except UnicodeDecodeError as error:
        raise FixtureError(str(path), "", f"byte {error.start} is no UTF-8", "save it as UTF-8") from None
    return loads(text, str(path))


def loads(text: str, file: str = "fixture") -> Fixture:
    """Read a fixture from JSON text; `file` is how errors call it. Raises FixtureError."""

    def no_constant(name: str) -> Any:
        raise FixtureError(file, "", f"{name} is no JSON", "write an integer, or an exact number as text")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise FixtureError(file, "", f"the key {json.dumps(twice)} occurs twice in one object", "keep one of them")
        return dict(pairs)

    try:
        document = json.loads(text, parse_constant=no_constant, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise FixtureError(file, "", f"no JSON: {error.msg} at {where}", "write one JSON object") from None
    except ValueError:
        raise FixtureError(file, "", "a number has thousands of digits", "write a number that fits a line") from None
    except RecursionError:
        raise FixtureError(file, "", "nested too deeply", "write one JSON object as the schema has it") from None
    return _fixture(_Reader(file, "", document))


def saved(folder: Path = SAVED) -> Iterator[tuple[Path, Fixture]]:
    """Every fixture below a folder with its file, in the order of their names.

    Raises FixtureError also for one whose file is not named after its id.
    """
    for path in sorted(folder.glob("*/*.json")):
        fixture = load(path)
        expected = folder / f"{fixture.id}.json"
        if path != expected:
            raise FixtureError(str(path), "/id", f"{fixture.id!r} does not name this file", f"move it to {expected}")
        yield path, fixture


class _Reader:
    """A part of the document and where it stands."""

    def __init__(self, file: str, pointer: str, value: Any) -> None:
        self._file = file
        self._pointer = pointer
        self.value = value

    def wrong(self, what: str, instead: str) -> FixtureError:
        """The error of this part."""
        return FixtureError(self._file, self._pointer or "/", what, instead)

    def below(self, key: str | int, value: Any) -> _Reader:
        """A part of this part."""
        escaped = str(key).replace("~", "~0").replace("/", "~1")
        return _Reader(self._file, f"{self._pointer}/{escaped}", value)

    def fields(self, reads: Mapping[str, Callable[[_Reader], Any]], optional: tuple[str, ...] = ()) -> dict[str, Any]:
        """What is read of the fields of an object that has these and no other; None for an absent `optional` one.

        Raises one FixtureError with all that is wrong in it.
        """
        self.expect(isinstance(self.value, dict), "an object")
        wrong = []
        for name in self.value:
            if name not in reads:
                from latchcheck.naming import instead  # only when there is something to mend

                wrong.append(self.below(name, None).wrong("there is no such field", instead(str(name), list(reads))))
        needed = [name for name in reads if name not in optional]
        lacks = [name for name in needed if name not in self.value]
        wrong += [self.wrong(f"no {json.dumps(name)}", f"add it; the fields are {', '.join(needed)}") for name in lacks]
        there = {name: self.below(name, self.value[name]) for name in reads if name in self.value}
        found = all_read(FixtureError, {name: partial(reads[name], part) for name, part in there.items()}, wrong)
        return dict.fromkeys(optional) | found

    def expect(self, fits: bool, words: str) -> None:  # noqa: FBT001 - reads as a sentence
        """Raise the error of a value of another kind than it should be."""
        if not fits:
            kind = _TYPES.get(type(self.value), "null")
            shown = json.dumps(self.value, ensure_ascii=False)
            raise self.wrong(f"{shown if len(shown) <= _SHOWN_MAX else kind} is not {words}", f"write {words}")

    def text(self, *, empty: bool = False) -> str:
        """A text."""
        self.expect(isinstance(self.value, str) and (empty or self.value != ""), "a text")
        return self.value

    def text_or_null(self) -> str | None:
        """A text or null."""
        return None if self.value is None else self.text(empty=True)

    def integer(self, least: int | None = None) -> int:
        """An integer, at least this."""
        words = "an integer" if least is None else f"an integer from {least} on"
        whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        self.expect(whole and (least is None or self.value >= least), words)
        return self.value

    def integer_or_null(self, least: int | None = None) -> int | None:
        """An integer or null."""
        return None if self.value is None else self.integer(least)

    def instant(self) -> Fraction | int | None:
        """An instant in milliseconds: an integer, an exact number as text, or null."""
        if isinstance(self.value, str):
            self.expect(
                _EXACT.fullmatch(self.value) is not None, 'an integer, or an exact number such as "2.5" or "1/3"'
            )
            return Fraction(self.value)
        self.expect(not isinstance(self.value, float), 'an integer, or an exact number such as "2.5" or "1/3"')
        return self.integer_or_null()

    def mapping(self) -> FrozenMap[Any]:
        """An object of integers, flags and texts."""
        self.expect(isinstance(self.value, dict), "an object")
        for name, value in self.value.items():
            self.below(name, value).expect(isinstance(value, int | str), "an integer, a flag or a text")
        return FrozenMap(self.value)

    def object_or_null(self) -> Mapping[str, Any] | None:
        """An object of anything, or null."""
        if self.value is None:
            return None
        self.expect(isinstance(self.value, dict), "an object or null")
        return self.value


def _fixture(reader: _Reader) -> Fixture:
    reader.expect(isinstance(reader.value, dict), "an object")
    steps = reader.value.get("steps")
    count = len(steps) if isinstance(steps, list) else None
    reads: dict[str, Callable[[_Reader], Any]] = {
        "format": _format,
        "id": _ident,
        "property": _Reader.text,
        "sentence": _sentence,
        "era": _Reader.text_or_null,
        "policy": _Reader.mapping,
        "scope": _Reader.mapping,
        "config": _Reader.object_or_null,
        "steps": _steps,
        "violates": lambda field: _violation(field, count),
        "found_by": _found_by,
        "minimal": lambda field: _minimal(field, count),
        "repeats_from": lambda field: _again(field, count),
    }
    found = reader.fields(reads, optional=("repeats_from",))
    del found["format"]
    return Fixture(**found)


def _format(field: _Reader) -> str:
    if field.value != FORMAT:
        raise field.wrong(f"{field.value!r} is not a format of fixtures", f'write "{FORMAT}"')
    return FORMAT


def _ident(field: _Reader) -> str:
    if _ID.fullmatch(field.text()) is None:
        raise field.wrong(f"{field.value!r} is no id", 'write "property/what-happens" in small letters')
    return field.value


def _steps(field: _Reader) -> tuple[Event, ...]:
    field.expect(isinstance(field.value, list) and field.value != [], "a list of steps, at least one")
    reads = {str(index): partial(_event, field.below(index, step)) for index, step in enumerate(field.value)}
    return tuple(all_read(FixtureError, reads).values())


def _again(field: _Reader, steps: int | None) -> int:
    again = field.integer(0)
    if steps is not None and again > steps:
        raise field.wrong(f"there is no step {again}", f"count from 0; {steps} rests after the last step")
    return again


def _event(reader: _Reader) -> Event:
    reads: dict[str, Callable[[_Reader], Any]] = {
        "at_ms": _Reader.instant,
        "party": _Reader.text,
        "action": _Reader.text,
        "args": _Reader.mapping,
        "guarded": _Reader.object_or_null,
    }
    return Event(**reader.fields(reads, optional=("guarded",)))


def _sentence(reader: _Reader) -> Sentence:
    def text(field: _Reader) -> str:
        return field.text(empty=True)

    return Sentence(**reader.fields({"text": text, "source": text, "where": text}))


def _violation(reader: _Reader, steps: int | None) -> Violation:
    def step(field: _Reader) -> int:
        if field.integer(0) >= (field.value + 1 if steps is None else steps):
            raise field.wrong(f"there is no step {field.value}", f"count from 0 to {(steps or 1) - 1}")
        return field.value

    return Violation(**reader.fields({"step": step, "clause": _Reader.text}))


def _found_by(reader: _Reader) -> FoundBy:
    return FoundBy(**reader.fields({"engine": _Reader.text, "seed": _Reader.integer_or_null, "versions": _versions}))


def _versions(field: _Reader) -> dict[str, str | None]:
    field.expect(isinstance(field.value, dict), "an object")
    return all_read(FixtureError, {name: field.below(name, value).text_or_null for name, value in field.value.items()})


def _minimal(reader: _Reader, steps: int | None) -> Minimal:
    def count(field: _Reader) -> int:
        if field.integer(1) != (field.value if steps is None else steps):
            raise field.wrong(f"{field.value} is not the number of steps", f"write {steps}")
        return field.value

    def shortest(field: _Reader) -> int | None:
        if steps is not None and (field.integer_or_null(0) or 0) > steps:
            raise field.wrong(
                "a shortest run has no more steps than this one", f"write a number up to {steps}, or null"
            )
        return field.integer_or_null(0)

    return Minimal(**reader.fields({"steps": count, "shortest": shortest}))
