"""The task store of the MCP Python SDK 1.x, in process, with an injected clock."""

from __future__ import annotations

from typing import Final

from .program import Program
from .protocol import Clock, Table

TABLE: Final = Table(
    events=frozenset(
        {"create", "dispatch", "worker_write", "cancel", "get", "advance_clock", "reap", "restart_server"}
    ),
    clock=Clock("injected"),
    workers=2,
    statuses=frozenset({"completed", "failed", "cancelled"}),
    windows=frozenset({"ttl"}),
    reaps_itself=True,
    eras=("2025-11-25",),
    cannot_observe=("versions of a record: it has none", "principals: the store knows none, the server above it does"),
)


def mcp_python() -> Program:
    """The store in a process of its own."""
    return Program("mcp-python", "mcp_python_store.py", TABLE, lambda _: ())
