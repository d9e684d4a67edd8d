"""Reads packets from JSON; every error names the file, the line, the key, and what to write instead."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

import attrs

from latchcheck.gathering import all_read
from latchcheck.naming import instead

from .. import record as records
from .errors import PacketError
from .lines import lines_of, pointer
from .packet import CAPABILITIES, Packet, Request, Stored
from .tables import MEANINGS, OPERATIONS

FORMAT: Final = "latchcheck/packets/1"
SOURCE: Final = Path(__file__).with_name("export-finished-twice.json")
"""The thirty-two packets that "MCP Tasks: The Export That Finished Twice" describes."""

STDIN: Final = "-"
SIZE_MAX: Final = 8 << 20
NUMBER_MAX: Final = 2**53
_SHOWN_MAX: Final = 40
_TEXT_MAX: Final = 1000
_SUPPORT: Final = ("required", "optional", "forbidden")


@attrs.frozen
class Packets:
    """A file of packets, and the sha256 of what it says: of its canonical JSON, whatever its layout."""

    file: str
    packets: tuple[Packet, ...]
    digest: str


def load(file: str | None = None) -> Packets:
    """Read a file, `-` for the standard input, or the packets of the source. Raises PacketError."""
    shown = SOURCE.name if file is None else file
    try:
        data = _piped() if file == STDIN else _bytes(SOURCE if file is None else Path(file))
        if len(data) > SIZE_MAX:
            raise PacketError(shown, None, "", f"more than {SIZE_MAX >> 20} MB", "split it into several files")
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise PacketError(shown, None, "", str(error.strerror), "name a file that can be read") from None
    except UnicodeDecodeError as error:
        raise PacketError(shown, None, "", f"byte {error.start} is no UTF-8", "save it as UTF-8") from None
    except ValueError as error:
        if isinstance(error, PacketError):
            raise
        raise PacketError(shown, None, "", str(error), "name a file that can be read") from None
    return loads(text, shown)


def _piped() -> bytes:
    if sys.stdin is None:
        raise ValueError("the standard input is closed")
    return sys.stdin.buffer.read(SIZE_MAX + 1)


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(SIZE_MAX + 1)


def loads(text: str, file: str = "packets") -> Packets:
    """Read packets from a JSON text; `file` is how errors call it. Raises one PacketError with all that is wrong."""
    document = _document(text, file)
    top = _Place(file, text, (), document)
    reads = {"format": lambda place: place.one_of((FORMAT,)), "packets": _packets}
    return Packets(file, top.fields(reads)["packets"], digest(document))


def _packets(place: _Place) -> tuple[Packet, ...]:
    seen: set[str] = set()

    def read(one: _Place) -> Packet:
        packet = _packet(one)
        if packet.id in seen:
            one.below("id", packet.id).wrong(f"there are two packets named {_shown(packet.id)}", "name each once")
        seen.add(packet.id)
        return packet

    reads = {str(number): partial(read, one) for number, one in enumerate(place.items())}
    return tuple(all_read(PacketError, reads).values())


def digest(document: Any) -> str:
    """The sha256 of the canonical JSON: keys in order, no space, UTF-8. Layout does not change it."""
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def _document(text: str, file: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        twice = next((name for name in dict.fromkeys(names) if names.count(name) > 1), None)
        if twice is not None:
            raise PacketError(file, None, "", f"the key {_shown(twice)} occurs twice in one object", "keep one of them")
        return dict(pairs)

    def constant(name: str) -> NoReturn:
        raise PacketError(file, None, "", f"{name} is no JSON", "write an integer")

    try:
        found = json.loads(text, object_pairs_hook=once, parse_constant=constant)
        json.dumps(found, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise PacketError(file, error.lineno, "", f"no JSON: {error.msg}", "write one JSON object") from None
    except UnicodeEncodeError:
        raise PacketError(file, None, "", "half of a surrogate pair", "write the whole character") from None
    except RecursionError:
        raise PacketError(file, None, "", "nested too deeply", "write an object as the schema has it") from None
    except PacketError:
        raise
    except ValueError:
        raise PacketError(file, None, "", "a number has thousands of digits", "write a shorter one") from None
    return found


def _packet(place: _Place) -> Packet:
    place.expect(isinstance(place.value, dict), "an object")
    operation = place.value.get("operation")
    found = place.fields(
        {
            "id": _Place.text,
            "operation": lambda one: one.one_of(tuple(OPERATIONS)),
            "now_ms": _Place.number,
            "caller": _caller,
            "record": lambda one: None if one.value is None else _stored(one),
            "request": lambda one: _request(one, operation),
            "expected": lambda one: None if one.value is None else one.one_of(tuple(MEANINGS)),
        },
        ("record", "request", "expected"),
    )
    auth_key, capabilities = found["caller"]
    return Packet(
        found["id"],
        found["operation"],
        found["now_ms"],
        auth_key,
        capabilities,
        found["record"],
        found["request"],
        found["expected"],
    )


def _caller(place: _Place) -> tuple[str, list[str]]:
    found = place.fields({"auth_key": _Place.text, "capabilities": _capabilities})
    return found["auth_key"], found["capabilities"]


def _capabilities(place: _Place) -> list[str]:
    reads = {str(number): partial(one.one_of, CAPABILITIES) for number, one in enumerate(place.items())}
    return list(all_read(PacketError, reads).values())


def _stored(place: _Place) -> Stored:
    reads: dict[str, Callable[[_Place], Any]] = {
        "auth_key": _Place.text,
        "status": lambda one: one.one_of(tuple(records.TRANSITIONS)),
        "version": lambda one: one.number(least=1),
        "expires_at_ms": _Place.number,
        "idempotency_key": _Place.text_or_null,
        "request_digest": _Place.text_or_null,
    }
    return Stored(*place.fields(reads, ("idempotency_key", "request_digest")).values())


def _request(place: _Place, operation: Any) -> Request:
    if not isinstance(operation, str) or operation not in OPERATIONS:
        return Request()  # that the operation is none is told where it stands
    if operation == "transition":
        statuses = tuple(records.TRANSITIONS)
        found = place.fields({"status": lambda one: one.one_of(statuses), "expected_version": _Place.number})
        return Request(**found)
    if operation != "call":
        if place.value:
            place.fields({})
        place.expect(place.value is None or place.value == {}, "an empty object")
        return Request()
    reads: dict[str, Callable[[_Place], Any]] = {
        "tool_support": lambda one: one.one_of(_SUPPORT),
        "augmented": _Place.flag,
        "idempotency_key": _Place.text_or_null,
        "request_digest": _Place.text_or_null,
    }
    return Request(**place.fields(reads, ("idempotency_key", "request_digest")))


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_MAX else text[: _SHOWN_MAX - 3] + "..."


class _Place:
    """A value and where it stands."""

    def __init__(self, file: str, text: str, parts: tuple[str | int, ...], value: Any) -> None:
        self._file, self._text, self._parts, self.value = file, text, parts, value

    def wrong(self, what: str, instead: str) -> NoReturn:
        """Raise the error of this place."""
        raise self.error(what, instead)

    def error(self, what: str, instead: str) -> PacketError:
        """The error of this place."""
        # Lines are looked for only where there is something to complain about.
        parts, lines = self._parts, lines_of(self._text)
        line = next((found for n in range(len(parts), -1, -1) if (found := lines.get(pointer(*parts[:n])))), None)
        return PacketError(self._file, line, pointer(*parts) or "/", what, instead)

    def expect(self, fits: bool, words: str) -> None:  # noqa: FBT001 - reads as a sentence
        """Refuse a value of another kind."""
        if not fits:
            self.wrong(f"{_shown(self.value)} is not {words}", f"write {words}")

    def below(self, key: str | int, value: Any) -> _Place:
        """A part of this one."""
        return _Place(self._file, self._text, (*self._parts, key), value)

    def fields(self, reads: Mapping[str, Callable[[_Place], Any]], optional: Sequence[str] = ()) -> dict[str, Any]:
        """What is read of the fields of an object with these and no other; an absent optional one reads as null.

        They come in the order of `reads`. Raises one PacketError with all that is wrong in it.
        """
        self.expect(isinstance(self.value, dict), "an object")
        unknown = [name for name in self.value if name not in reads]
        meant = [instead(name, list(reads)) if reads else "leave it out" for name in unknown]
        wrong = [
            self.below(name, None).error("there is no such key", one) for name, one in zip(unknown, meant, strict=True)
        ]
        lacks = [name for name in reads if name not in optional and name not in self.value]
        wrong += [self.error(f"no {_shown(name)}", f"add it; the keys are {', '.join(reads)}") for name in lacks]
        there = {name: self.below(name, self.value.get(name)) for name in reads if name not in lacks}
        return all_read(PacketError, {name: partial(reads[name], one) for name, one in there.items()}, wrong)

    def items(self) -> list[_Place]:
        """The items of a list."""
        self.expect(isinstance(self.value, list), "a list")
        return [self.below(number, one) for number, one in enumerate(self.value)]

    def one_of(self, words: Sequence[str]) -> str:
        """One of some words."""
        if not isinstance(self.value, str) or self.value not in words:
            self.wrong(f"{_shown(self.value)} is not known here", instead(str(self.value), words))
        return self.value

    def text(self) -> str:
        """A text that is not empty."""
        self.expect(isinstance(self.value, str) and 0 < len(self.value) <= _TEXT_MAX, "a text that is not empty")
        return self.value

    def text_or_null(self) -> str | None:
        """A text that is not empty, or null."""
        return None if self.value is None else self.text()

    def flag(self) -> bool:
        """True or false."""
        self.expect(isinstance(self.value, bool), "true or false")
        return self.value

    def number(self, least: int = 0) -> int:
        """A whole number."""
        whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        self.expect(whole and least <= self.value <= NUMBER_MAX, f"a whole number from {least} to {NUMBER_MAX}")
        return self.value
