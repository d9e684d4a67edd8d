"""Environments of products: whole, of exact versions, or not there."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
from pathlib import Path

import attrs
import pytest

from latchcheck.cli.main import main
from latchcheck.counterexamples.targets import claims, environments
from latchcheck.counterexamples.targets.environments import MARK, RECIPES, InstallFailed, found, install, place
from latchcheck.counterexamples.targets.errors import TargetMissing
from latchcheck.counterexamples.targets.registry import target
from latchcheck.counterexamples.targets.stores import server


def test_versions_are_exact() -> None:
    """Each product is pinned to one version."""
    pins = [pin for one in RECIPES.values() for pin in one.pins]
    loose = [pin for pin in pins if not ("==" in pin or re.search(r"@\d+\.\d+\.\d+$", pin))]
    assert [] == loose


def test_other_versions_have_another_place(tmp_path: Path) -> None:
    """An environment of other versions is not taken for this one."""
    recipe = RECIPES["mcp-python"]
    assert place(recipe, tmp_path) != place(attrs.evolve(recipe, pins=("mcp==1.29.0",)), tmp_path)


@pytest.mark.parametrize("mark", ["", "{", "[]", '{"versions": 1}', '{"versions": {}}'])
def test_a_damaged_environment_is_not_ready(tmp_path: Path, mark: str) -> None:
    """A folder without a whole mark, or without an interpreter, is no environment."""
    path = place(RECIPES["mcp-python"], tmp_path)
    path.mkdir(parents=True)
    (path / MARK).write_text(mark, encoding="utf-8")
    assert None is found("mcp-python", tmp_path)


def test_a_failed_install_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an installer fails, its error is told and no folder is left."""
    broken = attrs.evolve(RECIPES["mcp-python"], pins=("latchcheck-no-such-package==0",))
    monkeypatch.setitem(environments.RECIPES, "mcp-python", broken)
    monkeypatch.setattr(environments, "_python", lambda _recipe, _work: environments.run(["false"], tmp_path))
    with pytest.raises(InstallFailed, match="false failed"):
        install("mcp-python", tmp_path / "targets")
    assert [] == list((tmp_path / "targets").iterdir())


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """Where a file stands in the way, that is said."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InstallFailed, match="file"):
        install("mcp-python", tmp_path / "file")


def test_what_is_missing_names_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A target that is not installed says how to install it, and does not start."""
    monkeypatch.setenv("LATCHCHECK_TARGETS", str(tmp_path))
    one = target("mcp-python")
    assert ("mcp-python: run `latchcheck targets install mcp-python`",) == one.missing()
    with pytest.raises(TargetMissing, match="targets install mcp-python"):
        one.open()


@pytest.mark.needs("postgres")
def test_installing_postgres_says_which_server_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the system has one, its version and its folder are told, and nothing is installed."""
    programs = server.binaries()
    assert programs is not None
    assert 0 == main(["targets", "install", "postgres"])
    asked = [str(programs / "postgres"), "--version"]
    number = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()[2]
    assert f"PostgreSQL {number}" in (out := capsys.readouterr().out)
    assert str(programs) in out


def test_a_server_that_is_named_needs_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With LATCHCHECK_POSTGRES nothing is looked for, and the connection string, a secret, is not shown."""
    monkeypatch.setenv("LATCHCHECK_POSTGRES", "host=db password=hidden")
    assert 0 == main(["targets", "install", "postgres"])
    assert "hidden" not in (out := capsys.readouterr().out)
    assert "LATCHCHECK_POSTGRES" in out


def test_where_there_is_no_server_an_environment_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Into a folder that others may enter; under one that they may not it says so, and downloads nothing."""
    made: list[str] = []
    monkeypatch.setattr(server, "_folders", lambda: iter(()))
    installs = "latchcheck.counterexamples.targets.postgres.installed"
    monkeypatch.setattr(installs, lambda name: made.append(name) or (name,))
    monkeypatch.delenv("LATCHCHECK_TARGETS", raising=False)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    assert 2 == main(["targets", "install", "postgres", "--into", str(closed / "targets")])
    assert ("--into FOLDER" in capsys.readouterr().err, []) == (True, made)
    assert "latchcheck targets install postgres" in target("postgres").missing()[0]
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert 0 == main(["targets", "install", "postgres", "--into", str(closed / "targets")])
    assert ["postgres"] == made


@pytest.mark.parametrize("name", ["model", "sqlite"])
def test_what_needs_nothing_says_so(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is nothing to install that is said, with the name."""
    assert 0 == main(["targets", "install", name])
    assert f"{name}: ready; there is nothing to install for it\n" == capsys.readouterr().out


def under_way(parent: Path, name: str = ".mcp-python-0123abcd-x1") -> Path:
    """A folder as an install makes one."""
    folder = parent / name
    folder.mkdir(parents=True)
    (folder / "half").write_text("", encoding="utf-8")
    return folder


def test_the_next_install_removes_what_a_killed_one_has_left(tmp_path: Path) -> None:
    """A folder under way goes with its maker: one that somebody has still, and what others keep there, stay."""
    left, held = under_way(tmp_path), under_way(tmp_path, ".fastmcp3-0123abcd-x2")
    young, old = under_way(tmp_path, ".fastmcp-0123abcd-x3"), under_way(tmp_path, ".fastmcp-0123abcd-x4")
    other = under_way(tmp_path, ".fastmcp-notes")
    (left / claims.LOCK).touch()
    os.utime(old, (1, 1))
    with (held / claims.LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert {left, old} == set(claims.tidy(tmp_path, RECIPES))
    assert {held, young, other} == set(tmp_path.iterdir())


def test_a_claim_is_seen_while_it_lasts(tmp_path: Path) -> None:
    """Nobody tidies a folder away in which this process works; it goes at the end of the block, and is no more ours."""
    with claims.Claim(tmp_path / "mcp-python-0123abcd") as folder:
        assert [] == claims.tidy(tmp_path, RECIPES)
        assert [claims.LOCK] == [one.name for one in folder.iterdir()]
    assert [] == list(tmp_path.iterdir())
