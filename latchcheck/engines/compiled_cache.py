"""Keeps compiled searches on disk, so that the next process starts within a fraction of a second.

A search is a Python module named after its own source; numba keeps machine code beside it. Whatever would make the
code another one (the source, numba, Python) makes another file name, so nothing here ever grows stale.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from latchcheck.kernel.compiling import define

_STAMP = 1_000_000_000  # numba compares the time of the source file; two processes that write it must agree


def folder() -> Path:
    """Where searches are kept: LATCHCHECK_CACHE, else XDG_CACHE_HOME/latchcheck, else ~/.cache/latchcheck."""
    named = os.environ.get("LATCHCHECK_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "latchcheck"


def _runtime() -> str:
    """The text of what searches call: another one must not meet code compiled with it."""
    return Path(__file__).with_name("numba_runtime.py").read_text(encoding="utf-8")


def name_of(text: str, version: str) -> str:
    """The name of the module for a source, given numba's version."""
    digest = hashlib.sha256()
    for part in (text, _runtime(), version, sys.version):
        digest.update(part.encode())
        digest.update(b"\0")
    return f"search_{digest.hexdigest()[:24]}"


def is_warm(name: str) -> bool:
    """Whether machine code for a module is on disk."""
    return any((folder() / "__pycache__").glob(f"{name}.*.nbc"))


def load(name: str, text: str) -> Callable[..., Any]:
    """The function `search` of a source, compiled at its first call unless the disk has it."""
    path = _kept(name, text)
    if path is None:
        return define("search", text.replace("cache=True", "cache=False").splitlines(), {})
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # numba looks the module of a cached function up by its name
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)  # noqa: S102 - written here
    return module.__dict__["search"]


def _kept(name: str, text: str) -> Path | None:
    """The file that holds the source, written if need be; None where nothing can be written or it is not ours."""
    try:
        home = folder()
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid") and home.stat().st_uid != os.getuid():
            return None
        path = home / f"{name}.py"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            with tempfile.NamedTemporaryFile("w", dir=home, suffix=".tmp", delete=False, encoding="utf-8") as file:
                file.write(text)
            os.utime(file.name, (_STAMP, _STAMP))
            Path(file.name).replace(path)
    except OSError:
        return None
    return path
