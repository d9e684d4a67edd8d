"""Getting at the text of a file that a person named: everything that can be wrong before its first line."""

import os
import stat
import sys
from pathlib import Path
from typing import Final

from .errors import ConfigError, Where

SIZE_MAX: Final = 1_000_000
"""Bytes that a file may have. A configuration is a page of text; what is larger is something else."""

STDIN: Final = "-"

# What an editor that saves "Unicode" puts first; the longer marks before those that they begin with.
_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def name_of(path: str) -> str:
    """Return what errors and origins call a file."""
    return "standard input" if path == STDIN else path or '""'


def text_of(path: str, wanted: str) -> str:
    """Read a UTF-8 text of at most SIZE_MAX bytes; `wanted` says what should be in it ("TOML", "JSON").

    Raises ConfigError for a file that is missing, a directory, not readable, too large, binary or not UTF-8.
    """
    where = Where(name_of(path))
    content = _content(path, where)
    if encoding := _other_encoding(content):
        raise ConfigError(f"is {encoding}, not UTF-8", where, "save the file as UTF-8")
    if b"\0" in content:
        raise ConfigError("is a binary file", where, f"give a text file with {wanted}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wrong = f"byte {content[error.start]:#04x} is not UTF-8"
        raise ConfigError(wrong, Where(where.file, line), "save the file as UTF-8") from None


def _other_encoding(content: bytes) -> str | None:
    """Name the encoding that the first bytes show: by its mark, or by the zeros in every second place of plain text."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    halves = (content[::2], content[1::2])
    if content and not len(content) % 2 and any(half.count(0) == len(half) for half in halves):
        return "UTF-16"
    return None


def _content(path: str, where: Where) -> bytes:
    if not path:
        raise ConfigError("is an empty name", where, "name a file, or - for standard input")
    try:
        if path == STDIN:
            if sys.stdin is None:  # how Python shows that the shell closed it
                raise ConfigError("is closed", where, "name a file, or pipe one in")
            return _limited(sys.stdin.buffer.read(SIZE_MAX + 1), where)
        status = Path(path).stat()
        if stat.S_ISDIR(status.st_mode):
            raise ConfigError("is a directory", where, "name a file in it")
        if _may_wait_for_ever(path, status.st_mode):
            raise ConfigError("is no regular file", where, "name a file, or - and pipe it in")
        if status.st_size > SIZE_MAX:
            raise _too_large(where, f"has {status.st_size} bytes")
        with Path(path).open("rb") as file:
            return _limited(file.read(SIZE_MAX + 1), where)
    except FileNotFoundError:
        raise ConfigError("there is no such file", where, "check the path") from None
    except PermissionError:
        raise ConfigError("may not be read", where, "check its permissions") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError(f"cannot be read: {reason}", where, "check the path") from None


def _may_wait_for_ever(path: str, mode: int) -> bool:
    """Whether to open this may take until somebody writes: a pipe with a name of its own, a socket, a raw disk.

    A pipe that the shell made (standard input, process substitution) has no name and has its writer already.
    """
    if stat.S_ISFIFO(mode):
        return os.path.lexists(os.path.realpath(path))
    return not (stat.S_ISREG(mode) or stat.S_ISCHR(mode))


def _limited(content: bytes, where: Where) -> bytes:
    if len(content) > SIZE_MAX:
        raise _too_large(where, "goes on and on")
    return content


def _too_large(where: Where, found: str) -> ConfigError:
    return ConfigError(
        f"{found}, the limit is {SIZE_MAX}", where, "give the configuration alone, not a dump that holds it"
    )
