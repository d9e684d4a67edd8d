"""`latchcheck region` and `latchcheck repair` on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from latchcheck.cli import wiring
from latchcheck.cli.main import main
from latchcheck.model.presets import every
from latchcheck.model.reading import read
from latchcheck.model.writing import config_text

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
BROKEN = str(EXAMPLES / "ttl-cap" / "ttl-below-window.toml")
CHOSEN = str(EXAMPLES / "how-to" / "chosen.toml")
NARROW = ("--free", "server.orphan_window", "--property", "no-live-orphan")


def answered(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    """The JSON of one of the verbs, which is as published."""
    schema = json.loads((ROOT / "docs" / "reference" / f"{arguments[0]}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert main([*arguments, "--format", "json"]) == code
    answer = json.loads(capsys.readouterr().out)
    Draft202012Validator(schema).validate(answer)
    assert answer["exit"] == code
    return answer


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What is said of bad input: one error, on stderr alone."""
    assert main(list(arguments)) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("latchcheck: error: ")) == ("", 1)
    return said.err


def test_one_key(capsys: pytest.CaptureFixture[str]) -> None:
    """The safe numbers are an interval from the longest silence, 2 min 54 s in the page on choosing, to the end."""
    answer = answered(capsys, "region", CHOSEN, *NARROW, "--to", "1h")
    assert answer["safe"] == [[174_000, 3_600_000]]
    assert answer["properties"][0]["evidence"] == "monotone"


def test_two_keys(capsys: pytest.CaptureFixture[str]) -> None:
    """Two keys make a grid, and no line of its picture is longer than 80 columns."""
    free = ("region", CHOSEN, *NARROW, "--free", "client.max_delay", "--to", "10m", "--to", "5m")
    answer = answered(capsys, *free)
    assert {len(one["labels"]) for one in answer["rows"]} == {len(answer["columns_ms"])} == {56}
    assert main(list(free)) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--free", "orphan_windw"), "did you mean 'server.orphan_window'?"),
        (("--free", "ttl"), "write client.requested_ttl or server.advertised_ttl"),
        (("--free", "client.jitter"), "no single duration"),
        (("--free", "network.latency"), "no single duration"),
        (("--free", "orphan_window", "--from", "3"), 'write "3s"'),
        (("--free", "orphan_window", "--from", "1m", "--to", "1m"), "--from must be less than --to"),
        (("--free", "orphan_window", "--to", "1m", "--to", "2m"), "once for each --free"),
        (("--free", "orphan_window", "--free", "server.orphan_window_ms"), "free already"),
        (("--free", "a", "--free", "b", "--free", "c"), "one key or two"),
        (("--free", "orphan_window", "--property", "no-live-orphn"), "did you mean 'no-live-orphan'?"),
    ],
)
def test_a_bad_region_is_refused(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str) -> None:
    """What is wrong is one error that says what to write instead."""
    assert said in refused(capsys, "region", CHOSEN, *arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--knob", "orphan_windw"), "did you mean 'server.orphan_window'?"),
        (("--knob", "workload.execution"), "nobody's to set"),
        (("--pick", "z", "-o", "x.toml"), "write one of a, b, c"),
        (("--pick", "1"), "the letter of one repair"),
        (("-o", BROKEN), "would be lost"),
        (("-o", "-"), "name a file"),
    ],
)
def test_a_bad_repair_is_refused(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    """What is wrong is one error that says what to write instead, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    assert said in refused(capsys, "repair", BROKEN, *arguments)
    assert list(tmp_path.iterdir()) == []


def test_nothing_named_is_nothing_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a configuration both verbs say how one is named."""
    assert "latchcheck repair CONFIG.toml" in refused(capsys, "repair")
    assert "latchcheck region CONFIG.toml" in refused(capsys, "region", "--free", "orphan_window")


def test_the_repaired_file_is_proved(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The file that is written says what was changed, and verify finds nothing violated in it."""
    for letter in "ab":
        path = tmp_path / f"{letter}.toml"
        answer = answered(capsys, "repair", BROKEN, "-o", str(path), "--pick", letter)
        assert answer["file"] == str(path)
        assert "# was " in path.read_text(encoding="utf-8")
        assert main(["verify", str(path)]) == 0
        assert "violated" not in capsys.readouterr().out
        flat, changes = read([BROKEN]).flat(), answer["repairs"]["ab".index(letter)]["set"]
        assert read([str(path)]).flat() == flat | changes


def test_the_exit_code_says_whether_there_is_a_repair(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """1 where none was found, and then nothing is written; 0 where nothing is violated."""
    none = answered(capsys, "repair", BROKEN, "--knob", "poll_interval", "-o", str(tmp_path / "x"), code=1)
    assert (none["repairs"], none["file"], list(tmp_path.iterdir())) == ([], None, [])
    assert answered(capsys, "repair", CHOSEN)["violated"] == []
    assert main(["repair", BROKEN, "--knob", "poll_interval"]) == 1
    assert "There is no repair by server.poll_interval" in re.sub(r"\s+", " ", capsys.readouterr().out)


def test_an_interrupt_leaves_what_was_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was decided before the user ended it is told, and the exit code says that there is more."""
    from latchcheck.properties.timing import regions, repairs_together

    label_at, calls = regions.label_at, iter(range(30))

    def interrupted(name: str, config: Any) -> Any:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return label_at(name, config)

    monkeypatch.setattr(regions, "label_at", interrupted)
    answer = answered(capsys, "region", CHOSEN, "--free", "server.orphan_window", code=4)
    assert 0 < len(answer["properties"]) < 20

    def at_once(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(repairs_together, "answer", at_once)
    assert answered(capsys, "repair", BROKEN, code=4)["repairs"] == []


def test_a_written_configuration_reads_back_as_itself(tmp_path: Path) -> None:
    """Every preset has the same numbers after it was written and read, and so has a file with factors."""
    path = tmp_path / "copy.toml"
    presets = [(None, {preset.party: preset.id}, "workload.execution=[1s,none]") for preset in every()]
    for file, party, assigned in (*presets, (CHOSEN, {}, "client.jitter=[0.5,1.25]")):
        config = wiring.read_config(
            file, client=party.get("client"), server=party.get("server"), task=None, sets=[assigned]
        )
        path.write_text(config_text(config, head="a\nb"), encoding="utf-8")
        back = read([str(path)]).flat()
        differing = {key for key, value in config.flat().items() if back[key] != value}
        assert (party, differing - {"client.ttl_mode"}) == (party, set())
        assert config.advertised_ttl_ms_effective is None or not differing
