"""Environments of products, and the programs that run in them: whole or not there, and no answer is ever guessed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import attrs
import pytest

from latchcheck.counterexamples.targets import environments, program
from latchcheck.counterexamples.targets.environments import MARK, RECIPES, InstallFailed, found, install, place
from latchcheck.counterexamples.targets.errors import (
    CannotDo,
    TargetCrashed,
    TargetGarbage,
    TargetMissing,
    TargetTimeout,
)
from latchcheck.counterexamples.targets.events import Answer, Call
from latchcheck.counterexamples.targets.program import ProgramSession
from latchcheck.counterexamples.targets.registry import target


def test_versions_are_exact() -> None:
    """Each product is pinned to one version."""
    loose = [pin for one in RECIPES.values() for pin in one.pins if not ("==" in pin or "@1.32.2" in pin)]
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


def asked(script: str) -> Answer:
    """What a program of one script answers to a call."""
    session = ProgramSession([sys.executable, "-c", script])
    try:
        return session.perform(Call("get", "t1", "c1"))
    finally:
        session.close()


def says(text: str) -> str:
    """A program that reads one line and says another."""
    return f"import sys; sys.stdin.readline(); print({text!r}, flush=True); sys.stdin.read()"


def test_an_answer_is_read() -> None:
    """A line of JSON is an answer."""
    assert Answer(status="working") == asked(says(json.dumps({"status": "working"})))


@pytest.mark.parametrize("text", ["hello", "[1]", '{"colour": 1}', ""])
def test_garbage_is_told(text: str) -> None:
    """A line that is no answer is garbage, not an answer."""
    with pytest.raises(TargetGarbage):
        asked(says(text))


def test_a_program_that_ends_is_told_with_its_last_words() -> None:
    """A crash is told as one."""
    with pytest.raises(TargetCrashed, match="ValueError: no"):
        asked("raise ValueError('no')")


def test_a_program_that_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a program cannot do makes a fixture not applicable; a program that is silent is told as silent."""
    with pytest.raises(CannotDo, match="why"):
        asked(says('{"cannot": "why"}'))
    monkeypatch.setattr(program, "ANSWER_S", 0.3)
    with pytest.raises(TargetTimeout):
        asked("import time; time.sleep(5)")
