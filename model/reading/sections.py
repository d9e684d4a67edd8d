"""The four sections of a parsed TOML text, each key checked against the key table."""

import re
from collections.abc import Callable, Iterator
from typing import Final

import attrs

from latchcheck.naming import alternatives, instead, nearest

from ..config import SECTIONS, Origin
from ..keys import BY_SPELLING, TIMED, Key, find
from .errors import ConfigError, Faults, Where, shown, type_name
from .values import Spot, parse

_UNIT_SUFFIX: Final = re.compile(
    r"_(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|milliseconds|millis|msecs?)$"
)
_NUMBER_MAX: Final = 1_000_000
_UNIT_LETTER: Final = {"mil": "ms", "mse": "ms", "s": "s", "m": "m", "h": "h", "d": "d"}

_EVERYDAY: Final = {
    "backoff": "multiplier",
    "backoff_factor": "multiplier",
    "factor": "multiplier",
    "max_backoff": "max_delay",
    "max_interval": "max_delay",
    "heartbeat_timeout": "orphan_window",
    "silence": "orphan_window",
    "silence_timeout": "orphan_window",
    "retention": "enforced_ttl",
    "ttl": "enforced_ttl",
}
"""What people call a key, where the name is not like the key's."""


@attrs.frozen(slots=True)
class Given:
    """A value that somebody gave: of which key, read, and where it came from.

    `written` is false for what nobody wrote by hand (a preset, a task as a server returned it).
    """

    key: Key
    value: object
    where: Where
    origin: Origin

    @property
    def written(self) -> bool:
        """Whether a person wrote it for this configuration: in its file, or as an option."""
        return self.origin.kind in ("file", "set")


def sections(
    data: dict[str, object], where_of: Callable[[tuple[str, ...]], Where], origin_of: Callable[[Where], Origin]
) -> Iterator[Given]:
    """Yield every value of a document's sections, in their order; raise ConfigError at the end for all wrong ones."""
    faults = Faults()
    for section, table in data.items():
        found: list[Given] = []
        with faults.kept():
            if section not in SECTIONS:
                raise _unknown_section(section, table, where_of((section,)))
            if not isinstance(table, dict):
                raise _no_section(section, table, where_of((section,)))
            found = _values(section, table, where_of, origin_of, faults)
        yield from found
    faults.told()


def _values(
    section: str,
    table: dict[str, object],
    where_of: Callable[[tuple[str, ...]], Where],
    origin_of: Callable[[Where], Origin],
    faults: Faults,
) -> list[Given]:
    """The values of one section; the errors of the others are kept."""
    found: list[Given] = []
    seen: dict[str, Where] = {}
    for spelled, value in table.items():
        where = where_of((section, spelled))
        with faults.kept():
            key = BY_SPELLING.get((section, spelled)) or _unknown(section, spelled, value, where)
            if key.name in seen:
                raise given_twice(key, where, seen[key.name])
            seen[key.name] = where
            spot = Spot(key, spelled, where, _items(where, where_of, (section, spelled)))
            found.append(Given(key, _value(spot, value), where, origin_of(where)))
    return found


def _items(where: Where, where_of: Callable[[tuple[str, ...]], Where], path: tuple[str, ...]) -> Callable[[int], Where]:
    """Return what tells the place of an item: the line is its own, the key that of the list."""
    return lambda index: attrs.evolve(where, line=where_of((*path, f"[{index}]")).line or where.line)


def given_twice(key: Key, where: Where, first: Where) -> ConfigError:
    """Make the error for one key given twice, in two spellings or by two options."""
    before = f"line {first.line}" if first.line is not None and first.line != where.line else f"{first.file}"
    said = f"{first.file} says" if first.key is None else f"{first.key} says ({before})"
    return ConfigError(f"says again what {said}", where, f"keep one of the two: both are {key.path}")


def unknown(section: str, spelled: str, where: Where, value: object = None) -> ConfigError:
    """Make the error for a key that no section has under this name, with the nearest one that exists."""
    return ConfigError("there is no such key", where, _nearest(section, spelled, value))


def _value(spot: Spot, value: object) -> object:
    if isinstance(value, dict):
        example = "0" if spot.in_ms else "..."
        raise spot.error(
            value, "is a table, not a value", f"write {spot.spelled} = {example} below [{spot.key.section}]"
        )
    return parse(spot, value)


def _unknown(section: str, spelled: str, value: object, where: Where) -> Key:
    raise unknown(section, spelled, where, value)


def _nearest(section: str, spelled: str, value: object) -> str:
    plain = _snake(spelled)
    if (suffix := _UNIT_SUFFIX.search(plain)) and (key := BY_SPELLING.get((section, plain[: suffix.start()]))):
        return _with_unit(key, suffix.group(1), value)
    if (section, plain) in BY_SPELLING:
        return f'write "{plain}"'
    elsewhere = [key for key in (*find(spelled), *find(plain)) if key.section != section]
    if elsewhere:
        return f"it belongs in [{elsewhere[0].section}]"
    here = [name for of, name in BY_SPELLING if of == section]
    called = _EVERYDAY.get(plain)
    if called in here:
        return instead(called, [called])
    everywhere = {name: of for of, name in BY_SPELLING}
    if not nearest(plain, here) and (near := nearest(plain, everywhere)):
        return f"did you mean {alternatives([f'{everywhere[one]}.{one}' for one in near])}?"
    return instead(plain, here, "latchcheck list keys")


def _with_unit(key: Key, suffix: str, value: object) -> str:
    if key.kind not in TIMED:
        return f'write "{key.name}"'
    unit = _UNIT_LETTER.get(suffix[:3]) or _UNIT_LETTER[suffix[0]]
    number = value if type(value) is int and 0 <= value < _NUMBER_MAX else 15
    return f'the unit belongs to the value: {key.name} = "{number}{unit}"'


def _snake(spelled: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", spelled).replace("-", "_").lower()


def _unknown_section(section: str, table: object, where: Where) -> ConfigError:
    if not isinstance(table, dict) and not isinstance(table, list):
        keys = find(section) or find(_snake(section))
        home = f"[{keys[0].section}]" if keys else "[client], [server], [network] or [workload]"
        return ConfigError("stands outside of a section", where, f"put it below {home}")
    return ConfigError("there is no such section", where, instead(section, SECTIONS))


def _no_section(section: str, table: object, where: Where) -> ConfigError:
    if isinstance(table, list) and table and isinstance(table[0], dict):
        return ConfigError("is an array of tables", where, f"write [{section}], once, in single brackets")
    return ConfigError(
        f"{shown(table)} is {type_name(table)}, not a section", where, f"write [{section}] and its keys below it"
    )
