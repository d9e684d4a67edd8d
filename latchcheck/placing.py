"""Files put in their places together, all of them or none: the one way in which anything here writes a file.

They are written beside their places first, where a full disk shows, and moved there when all of them are whole.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from attrs import define, field

from .signals import uninterrupted


def put(contents: Mapping[Path, bytes], gone: Iterable[Path] = ()) -> None:
    """Give each file its contents, and take the files that are `gone` away: all of it, or nothing.

    Folders that are not there are made. A symbolic link stays one, and a file that exists keeps its permissions.
    A reader finds the old contents or the new, never a part, and each file is there at any time.
    An interrupt before the first file is in its place leaves all as it was; one after it waits for the last.
    Raises OSError.
    """
    work = _Work()
    try:
        for place, content in contents.items():
            work.prepare(Path(os.path.realpath(place)), content)  # pathlib has a RuntimeError for a link to itself
        for place in gone:
            work.leave(place)
        with uninterrupted():
            work.move()
    except BaseException:
        with uninterrupted():
            work.tidy() if work.whole else work.undo()
        raise
    work.tidy()


@define
class _Move:
    """A file that goes to its place, or (None) a place that becomes empty; what stood there, as far as it is kept."""

    ready: Path | None
    place: Path
    before: Path | None = None
    done: bool = False


@define
class _Work:
    """What is prepared, and how to take it back."""

    moves: list[_Move] = field(factory=list)
    folders: list[Path] = field(factory=list)
    whole: bool = False

    def prepare(self, place: Path, content: bytes) -> None:
        """Write a file beside its place."""
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
        self.folders += [one for one in reversed(place.parents) if not one.exists()]
        place.parent.mkdir(parents=True, exist_ok=True)
        ready = _beside(place)
        self.moves.append(_Move(ready, place))
        with ready.open("xb") as file:
            file.write(content)
        with suppress(FileNotFoundError):
            ready.chmod(stat.S_IMODE(place.stat().st_mode))

    def leave(self, place: Path) -> None:
        """Note a file that is taken away; one that is not there is gone already."""
        if place.exists():
            self.moves.append(_Move(None, place))

    def move(self) -> None:
        """Move everything. What stood in a place is kept until all is done, where there is more than one."""
        for one in self.moves:
            if len(self.moves) > 1 and one.place.exists():
                one.before = _beside(one.place)
                shutil.copy2(one.place, one.before)
        for one in self.moves:
            if one.ready is None:
                one.place.unlink()
            else:
                one.ready.replace(one.place)
            one.done = True
        self.whole = True

    def undo(self) -> None:
        """Leave everything as it was."""
        for one in self.moves:
            with suppress(OSError):
                if one.ready is not None:
                    one.ready.unlink(missing_ok=True)
                if one.done and one.before is not None:
                    one.before.replace(one.place)
                elif one.done:
                    one.place.unlink()
                elif one.before is not None:
                    one.before.unlink(missing_ok=True)
        for folder in reversed(self.folders):
            with suppress(OSError):  # it was not made, or somebody else has put something in
                folder.rmdir()

    def tidy(self) -> None:
        """Throw away what is kept of what stood there."""
        for one in self.moves:
            if one.before is not None:
                with suppress(OSError):
                    one.before.unlink(missing_ok=True)


def _beside(place: Path) -> Path:
    """A name in the folder of a file that nobody has; its own may have no room for more letters."""
    return place.with_name(f".latchcheck.{secrets.token_hex(8)}.tmp")
