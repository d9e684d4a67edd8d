"""The pytest plugin: saved counterexamples in anybody's repository are tests.

A file `counterexamples/**/*.json` that is a fixture is collected, one test for each target.
On the model it passes while the run still breaks what it broke; on a target it passes when the target conforms.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from latchcheck.gathering import every

FORMAT = '"latchcheck/fixture/'
HEAD_LENGTH = 4096
"""A fixture says what it is in its first lines; no more of a file is read to find out."""
FOLDER = "counterexamples"
OUTCOME = "latchcheck_outcome"
UNTRIED = "not-applicable"
PASSES = ("conforms", "reproduces")
TARGETS = pytest.StashKey[dict[str, Any]]()
"""The targets that were made in this run, by name."""
RULES = pytest.StashKey[dict[str, str | None]]()
"""The rule that a target breaks, by its name, as far as that was asked."""


class Hooks:
    """What a `conftest.py` may define."""

    def pytest_latchcheck_targets(self) -> dict[str, Callable[[], Any]]:  # type: ignore[empty-body] - a specification
        """The targets of a project: for each name what makes one, often the class itself."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Let a `conftest.py` say which targets there are."""
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options and the keys of the configuration file."""
    group = parser.getgroup("latchcheck", "saved counterexamples as tests")
    group.addoption(
        "--latchcheck-target",
        action="append",
        metavar="NAME",
        help="replay saved counterexamples on this target; may be repeated (default: latchcheck_targets, or the model)",
    )
    parser.addini("latchcheck_targets", "targets that saved counterexamples are replayed on", type="linelist")
    parser.addini(
        "latchcheck_fixtures",
        f"folders whose JSON files are saved counterexamples (default: every folder called {FOLDER})",
        type="paths",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, and the targets of the project."""
    config.addinivalue_line("markers", "latchcheck(property): a saved counterexample of that property")
    config.stash[TARGETS] = {}
    config.stash[RULES] = {}
    for targets in config.hook.pytest_latchcheck_targets():
        from .wiring.registering import register_target

        if not isinstance(targets, Mapping):
            instead = "return a dict, {'my-store': MyStore}"
            raise pytest.UsageError(f"pytest_latchcheck_targets of a conftest.py returned {targets!r}; {instead}")
        for name, make in targets.items():
            if wrong := register_target(name, make):
                raise pytest.UsageError(f"pytest_latchcheck_targets of a conftest.py: {wrong}")


def pytest_unconfigure(config: pytest.Config) -> None:
    """End what targets have started for all their sessions, such as a database server."""
    for target in config.stash.get(TARGETS, {}).values():
        getattr(target, "stop", lambda: None)()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where nothing but counterexamples was run, and none of them could be tried, the run has tested nothing."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput") or session.exitstatus != pytest.ExitCode.OK:
        return
    counts = _counts(reporter)
    if counts and all(set(row) == {UNTRIED} for row in counts.values()) and not reporter.stats.get("passed"):
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A JSON file that lies where fixtures lie and says that it is one."""
    if file_path.suffix != ".json" or not _lies_right(file_path, parent.config):
        return None
    with file_path.open("rb") as file:
        head = file.read(HEAD_LENGTH).decode("utf-8", "replace")
    return FixtureFile.from_parent(parent, path=file_path) if FORMAT in head else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """A table: for each target how many fixtures came to which outcome."""
    counts = _counts(terminalreporter)
    if counts:
        terminalreporter.section("latchcheck: saved counterexamples")
        for target in sorted(counts):
            told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts[target].items()))
            nothing = "; nothing was tried" if set(counts[target]) == {UNTRIED} else ""
            terminalreporter.line(f"{target}: {told}{nothing}")


def _counts(terminalreporter: Any) -> dict[str, dict[str, int]]:
    """For each target how many fixtures came to which outcome."""
    counts: dict[str, dict[str, int]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            found = dict(getattr(report, "user_properties", ()))
            if OUTCOME in found and report.when == "call":
                row = counts.setdefault(found["latchcheck_target"], {})
                row[found[OUTCOME]] = row.get(found[OUTCOME], 0) + 1
    return counts


@pytest.fixture
def latchcheck_replay(pytestconfig: pytest.Config) -> Callable[..., Any]:
    """Replay one fixture file by hand: `latchcheck_replay(file, target=MyStore())`; the outcome, `reason` and steps.

    `target` is a target or the name of one; without it the model.
    """

    def by_hand(file: Path | str, target: Any = "model") -> Any:
        return replay(file, target, pytestconfig.stash[TARGETS])

    return by_hand


class FixtureFile(pytest.File):
    """A saved counterexample: a test for each target."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item a target, in the order in which the targets are named."""
        for target in _targets(self.config):
            yield FixtureItem.from_parent(self, name=target)


class FixtureItem(pytest.Item):
    """A saved counterexample on one target."""

    def __init__(self, **rest: Any) -> None:
        super().__init__(**rest)
        self.add_marker("latchcheck")

    def runtest(self) -> None:
        """Replay it. Raises Broken where it does not come out as it should."""
        self.user_properties.append(("latchcheck_target", self.name))
        try:
            found = replay(self.path, self.name, self.config.stash[TARGETS])
        except Exception as error:
            from . import wiring
            from .wiring.registering import is_fault

            # What is wrong with the file is the file's; anything else is a fault of the target.
            bad = wiring.is_bad_input(error) and not is_fault(error)
            self.user_properties.append((OUTCOME, "unreadable" if bad else "failed"))
            raise
        self.user_properties += [
            ("latchcheck_fixture", found.fixture.id),
            ("latchcheck_property", found.fixture.property),
            (OUTCOME, found.outcome),
        ]
        if found.outcome == "not-applicable":
            pytest.skip(f"not applicable to {self.name}: {found.reason}")
        if found.outcome not in PASSES:
            raise Broken(_told(found, self._named()) + self._own_fault())

    def _own_fault(self) -> str:
        """What a target breaks of the rules for targets, as then its outcomes say little; it is asked once."""
        from .wiring.registering import broken_rule

        rules = self.config.stash[RULES]
        if self.name not in rules:
            rules[self.name] = broken_rule(self.config.stash[TARGETS].get(self.name))
        broken = rules[self.name]
        return "" if broken is None else f"\n  the target itself breaks a rule, mend that first: {broken}"

    def _named(self) -> str:
        """The file as one would name it on the command line."""
        here = self.config.invocation_params.dir
        return str(self.path.relative_to(here) if self.path.is_relative_to(here) else self.path)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is wrong, without a traceback where it says nothing."""
        from . import wiring

        if isinstance(excinfo.value, Broken) or wiring.is_bad_input(excinfo.value):
            return "\n".join(map(str, every(excinfo.value)))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it lies, and what it is called."""
        return self.path, 0, f"{self.path.stem}[{self.name}]"


class Broken(Exception):
    """A saved counterexample did not come out as it should; the text tells the run."""


class OnModel:
    """What becomes of a fixture on the model, told as on a target."""

    def __init__(self, replayed: Any) -> None:
        self.fixture = replayed.fixture
        self.outcome = "stale" if replayed.stale else "reproduces"
        self.reason = replayed.reason or ""
        self.steps: tuple[Any, ...] = ()


def replay(file: Path | str, target: Any, known: dict[str, Any]) -> Any:
    """What becomes of a fixture file on a target, or on the model.

    A target is made once, and `known` from then on: it may have started a server.
    Raises FixtureError, UnknownTarget and TargetError.
    """
    from . import wiring

    fixture = wiring.load_fixture(str(file))
    if isinstance(target, str) and target == "model":
        return OnModel(wiring.replay_fixture(fixture))
    if not isinstance(target, str):
        from .wiring.registering import checked_target

        return wiring.replay_on_target(fixture, checked_target(target))
    if target not in known:
        made = wiring.open_target(target)
        if lacks := made.missing():
            raise Broken("\n  ".join((f"the target {target} is not ready", *lacks)))
        known[target] = made
    return wiring.replay_on_target(fixture, known[target])


def _told(found: Any, file: str) -> str:
    fixture = found.fixture
    if found.outcome == "failed":
        return f"{fixture.id}: the target could not be driven\n  {found.reason}"
    lines = [f"{fixture.id}: {found.outcome}", f"  {found.reason}", f"  {fixture.sentence.text}"]
    for seen in found.steps:
        lines.append(f"  {seen.step:>3}  {seen.call}")
        lines.append(f"       -> {seen.answer}")
    lines.append(f"  `{shlex.join(['latchcheck', 'show', file])}` walks through the run")
    return "\n".join(lines)


def _targets(config: pytest.Config) -> Iterable[str]:
    named = config.getoption("--latchcheck-target") or config.getini("latchcheck_targets")
    return tuple(dict.fromkeys(named)) or ("model",)


def _lies_right(path: Path, config: pytest.Config) -> bool:
    folders = config.getini("latchcheck_fixtures")
    if folders:
        return any(path.is_relative_to(folder) for folder in folders)
    return FOLDER in path.parts
