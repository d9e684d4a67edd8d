"""Everything that can be wrong with a file before its first line is read."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from latchcheck.model.reading import ConfigError, read

GOOD = '[server]\norphan_window = "15m"\n'
NOBODY = 65534


def refusal(path: Path | str) -> str:
    """The text of the error that reading this file gives."""
    with pytest.raises(ConfigError) as refused:
        read([str(path)])
    assert str(refused.value).count("\n") == 1
    return str(refused.value)


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    """A path that leads nowhere is named as such."""
    assert "no such file" in refusal(tmp_path / "op.toml")


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    """A directory is named as such."""
    assert "is a directory" in refusal(tmp_path)


def test_a_file_of_100_mb_is_refused_unread(tmp_path: Path) -> None:
    """A file over the limit is refused by its size alone."""
    file = tmp_path / "op.toml"
    with file.open("wb") as opened:
        opened.truncate(100_000_000)
    assert "has 100000000 bytes, the limit is 1000000" in refusal(file)


def test_an_endless_device_is_refused() -> None:
    """A source that never ends is read no further than the limit."""
    assert "goes on and on" in refusal("/dev/zero")


@pytest.mark.parametrize("content", [b"\x7fELF\x02\x01\x01\x00", b"\0", GOOD.encode() + b"\0"])
def test_a_binary_file_is_named_as_such(tmp_path: Path, content: bytes) -> None:
    """A file with a NUL byte is binary."""
    file = tmp_path / "op.toml"
    file.write_bytes(content)
    assert "is a binary file" in refusal(file)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_text_is_called_by_its_name(tmp_path: Path, encoding: str) -> None:
    """Text of two or four bytes a letter is no binary file: its encoding is named, with a mark or without."""
    file = tmp_path / "op.toml"
    file.write_bytes(GOOD.encode(encoding))
    assert f"is {encoding[:6].upper()}, not UTF-8" in refusal(file)


def test_an_empty_name_is_called_empty() -> None:
    """An empty name is no directory."""
    assert refusal("").startswith('"": is an empty name')


def test_a_pipe_without_a_writer_is_refused_at_once(tmp_path: Path) -> None:
    """A pipe with a name of its own would be waited for; one that the shell made is read by its path."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "is no regular file" in refusal(pipe)
    ours, theirs = os.pipe()
    os.write(theirs, GOOD.encode())
    os.close(theirs)
    assert read([f"/dev/fd/{ours}"]) is not None
    os.close(ours)


def test_a_closed_standard_input_is_said_to_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the shell closed standard input, to read it is an error like a missing file."""
    monkeypatch.setattr("sys.stdin", None)
    assert refusal("-").startswith("standard input: is closed")


def test_text_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    """A byte that is not UTF-8 is named with its line."""
    file = tmp_path / "op.toml"
    file.write_bytes(GOOD.encode() + b"# caf\xe9\n")
    assert f"{file}:3: byte 0xe9 is not UTF-8" in refusal(file)


@pytest.fixture
def as_nobody() -> Iterator[None]:
    """Make the process somebody whom file permissions bind."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_an_unreadable_file_is_named_as_such(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """A file that the user may not read is named as such."""
    file = tmp_path / "op.toml"
    file.write_text(GOOD, encoding="utf-8")
    file.chmod(0)
    request.getfixturevalue("as_nobody")
    assert "may not be read" in refusal(file)


@pytest.mark.parametrize("path", ["x\0y", "a" * 5000])
def test_an_impossible_path_is_refused(path: str) -> None:
    """A path that no file can have is refused in words."""
    assert "cannot be read" in refusal(path)


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    """A symbolic link that leads to itself is refused in words."""
    link = tmp_path / "op.toml"
    link.symlink_to(link)
    assert "cannot be read" in refusal(link)


def test_a_byte_order_mark_and_foreign_line_ends_do_not_matter(tmp_path: Path) -> None:
    """A file written by another system's editor is read, and its lines are counted the same."""
    file = tmp_path / "op.toml"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    config = read([str(file)])
    assert config.server.orphan_window_ms == 900_000
    assert config.origin("server.orphan_window_ms").where == f"{file}:2"


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """The path - reads what is piped in."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    config = read(["-"])
    assert config.server.orphan_window_ms == 900_000
    assert config.origin("server.orphan_window_ms").where == "standard input:2"
