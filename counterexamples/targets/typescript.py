"""The task store of the MCP TypeScript SDK 1.x behind its own server, with node's mock timers."""

from __future__ import annotations

from typing import Final

from .program import Program
from .protocol import Clock, Table

TABLE: Final = Table(
    events=frozenset(
        {"create", "dispatch", "worker_write", "cancel", "get", "list", "advance_clock", "reap", "restart_server"}
    ),
    clock=Clock("injected"),
    workers=2,
    tenants=2,
    statuses=frozenset({"completed", "failed", "cancelled"}),
    windows=frozenset({"ttl"}),
    reaps_itself=True,
    eras=("2025-11-25",),
    cannot_observe=("versions of a record: it has none",),
)


def mcp_typescript() -> Program:
    """The store in a node process of its own."""
    return Program("mcp-typescript", "typescript_store.mjs", TABLE, lambda environment: (str(environment.path),))
