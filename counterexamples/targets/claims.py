"""Folders that are under way: made beside their place, renamed when they are whole, and nobody's once their maker ends.

Who makes one holds a lock on a file in it, which the system lets go of however that process ends.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final

from . import leftovers

LOCK: Final = ".latchcheck-lock"
YOUNG_S: Final = 60.0
"""A folder without a lock may be a moment away from having one, or from its place."""


class Claim:
    """A new folder beside a place, as a context; gone at its end, unless it was renamed. Raises OSError."""

    def __init__(self, place: Path) -> None:
        self._folder = leftovers.new_folder(f".{place.name}-", place.parent)
        self._lock = os.open(self._folder / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        _locked(self._lock)

    def __enter__(self) -> Path:
        return self._folder

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._lock)
        leftovers.remove_folder(self._folder)


def released(folder: Path) -> None:
    """Take the lock out of a folder that is whole, before it is renamed."""
    (folder / LOCK).unlink(missing_ok=True)


def tidy(parent: Path, names: Iterable[str]) -> list[Path]:
    """Remove the folders under way, of places of these names, whose maker has ended; what was removed."""
    ours = re.compile(rf"\.({'|'.join(map(re.escape, names))})-[0-9a-f]{{8}}-.+")
    removed = []
    with suppress(OSError):
        for folder in [one for one in parent.iterdir() if ours.fullmatch(one.name) and one.is_dir()]:
            if _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)
                removed.append(folder)
    return removed


def _is_abandoned(folder: Path) -> bool:
    try:
        lock = os.open(folder / LOCK, os.O_RDWR)
    except FileNotFoundError:
        with suppress(OSError):
            return time.time() - folder.stat().st_mtime > YOUNG_S
        return False
    except OSError:  # somebody else's
        return False
    try:
        return _locked(lock)
    finally:
        os.close(lock)


def _locked(lock: int) -> bool:
    """Whether this process has the lock now; where the system has no such locks nobody's ever is."""
    try:
        import fcntl
    except ImportError:
        return False
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
