"""Getting at the text of a file that a person named: everything that can be wrong before its first line."""

import stat
import sys
from pathlib import Path
from typing import Final

from .errors import ConfigError, Where

SIZE_MAX: Final = 1_000_000
"""Bytes that a file may have. A configuration is a page of text; what is larger is something else."""

STDIN: Final = "-"


def name_of(path: str) -> str:
    """Return what errors and origins call a file."""
    return "standard input" if path == STDIN else path


def text_of(path: str, wanted: str) -> str:
    """Read a UTF-8 text of at most SIZE_MAX bytes; `wanted` says what should be in it ("TOML", "JSON").

    Raises ConfigError for a file that is missing, a directory, not readable, too large, binary or not UTF-8.
    """
    where = Where(name_of(path))
    content = _content(path, where)
    if b"\0" in content:
        raise ConfigError("is a binary file", where, f"give a text file with {wanted}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wrong = f"byte {content[error.start]:#04x} is not UTF-8"
        raise ConfigError(wrong, Where(where.file, line), "save the file as UTF-8") from None


def _content(path: str, where: Where) -> bytes:
    if path == STDIN:
        return _limited(sys.stdin.buffer.read(SIZE_MAX + 1), where)
    try:
        status = Path(path).stat()
        if stat.S_ISDIR(status.st_mode):
            raise ConfigError("is a directory", where, "name a file in it")
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


def _limited(content: bytes, where: Where) -> bytes:
    if len(content) > SIZE_MAX:
        raise _too_large(where, "goes on and on")
    return content


def _too_large(where: Where, found: str) -> ConfigError:
    return ConfigError(
        f"{found}, the limit is {SIZE_MAX}", where, "give the configuration alone, not a dump that holds it"
    )
