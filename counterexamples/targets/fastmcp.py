"""FastMCP's background tasks, versions 4 and 3: in process, over HTTP with tasks in memory, and with Redis.

The records and the cancel marker of version 4 have one life, which no public setting changes; the program here
shortens it where a fixture lets the marker end. Redis counts it in whole seconds.
"""

from __future__ import annotations

from typing import Final

import attrs

from .program import Program
from .protocol import Clock, Table
from .served import Product, Served

TABLE_4: Final = Table(
    events=frozenset(
        {"create", "dispatch", "worker_write", "cancel", "get", "update", "advance_clock", "restart_server"}
    ),
    clock=Clock("real", granularity_ms=1000),
    fuses=True,
    workers=1,
    tenants=2,
    negotiates=True,
    inputs=True,
    windows=frozenset({"marker"}),
    marker_is_life=True,
    shows=frozenset({"asks", "work"}),
    eras=("2026-07-28",),
    cannot_observe=(
        "versions of a record",
        "when a record is written: only what tasks/get tells of it",
        "leases: a killed worker's work is delivered again after 300 s",
    ),
)
FASTMCP_4: Final = Product("fastmcp", "fastmcp_server.py", TABLE_4, life=True, tokens=True)

TABLE_3: Final = attrs.evolve(
    TABLE_4,
    events=TABLE_4.events - {"advance_clock", "update"},
    windows=frozenset(),
    marker_is_life=False,
    negotiates=False,
    inputs=False,
    shows=frozenset(),
    eras=("2025-11-25",),
)
FASTMCP_3: Final = Product("fastmcp3", "fastmcp_server.py", TABLE_3, tokens=True)


def fastmcp() -> Program:
    """FastMCP 4 in one process with its worker and its client, its tasks in memory."""
    return Program("fastmcp", "fastmcp", "fastmcp_store.py")


def fastmcp_http() -> Served:
    """FastMCP 4 over HTTP, its tasks in memory."""
    return Served("fastmcp-http", FASTMCP_4)


def fastmcp_redis() -> Served:
    """FastMCP 4 over HTTP, its tasks in Redis."""
    return Served("fastmcp-redis", attrs.evolve(FASTMCP_4, redis=True))


def fastmcp3() -> Served:
    """FastMCP 3 over HTTP, its tasks in memory."""
    return Served("fastmcp3", FASTMCP_3)
