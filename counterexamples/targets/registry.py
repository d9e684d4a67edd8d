"""Targets by name. A target's module is imported when the target is asked for, as most need something extra."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Final

from latchcheck.naming import instead, nearest

from ...model.spelling import SpellingError
from .checked import made
from .protocol import Target

# name: (module of this package, attribute). A name that ends in a colon takes what follows it as an argument.
TARGETS: Final[dict[str, tuple[str, str]]] = {
    "model": (".model", "ModelTarget"),
    "sqlite": (".sqlite", "Sqlite"),
    "sqlite-naive": (".sqlite", "NaiveSqlite"),
    "postgres": (".postgres", "Postgres"),
    "postgres-naive": (".postgres", "NaivePostgres"),
    "postgres-standby": (".postgres_standby", "OnStandby"),
    "postgres-standby-early": (".postgres_standby", "Early"),
    "postgres-standby-naive": (".postgres_standby", "NaiveOnStandby"),
    "mcp-python": (".mcp_python", "mcp_python"),
    "mcp-python-http": (".mcp_python_http", "mcp_python_http"),
    "fastmcp": (".fastmcp", "fastmcp"),
    "fastmcp-http": (".fastmcp", "fastmcp_http"),
    "fastmcp-redis": (".fastmcp", "fastmcp_redis"),
    "fastmcp3": (".fastmcp", "fastmcp3"),
    "mcp-typescript": (".typescript", "mcp_typescript"),
    "mcp:": (".live.target", "LiveTarget"),
    "driver:": (".driver", "Driver"),
    "client:": (".client", "ClientTarget"),
}
MEANINGS: Final[dict[str, str]] = {
    "model": "the guarded model itself",
    "sqlite": "a compare-and-swap store with an outbox, in a SQLite file",
    "sqlite-naive": "read, then write: the store that loses races, in a SQLite file",
    "postgres": "a compare-and-swap store with an outbox, in PostgreSQL",
    "postgres-naive": "read, then write: the store that loses races, in PostgreSQL",
    "postgres-standby": "written on a PostgreSQL primary, read on a standby that lags",
    "postgres-standby-early": "the same, where a create is answered before the standby has it",
    "postgres-standby-naive": "the same, where writes are judged by what the standby has",
    "mcp-python": "the MCP Python SDK 1.30.0: its experimental task store in process",
    "mcp-python-http": "the MCP Python SDK 1.30.0, its experimental tasks over HTTP",
    "fastmcp": "FastMCP 4 (fastmcp-tasks 4.1.4) in process, tasks in memory",
    "fastmcp-http": "FastMCP 4 (fastmcp-tasks 4.1.4) over HTTP, tasks in memory",
    "fastmcp-redis": "FastMCP 4 (fastmcp-tasks 4.1.4) over HTTP, tasks in Redis",
    "fastmcp3": "FastMCP 3.4.11 over HTTP, tasks in memory",
    "mcp-typescript": "the MCP TypeScript SDK 1.32.2: its experimental task store in process",
    "mcp:": "a live server: mcp:URL#tool=NAME&args=JSON",
    "driver:": "a program that speaks JSON lines: driver:CMD",
    "client:": "a client, to which a server is played: client:FILE.py",
}
_ID: Final = re.compile(r"[\w.-]+")
_registered: dict[str, Callable[[], Target]] = {}


class UnknownTarget(SpellingError):
    """There is no target of that name; the text says what there is."""


def names() -> list[str]:
    """The names of all targets, those that take an argument with their colon, registered ones last."""
    return [*TARGETS, *_registered]


def meaning(name: str) -> str:
    """What a target is, in a few words."""
    return MEANINGS.get(name, "registered by a program")


def register(name: str, make: Callable[[], Target]) -> None:
    """Add a target of one's own, from a program or a `conftest.py`; the last one of a name counts."""
    if not name or ":" in name or name in TARGETS:
        raise UnknownTarget(f"{name!r} cannot be the name of a target", "take one without a colon that is not yet used")
    _registered[name] = make


def target(name: str) -> Target:
    """The target of that name. Raises UnknownTarget; starts nothing."""
    if name in _registered:
        return made(name, _registered[name])
    head, colon, argument = name.partition(":")
    key = head + colon
    if key not in TARGETS:
        meant = instead(name, names(), "latchcheck targets list")
        if _ID.fullmatch(name) and not nearest(name, names()):
            # Where pytest asks, the hook was not found; where it does not, it is not asked at all.
            meant += "; the hook pytest_latchcheck_targets of a conftest.py makes one known, and to pytest only: "
            meant += f"pytest --latchcheck-target {name}"
        raise UnknownTarget(f"target: there is no {name!r}", meant)
    if colon and not argument:
        raise UnknownTarget(f"target: {name!r} names nothing", "write what it is after the colon, as in driver:./store")
    module, attribute = TARGETS[key]
    make = getattr(import_module(module, __package__), attribute)
    return make(argument) if colon else make()
