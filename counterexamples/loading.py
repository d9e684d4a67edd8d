"""Reads saved counterexamples; every error names the file, the place in it, and what to write instead."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

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

    def fields(self, *names: str, optional: tuple[str, ...] = ()) -> Callable[[str], _Reader]:
        """The fields of an object that has these and no other; `optional` ones read as None where they are absent."""
        self.expect(isinstance(self.value, dict), "an object")
        for name in names:
            if name not in self.value:
                raise self.wrong(f"no {json.dumps(name)}", f"add it; the fields are {', '.join(names)}")
        for name in self.value:
            if name not in names and name not in optional:
                from latchcheck.naming import instead  # only when there is something to mend

                raise self.below(name, None).wrong("there is no such field", instead(str(name), [*names, *optional]))
        return lambda name: self.below(name, self.value.get(name))

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


_FIELDS = ("id", "property", "sentence", "era", "policy", "scope", "config", "steps", "violates", "found_by", "minimal")


def _fixture(reader: _Reader) -> Fixture:
    field = reader.fields("format", *_FIELDS, optional=("repeats_from",))
    found = field("format")
    if found.value != FORMAT:
        raise found.wrong(f"{found.value!r} is not a format of fixtures", f'write "{FORMAT}"')
    ident = field("id")
    if _ID.fullmatch(ident.text()) is None:
        raise ident.wrong(f"{ident.value!r} is no id", 'write "property/what-happens" in small letters')
    steps = field("steps")
    steps.expect(isinstance(steps.value, list) and steps.value != [], "a list of steps, at least one")
    events = tuple(_event(steps.below(index, step)) for index, step in enumerate(steps.value))
    repeats = field("repeats_from")
    again = repeats.integer(0) if "repeats_from" in reader.value else None
    if again is not None and again > len(events):
        raise repeats.wrong(f"there is no step {again}", f"count from 0; {len(events)} rests after the last step")
    return Fixture(
        id=ident.value,
        property=field("property").text(),
        sentence=_sentence(field("sentence")),
        era=field("era").text_or_null(),
        policy=field("policy").mapping(),
        scope=field("scope").mapping(),
        config=field("config").object_or_null(),
        steps=events,
        violates=_violation(field("violates"), len(events)),
        found_by=_found_by(field("found_by")),
        minimal=_minimal(field("minimal"), len(events)),
        repeats_from=again,
    )


def _event(reader: _Reader) -> Event:
    field = reader.fields("at_ms", "party", "action", "args", optional=("guarded",))
    return Event(
        at_ms=field("at_ms").instant(),
        party=field("party").text(),
        action=field("action").text(),
        args=field("args").mapping(),
        guarded=field("guarded").object_or_null(),
    )


def _sentence(reader: _Reader) -> Sentence:
    field = reader.fields("text", "source", "where")
    return Sentence(*(field(name).text(empty=True) for name in ("text", "source", "where")))


def _violation(reader: _Reader, steps: int) -> Violation:
    field = reader.fields("step", "clause")
    step = field("step")
    if step.integer(0) >= steps:
        raise step.wrong(f"there is no step {step.value}", f"count from 0 to {steps - 1}")
    return Violation(step.value, field("clause").text())


def _found_by(reader: _Reader) -> FoundBy:
    field = reader.fields("engine", "seed", "versions")
    versions = field("versions")
    versions.expect(isinstance(versions.value, dict), "an object")
    known = {name: versions.below(name, value).text_or_null() for name, value in versions.value.items()}
    return FoundBy(field("engine").text(), field("seed").integer_or_null(), known)


def _minimal(reader: _Reader, steps: int) -> Minimal:
    field = reader.fields("steps", "shortest")
    count = field("steps")
    if count.integer(1) != steps:
        raise count.wrong(f"{count.value} is not the number of steps", f"write {steps}")
    shortest = field("shortest")
    if (shortest.integer_or_null(0) or 0) > steps:
        raise shortest.wrong("a shortest run has no more steps than this one", f"write a number up to {steps}, or null")
    return Minimal(count.value, shortest.value)
