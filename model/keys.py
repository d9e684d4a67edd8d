"""The key table: every key of a configuration, and all that is to be known about it.

Reading, `--set`, `explain`, `list keys` and the reference page are driven by this table.
A default is the weakest honest assumption: `assumed` is the sentence that a verdict prints when a key is
absent, `why` the reason for it.
"""

from collections.abc import Iterable
from typing import Final, Literal

import attrs

from .config import Client, Network, Server, Workload
from .keys_client import ROWS as CLIENT_ROWS
from .keys_read import PROPERTIES
from .keys_server import ROWS as SERVER_ROWS
from .keys_world import ROWS as WORLD_ROWS

Kind = Literal[
    "duration",  # "15m"; integer milliseconds
    "ttl",  # a duration, or "none" for an explicit "never"
    "period",  # a duration, or "lazy"
    "range",  # ["1s", "5s"], or one duration for both ends
    "open-range",  # a range whose upper end may be "none"
    "ratios",  # [0.5, 1.0], or one number for both ends
    "factor",  # 1.6
    "count",  # 5
    "flag",  # true
    "choice",  # one of `choices`
    "order",  # all of `choices`, in some order
    "set",  # any of `choices`
    "flag-or-duration",  # true, false, or a duration
]

TIMED: Final = frozenset({"duration", "ttl", "period", "range", "open-range", "flag-or-duration"})
"""Kinds whose numbers are milliseconds: a file may write their key with `_ms` and integers."""

RECORDS: Final[dict[str, type[Client | Server | Network | Workload]]] = {
    "client": Client,
    "server": Server,
    "network": Network,
    "workload": Workload,
}

_UNITS: Final = {
    "ratios": "times the nominal delay",
    "factor": "a factor",
    "count": "a count",
}


@attrs.frozen(slots=True, kw_only=True)
class Key:
    """One key: `section.name`, what it may hold, what it means, and what its absence means.

    `wire` names what the protocol calls it, in milliseconds; `least` is the smallest count allowed, `most` the largest,
    and `beyond` says what to write instead of more.
    `source` is the place in docs/reference/semantics.md, or says that the key is this project's own.
    """

    section: str
    name: str
    kind: Kind
    meaning: str
    assumed: str
    why: str
    source: str
    choices: tuple[str, ...] = ()
    wire: tuple[str, ...] = ()
    least: int = 0
    most: int = 1_000_000
    beyond: str = 'write "none" where there is no such limit'

    @property
    def path(self) -> str:
        """The key as a file spells it, with its section: `server.orphan_window`."""
        return f"{self.section}.{self.name}"

    @property
    def field(self) -> str:
        """The field of the record that holds it: `orphan_window_ms`."""
        return f"{self.name}_ms" if self.kind in TIMED and self.kind != "flag-or-duration" else self.name

    @property
    def flat(self) -> str:
        """The name in verdicts and in `Config.flat`: `server.orphan_window_ms`."""
        return f"{self.section}.{self.field}"

    @property
    def unit(self) -> str:
        """What the number counts."""
        return "milliseconds once read" if self.kind in TIMED else _UNITS.get(self.kind, "none")

    @property
    def properties(self) -> tuple[str, ...]:
        """The timing properties whose verdict another value can change, in the order of their catalogue."""
        return PROPERTIES[self.path]

    @property
    def default(self) -> object:
        """The value that the record holds when nothing is said."""
        return getattr(RECORDS[self.section](), self.field)

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every way to write the key in its section: by name, in milliseconds, as on the wire."""
        return (self.name, *((f"{self.name}_ms",) if self.kind in TIMED else ()), *self.wire)


def _keys(section: str, rows: Iterable[dict[str, object]]) -> tuple[Key, ...]:
    return tuple(Key(section=section, **row) for row in rows)  # pyright: ignore[reportArgumentType]


KEYS: Final = (
    *_keys("client", CLIENT_ROWS),
    *_keys("server", SERVER_ROWS),
    *(key for section, rows in WORLD_ROWS.items() for key in _keys(section, rows)),
)
BY_FLAT: Final = {key.flat: key for key in KEYS}
BY_SPELLING: Final = {(key.section, spelling): key for key in KEYS for spelling in key.spellings}


def find(name: str) -> tuple[Key, ...]:
    """Return the keys that a person may mean by `name`: with or without its section, in any spelling."""
    section, _, spelling = name.rpartition(".")
    return tuple(
        dict.fromkeys(key for (of, spelled), key in BY_SPELLING.items() if spelled == spelling and section in ("", of))
    )


def assumption(flat: str) -> str:
    """Return the sentence that says what is assumed while the value of this flat name is its default."""
    return BY_FLAT[flat].assumed
