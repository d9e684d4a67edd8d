"""What becomes of a test that needs what is not there: skipped on a machine of one's own, failed in CI.

In CI nothing may be skipped at all, for whatever reason: a skip fails the run, and is named at its end.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from tests import needs

TOLD_MAX = 20


def in_ci() -> bool:
    """Whether this is a run of CI, whose machines, and .ci/run, set CI."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def lack(reason: str) -> NoReturn:
    """Skip the test that runs now, or fail it in CI."""
    if in_ci():
        pytest.fail(f"{reason} (in CI nothing is skipped)", pytrace=False)
    pytest.skip(reason)


def npm_install(folder: Path, *pins: str) -> Path:
    """Install packages into a folder, for a test that needs npm, and return where they are."""
    (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    command = [needs.path("npm"), "install", "--silent", "--no-audit", "--no-fund", *pins]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lack(f"npm cannot install {', '.join(pins)}: {(done.stderr or done.stdout).strip()[-200:]}")
    return folder / "node_modules"


def register(config: pytest.Config) -> None:
    """Watch a session; where the tests are spread over processes, skips are counted in the one that spreads them."""
    config.pluginmanager.register(_Needs())
    if in_ci() and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_NoSkips())


class _Needs:
    """Asks before each test whether what it needs is there."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """A name that nobody knows is a mistake in a test."""
        for item in items:
            if unknown := _named(item) - set(needs.NEEDS):
                raise pytest.UsageError(f"{item.nodeid}: needs {', '.join(unknown)}: write one of {needs.NEEDS}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Before fixtures, which use it too."""
        names = _named(item)
        needs.declared.clear()
        needs.declared.update(names)
        reasons = [reason for name in sorted(names) if (reason := needs.missing(name))]
        if reasons:
            lack("; ".join(reasons))


def _named(item: pytest.Item) -> set[str]:
    return {name for mark in item.iter_markers("needs") for name in mark.args}


class _NoSkips:
    """Fails a session in which anything was skipped, or was expected to fail."""

    def __init__(self) -> None:
        self._skipped: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test."""
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file."""
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else getattr(report, "wasxfail", "")
            self._skipped[report.nodeid] = str(reason).removeprefix("Skipped: ")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """The status with which the process ends."""
        if self._skipped and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name what was skipped."""
        if not self._skipped:
            return
        terminalreporter.section("skipped in CI, which fails the run", red=True)
        for nodeid, reason in [*self._skipped.items()][:TOLD_MAX]:
            terminalreporter.write_line(f"{nodeid}: {reason}")
        if len(self._skipped) > TOLD_MAX:
            terminalreporter.write_line(f"and {len(self._skipped) - TOLD_MAX} more")
