"""`--set section.key=value`: the same keys and values as in a file, one at a time."""

import tomllib
from collections.abc import Iterator, Sequence
from typing import Final

from ..config import SECTIONS, Origin
from ..keys import BY_SPELLING, Key, find
from .errors import ConfigError, Faults, Where
from .sections import Given, given_twice, unknown
from .toml import decimal
from .values import Spot, parse

_SHOWN_LENGTH: Final = 80


def given_by_options(assignments: Sequence[str]) -> Iterator[Given]:
    """Yield the value of each `section.key=value`; raise ConfigError at the end for all wrong ones.

    A value is read as TOML where it is TOML; otherwise it is a text, so that quotes may be left out.
    """
    faults = Faults()
    seen: dict[str, Where] = {}
    found: list[Given] = []
    for assignment in assignments:
        with faults.kept():
            found.append(assigned(assignment, seen))
    yield from found
    faults.told()


def place_of(option: str, text: str) -> Where:
    """The place of what stands in an option, cut where it is long."""
    return Where(f"{option} {text}" if len(text) <= _SHOWN_LENGTH else f"{option} {text[:_SHOWN_LENGTH]}...")


def assigned(assignment: str, seen: dict[str, Where], option: str = "--set") -> Given:
    """The value of one assignment; `seen` has the place of each key that was given before it, and gets this one.

    `option` is where it stands. Raises ConfigError.
    """
    path, sign, text = (part.strip() for part in assignment.partition("="))
    where = place_of(option, assignment)
    if not sign or not path:
        raise ConfigError("assigns nothing", where, "write section.key=value, such as server.orphan_window=15m")
    section, spelled = _split(path, where)
    key = BY_SPELLING.get((section, spelled))
    if key is not None and not text:
        raise ConfigError("has no value", where, _example(key, path))
    if key is None:
        raise unknown(section, spelled, where, _value(text))
    if key.flat in seen:
        raise given_twice(key, where, seen[key.flat])
    seen[key.flat] = where
    return Given(key, parse(Spot(key, spelled, where), _value(text)), where, Origin("set", where.file))


def _example(key: Key, path: str) -> str:
    """Say what to write where nothing is written; a shell takes the brackets of a list without quotes for a pattern."""
    if key.kind in ("choice", "flag"):
        return f"write {path}={' or '.join(key.choices or ('true', 'false'))}"
    if key.kind in ("order", "set"):
        empty = f", or '{path}=[]' for none" if key.kind == "set" else ""
        return f"write '{path}=[{','.join(key.choices)}]'{empty}"
    example = {"factor": "1.6", "count": str(max(key.least, 1)), "ratios": "1"}.get(key.kind, "15m")
    return f"write {path}={example}, or {path}=none where there is none"


def _split(path: str, where: Where) -> tuple[str, str]:
    section, dot, spelled = path.partition(".")
    if dot and section in SECTIONS:
        return section, spelled
    keys = find(spelled if dot else path)
    home = keys[0].section if keys else None
    if home is not None:
        name = spelled if dot else path
        wrong = f'there is no section "{section}"' if dot else "names no section"
        raise ConfigError(wrong, where, f"write {home}.{name}=...")
    wrong = f'there is no section "{section}"' if dot else "names no section"
    raise ConfigError(wrong, where, "write section.key=value; the sections are " + ", ".join(SECTIONS))


def _value(text: str) -> object:
    if not text:
        return text
    try:
        parsed = tomllib.loads(f"value = {text}", parse_float=decimal)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return _unquoted(text)
    return parsed["value"] if list(parsed) == ["value"] else text


def _unquoted(text: str) -> object:
    if text.startswith("[") and text.endswith("]"):
        return (
            [_value(item.strip()) for item in text[1:-1].split(",") if item.strip()] if text.count("[") == 1 else text
        )
    return text
