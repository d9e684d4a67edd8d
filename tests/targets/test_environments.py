"""Environments of products: whole, of exact versions, or not there."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from latchcheck.counterexamples.targets import environments
from latchcheck.counterexamples.targets.environments import MARK, RECIPES, InstallFailed, found, install, place
from latchcheck.counterexamples.targets.errors import TargetMissing
from latchcheck.counterexamples.targets.registry import target


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
