"""Compiles a generated search with LLVM and keeps the machine code on disk, so that the next process starts at once.

A file is named after all that would make it another one: the source, this compiler, LLVM, the processor. Nothing here
grows stale. Each begins with a digest of the rest: a file that a full disk cut off or a fault of it changed is compiled
again, as damaged code would take the process with it.
"""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import os
import sys
import tempfile
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import attrs

from . import machine

_HUGE_BYTES = 4 << 20  # from here on large pages save the processor half of its look-ups of addresses
_DIGEST_BYTES = hashlib.sha256().digest_size
_FLAGS = ("MAP_PRIVATE", "MAP_ANONYMOUS", "MAP_NORESERVE")


class Memory:
    """Zeroed memory for so many numbers, taken from the machine only where it is written to; else MemoryError."""

    __slots__ = ("_map", "address", "numbers")

    def __init__(self, count: int, kind: str = "q") -> None:
        size = max(mmap.PAGESIZE, count * struct_size(kind))
        flags = [getattr(mmap, name) for name in _FLAGS if hasattr(mmap, name)]
        try:
            self._map = mmap.mmap(-1, size, flags=sum(flags)) if flags else mmap.mmap(-1, size)
        except OSError as error:  # a limit on the addresses of a process, or a machine that promises only what it has
            raise MemoryError(str(error)) from error
        if size >= _HUGE_BYTES and hasattr(mmap, "MADV_HUGEPAGE"):
            with suppress(OSError):  # a kernel without large pages is only slower
                self._map.madvise(mmap.MADV_HUGEPAGE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self.numbers = memoryview(self._map).cast(kind)  # type: ignore[call-overload]

    @classmethod
    def of(cls, numbers: Sequence[int]) -> Memory:
        """Memory that holds these numbers."""
        found = cls(len(numbers))
        found.numbers[: len(numbers)] = array("q", numbers)
        return found

    def fill(self, byte: int) -> None:
        """Set every byte."""
        ctypes.memset(self.address, byte, len(self._map))


def struct_size(kind: str) -> int:
    """The bytes of one number: "q" is of 64 bits, "I" of 32, "B" of 8."""
    return {"q": 8, "I": 4, "B": 1}[kind]


@attrs.frozen
class Code:
    """The functions of a source, called with Memory and ints; `keep` holds what they live in."""

    search: Callable[..., int]
    refill: Callable[..., int]
    keep: Any = attrs.field(default=None, repr=False)


def available() -> bool:
    """Whether llvmlite is installed, on a machine that stores the lowest byte first, as rows of states are written."""
    return sys.byteorder == "little" and find_spec("llvmlite") is not None


def folder() -> Path | None:
    """Where machine code is kept: LATCHCHECK_CACHE, else XDG_CACHE_HOME/latchcheck, else ~/.cache/latchcheck.

    None where there is no such place: a user without a home, as in a container that is run under any number.
    """
    named = os.environ.get("LATCHCHECK_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if Path(base).is_absolute():  # the XDG specification: a relative one is to be ignored
        return Path(base) / "latchcheck"
    try:
        return Path.home() / ".cache" / "latchcheck"
    except RuntimeError:
        return None


class Compiler:
    """LLVM for the processor at hand."""

    def __init__(self) -> None:
        import llvmlite
        from llvmlite import binding

        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        self._llvm = binding
        self._cpu, self._features = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
        self._versions = f"{llvmlite.__version__} {binding.llvm_version_info}"

    def path(self, text: str) -> Path | None:
        """The file that holds the machine code of a source, or would; None where there is no place for any."""
        home = folder()
        if home is None:
            return None
        digest = hashlib.sha256()
        itself = Path(machine.__file__).read_text(encoding="utf-8")
        for part in (text, itself, self._versions, self._cpu, self._features):
            digest.update(part.encode())
            digest.update(b"\0")
        return home / f"search-{digest.hexdigest()[:32]}.o"

    def is_kept(self, text: str) -> bool:
        """Whether the disk has the machine code of a source, as far as it can be seen without reading it."""
        path = self.path(text)
        with suppress(OSError):  # a folder that may not be entered, a name that is too long
            return path is not None and path.is_file()
        return False

    def load(self, text: str) -> Code:
        """The functions of a source, from the disk or compiled."""
        llvm = self._llvm
        path = self.path(text)
        kept = None if path is None else _read(path)
        target = llvm.Target.from_default_triple().create_target_machine(
            cpu=self._cpu, features=self._features, opt=2, jit=True
        )
        if kept is None:
            kept = self._compiled(text, target)
            if path is not None:
                _write(path, kept)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
        engine.add_object_file(llvm.ObjectFileRef.from_data(kept))
        engine.finalize_object()
        found = [_function(engine.get_function_address(name)) for name in ("search", "refill")]
        # The engine reads the bytes where they are; a tuple lets go of its last part first.
        return Code(found[0], found[1], (kept, engine))

    def _compiled(self, text: str, target: Any) -> bytes:
        llvm = self._llvm
        module = llvm.parse_assembly(machine.translate(text))
        module.verify()
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        passes = llvm.create_pass_builder(target, options)
        passes.getModulePassManager().run(module, passes)
        return target.emit_object(module)


def _function(address: int) -> Callable[..., int]:
    def call(*given: Memory | int) -> int:
        values = [one.address if isinstance(one, Memory) else int(one) for one in given]
        # Addresses and numbers are of one size, and so are all parameters.
        return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * len(values))(address)(*values)

    return call


def _ours(home: Path) -> bool:
    """Whether nobody else can have put machine code there."""
    if not hasattr(os, "getuid"):
        return True
    about = home.stat()
    return about.st_uid == os.getuid() and not about.st_mode & 0o022


def _read(path: Path) -> bytes | None:
    """The machine code of a file; None where there is none that can be trusted."""
    try:
        content = path.read_bytes() if _ours(path.parent) else b""
    except OSError:
        return None
    digest, code = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    return code if digest == hashlib.sha256(code).digest() else None


def _write(path: Path, code: bytes) -> None:
    """Keep machine code; where that cannot be, the next process compiles again."""
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _ours(path.parent):
            return
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
            try:
                file.write(hashlib.sha256(code).digest() + code)
                file.flush()
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
