"""Model and target side by side: which targets diverge, what is left of the run, and what is never a pass."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from latchcheck.cli.main import main
from latchcheck.counterexamples import load
from latchcheck.counterexamples.targets import registry
from latchcheck.counterexamples.targets.errors import TargetCrashed, TargetTimeout
from latchcheck.counterexamples.targets.events import Answer, Call
from latchcheck.counterexamples.targets.protocol import Session, Table
from latchcheck.counterexamples.targets.sqlite import Sqlite

ROOT = Path(__file__).resolve().parents[2]
WORKED = ROOT / "docs" / "examples" / "driver" / "store.py"
POSTGRES = pytest.param("postgres", marks=pytest.mark.needs("postgres"))
SCHEMA = json.loads((ROOT / "docs/reference/lockstep.schema.json").read_text(encoding="utf-8"))
RACE = (
    "--scope",
    "tasks=1,workers=2,instances=2,cancels=1",
    "--policy",
    "terminal_guard=check-then-set",
    "--seed",
    "1",
)


class Wrapped:
    """A session of a real store whose answers somebody meddles with."""

    def __init__(self, session: Session, meddle: Callable[[Call, Answer], Answer]) -> None:
        self._session, self._meddle = session, meddle

    def perform(self, call: Call) -> Answer:
        """The store's answer, meddled with."""
        return self._meddle(call, self._session.perform(call))

    def close(self) -> None:
        """Close the store."""
        self._session.close()


class Meddled:
    """A target made of another, each session with a meddler of its own."""

    def __init__(self, inner: Sqlite, meddler: Callable[[], Callable[[Call, Answer], Answer]]) -> None:
        self.name = "meddled"
        self._inner, self._meddler = inner, meddler

    @property
    def table(self) -> Table:
        """As the other one."""
        return self._inner.table

    def missing(self) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def open(self) -> Session:
        """A session of the other one."""
        return Wrapped(self._inner.open(), self._meddler())


@pytest.fixture
def meddled(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Registers a target called `meddled`."""

    def made(inner: Sqlite, meddler: Callable[[], Callable[[Call, Answer], Answer]]) -> None:
        monkeypatch.setitem(registry._registered, "meddled", lambda: Meddled(inner, meddler))  # noqa: SLF001

    return made


Run = Callable[..., tuple[int, Any]]


@pytest.fixture
def fuzz(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `fuzz --target` and returns its exit code and its data, which fit their schema."""

    def run(*arguments: str) -> tuple[int, Any]:
        code = main(["fuzz", "--format", "json", *arguments])
        envelope = json.loads(capsys.readouterr().out)
        assert [] == [error.message for error in Draft202012Validator(SCHEMA).iter_errors(envelope)]
        assert envelope["exit"] == code
        return code, envelope

    return run


def test_a_store_that_reads_and_then_writes_diverges(fuzz: Run, tmp_path: Path) -> None:
    """The race of a write with a cancel between is found on a real database, made small there, and saved."""
    code, found = fuzz("--target", "sqlite-naive", *RACE, "--max-runs", "150", "-o", str(tmp_path))
    search = found["searches"][-1]
    assert (1, "diverged") == (code, search["ended"])
    # Both writers have read the task before either writes: create, hand over, two reads and two writes are needed.
    actions = sorted(step["action"] for step in search["run"])
    assert {"cancel_reads", "cancel_writes", "check", "create", "deliver", "write_terminal"} <= set(actions)
    assert len(actions) <= 9
    last = search["evidence"][-1]
    assert last["observed"] not in last["allowed"] or "done" in last["answer"]
    fixture = load(Path(found["saved"]))
    # It breaks both; the first of the catalogue whose scope has the instance that was drawn tells of it.
    assert fixture.property in ("one-terminal-outcome", "legal-transitions-only")
    assert "lockstep" == fixture.found_by.engine
    assert 1 == main(["replay", found["saved"], "--target", "sqlite-naive"])
    assert 0 == main(["replay", found["saved"], "--target", "sqlite"])


@pytest.mark.parametrize("name", ["model", "sqlite", POSTGRES, f"driver:{sys.executable} {WORKED}"])
def test_a_store_that_compares_does_not_diverge(fuzz: Run, name: str) -> None:
    """With and without time a correct target is accused of nothing, and not acquitted: a sample proves nothing."""
    code, found = fuzz("--target", name, "--max-runs", "24" if name == "postgres" else "64", "--seed", "2")
    assert 4 == code
    assert {"nothing-found"} == {one["ended"] for one in found["searches"]}
    done = {kind for one in found["searches"] for kind, count in one["events"].items() if count}
    assert {"create", "cancel", "dispatch", "worker_write", "get"} <= done
    # A driver without a clock is asked nothing about time.
    assert ("advance_clock" in done, "reap" in done) == (not name.startswith("driver"),) * 2


@pytest.mark.slow
def test_who_is_kept_from_acting_has_done_nothing_wrong(fuzz: Run) -> None:
    """A worker whose task was cancelled may be told so instead of having its side effect."""
    driver = f"driver:{sys.executable} {ROOT / 'docs/examples/driver/whole_store.py'}"
    scope = ("--scope", "tasks=1,workers=1,cancels=1", "--policy", "terminal_guard=none,version_check=off")
    code, found = fuzz("--target", driver, *scope, "--max-runs", "8", "--no-fixtures")
    assert (4, {"nothing-found"}) == (code, {one["ended"] for one in found["searches"]})
    assert found["searches"][0]["events"]["act"] > 0


@pytest.mark.parametrize(("clients", "each"), [(0, 2), (1, 1)])
def test_every_call_of_a_scope_is_asked(fuzz: Run, clients: int, each: int) -> None:
    """Without clients each task is created by itself; with one, which calls once, there is a create in every run."""
    scope = f"tasks=2,workers=1,clients={clients},cancels=1"
    code, found = fuzz("--target", "sqlite", "--policy", "guarded", "--scope", scope, "--max-runs", "10")
    (search,) = found["searches"]
    assert (code, search["ended"]) == (4, "nothing-found")
    assert search["events"]["create"] == each * search["runs"]


@pytest.mark.slow
@pytest.mark.needs("postgres")
def test_a_race_that_is_lost_on_postgres_is_found_there(fuzz: Run, tmp_path: Path) -> None:
    """The store that reads and then writes diverges in PostgreSQL too, and its run is saved and replayed there."""
    code, found = fuzz("--target", "postgres-naive", *RACE, "--max-runs", "150", "-o", str(tmp_path))
    assert (1, "diverged") == (code, found["searches"][-1]["ended"])
    assert len(found["searches"][-1]["run"]) <= 9
    assert 1 == main(["replay", found["saved"], "--target", "postgres-naive"])


def driver(tmp_path: Path, **changed: str) -> str:
    """The worked driver with some of its words changed, as a target."""
    text = WORKED.read_text(encoding="utf-8")
    for old, new in changed.items():
        assert text.count(OLD[old]) == 1
        text = text.replace(OLD[old], new)
    (tmp_path / "store.py").write_text(text, encoding="utf-8")
    return f"driver:{sys.executable} {tmp_path / 'store.py'}"


OLD = {
    "versions": '    "versions": True,',
    "guard": 'if record["status"] in TERMINAL:',
}


@pytest.mark.slow
def test_a_driver_that_forgets_a_guard_diverges(fuzz: Run, tmp_path: Path) -> None:
    """A driver whose worker writes over any outcome is found out, and its run is saved and replayed on it."""
    name = driver(tmp_path, versions="", guard="if not record:")
    code, found = fuzz("--target", name, *RACE, "--max-runs", "100", "-o", str(tmp_path / "saved"))
    assert (1, "diverged") == (code, found["searches"][-1]["ended"])
    assert "lockstep" == load(Path(found["saved"])).found_by.engine
    assert 1 == main(["replay", found["saved"], "--target", name])
    assert 0 == main(["replay", found["saved"], "--target", f"driver:{sys.executable} {WORKED}"])


def test_a_target_is_asked_in_an_era_that_it_speaks(fuzz: Run, tmp_path: Path) -> None:
    """Without a policy that names an era it is the target's own; in one that it does not speak nothing is tried."""
    name = driver(tmp_path, versions='    "eras": ["2025-11-25"],')
    code, found = fuzz("--target", name, "--max-runs", "8", "--seed", "2")
    assert 4 == code
    assert all("era=2025-11-25" in one["policy"] and one["answers"] for one in found["searches"])
    code, found = fuzz("--target", name, "--max-runs", "2", "--policy", "era=2026-07-28")
    assert (5, "nothing-tried", 0) == (code, found["searches"][0]["ended"], found["searches"][0]["answers"])
    assert "it speaks 2025-11-25" in found["searches"][0]["reason"]


def test_the_same_seed_does_the_same(fuzz: Run) -> None:
    """The runs done to a target depend on the seed alone."""
    first, second = (fuzz("--target", "sqlite", *RACE, "--max-runs", "10")[1] for _ in range(2))
    assert first == second


@pytest.mark.parametrize(("error", "word"), [(TargetCrashed, "crash"), (TargetTimeout, "timeout")])
def test_a_target_that_cannot_be_driven_is_no_pass(
    fuzz: Run, meddled: Callable[..., None], error: type[Exception], word: str
) -> None:
    """A crash and a time-out end the search as such, with the events that led to it."""

    def meddler() -> Callable[[Call, Answer], Answer]:
        def meddle(call: Call, answer: Answer) -> Answer:
            if call.kind == "cancel":
                raise error("it is gone")
            return answer

        return meddle

    meddled(Sqlite(), meddler)
    code, found = fuzz("--target", "meddled", *RACE, "--max-runs", "40")
    assert (4, "failed") == (code, found["searches"][-1]["ended"])
    assert word in found["searches"][-1]["reason"]
    assert found["searches"][-1]["run"]


def test_a_target_that_answers_now_so_and_now_otherwise_is_unsteady(fuzz: Run, meddled: Callable[..., None]) -> None:
    """An answer that is wrong once in a while is neither a divergence that can be shown nor a pass."""
    asked = [0]

    def meddler() -> Callable[[Call, Answer], Answer]:
        def meddle(call: Call, answer: Answer) -> Answer:
            asked[0] += call.kind == "get"
            wrong = call.kind == "get" and asked[0] == 7
            return Answer(status="failed") if wrong else answer

        return meddle

    meddled(Sqlite(), meddler)
    code, found = fuzz("--target", "meddled", *RACE, "--max-runs", "40")
    assert (4, "unsteady") == (code, found["searches"][-1]["ended"])


def test_a_divergence_that_no_property_tells_of_is_said(
    fuzz: Run, meddled: Callable[..., None], tmp_path: Path
) -> None:
    """A store that shows a status of its own is shown with its evidence, and no fixture is made up for it."""

    def meddler() -> Callable[[Call, Answer], Answer]:
        return lambda call, answer: Answer(status="failed") if call.kind == "get" else answer

    meddled(Sqlite(), meddler)
    code, found = fuzz("--target", "meddled", *RACE, "--max-runs", "20", "-o", str(tmp_path))
    search = found["searches"][-1]
    assert (1, "diverged", None) == (code, search["ended"], found["saved"])
    assert ["create"] == [step["action"] for step in search["run"]]
    assert [] == [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--target", "sqlit"), "sqlite"),
        (("--target", "sqlite", "--property", "tenant-isolation"), "it takes no"),
        (("--target", "sqlite", "--policy", "nope=1"), "nope"),
        (("--target", "sqlite", "--scope", "tasks=0"), "tasks"),
    ],
)
def test_bad_input_is_said(arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each mistake ends with the code of bad usage and one error."""
    assert 2 == main(["fuzz", *arguments])
    captured = capsys.readouterr()
    assert "" == captured.out
    assert words in captured.err
