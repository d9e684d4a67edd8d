"""The saved counterexamples of this project: each reproduces, none is longer than need be, and all are up to date."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from latchcheck.cli import wiring
from latchcheck.counterexamples import dump, minimised, saved, slug, update
from latchcheck.counterexamples.loading import SAVED
from latchcheck.engines.explicit import explore
from tests.properties.lifecycle.test_kill_table import KILLED
from tests.replay.sample import sample

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

    assert wiring.generate_fixtures(["tenant-isolation"], folder=folder) == [changed, missing, surplus]
    assert meant(folder) == meant(SAVED)


def meant(folder: Path) -> dict[str, object]:
    """What each file of a folder says, but for the versions that a fixture was found with."""
    found: dict[str, object] = {}
    for path in folder.rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            document = json.loads(text)
            document["found_by"]["versions"] = {}
            found[path.name] = document
        else:
            found[path.name] = text
    return found


def test_a_saved_fixture_cannot_be_minimised() -> None:
    """What is a shortest run stays as it is."""
    for fixture in list(FIXTURES.values())[::12]:
        assert len(minimised(fixture, wiring.fixture_case(fixture)).steps) == len(fixture.steps)


def test_slugs() -> None:
    """A policy becomes the name of a file."""
    assert slug("terminal_guard=check-then-set") == "terminal-guard-check-then-set"
    assert slug("notifications=lossy,view=last") == "notifications-lossy.view-last"


# The double finish of the first source, step by step, and what its guarded store answers.
DOUBLE_FINISH = [
    ("create", "ALLOW", "working"),
    ("deliver", "ALLOW", "working"),
    ("check", "ALLOW", "working"),
    ("cancel_reads", "ALLOW", "working"),
    ("write_terminal", "ALLOW", "completed"),
    ("cancel_writes", "ALLOW", "completed"),
]


def test_what_a_guarded_model_answers() -> None:
    """A look is a read, and the write after it looks again: one is stored, the cancel after it changes nothing."""
    fixture = FIXTURES[SAVED / "one-terminal-outcome" / "terminal-guard-check-then-set.json"]
    answers = [(step.action, step.guarded) for step in fixture.steps]
    told = [(name, answer["decision"], answer["status_t1"]) for name, answer in answers if answer is not None]
    assert DOUBLE_FINISH == told


def test_a_report_is_answered_with_what_the_record_decides() -> None:
    """A worker that reports what is stored is told so, and one that reports another fact is refused, by name."""
    repeated = FIXTURES[SAVED / "repeat-is-not-rewrite" / "terminal-repeat-refused.json"]
    late = FIXTURES[SAVED / "no-write-after-expiry" / "expiry-check-off.json"]
    stale = FIXTURES[SAVED / "stale-writer-blocked" / "version-check-off.json"]
    last = [fixture.steps[-1].guarded for fixture in (repeated, late, stale)]
    decisions = [answer["decision"] for answer in last if answer is not None]
    assert ["IDEMPOTENT_TERMINAL", "BLOCK_EXPIRED", "BLOCK_STALE_VERSION"] == decisions


# What only a broken model does and no read or write stands for: it has no answer.
NO_WORD = {"announce", "judge", "notify", "see_notification", "expire_marker"}


def test_every_step_that_has_a_meaning_has_an_answer() -> None:
    """Only steps for which the guarded model has no word at all are left without an answer."""
    silent = {step.action for fixture in UNTIMED for step in fixture.steps if step.guarded is None}
    assert silent <= NO_WORD


def test_an_answer_is_that_of_the_era() -> None:
    """A run of 2025-11-25 is answered by the guarded model of that era, which holds a tasks/result call."""
    fixture = FIXTURES[SAVED / "client-converges" / "era-2025-11-25.result-while-open-returns.json"]
    answers = {step.action: step.guarded for step in fixture.steps}
    asked = answers["ask_result"]
    assert asked is not None
    assert "ALLOW" == asked["decision"]


def test_what_is_told_is_in_words() -> None:
    """The diagrams of the index have the words of the model, arrows for messages, and no bookkeeping."""
    text = (SAVED / "README.md").read_text(encoding="utf-8")
    assert "w1 receives the message for t1 and begins" in text
    assert "->>" in text
    assert "deliver(worker=" not in text
    assert "phase_w1" not in text


def test_a_mutant_has_a_fixture_for_every_property_that_it_breaks() -> None:
    """The saved runs of the lifecycle are those of the kill table, each as long as the table says."""
    expected = {
        f"{name}/{slug(mutant)}": steps for mutant, killers in KILLED.items() for name, steps in killers.items()
    }
    assert expected == {fixture.id: len(fixture.steps) for fixture in UNTIMED}


def test_the_index_lists_every_fixture(tmp_path: Path) -> None:
    """A row, a heading and a diagram each; written once."""
    changed = update([sample()], {"consistent/late-abort": "sequenceDiagram\n"}, tmp_path)

    assert changed == [tmp_path / "consistent" / "late-abort.json", tmp_path / "README.md"]
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    row = "| [consistent/late-abort](#consistentlate-abort) | `abort=always` | 7 | not both committed and aborted |"
    assert row in text.splitlines()
    assert "\n```mermaid\nsequenceDiagram\n```\n" in text
    assert update([sample()], {"consistent/late-abort": "sequenceDiagram\n"}, tmp_path) == []
