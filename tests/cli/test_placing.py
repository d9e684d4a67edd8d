"""Files are put in their places all or none: what fails, or is interrupted, leaves everything as it was."""

from __future__ import annotations

import errno
import signal
from pathlib import Path
from typing import Any

import pytest

from latchcheck import placing
from latchcheck.placing import put


def there(folder: Path) -> dict[str, str | None]:
    """Everything below a folder: files with their text, folders without."""
    return {
        str(one.relative_to(folder)): one.read_text(encoding="utf-8") if one.is_file() else None
        for one in sorted(folder.rglob("*"))
    }


def room(folder: Path) -> dict[Path, bytes]:
    """A folder with an old file and one to be taken away; what is to be put there: over one, and into a new folder."""
    (folder / "old").write_text("old", encoding="utf-8")
    (folder / "gone").write_text("gone", encoding="utf-8")
    return {folder / "old": b"new", folder / "below" / "deep" / "made": b"made"}


def test_everything_is_done(tmp_path: Path) -> None:
    """Files get their contents, folders are made, what is to go has gone, and nothing else is left."""
    put(room(tmp_path), [tmp_path / "gone", tmp_path / "never-was"])
    assert {"old": "new", "below": None, "below/deep": None, "below/deep/made": "made"} == there(tmp_path)


@pytest.mark.parametrize("failing", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize(
    ("owner", "name", "after"),
    [(placing, "_beside", 1), (placing.shutil, "copy2", 1), (Path, "replace", 0), (Path, "replace", 1)],
)
def test_what_fails_half_way_leaves_all_as_it_was(
    owner: Any, name: str, after: int, failing: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it fails where files are written, what stood there is kept, or files are moved."""
    contents, before = room(tmp_path), there(tmp_path)
    work, calls = getattr(owner, name), list[Any]()

    def fails(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == after + 1:
            raise failing
        return work(*arguments)

    monkeypatch.setattr(owner, name, fails)
    with pytest.raises(type(failing)):
        put(contents, [tmp_path / "gone"])
    assert before == there(tmp_path)


def test_an_interrupt_among_the_moves_waits_for_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal that comes when the first file is in its place is heard when all are."""
    contents = room(tmp_path)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored, as in the background
    work = Path.replace

    def interrupted(one: Path, place: Path) -> Path:
        signal.raise_signal(signal.SIGINT)
        return work(one, place)

    monkeypatch.setattr(Path, "replace", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            put(contents, [tmp_path / "gone"])
    finally:
        signal.signal(signal.SIGINT, before)
    assert {"old": "new", "below": None, "below/deep": None, "below/deep/made": "made"} == there(tmp_path)


def test_a_name_may_be_as_long_as_the_system_takes(tmp_path: Path) -> None:
    """What is written beside a file needs no longer name than the file itself."""
    put({tmp_path / ("n" * 255): b"1"})
    assert {"n" * 255: "1"} == there(tmp_path)


@pytest.mark.parametrize("make", [lambda place: place.mkdir(), lambda place: place.symlink_to(place)])
def test_what_cannot_be_a_file_is_an_error(make: Any, tmp_path: Path) -> None:
    """A folder, and a link to itself, are in the way, and stay."""
    make(tmp_path / "place")
    with pytest.raises(OSError, match=r"directory|symbolic"):
        put({tmp_path / "other": b"1", tmp_path / "place": b"2"})
    assert [tmp_path / "place"] == list(tmp_path.iterdir())
