"""The task store of the MCP Python SDK 1.x, in process, with an injected clock."""

from __future__ import annotations

from .program import Program


def mcp_python() -> Program:
    """The store in a process of its own."""
    return Program("mcp-python", "mcp-python", "mcp_python_store.py")
