"""What a test needs beside Python: where it is missing the test is skipped, and in CI nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import needs

CONFTEST = """
from tests.needing import register
def pytest_configure(config):
    config.addinivalue_line("markers", "needs(*names): ...")
    register(config)
"""
NEEDY = """
import pytest
from tests import needs
@pytest.mark.needs("java")
def test_with_java():
    assert needs.path("java")
def test_with_nothing():
    pass
"""


@pytest.fixture
def session(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project of one file, on a machine without java, and not in CI."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setitem(needs.PROGRAMS, "java", needs.Need(("no-such-java",), "default-jre-headless"))
    monkeypatch.setattr(needs, "declared", set())
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(NEEDY)
    return pytester


def run(session: pytest.Pytester, *options: str) -> pytest.RunResult:
    """The session in this process."""
    return session.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:latchcheck", "-rs", *options)


def test_what_is_missing_skips_its_tests(session: pytest.Pytester) -> None:
    """The reason says what to install; the tests that need nothing run, and the run is a success."""
    result = run(session)
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["*java is not installed: install default-jre-headless, or run .ci/run"])
    assert 0 == result.ret


def test_in_ci_what_is_missing_fails_its_tests(session: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """With CI set there is no skip: the test ends in an error, for the same reason, and the run fails."""
    monkeypatch.setenv("CI", "true")
    result = run(session)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*java is not installed*"])
    assert pytest.ExitCode.TESTS_FAILED == result.ret


RAIN = {
    "test_one": "import pytest\ndef test_it():\n    pytest.skip('rain')",
    "test_file": "import pytest\npytest.skip('rain', allow_module_level=True)",
    "test_xfail": "import pytest\n@pytest.mark.xfail(reason='rain')\ndef test_it():\n    assert 0",
}
NAMED = ("test_file.py: rain", "test_one.py::test_it: rain", "test_xfail.py::test_it: rain")


@pytest.mark.parametrize("workers", ["0", "1"])
def test_any_skip_fails_a_run_of_ci(workers: str, session: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test, a file, an expected failure, in a process of their own or not: the run fails, and they are named."""
    session.makepyfile(**RAIN)
    monkeypatch.setenv("CI", "true")
    result = run(session, "-n", workers, "-k", "test_it")
    assert pytest.ExitCode.TESTS_FAILED == result.ret
    result.stdout.fnmatch_lines(["*skipped in CI, which fails the run*"])
    assert set(NAMED) <= set(result.outlines)


def test_a_skip_elsewhere_is_no_failure(session: pytest.Pytester) -> None:
    """Outside of CI the status is that of the tests that ran."""
    session.makepyfile(**RAIN)
    assert pytest.ExitCode.OK == run(session).ret


@pytest.mark.parametrize(("value", "ci"), [("true", True), ("1", True), ("", False), ("false", False), ("0", False)])
def test_ci_is_said_by_the_environment(
    value: str,
    ci: bool,  # noqa: FBT001 - a column of the table
    session: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A value that says no is no CI."""
    monkeypatch.setenv("CI", value)
    assert ci == (0 != run(session, "-k", "test_with_java").ret)


def test_a_need_that_is_not_said_is_found_where_nothing_is_missing(
    session: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test that uses a program without a marker fails on every machine, and not only on one that lacks it."""
    monkeypatch.setitem(needs.PROGRAMS, "java", needs.Need(("sh",), "default-jre-headless"))
    run(session).assert_outcomes(passed=2)
    session.makepyfile(NEEDY.replace('@pytest.mark.needs("java")', ""))
    result = run(session)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(['*@pytest.mark.needs("java")*'])


def test_an_unknown_need_is_refused(session: pytest.Pytester) -> None:
    """A marker that names what nobody knows ends the run before it begins."""
    session.makepyfile(NEEDY.replace('"java"', '"jawa"'))
    assert pytest.ExitCode.USAGE_ERROR == run(session).ret


def test_a_product_that_cannot_be_installed_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The installer is asked once, and its words are the reason; a product lacks what its installer lacks."""
    asked: list[str] = []

    def fails(name: str) -> None:
        asked.append(name)
        raise needs.environments.InstallFailed("pip failed:\n  no route to host")

    monkeypatch.setattr(needs.environments, "install", fails)
    monkeypatch.setitem(needs.PROGRAMS, "node", needs.Need(("sh",), "nodejs"))
    monkeypatch.setitem(needs.PROGRAMS, "npm", needs.Need(("no-such-npm",), "npm"))
    needs.not_installed.cache_clear()
    try:
        assert {"fastmcp cannot be installed: pip failed: no route to host"} == {needs.missing("fastmcp") for _ in "ab"}
        assert "mcp-typescript: npm is not installed: install npm, or run .ci/run" == needs.missing("mcp-typescript")
        assert ["fastmcp"] == asked
    finally:
        needs.not_installed.cache_clear()


def test_postgres_that_nobody_may_enter_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As root, PostgreSQL below a closed folder is of no use; without one at all the extra is named."""
    server = "latchcheck.counterexamples.targets.stores.server"
    monkeypatch.setattr(f"{server}.closed_to", lambda programs: programs.parent)
    monkeypatch.setattr(f"{server}.binaries", lambda: Path("/closed/bin"))
    assert "chmod o+x" in (needs.missing("postgres") or "")
    monkeypatch.setattr(f"{server}.binaries", lambda: None)
    assert '".[test]"' in (needs.missing("postgres") or "")


@pytest.mark.parametrize(("platform", "there"), [("linux", True), ("darwin", False)])
def test_what_only_linux_has_is_missing_elsewhere(monkeypatch: pytest.MonkeyPatch, platform: str, there: bool) -> None:  # noqa: FBT001
    """On another system the tests that look at /proc or write to /dev/full are left out."""
    monkeypatch.setattr(needs.sys, "platform", platform)
    assert there is (needs.missing("linux") is None)
