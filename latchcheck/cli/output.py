"""Where results go: to stdout as they come, or into a file, whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click

from latchcheck.placing import put
from latchcheck.report.layout import hung, printable

from .errors import complain
from .notes import note
from .progress import aside

STDIN = "-"
WIDTH_MAX = 120
WIDTH_WITHOUT_TERMINAL = 80


FORMATS = ("text", "json", "jsonl", "sarif", "junit", "github", "markdown", "html")
"""The formats of a verb that answers properties; those after JSON are in latchcheck.report.formats."""
FORMATS_HELP = (
    "Text for people; JSON (one envelope a line where there are several) or JSON lines (one event a line); SARIF, "
    "JUnit or GitHub annotations for CI; Markdown or HTML to be shown."
)
MANY_FORMATS = (*FORMATS, "csv")
"""Those of a verb that answers for many configurations, all of them in one document."""
MANY_FORMATS_HELP = (
    "Text for people; JSON (one document) or JSON lines (one event a line); CSV, a row for each property; SARIF, JUnit "
    "or GitHub annotations for CI; Markdown or HTML to be shown, with every run."
)


class Unwritable(Exception):
    """The results cannot be written where they should go; the text says why."""


def target(output: str | None, inputs: Sequence[str | None] = (), *, option: str = "-o") -> Path | None:
    """The file to write, or None for stdout; a UsageError says what cannot be written before the work is done.

    What is read, `inputs`, is never written over, by whatever name it goes.
    """
    if output is None or output == "-":
        return None
    if not output:
        raise click.UsageError(f"{option}: the name is empty; name a file, or - for standard output")
    path, shown = Path(output), f"{option} {printable(output)}"
    if _is(path, Path.is_dir):
        raise click.UsageError(f"{shown}: this is a directory; name a file")
    if _is(path, Path.is_file) and any(os.path.samestat(path.stat(), one) for one in _statuses(inputs)):
        raise click.UsageError(f"{shown}: this file is read, and would be lost; name another")
    if _is(path, Path.is_file) or not _is(path, Path.exists):  # a pipe is written into, and stays where it is
        _check_place(shown, path.parent)
    return path


def folder(option: str, name: str | None) -> Path | None:
    """The folder to write files into, or None; a UsageError says what cannot be one before the work is done."""
    if name is None:
        return None
    if not name or name == "-":
        raise click.UsageError(f"{option}: files are written below a folder; name one")
    path, shown = Path(name), f"{option} {printable(name)}"
    if _is(path, Path.exists) and not path.is_dir():
        raise click.UsageError(f"{shown}: this is no directory")
    _check_place(shown, path)
    return path


def _check_place(shown: str, folder: Path) -> None:
    """Raise UsageError where a folder cannot be written into, or cannot be made.

    A folder that is named and not there is made, with those above it, once there is something to write.
    """
    there = next((one for one in (folder, *folder.parents) if _is(one, Path.exists)), folder)
    if not there.is_dir():
        raise click.UsageError(f"{shown}: {printable(str(there))} is no directory")
    if not os.access(there, os.W_OK | os.X_OK):
        raise click.UsageError(f"{shown}: nothing may be written into the directory {printable(str(there))}")


def _is(path: Path, asked: Callable[[Path], bool]) -> bool:
    """What is asked about a path; a UsageError for a name that is too long, or may not even be asked about."""
    try:
        return asked(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise click.UsageError(f"{printable(str(path))}: {reason}") from error


def _statuses(inputs: Sequence[str | None]) -> Iterator[os.stat_result]:
    """Which files the names stand for; what is missing or closed is told by whoever reads it."""
    for name in inputs:
        with suppress(OSError, ValueError):
            if name is not None:
                yield os.fstat(0) if name == STDIN else Path(name).stat()


class Output:
    """Takes texts; `finish` is called when all of them are there, and only then a file is written."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._texts: list[str] = []
        terminal = path is None and sys.stdout.isatty()
        self.colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self.width = min(shutil.get_terminal_size().columns, WIDTH_MAX) if terminal else WIDTH_WITHOUT_TERMINAL

    def write(self, text: str) -> None:
        """Show the text at once, or keep it for the file.

        Raises BrokenPipeError when nobody reads any more, Unwritable when the disk is full.
        """
        if self._path is not None:
            self._texts.append(text)
            return
        try:
            with aside():
                sys.stdout.write(text)
                sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise Unwritable(f"standard output: {error.strerror}") from error

    def fitted(self, text: str) -> str:
        """Text for people with no line that is wider than the output: what is too long goes on below, further in."""
        return "\n".join(hung(text.split("\n"), self.width))

    def cut_short(self) -> None:
        """What is told is not all that was asked for: it is shown on stdout, and the file stays as it was.

        Raises what `write` does.
        """
        if self._path is None:
            return
        note(f"{self._path} is not written, as the answer is not whole: what there is follows on standard output")
        texts, self._texts, self._path = self._texts, [], None
        for text in texts:
            self.write(text)

    def deliver(self, text: str, code: int, *, cut_short: bool = False) -> int:
        """Show or write the whole answer, if there is any; the exit code, which says too where that cannot be."""
        from latchcheck.kernel.exits import Exit, worst  # with it comes the solver, which an answer has needed

        try:
            if cut_short:
                self.cut_short()
            if text:
                self.write(text)
                self.finish()
        except Unwritable as error:
            complain(f"cannot write to {error}")
            return worst(code, Exit.USAGE)
        except BrokenPipeError:  # nobody reads any more; the exit code still tells
            pass
        return code

    def finish(self) -> None:
        """Write the file, if there is one and anything to put in. Raises Unwritable."""
        if self._path is not None and self._texts:
            try:
                write_whole(self._path, "".join(self._texts))
            except OSError as error:
                raise Unwritable(f"{self._path}: {error.strerror}") from error


def write_whole(path: Path, text: str) -> None:
    """Replace the file by one with this text, so that a reader finds the old text or the new, never a part.

    What is no regular file (a pipe, /dev/stderr) cannot be replaced and is written into. Raises OSError.
    """
    content = encoded(text)
    if path.exists() and not path.is_file():
        path.write_bytes(content)
    else:
        put({path: content})


def encoded(text: str) -> bytes:
    """The text as it stands in a file; a file name in it may hold what is no text."""
    return text.encode("utf-8", errors="backslashreplace")
