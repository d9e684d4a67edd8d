"""The saved counterexamples of this project: each reproduces, none is longer than need be, and all are up to date."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from latchcheck.cli import wiring
from latchcheck.counterexamples import Event, dump, guarded, minimised, saved, slug, update
from latchcheck.counterexamples.loading import SAVED
from latchcheck.engines.explicit import explore
from tests.engines.toys.two_phase_commit import two_phase_commit
from tests.replay.sample import broken_commit, sample

FIXTURES = dict(saved())
UNTIMED = [fixture for fixture in FIXTURES.values() if fixture.config is None]


def test_there_are_saved_ones() -> None:
    """Every lifecycle property has at least one counterexample under some mutant."""
    assert {fixture.property for fixture in UNTIMED} == set(wiring.lifecycle_ids())


def test_a_saved_run_of_a_configuration_is_one_that_verify_shows() -> None:
    """The other saved runs break properties of configurations, under the numbers that they carry."""
    timed = [fixture for fixture in FIXTURES.values() if fixture.config is not None]
    assert {fixture.property for fixture in timed} <= set(wiring.property_ids())
    assert len(timed) > 0


def test_every_saved_fixture_reproduces() -> None:
    """None is stale."""
    stale = {one.fixture.id: one.reason for one in map(wiring.replay_fixture, FIXTURES.values()) if one.stale}

    assert stale == {}


def test_every_saved_fixture_is_as_long_as_the_shortest() -> None:
    """The exhaustive search finds no shorter run for the same property, policy and scope."""
    longer = {}
    for fixture in UNTIMED:
        case = wiring.fixture_case(fixture)
        found = explore(case.system, [case.asked]).counterexample
        assert found is not None
        lengths = len(fixture.steps), fixture.minimal.steps, fixture.minimal.shortest
        if set(lengths) != {len(found)}:
            longer[fixture.id] = (*lengths, len(found))
    assert longer == {}


def test_files_are_as_they_would_be_written() -> None:
    """The bytes of each file are those that the writer makes."""
    assert [path for path, fixture in FIXTURES.items() if path.read_text(encoding="utf-8") != dump(fixture)] == []


@pytest.mark.parametrize("name", ["tenant-isolation", "begins-working"])
def test_generating_again_changes_nothing(name: str, tmp_path: Path) -> None:
    """The fixtures of a property, made anew beside all others, are the files there are; so is the index."""
    folder = tmp_path / "saved"
    shutil.copytree(SAVED, folder)

    assert wiring.generate_fixtures([name], folder=folder) == []


def test_generating_mends_and_tidies(tmp_path: Path) -> None:
    """A changed file is written anew, a missing one is made, one that should not be there is taken away."""
    folder = tmp_path / "saved"
    shutil.copytree(SAVED, folder)
    mine = folder / "tenant-isolation"
    changed, missing = mine / "tenant-check-off.json", mine / "tenant-check-reads-only.json"
    document = json.loads(changed.read_text(encoding="utf-8"))
    surplus = mine / "another.json"
    surplus.write_text(json.dumps({**document, "id": "tenant-isolation/another"}), encoding="utf-8")
    changed.write_text(json.dumps({**document, "era": "2025-11-25"}), encoding="utf-8")
    missing.unlink()

    assert wiring.generate_fixtures(["tenant-isolation"], folder=folder) == [surplus, changed, missing]
    assert {path.name: path.read_bytes() for path in folder.rglob("*.*")} == {
        path.name: path.read_bytes() for path in SAVED.rglob("*.*")
    }


def test_a_saved_fixture_cannot_be_minimised() -> None:
    """What is a shortest run stays as it is."""
    for fixture in list(FIXTURES.values())[::12]:
        assert len(minimised(fixture, wiring.fixture_case(fixture)).steps) == len(fixture.steps)


def test_slugs() -> None:
    """A policy becomes the name of a file."""
    assert slug("terminal_guard=check-then-set") == "terminal-guard-check-then-set"
    assert slug("notifications=lossy,view=last") == "notifications-lossy.view-last"


def test_what_a_guarded_model_answers() -> None:
    """The steps up to the decision are allowed; the abort after it is refused by the guard that was taken away."""
    steps = guarded(two_phase_commit(2), sample().steps)

    assert {step.action: step.guarded["decision"] for step in steps if step.guarded is not None} == {
        "RMPrepare": "ALLOW",
        "TMRcvPrepared": "ALLOW",
        "TMCommit": "ALLOW",
        "RMRcvCommitMsg": "ALLOW",
        "RMChooseToAbort": "BLOCK",
    }
    (refused,) = [step.guarded for step in steps if step.action == "RMChooseToAbort"]
    assert refused == {"decision": "BLOCK", "because": "the resource manager is working"}


def test_what_a_guarded_model_does_not_know_has_no_answer() -> None:
    """An action that only the broken model has is answered by the one that stands for it, or not at all."""
    steps = (
        Event(None, "rm", "Prepare", {"rm": 0}),
        Event(None, "rm", "Vanish", {}),
        Event(None, "rm", "RMPrepare", {}),
    )
    answers = [step.guarded for step in guarded(broken_commit(), steps, {"Prepare": "RMPrepare"})]

    assert answers == [{"decision": "ALLOW"}, None, None]


def test_the_index_lists_every_fixture(tmp_path: Path) -> None:
    """A row, a heading and a diagram each; written once."""
    changed = update([sample()], {"consistent/late-abort": "sequenceDiagram\n"}, tmp_path)

    assert changed == [tmp_path / "consistent" / "late-abort.json", tmp_path / "README.md"]
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    row = "| [consistent/late-abort](#consistentlate-abort) | `abort=always` | 7 | not both committed and aborted |"
    assert row in text.splitlines()
    assert "\n```mermaid\nsequenceDiagram\n```\n" in text
    assert update([sample()], {"consistent/late-abort": "sequenceDiagram\n"}, tmp_path) == []
