"""What `verify` shows violated is saved as fixtures that replay, each on the system and numbers it was seen on."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest

from latchcheck.cli import wiring
from latchcheck.cli.main import main
from latchcheck.counterexamples import load
from latchcheck.model.config import Config
from tests.engines.test_stateful_timed import CONFIG

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
LAZY = attrs.evolve(CONFIG, server=attrs.evolve(CONFIG.server, sweep_period_ms="lazy"))
MANY = attrs.evolve(
    CONFIG,
    server=attrs.evolve(CONFIG.server, max_attempts=50, execution_deadline_ms=10**6, retry_max_delay_ms=5_000),
)
CONFIGS = {"swept": CONFIG, "lazy": LAZY, "many attempts": MANY}


@pytest.mark.parametrize("name", CONFIGS)
def test_every_witness_is_saved_and_replays(name: str, tmp_path: Path) -> None:
    """Each violated property of a configuration gives a fixture, none of which is stale."""
    config: Config = CONFIGS[name]
    report = wiring.verify(config, None)
    paths, lost = wiring.save_witnesses(report, tmp_path)
    violated = [one.id for one in report.properties if one.verdict == "violated"]
    assert (violated, []) == ([*paths], lost)
    for path in paths.values():
        assert wiring.replay_fixture(load(path)).reason is None, path
        assert path == tmp_path / f"{load(path).id}.json"


def test_the_numbers_of_a_schedule_are_kept() -> None:
    """The three properties whose systems take numbers from the client's schedule, or from attempts, are among them."""
    violated = {one.id for config in CONFIGS.values() for one in wiring.verify(config, None).properties if one.witness}
    assert {"orphans-found-in-time", "input-window-covers-human", "retries-inside-deadline"} <= violated


def test_saving_again_changes_nothing(tmp_path: Path) -> None:
    """The same witnesses are the same files; another configuration's are files of their own."""
    report = wiring.verify(CONFIG, ["no-live-orphan"])
    first, _ = wiring.save_witnesses(report, tmp_path)
    before = {path: path.stat().st_ino for path in first.values()}
    again, _ = wiring.save_witnesses(report, tmp_path)
    assert before == {path: path.stat().st_ino for path in again.values()}
    other, _ = wiring.save_witnesses(wiring.verify(LAZY, ["no-live-orphan"]), tmp_path)
    assert not set(other.values()) & set(first.values())


def test_all_are_saved_or_none(tmp_path: Path) -> None:
    """Where one file cannot be written no other is left behind."""
    report = wiring.verify(CONFIG, None)
    last = [one.id for one in report.properties if one.witness][-1]
    (tmp_path / last).write_text("in the way")
    with pytest.raises(OSError, match=last):
        wiring.save_witnesses(report, tmp_path)
    assert [] == [path for path in tmp_path.rglob("*") if path.is_file() and path.name != last]


def test_verify_names_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--save` puts the path of the fixture into the envelope, and says it in words."""
    arguments = ["verify", str(EXAMPLES / "orphan-condition/skew.toml"), "--property", "no-live-orphan"]
    assert 1 == main([*arguments, "--save", str(tmp_path), "--format", "json"])
    fixture = json.loads(capsys.readouterr().out)["properties"][0]["witness"]["fixture"]
    assert "no-live-orphan" == load(Path(fixture)).property
    assert 1 == main([*arguments, "--save", str(tmp_path)])
    assert f"saved: {fixture}\n" in capsys.readouterr().out
    assert 1 == main(["replay", fixture])


def test_generate_makes_those_of_a_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`fixtures generate --config` writes one a violated property, and needs to be told where."""
    skew = str(EXAMPLES / "orphan-condition/skew.toml")
    assert 0 == main(["fixtures", "generate", "--config", skew, "-o", str(tmp_path)])
    (path,) = tmp_path.rglob("*.json")
    assert f"{path}\n" == capsys.readouterr().out
    assert 2 == main(["fixtures", "generate", "--config", skew])
    assert 2 == main(["fixtures", "generate", "--config", skew, "-o", str(tmp_path), "--property", "nope"])
    assert 2 == main(["fixtures", "generate", "--config", "missing.toml", "-o", str(tmp_path)])


def test_what_a_saved_run_needs_may_go(tmp_path: Path) -> None:
    """A fixture whose configuration no longer has what the property speaks about is stale, and says what is missing."""
    paths, _ = wiring.save_witnesses(wiring.verify(CONFIG, ["input-window-covers-human"]), tmp_path)
    fixture = load(paths["input-window-covers-human"])
    assert fixture.config is not None
    without = attrs.evolve(fixture, config={**fixture.config, "workload.human_answer_ms": None})
    assert "human_answer" in (wiring.replay_fixture(without).reason or "")
    wrong = attrs.evolve(fixture, violates=attrs.evolve(fixture.violates, clause="never heard"))
    assert "no clause" in (wiring.replay_fixture(wrong).reason or "")
