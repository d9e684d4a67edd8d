"""The pytest plugin: saved counterexamples in anybody's repository are tests.

A file `counterexamples/**/*.json` that is a fixture is collected, one test for each target.
On the model it passes while the run still breaks what it broke; on a target it passes when the target conforms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

FORMAT = '"latchcheck/fixture/'
HEAD_LENGTH = 4096
"""A fixture says what it is in its first lines; no more of a file is read to find out."""
FOLDER = "counterexamples"
OUTCOME = "latchcheck_outcome"
PASSES = ("conforms", "reproduces")


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
    for targets in config.hook.pytest_latchcheck_targets():
        for name, make in targets.items():
            from .wiring.registering import register_target

            register_target(name, make)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A JSON file that lies where fixtures lie and says that it is one."""
    if file_path.suffix != ".json" or not _lies_right(file_path, parent.config):
        return None
    with file_path.open("rb") as file:
        head = file.read(HEAD_LENGTH).decode("utf-8", "replace")
    return FixtureFile.from_parent(parent, path=file_path) if FORMAT in head else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """A table: for each target how many fixtures came to which outcome."""
    counts: dict[str, dict[str, int]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            found = dict(getattr(report, "user_properties", ()))
            if OUTCOME in found and report.when == "call":
                row = counts.setdefault(found["latchcheck_target"], {})
                row[found[OUTCOME]] = row.get(found[OUTCOME], 0) + 1
    if counts:
        terminalreporter.section("latchcheck: saved counterexamples")
        for target in sorted(counts):
            told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts[target].items()))
            terminalreporter.line(f"{target}: {told}")


@pytest.fixture
def latchcheck_replay() -> Callable[..., Any]:
    """Replay one fixture file by hand: `latchcheck_replay(file, target=MyStore())`; the outcome, `reason` and steps.

    `target` is a target or the name of one; without it the model.
    """
    return replay


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
            found = replay(self.path, self.name)
        except Exception as error:
            from . import wiring

            # What is wrong with the file is the file's; anything else is a fault of the target.
            self.user_properties.append((OUTCOME, "unreadable" if wiring.is_bad_input(error) else "failed"))
            raise
        self.user_properties += [
            ("latchcheck_fixture", found.fixture.id),
            ("latchcheck_property", found.fixture.property),
            (OUTCOME, found.outcome),
        ]
        if found.outcome == "not-applicable":
            pytest.skip(f"not applicable to {self.name}: {found.reason}")
        if found.outcome not in PASSES:
            raise Broken(_told(found))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is wrong, without a traceback where it says nothing."""
        from . import wiring

        if isinstance(excinfo.value, Broken) or wiring.is_bad_input(excinfo.value):
            return str(excinfo.value)
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


def replay(file: Path | str, target: Any = "model") -> Any:
    """What becomes of a fixture file on a target, or on the model. Raises FixtureError and UnknownTarget."""
    from . import wiring

    fixture = wiring.load_fixture(str(file))
    if target == "model":
        return OnModel(wiring.replay_fixture(fixture))
    made = wiring.open_target(target) if isinstance(target, str) else target
    return wiring.replay_on_target(fixture, made)


def _told(found: Any) -> str:
    fixture = found.fixture
    lines = [f"{fixture.id}: {found.outcome}", f"  {found.reason}", f"  {fixture.sentence.text}"]
    for seen in found.steps:
        lines.append(f"  {seen.step:>3}  {seen.call}")
        lines.append(f"       -> {seen.answer}")
    return "\n".join(lines)


def _targets(config: pytest.Config) -> Iterable[str]:
    named = config.getoption("--latchcheck-target") or config.getini("latchcheck_targets")
    return tuple(dict.fromkeys(named)) or ("model",)


def _lies_right(path: Path, config: pytest.Config) -> bool:
    folders = config.getini("latchcheck_fixtures")
    if folders:
        return any(path.is_relative_to(folder) for folder in folders)
    return FOLDER in path.parts
