"""Keys and presets as rows of plain data: for `explain`, `list`, and the reference pages made from them."""

import difflib
from fractions import Fraction
from typing import Final

import attrs

from .config import UNLIMITED
from .keys import KEYS, TIMED, Key, find
from .presets import CONDITIONS, Preset, every
from .reading.durations import duration_text

TAKES: Final = {
    "duration": 'a duration, such as "15m"',
    "ttl": 'a duration, such as "15m", or "none"',
    "period": 'a duration, such as "30s", or "lazy"',
    "range": 'two durations, such as ["20ms", "2s"], or one',
    "open-range": 'two durations, such as ["1s", "5m"] or ["1s", "none"], or one',
    "ratios": "two numbers, such as [0.5, 1.0], or one",
    "factor": "a number, 1 or at least 1.01",
    "count": "a whole number",
    "flag": "true or false",
    "flag-or-duration": 'true, false, or a duration, such as "5s"',
}
"""What a key of each kind takes; the kinds that name their choices are not here."""


def key_rows() -> list[dict[str, object]]:
    """Return every key of the key table, in its order."""
    return [key_row(key) for key in KEYS]


def explained(name: str) -> list[dict[str, object]]:
    """Return the keys that `name` may mean, with or without section, in any spelling; none where it means none."""
    return [key_row(key) for key in find(name)]


def nearest_keys(name: str) -> list[str]:
    """Return the keys whose names are most like `name`, at most three, the nearest first."""
    by_name = {key.name: key.path for key in reversed(KEYS)} | {key.path: key.path for key in KEYS}
    near = difflib.get_close_matches(name, by_name, n=3)
    return list(dict.fromkeys(by_name[one] for one in near))


def key_row(key: Key) -> dict[str, object]:
    """Return all that is known of a key, fit for JSON."""
    return {
        "key": key.path,
        "section": key.section,
        "name": key.name,
        "meaning": key.meaning,
        "takes": takes(key),
        "unit": key.unit,
        "spellings": list(key.spellings),
        "wire": list(key.wire),
        "default": default_text(key),
        "assumed": key.assumed,
        "why": key.why,
        "properties": list(key.properties),
        "source": key.source,
    }


def takes(key: Key) -> str:
    """Say what a file may write for a key."""
    choices = ", ".join(f'"{choice}"' for choice in key.choices)
    return TAKES.get(key.kind) or {"choice": "one of ", "order": "all of ", "set": "any of "}[key.kind] + choices


def default_text(key: Key) -> str:
    """Write the default of a key as a file would; "none" is absence."""
    return _value_text(key.default, timed=key.kind in TIMED)


def preset_rows() -> list[dict[str, object]]:
    """Return every preset, the clients in order, then the servers."""
    return [preset_row(preset) for preset in every()]


def preset_row(preset: Preset) -> dict[str, object]:
    """Return all that is known of a preset, fit for JSON: values as a file would write them, by key."""
    row = attrs.asdict(preset)
    row["wire"], row["notes"] = list(preset.wire), list(preset.notes)
    row["when"] = [
        {"condition": CONDITIONS[when.condition], "values": attrs.asdict(when)["values"]} for when in preset.when
    ]
    return row


def _value_text(value: object, *, timed: bool) -> str:
    if value is None or value is UNLIMITED:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(_value_text(item, timed=timed) for item in value) + "]"
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, int):
        return duration_text(value) if timed else str(value)
    return str(value)
