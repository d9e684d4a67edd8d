"""A name that is misspelled is answered in one form, wherever it is given: it is none, and this is meant."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from latchcheck.cli.main import VERBS, main

ROOT = Path(__file__).parents[2]
CONFIG = str(ROOT / "docs" / "examples" / "how-to" / "chosen.toml")
LATCH = str(ROOT / "docs" / "cases" / "latch.toml")
FIXTURE = "one-terminal-outcome/terminal-guard-check-then-set"
PROPERTY = "one-terminal-outcome"
PROBE = ("probe", "http://127.0.0.1:9", "--tool", "x")

# What is typed, and the name that is meant.
NAMES = [
    (("verfy",), "verify"),
    (("targets", "chek", "model"), "check"),
    (("fixtures", "generat"), "generate"),
    (("wording", "chek"), "check"),
    (("verify", "--frmat", "json", CONFIG), "--format"),
    (("verify", CONFIG, "--format", "jsn"), "json"),
    (("explore", "--format", "sarf"), "sarif"),
    (("study", "--format", "markdwn"), "markdown"),
    (("export", "merma1d"), "mermaid"),
    (("list", "presetz"), "presets"),
    (("list", "sentences", "--keyword", "MSUT"), "MUST"),
    (("list", "sentences", "--link", "hint-honored"), "hint-honoured"),
    (("audit", "x", "--shape", "otl"), "otel"),
    (("race", "--target", "sqlit"), "sqlite"),
    (("kill", "--target", "sqlit"), "sqlite"),
    (("kill", "--story", "worker-plian"), "worker-plain"),
    (("verify", CONFIG, "--property", "no-live-orfan"), "no-live-orphan"),
    (("verify", CONFIG, "--property", "orphan_window"), "restart-inside-orphan-window"),
    (("repair", CONFIG, "--property", "no-live-orfan"), "no-live-orphan"),
    (("repair", CONFIG, "--knob", "orphan_windw"), "server.orphan_window"),
    (("region", CONFIG, "--free", "orphan_windw"), "server.orphan_window"),
    (("fuzz", CONFIG, "--property", "no-live-orfan"), "no-live-orphan"),
    (("matrix", "--property", "no-live-orfan"), "no-live-orphan"),
    (("sweep", CONFIG, "--vary", "server.orphan_window=1m", "--property", "no-live-orfan"), "no-live-orphan"),
    (("fixtures", "generate", "--config", CONFIG, "-o", "x", "--property", "no-live-orfan"), "no-live-orphan"),
    *(
        ((*verb, "--property", PROPERTY[:-1]), PROPERTY)
        for verb in (
            ("explore",),
            ("fuzz",),
            ("export", "tla"),
            ("recheck",),
            ("fixtures", "generate"),
            ("fixtures", "copy", "x"),
        )
    ),
    (("fixtures", "copy", "x", FIXTURE[:-1]), FIXTURE),
    (("replay", FIXTURE[:-1]), FIXTURE),
    (("show", FIXTURE[:-1]), FIXTURE),
    (("replay", FIXTURE, "--target", "sqllite"), "sqlite"),
    (("fixtures", "copy", "x", "--target", "sqllite"), "sqlite"),
    (("fuzz", "--target", "sqllite"), "sqlite"),
    (("targets", "check", "sqllite"), "sqlite"),
    (("targets", "install", "postgers"), "postgres"),
    (("explore", "--scope", "dep"), "deep"),
    (("explore", "--scope", "task=2"), "tasks"),
    (("explore", "--policy", "gaurded"), "guarded"),
    (("explore", "--policy", "leese=none"), "lease"),
    (("fuzz", "--policy", "lease=fence"), "fenced"),
    (("export", "tla", "--policy", "leese=none"), "lease"),
    (("admission", "--policy", "ungarded"), "unguarded"),
    (("verify", "--client", "strands-pi"), "strands-py"),
    (("fuzz", "--server", "mcp-pi-1"), "mcp-py-1"),
    (("matrix", "--client", "strands-pi"), "strands-py"),
    (("sweep", "--server", "mcp-pi-1", "--vary", "server.orphan_window=1m"), "mcp-py-1"),
    (("sweep", CONFIG, "--vary", "server.orphan_windw=1m,2m"), "orphan_window"),
    ((*PROBE, "--client", "strands-pi"), "strands-py"),
    ((*PROBE, "--set", "client.max_dely=1s"), "max_delay"),
    (("verify", "--set", "server.orphan_windw=1s"), "orphan_window"),
    (("verify", "--set", "client.hint_mode=flor"), "floor"),
    (("explain", "orphan_windw"), "server.orphan_window"),
    (("explain", "tenant-isolatoin"), "tenant-isolation"),
    (("explain", "leese"), "lease"),
    (("wording", "check", f"{LATCH}#outcom"), "outcome"),
]


def told(arguments: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> str:
    """What is said of a wrong command line, which ends in 2 and prints nothing else."""
    assert 2 == main(arguments)
    captured = capfd.readouterr()
    assert "" == captured.out
    return captured.err


@pytest.mark.parametrize(("arguments", "meant"), NAMES, ids=[" ".join(typed)[-60:] for typed, _ in NAMES])
def test_a_misspelled_name_is_answered_with_the_one_that_is_meant(
    arguments: tuple[str, ...],
    meant: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Two lines: where it stands and that there is no such name, then the names that are meant; no list of all."""
    monkeypatch.chdir(tmp_path)
    first, second = told(arguments, capfd).splitlines()
    assert first.startswith("latchcheck: error: ")
    assert re.search(r"there is no |is no |not one of|cannot be", first)
    named = re.match(r"  did you mean ('.+?'(?:, '.+?')*(?: or '.+?')?)\?", second)
    assert named is not None, second
    assert meant in re.findall(r"'(.+?)'", named[1])
    assert [] == list(tmp_path.iterdir())


def test_every_verb_is_among_them() -> None:
    """No verb takes names that are not tried above."""
    assert set(VERBS) - {"verfy"} == {typed[0] for typed, _ in NAMES if typed[0] in VERBS}


def test_an_action_of_a_fixture_is_answered_alike(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A fixture whose action is no more is stale, and the reason names the one that is most like it."""
    saved = json.loads((ROOT / "counterexamples" / "saved" / f"{FIXTURE}.json").read_text(encoding="utf-8"))
    name = saved["steps"][0]["action"]
    saved["steps"][0]["action"] = name + "s"
    file = tmp_path / "x.json"
    file.write_text(json.dumps(saved), encoding="utf-8")
    assert 5 == main(["replay", str(file)])
    assert f"there is no action '{name}s'; did you mean '{name}'" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "instead"),
    [
        (("verify", CONFIG, "--property", "zzz"), "`latchcheck list properties` names them all"),
        (("explore", "--policy", "zzz=1"), "`latchcheck list policies` names them all"),
        (("verify", CONFIG, "--format", "zzz"), "there is text, json, jsonl, sarif, junit, github, markdown, html"),
        (("replay", FIXTURE, "--target", "zzz:"), "`latchcheck targets list` names them all"),
    ],
)
def test_a_name_like_no_other_is_answered_with_what_there_is(
    arguments: tuple[str, ...], instead: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A few names are listed, of many the command that lists them is told."""
    assert instead in told(arguments, capfd).splitlines()[1]
