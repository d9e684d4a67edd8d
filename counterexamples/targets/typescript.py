"""The task store of the MCP TypeScript SDK 1.x behind its own server, with node's mock timers."""

from __future__ import annotations

from .program import Program


def mcp_typescript() -> Program:
    """The store in a node process of its own."""
    return Program(
        "mcp-typescript", "mcp-typescript", "typescript_store.mts", lambda environment: (str(environment.path),)
    )
