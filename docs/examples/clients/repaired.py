"""The handle store of the how-to as a client that counterexamples are tried on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "how-to"))

from handle_store import HandleStore, UnknownTask, reconcile, run

__all__ = ["UnknownTask", "life", "view"]


def life(
    path: str,
    server: Any,
    key: str,
    tool: str,
    args: dict[str, Any],
    *,
    ask: Callable[[str], None],
    wait: Callable[[float], None],
) -> tuple[str, Any]:
    """Open the store, carry on with what is not over, and make the call."""
    store = HandleStore(path)
    try:
        reconcile(store, lambda _: server, ask=ask, wait=wait)
        return run(store, server, key, "reports", tool, args, ask=ask, wait=wait)
    finally:
        store.db.close()


def view(path: str, key: str) -> str:
    """The status that is stored."""
    store = HandleStore(path)
    try:
        return store.row(key)[1]
    finally:
        store.db.close()
