"""The pytest plugin, in projects of its own: what is collected, what passes, and what the reports hold."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
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
    result.stdout.fnmatch_lines(["*did you mean 'my-store'?*"])


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


def conftest(project: pytest.Pytester, old: str, new: str) -> None:
    """Put one mistake into the conftest.py of the how-to."""
    file = project.path / "conftest.py"
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


GIVES = 'return Answer(status=self.store.statuses.get(task, "gone"))'
RAISES = 'raise CannotDo(f"the store has no {call.kind}")'
MISTAKES = {
    "perform returns nothing": (
        GIVES,
        "Answer()",
        ["class Session: perform(c1: create(t1)) returned None"],
    ),
    "perform returns a text": (GIVES, 'return "working"', ["class Session: perform", "'working'", "an Answer"]),
    "a status of its own": (GIVES, 'return Answer(status="done")', ["the status 'done'", "write one of working"]),
    "its code raises": (
        GIVES,
        "return Answer(status=self.store.statuses[task + 'x'])",
        ["conftest.py:25, class Session: perform(c1: create(t1)) raised KeyError: 't1x'", "or raises CannotDo"],
    ),
    "not implemented": (
        'if call.kind == "create":',
        'raise NotImplementedError\n        if call.kind == "create":',
        ["raised NotImplementedError", "raise CannotDo"],
    ),
    "open returns nothing": ("return Session()", "Session()", ["class MyStore: open() returned None", "perform(call)"]),
    "open returns the class": ("return Session()", "return Session", ["class MyStore: open() returned <class"]),
    "missing returns a text": ("return ()", 'return "all"', ["missing() returned 'all'", "a tuple of texts"]),
    "the table is a dict": ("table = Table(", "table = dict(", ["class MyStore: table is {", "table is a Table"]),
    "no open": ("def open(", "def opens(", ["class MyStore: it has no open"]),
    "the constructor needs something": (
        "    def missing(",
        "    def __init__(self, url: str) -> None:\n        self.url = url\n\n    def missing(",
        ["class MyStore", "making it raised TypeError", "make it without arguments"],
    ),
    "its code ends the process": (
        GIVES,
        "raise SystemExit(3)",
        ["conftest.py:25, class Session: perform(c1: create(t1)) raised SystemExit: 3"],
    ),
    "perform is async": (
        "    def perform(",
        "    async def perform(",
        ["class Session: perform(c1: create(t1)) returned a coroutine", "asyncio.run"],
    ),
    "sessions share a store": (
        "self.store = Store()",
        'self.store = Session.kept = getattr(Session, "kept", None) or Store()',
        ["the target itself breaks a rule, mend that first: ", "a new session knows the task of the one before"],
    ),
}


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What one run says of each target that has a mistake, by its place among them: each in a module of its own."""
    folder = tmp_path_factory.mktemp("mistaken")
    shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / "conftest.py").read_text(encoding="utf-8")
    places = range(len(MISTAKES))
    for place, (old, new, _) in zip(places, MISTAKES.values(), strict=True):
        assert text.count(old) == 1
        (folder / f"mistake_{place}.py").write_text(text.replace(old, new), encoding="utf-8")
    imports = "".join(f"import mistake_{place}\n" for place in places)
    made = ", ".join(f'"m{place}": mistake_{place}.MyStore' for place in places)
    hook = f"def pytest_latchcheck_targets():\n    return {{{made}}}\n"
    (folder / "conftest.py").write_text(imports + hook, encoding="utf-8")
    options = [word for place in places for word in ("--latchcheck-target", f"m{place}")]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "counterexamples/terminal-guard-none.json"]
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, check=False)
    assert 1 == done.returncode, done.stdout + done.stderr
    told = re.split(r"_+ terminal-guard-none\[m(\d+)\] _+", done.stdout.partition("= latchcheck: ")[0])
    return dict(zip(told[1::2], told[2::2], strict=True))


@pytest.mark.parametrize("place", range(len(MISTAKES)), ids=list(MISTAKES))
def test_a_mistake_in_a_target_is_one_message(mistaken: dict[str, str], place: int) -> None:
    """It names file, class and method, and what to write instead, and there is no traceback."""
    out = mistaken[str(place)]
    _, _, words = list(MISTAKES.values())[place]
    assert all(word.replace("conftest.py", f"mistake_{place}.py") in out for word in words), out
    assert ("Traceback" in out, len(out.splitlines()) < 20) == (False, True), out


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ('return {"my-store": MyStore()}', "give its class, {'my-store': MyStore}"),
        ('return {"my-store": None}', "give a class, or a function"),
        ('return ["my-store"]', "return a dict"),
        ('return {"my:store": MyStore}', "take one without a colon"),
        ("return {1: MyStore}", "1 is no name"),
    ],
)
def test_a_mistake_in_the_hook_is_one_message(project: pytest.Pytester, new: str, said: str) -> None:
    """What a hook returns that names no targets ends pytest at once, with what to return."""
    conftest(project, 'return {"my-store": MyStore}', new)
    result = run(project, "--latchcheck-target", "my-store")
    assert pytest.ExitCode.USAGE_ERROR == result.ret
    assert said in result.stderr.str()
    assert "Traceback" not in result.stderr.str()


def test_an_object_is_held_to_the_same(project: pytest.Pytester) -> None:
    """A target that is given to latchcheck_replay is looked at too; a class in its place is said."""
    conftest(project, GIVES, "Answer()")
    project.makepyfile(
        test_own="""
        import pytest
        from conftest import MyStore

        FILE = "counterexamples/terminal-guard-none.json"

        def test_own(latchcheck_replay):
            found = latchcheck_replay(FILE, target=MyStore())
            assert found.outcome == "failed"
            assert "returned None" in found.reason
            with pytest.raises(Exception, match="give an object of it"):
                latchcheck_replay(FILE, target=MyStore)
        """
    )
    run(project, "test_own.py").assert_outcomes(passed=1)


def test_a_failure_says_how_to_look_at_the_run(project: pytest.Pytester) -> None:
    """The file is named as one would name it on the command line."""
    result = run(project, "--latchcheck-target", "my-store")
    result.stdout.fnmatch_lines(["*`latchcheck show counterexamples/terminal-guard-none.json` walks through the run"])


def test_a_run_that_tried_nothing_is_no_success(project: pytest.Pytester) -> None:
    """Where no counterexample applies the run ends in 5, and the summary says so; beside other tests it ends in 0."""
    shutil.rmtree(project.path / "counterexamples")
    (project.path / "counterexamples").mkdir()
    shutil.copy(SAVED / "tenant-isolation" / "tenant-check-off.json", project.path / "counterexamples")
    result = run(project, "--latchcheck-target", "my-store")
    assert 5 == result.ret
    result.stdout.fnmatch_lines(["my-store: 1 not-applicable; nothing was tried"])
    assert 5 == run(project, "-n", "2", "--latchcheck-target", "my-store").ret
    project.makepyfile(test_own="def test_own(): pass")
    assert 0 == run(project, "--latchcheck-target", "my-store").ret


def test_a_server_is_started_once_and_stopped(project: pytest.Pytester) -> None:
    """A target is made once for all its fixtures, and what it has started is stopped at the end."""
    conftest(
        project,
        "    def open(self)",
        '    def stop(self) -> None:\n        print("stopped", file=open("log", "a"))\n\n    def open(self)',
    )
    made = 'lambda: print(1, file=open("log", "a")) or MyStore()'
    conftest(project, 'return {"my-store": MyStore}', f'return {{"my-store": {made}}}')
    run(project, "--latchcheck-target", "my-store", "-W", "ignore").assert_outcomes(failed=2)
    assert "1\nstopped\n" == (project.path / "log").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.needs("postgres")
def test_a_database_server_is_gone_afterwards(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """The PostgreSQL server that the fixtures share has left no folder behind."""
    room = Path(tempfile.mkdtemp(prefix="latchcheck-test-"))
    room.chmod(0o755)  # it does not run as root, and whoever it runs as must get in
    monkeypatch.setenv("TMPDIR", str(room))
    try:
        run(project, "--latchcheck-target", "postgres").assert_outcomes(passed=2)
        assert [] == [*room.glob("latchcheck-*")]
    finally:
        shutil.rmtree(room)
