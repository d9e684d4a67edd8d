"""The lines of a log as they lie in a file or come through a pipe: bounded in length, and perhaps still being written.

What was there when the reading began is read, and no more: a log may grow faster than it is judged.
A last line that is cut off is no error then, it is left out, and said to be.
"""

from __future__ import annotations

import gzip
import json
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Final, Protocol, cast

from ...model.spelling import SpellingError

LINE_BYTES_MAX: Final = 32 * 1024 * 1024
STDIN: Final = "-"
_GZIP: Final = b"\x1f\x8b"
_MARK: Final = b"\xef\xbb\xbf"
_COMPRESSED: Final = {b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ": "xz", b"BZh": "bzip2"}
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")


class LogError(SpellingError):
    """A log, or a line of it, that cannot be read: what, where, and what to write instead."""


class _Source(Protocol):
    def readline(self, size: int = -1, /) -> bytes: ...


class Lines:
    """The lines of one log, read once. Raises LogError.

    `unfinished`, after the last of them: it was cut off, and is left out.
    """

    def __init__(self, source: _Source, name: str, left: int | None = None) -> None:
        self._source, self._name, self._left = source, name, left
        self.unfinished = False

    def __iter__(self) -> Iterator[str]:
        number = 0
        while line := self._next(number + 1):
            number += 1
            if number == 1:
                line = line.removeprefix(_MARK)
            text = line.decode("utf-8", "backslashreplace")
            if not line.endswith(b"\n") and _is_cut(text):
                self.unfinished = True
                return
            yield text

    def _next(self, number: int) -> bytes:
        limit = LINE_BYTES_MAX if self._left is None else min(LINE_BYTES_MAX, self._left)
        try:
            line = self._source.readline(limit) if limit else b""
        except EOFError:  # a compressed file that is being written has no end yet
            self.unfinished = True
            return b""
        except (gzip.BadGzipFile, zlib.error) as error:
            raise LogError(f"{self._name}: is damaged after line {number - 1}: {error}", "compress it again") from None
        if len(line) == LINE_BYTES_MAX and not line.endswith(b"\n"):
            what = f"{self._name}:{number}: is longer than {LINE_BYTES_MAX // 1024**2} MiB"
            raise LogError(what, "write one JSON object a line")
        if self._left is not None:
            self._left -= len(line)
        return line


@contextmanager
def opened(file: str) -> Iterator[Lines]:
    """The lines of a file, `-` for standard input, packed by gzip or not. Raises LogError, and OSError."""
    if file == STDIN:
        if sys.stdin is None:
            raise LogError("standard input: is closed", "name a file, or send the log through a pipe")
        yield _lines(cast("BufferedReader", sys.stdin.buffer), "standard input", None)
        return
    with Path(file).open("rb") as source:
        told = os.fstat(source.fileno())
        yield _lines(source, file, told.st_size if stat.S_ISREG(told.st_mode) else None)


def _lines(source: BufferedReader | BytesIO, name: str, size: int | None) -> Lines:
    head = source.peek(8)[:8] if isinstance(source, BufferedReader) else source.getvalue()[:8]
    if head.startswith(_GZIP):
        return Lines(gzip.GzipFile(fileobj=source, mode="rb"), name)
    for begin, packer in _COMPRESSED.items():
        if head.startswith(begin):
            how = f"{packer} -dc {name} | latchcheck audit -"
            raise LogError(f"{name}: is compressed by {packer}", f"unpack it on the way: {how}")
    if head.startswith(_WIDE):
        raise LogError(f"{name}: is written in UTF-16", "write it in UTF-8")
    return Lines(source, name, size)


def _is_cut(text: str) -> bool:
    """Whether a line without an end is the beginning of one: an object that is not closed."""
    if not text.lstrip().startswith("{"):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return True
    return False
