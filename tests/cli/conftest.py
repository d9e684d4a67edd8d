"""A checker that answers at once, so that the command line is tested by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from attrs import define, field

from latchcheck.cli import wiring
from latchcheck.cli.main import main
from latchcheck.kernel.telling import PLAIN
from latchcheck.kernel.verdict import PropertyVerdict, Report
from latchcheck.model.reading import ConfigError, Where
from tests.unit.report import sample

ANSWERS: dict[str, PropertyVerdict] = {
    "fine.toml": sample.PROVED,
    "violated.toml": sample.VIOLATED,
    "vacuous.toml": sample.VACUOUS,
    "inconclusive.toml": sample.INCONCLUSIVE,
}


@define
class Checker:
    """Answers by the name of the file, and remembers what it was asked."""

    asked: list[dict[str, Any]] = field(factory=list)
    only: list[Sequence[str] | None] = field(factory=list)

    def read_config(self, file: str | None, **laid_over: Any) -> PropertyVerdict:
        """The answer itself serves as the configuration."""
        self.asked.append({"file": file, **laid_over})
        if file == "broken.toml":
            raise ConfigError("unknown key", Where("broken.toml", 7, "server.orphn"), "write server.orphan_window")
        if file == "bug.toml":
            raise RuntimeError("the floor gave way")
        if file == "interrupted.toml":
            raise KeyboardInterrupt
        return ANSWERS.get(file or "", sample.PROVED)

    def verify(self, config: PropertyVerdict, only: Sequence[str] | None, *, repairs: bool = True) -> Report:  # noqa: ARG002
        """A report with the one answer."""
        self.only.append(only)
        return sample.report(config, source="to be replaced")


@define
class Outcome:
    """What a run of the command line left."""

    code: int
    out: str
    err: str

    @property
    def envelope(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)


Run = Callable[..., Outcome]


@pytest.fixture
def checker(monkeypatch: pytest.MonkeyPatch) -> Checker:
    """The command line wired to the checker above."""
    fake = Checker()
    monkeypatch.setattr(wiring, "read_config", fake.read_config)
    monkeypatch.setattr(wiring, "verify", fake.verify)
    monkeypatch.setattr(wiring, "telling", lambda _config: PLAIN)
    monkeypatch.setattr(wiring, "property_ids", lambda: (sample.PROVED.id, sample.VIOLATED.id))
    return fake


@pytest.fixture
def run(checker: Checker, capfd: pytest.CaptureFixture[str]) -> Run:  # noqa: ARG001 - the wiring is what is wanted
    """Runs the command line in this process."""

    def call(*arguments: str) -> Outcome:
        code = main(arguments)
        captured = capfd.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in this process, wired to the real model."""

    def called(*arguments: str) -> Outcome:
        code = main(arguments)
        captured = capfd.readouterr()
        return Outcome(code, captured.out, captured.err)

    return called
