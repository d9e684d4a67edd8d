"""The pytest plugin, in projects of its own: what is collected, what passes, and what the reports hold."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from latchcheck.counterexamples import SAVED

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "own-store"
HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "test-your-store.md"
RACE = "one-terminal-outcome/terminal-guard-none.json"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """The project of the how-to."""
    shutil.copytree(EXAMPLE, pytester.path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    return pytester


def run(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    """Pytest in a process of its own."""
    return project.runpytest_subprocess("-p", "no:cacheprovider", *options)


def test_a_fault_of_the_store_is_found_and_told(project: pytest.Pytester) -> None:
    """The store of the how-to lets a cancel overwrite an outcome: both fixtures fail, with the run in words."""
    result = run(project, "--latchcheck-target", "my-store")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*terminal-guard-none: reproduced", "*cancel(t1) was answered done, cancelled*"])
    assert "Traceback" not in result.stdout.str()


def test_a_store_that_is_mended_conforms(project: pytest.Pytester) -> None:
    """With an outcome that is written once both pass."""
    shutil.copy(EXAMPLE / "guarded_store.py", project.path / "store.py")
    run(project, "--latchcheck-target", "my-store").assert_outcomes(passed=2)


def test_a_store_that_is_mended_is_accused_of_nothing(project: pytest.Pytester) -> None:
    """Against every saved counterexample it conforms, or the fixture is not applicable: nothing fails."""
    shutil.copy(EXAMPLE / "guarded_store.py", project.path / "store.py")
    shutil.copytree(SAVED, project.path / "counterexamples", dirs_exist_ok=True)
    found = run(project, "--latchcheck-target", "my-store").parseoutcomes()
    assert found.get("failed", 0) == 0
    assert found["passed"] >= 20


def test_without_a_target_the_model_is_asked(project: pytest.Pytester) -> None:
    """Each fixture is one test, which passes since it still reproduces."""
    result = run(project, "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*terminal-guard-none.json::model PASSED*", "model: 2 reproduces"])


def test_a_stale_fixture_fails(project: pytest.Pytester) -> None:
    """A fixture whose action is gone protects nothing, so it fails and says what is gone."""
    file = project.path / "counterexamples" / "terminal-guard-none.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"report"', '"rapport"'), encoding="utf-8")
    result = run(project)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*terminal-guard-none: stale", "*there is no action 'rapport'*"])


def test_a_damaged_fixture_fails_with_one_message(project: pytest.Pytester) -> None:
    """A file that is cut off is a fixture that cannot be read, and no traceback."""
    file = project.path / "counterexamples" / "terminal-guard-none.json"
    file.write_text(file.read_text(encoding="utf-8")[:600], encoding="utf-8")
    result = run(project)
    result.assert_outcomes(passed=1, failed=1)
    assert "Traceback" not in result.stdout.str()
    result.stdout.fnmatch_lines(["model: 1 reproduces, 1 unreadable"])


def test_what_does_not_apply_is_no_pass(project: pytest.Pytester) -> None:
    """A fixture that the target's table rules out is skipped, with what is lacking, and counted as not applicable."""
    shutil.copy(SAVED / "tenant-isolation" / "tenant-check-off.json", project.path / "counterexamples")
    shutil.copy(EXAMPLE / "guarded_store.py", project.path / "store.py")
    result = run(project, "--latchcheck-target", "my-store", "-rs")
    result.assert_outcomes(passed=2, skipped=1)
    result.stdout.fnmatch_lines(["my-store: 2 conforms, 1 not-applicable", "*not applicable to my-store: *"])


def test_an_unknown_target_says_what_there_is(project: pytest.Pytester) -> None:
    """A misspelt target fails each of its tests with the name that is meant."""
    result = run(project, "--latchcheck-target", "my-sotre")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*is it my-store?*"])


def test_other_json_files_are_left_alone(project: pytest.Pytester) -> None:
    """A JSON file that is no fixture, or lies elsewhere, is no test."""
    (project.path / "counterexamples" / "notes.json").write_text("{}", encoding="utf-8")
    shutil.copy(SAVED / RACE, project.path / "elsewhere.json")
    run(project).assert_outcomes(passed=2)


def test_folders_can_be_named(project: pytest.Pytester) -> None:
    """With latchcheck_fixtures set, those folders count and no other."""
    (project.path / "races").mkdir()
    shutil.copy(SAVED / RACE, project.path / "races")
    (project.path / "pytest.ini").write_text("[pytest]\nlatchcheck_fixtures = races\n", encoding="utf-8")
    run(project).assert_outcomes(passed=1)


def test_targets_can_be_set_down(project: pytest.Pytester) -> None:
    """latchcheck_targets names the targets where no option does; each fixture is a test for each of them."""
    (project.path / "pytest.ini").write_text("[pytest]\nlatchcheck_targets =\n  model\n  my-store\n", encoding="utf-8")
    run(project).assert_outcomes(passed=2, failed=2)
    run(project, "--latchcheck-target", "model").assert_outcomes(passed=2)


def test_the_marker_selects(project: pytest.Pytester) -> None:
    """-m "not latchcheck" leaves the fixtures out."""
    project.makepyfile(test_own="def test_own(): pass")
    run(project, "-m", "not latchcheck", "--strict-markers").assert_outcomes(passed=1, deselected=2)
    run(project, "-m", "latchcheck", "--strict-markers").assert_outcomes(passed=2, deselected=1)


def test_junit_has_the_properties(project: pytest.Pytester) -> None:
    """The report of each test has target, fixture, property and outcome."""
    run(project, "--latchcheck-target", "my-store", "--junit-xml", "report.xml")
    cases = ET.parse(project.path / "report.xml").getroot().iter("testcase")  # noqa: S314 - written by pytest
    found = [{one.get("name"): one.get("value") for one in case.iter("property")} for case in cases]
    expected = {
        "latchcheck_target": "my-store",
        "latchcheck_fixture": "one-terminal-outcome/terminal-guard-none",
        "latchcheck_property": "one-terminal-outcome",
        "latchcheck_outcome": "reproduced",
    }
    assert expected in found


def test_processes_share_the_work(project: pytest.Pytester) -> None:
    """Under xdist outcomes and table are the same."""
    result = run(project, "-n", "2", "--latchcheck-target", "model", "--latchcheck-target", "my-store")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["model: 2 reproduces", "my-store: 2 reproduced"])


def test_a_test_can_replay_by_hand(project: pytest.Pytester) -> None:
    """The fixture latchcheck_replay gives the outcome, on a target by name or as an object."""
    project.makepyfile(
        test_own="""
        from conftest import MyStore

        def test_own(latchcheck_replay):
            file = "counterexamples/terminal-guard-none.json"
            assert latchcheck_replay(file).outcome == "reproduces"
            assert latchcheck_replay(file, target="sqlite").outcome == "conforms"
            assert latchcheck_replay(file, target=MyStore()).outcome == "reproduced"
        """
    )
    run(project, "test_own.py").assert_outcomes(passed=1)


def test_the_page_shows_the_files() -> None:
    """The store and the target on the page are the files that its commands copy."""
    page = HOW_TO.read_text(encoding="utf-8")
    for name in ("store.py", "conftest.py"):
        text = (EXAMPLE / name).read_text(encoding="utf-8")
        assert f'```python title="{name}"\n{text}```' in page


@pytest.mark.parametrize("file", sorted((EXAMPLE / "counterexamples").glob("*.json")), ids=lambda file: file.stem)
def test_the_fixtures_of_the_page_are_the_saved_ones(file: Path) -> None:
    """A fixture of the example is what the project has saved now."""
    assert (SAVED / "one-terminal-outcome" / file.name).read_bytes() == file.read_bytes()
