"""The MCP Python SDK 1.x with its experimental tasks, as a server over streamable HTTP."""

from __future__ import annotations

from typing import Final

from .protocol import Clock, Table
from .served import Product, Served

TABLE: Final = Table(
    events=frozenset(
        {"create", "dispatch", "worker_write", "cancel", "get", "list", "advance_clock", "restart_server"}
    ),
    clock=Clock("real", granularity_ms=500),
    fuses=True,
    workers=1,
    tenants=2,
    windows=frozenset({"ttl"}),
    reaps_itself=True,
    eras=("2025-11-25",),
    cannot_observe=("versions of a record", "when a record is written: only what tasks/get tells of it"),
)
PRODUCT: Final = Product("mcp-python", "mcp_python_server.py", TABLE, path="/mcp/")


def mcp_python_http() -> Served:
    """Its two principals are two sessions, by which it tells callers apart."""
    return Served("mcp-python-http", PRODUCT)
