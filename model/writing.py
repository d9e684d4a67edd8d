"""A configuration written as a file that reads back as the same numbers, whatever they came from.

Only what differs from the default is written: a key that is not there says the same, with its assumption.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from .config import UNLIMITED, Config, Origin
from .keys import KEYS, TIMED, Key
from .reading.durations import duration_text


def config_text(config: Config, before: Mapping[str, object] | None = None, head: str = "") -> str:
    """The TOML text of a configuration.

    `before` has the values that were changed, by flat name as `Config.flat` has them: each is told in a comment.
    `head` is told in comments at the top.
    """
    before = before or {}
    lines = [f"# {line}".rstrip() for line in head.splitlines()]
    for section, keys in groupby(KEYS, key=lambda key: key.section):
        written = [_line(config, key, before) for key in keys if _needs_writing(config, key, before)]
        if written:
            lines += ["", f"[{section}]", *written]
    return "\n".join(lines).lstrip("\n") + "\n"


def _needs_writing(config: Config, key: Key, before: Mapping[str, object]) -> bool:
    value = config.value(key.flat)
    if key.flat == "client.ttl_mode" and config.advertised_ttl_ms_effective is None:
        return False  # there is no ttl to act on, and a file that says so is refused
    return key.flat in before or value != key.default or (value is True) != (key.default is True)


def _line(config: Config, key: Key, before: Mapping[str, object]) -> str:
    line = f"{key.name} = {_value(key, config.value(key.flat))}"
    if key.flat in before:
        old = Config().replace({key.flat: before[key.flat]}).value(key.flat)
        return f"{line}  # was {_value(key, old)}"
    origin = config.origin(key.flat)
    return line if origin.kind != "preset" else f"{line}  # {_preset(origin)}"


def _preset(origin: Origin) -> str:
    return "preset " + " ".join(origin.where.split())


def _value(key: Key, value: object) -> str:
    if value is None or value is UNLIMITED:
        return '"none"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(_value(key, item) for item in value) + "]"
    if isinstance(value, str):
        return f'"{value}"'
    if key.kind in TIMED and isinstance(value, int):
        return f'"{duration_text(value)}"'
    flat = Config().replace({key.flat: [value, value] if key.kind == "ratios" else value}).flat()[key.flat]
    return str(flat[0] if isinstance(flat, list) else flat)
