"""The package: what is installed is what the tree holds, and it runs where nothing else is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from latchcheck import __version__

pytestmark = pytest.mark.xdist_group("package")  # what they share is made once

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDERS: dict[str, str] = PROJECT["tool"]["setuptools"]["package-dir"]
MANIFEST = (ROOT / "MANIFEST.in").read_text(encoding="utf-8")
BESIDE = {
    word: [name for line in re.findall(rf"^{word} (.*)$", MANIFEST, re.MULTILINE) for name in line.split()]
    for word in ("include", "graft")
}
"""What the source archive has beside what is installed: files, and folders."""
INSTALLED = {".py", ".toml", ".json", ".typed", ".j2", ".css", ".js", ".mts", ".lark"}


def tree() -> dict[str, Path]:
    """Every file of the installed folders: its name in the wheel, and where it is."""
    return {
        "/".join([*package.split("."), *path.relative_to(ROOT / folder).parts]): path
        for package, folder in FOLDERS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix in INSTALLED
    }


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as a release would be: from the source archive, which is built from a clean tree."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", *BESIDE["include"]):
        (source / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    for folder in (*FOLDERS.values(), *BESIDE["graft"]):
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "build", "--outdir", str(target), str(source)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (found,) = target.glob("*.whl")
    return found


def test_an_index_would_take_the_packages(wheel: Path) -> None:
    """The checker of the package index finds nothing wrong with the wheel and the source archive."""
    (archive,) = wheel.parent.glob("*.tar.gz")
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", wheel, archive],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_source_archive_has_tests_and_documentation(wheel: Path) -> None:
    """Whoever packages the project from its archive can run the tests and build the documentation."""
    (archive,) = wheel.parent.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        packed = {name.partition("/")[2] for name in opened.getnames()}
    folders = [
        path.relative_to(ROOT)
        for folder in ("docs", "tests", "changelog.d")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    ]
    expected = {*map(str, folders), "MANIFEST.in", "CHANGELOG.md", "mkdocs.yml", ".ci/run"}
    assert expected - packed == set()


def test_every_package_is_listed() -> None:
    """Each folder with an __init__.py in the installed folders is a package of pyproject.toml, and no other is."""
    found = {name.removesuffix("/__init__.py").replace("/", ".") for name in tree() if name.endswith("/__init__.py")}
    assert sorted(found) == sorted(PROJECT["tool"]["setuptools"]["packages"])


def test_the_type_checker_finds_every_renamed_folder() -> None:
    """Each folder that is installed under another name has the link through which pyright finds it."""
    for package, folder in FOLDERS.items():
        link = ROOT / PROJECT["tool"]["pyright"]["stubPath"] / Path(*package.split("."))
        if package != folder:
            assert (ROOT / folder).resolve() == link.resolve(), package


@pytest.mark.slow
def test_the_wheel_holds_the_tree(wheel: Path) -> None:
    """The wheel has every file of the installed folders, byte for byte, and no other beside its own metadata."""
    with zipfile.ZipFile(wheel) as archive:
        packed = {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}
    assert {name: path.read_bytes() for name, path in tree().items()} == packed


@pytest.mark.slow
def test_the_wheel_runs_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    """Installed with nothing but its dependencies, and started elsewhere, the first command of the README verifies."""
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(scripts / command[0]), *command[1:]],
            cwd=tmp_path,
            env=clean,
            capture_output=True,
            text=True,
            check=False,
        )

    installed = run("python", "-m", "pip", "install", "--quiet", str(wheel))
    assert installed.returncode == 0, installed.stderr
    version = run("latchcheck", "--version")
    assert (version.returncode, version.stderr) == (0, "")
    assert version.stdout.startswith(f"latchcheck {__version__} (z3 ")
    assert "hypothesis not installed" in version.stdout

    line = re.search(r"\blatchcheck (verify .*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert line is not None
    answer = run("latchcheck", *line[1].split(), "--format", "json")
    assert (answer.returncode, answer.stderr) == (1, "")
    envelope = json.loads(answer.stdout)
    assert envelope["schema"] == "latchcheck/verdicts/1"
    assert envelope["versions"]["hypothesis"] is None
    assert any(one["verdict"] == "violated" and one["witness"]["steps"] for one in envelope["properties"])
