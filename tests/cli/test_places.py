"""Where a verb writes: one rule for all of them. What is named is made, and what cannot be is said before the work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from latchcheck.cli.main import main

ROOT = Path(__file__).parents[2]
CONFIG = str(ROOT / "docs" / "examples" / "paper-e4" / "ceiling-300s-window-120s.toml")
FIXTURE = "one-terminal-outcome/terminal-guard-check-then-set"
SMALL = ("--scope", "tasks=1", "--property", "one-terminal-outcome")
LATCH = str(ROOT / "docs" / "cases" / "latch.toml")

# A command line up to the place, which follows; and whether the place is a folder of files.
QUICK = [
    (("verify", CONFIG, "--property", "no-live-orphan", "-o"), False),
    (("verify", CONFIG, "--property", "no-live-orphan", "--save"), True),
    (("matrix", "--client", "strands-py", "--server", "mcp-py-1", "--property", "hint-honoured", "-o"), False),
    (("sweep", CONFIG, "--vary", "server.orphan_window=5m,6m", "--property", "no-live-orphan", "-o"), False),
    (("fixtures", "generate", "--config", CONFIG, "--property", "no-live-orphan", "-o"), True),
    (("fixtures", "copy"), True),
    (("admission", "-o"), False),
    (("replay", FIXTURE, "-o"), False),
    (("export", "tla", *SMALL, "-o"), True),
    (("export", "smt2", *SMALL, "-o"), False),
    (("wording", "new", "-o"), False),
]
OTHERS = [
    (("repair", CONFIG, "-o"), False),
    (("explore", "-o"), False),
    (("fuzz", "-o"), True),
    (("fixtures", "generate", "-o"), True),
    (("audit", LATCH, "-o"), False),
    (("study", "-o"), False),
    (("study", "--figures"), True),
    (("race", "--save"), False),
    (("wording", "check", LATCH, "-o"), False),
    (("wording", "vocabulary", "-o"), False),
]


def named(arguments: tuple[str, ...]) -> str:
    """A command line as the name of a case."""
    return " ".join(Path(one).name for one in arguments)[-50:]


@pytest.mark.parametrize(("arguments", "several"), QUICK, ids=[named(one) for one, _ in QUICK])
def test_a_folder_that_is_not_there_is_made(
    arguments: tuple[str, ...],
    several: bool,  # noqa: FBT001 - a parameter of the test
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The folders above the place are made with it, and what is written is there."""
    place = tmp_path / "new" / "er"
    assert main([*arguments, str(place)]) in {0, 1}, capfd.readouterr().err
    assert several == place.is_dir()
    assert any(one.is_file() and one.stat().st_size for one in (place, *place.rglob("*")))


@pytest.mark.parametrize(("arguments", "several"), [*QUICK, *OTHERS], ids=[named(one) for one, _ in [*QUICK, *OTHERS]])
def test_a_place_that_cannot_be_is_refused_before_the_work(
    arguments: tuple[str, ...],
    several: bool,  # noqa: FBT001 - a parameter of the test
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Below a file, in a folder that may not be written into, where a name is empty: one error, and nothing is made."""
    file, closed = tmp_path / "file", tmp_path / "closed"
    file.touch()
    closed.mkdir()
    may = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: not (Path(path) == closed and mode & os.W_OK) and may(path, mode)
    )
    wrong = [(file / "new" / "x", f"{file} is no directory"), (closed / "new" / "x", f"the directory {closed}")]
    wrong.append((file, "this is no directory") if several else (closed, "this is a directory; name a file"))
    for place, said in (*wrong, (Path(), "")):
        assert 2 == main([*arguments, str(place) if said else ""])
        captured = capfd.readouterr()
        assert "" == captured.out
        assert captured.err.startswith("latchcheck: error: ")
        assert said in captured.err
    assert {file, closed} == set(tmp_path.rglob("*"))
    assert 0 == file.stat().st_size


@pytest.mark.needs("linux")
@pytest.mark.parametrize("arguments", [one for one, several in QUICK if not several], ids=named)
def test_a_full_disk_is_one_error(arguments: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    """What is written into a device that is full says so, and ends in 2, or in 1 where a violation was found."""
    if arguments[0] == "wording":  # it writes over nothing that is there
        return
    assert main([*arguments, "/dev/full"]) == (1 if arguments[0] in {"verify", "replay"} else 2)
    captured = capfd.readouterr()
    assert "" == captured.out
    assert "/dev/full: No space left on device" in captured.err
    assert 1 == captured.err.count("latchcheck: error: ")
