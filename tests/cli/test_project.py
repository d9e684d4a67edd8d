"""`[tool.latchcheck]` in a pyproject.toml: defaults of the verbs, and errors that say where they stand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from latchcheck.cli import wiring
from tests.cli.conftest import Checker, Run


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory; `toml_line` alone of the wiring is the real one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def project(folder: Path, text: str) -> Path:
    """Write a pyproject.toml."""
    file = folder / "pyproject.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_options_and_arguments_have_defaults(run: Run, checker: Checker, here: Path) -> None:
    """Files, presets, assignments and the format are taken from the table of the verb."""
    (here / "violated.toml").touch()
    text = 'files = ["violated.toml"]\nclient = "c"\nserver = "s"\nformat = "json"\nset.server.orphan_window = "15m"\n'
    project(here, f"[tool.latchcheck.verify]\n{text}")
    outcome = run("verify")
    assert (1, "latchcheck/verdicts/1") == (outcome.code, outcome.envelope["schema"])
    (asked,) = checker.asked
    assert ("violated.toml", "c", "s") == (asked["file"], asked["client"], asked["server"])
    assert ("server.orphan_window=15m",) == asked["sets"]


def test_the_command_line_wins(run: Run, checker: Checker, here: Path) -> None:
    """An option or an argument that is given replaces its default; the others stay."""
    project(here, '[tool.latchcheck.verify]\nfiles = ["violated.toml"]\nclient = "c"\nset = ["a=1"]\n')
    assert 0 == run("verify", "fine.toml", "--set", "b=2").code
    (asked,) = checker.asked
    assert ("fine.toml", "c", ("b=2",)) == (asked["file"], asked["client"], asked["sets"])


def test_the_nearest_file_with_a_table_counts(
    run: Run, checker: Checker, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pyproject.toml without our table is passed by, and files are named from where the table stands."""
    (here / "a" / "b").mkdir(parents=True)
    (here / "one.toml").touch()
    (here / "two.toml").touch()
    project(here, '[tool.latchcheck.verify]\nfiles = ["*o.toml", "one.toml", "-"]\n')
    project(here / "a", "[tool.other]\nname = 'latchcheck'\n")
    monkeypatch.chdir(here / "a" / "b")
    run("verify")
    assert ["../../two.toml", "../../one.toml", "-"] == [one["file"] for one in checker.asked]


def test_isolated_takes_no_defaults(run: Run, here: Path) -> None:
    """With --isolated the file is not read, whatever it says; nor is it for help."""
    project(here, "[tool.latchcheck\n")
    assert 2 == run("verify", "fine.toml").code
    assert 0 == run("--isolated", "verify", "fine.toml").code
    assert 0 == run("verify", "-h").code


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[tool.latchcheck.verify]\nclinet = "c"',
            ":2: [tool.latchcheck.verify] clinet: there is no such option\n  did you mean 'client'?",
        ),
        ('[tool.latchcheck.verify]\nformat = "yaml"', ":2: [tool.latchcheck.verify] format: there is no 'yaml'"),
        ("[tool.latchcheck.verify]\nproperty = [true]", ":2: [tool.latchcheck.verify] property: write a text"),
        ('[tool.latchcheck.verify]\nclient = ["c"]', ":2: [tool.latchcheck.verify] client: write one text, no list"),
        ("[tool.latchcheck.verify.save]\na = 1", ":1: [tool.latchcheck.verify] save: this is no table: write a text"),
        (
            '[tool.latchcheck.verify]\nfiles = ["no*.toml"]',
            ":2: [tool.latchcheck.verify] files: no file fits 'no*.toml'",
        ),
        ('[tool.latchcheck.verify]\nclient = "a\\u0000b"', ":2: [tool.latchcheck.verify] client: it holds a zero byte"),
        (
            "[tool.latchcheck.explore]\nmax-states = 1\nmax_states = 2",
            "max_states: it stands twice",
        ),
        ("[tool.latchcheck.verify]\nclient = 2026-01-01", ":2: [tool.latchcheck.verify] client: write a text"),
        ("[tool.latchcheck.verfy]", ":1: [tool.latchcheck] verfy: there is no such verb\n  did you mean 'verify'?"),
        (
            '[tool.latchcheck]\nformat = "json"',
            ":2: [tool.latchcheck] format: options stand in the table of their verb",
        ),
        ("[tool.latchcheck]\nverify = 1", ":2: [tool.latchcheck] verify: options stand in the table of their verb"),
        ("[tool]\nlatchcheck = 1", ":2: [tool.latchcheck]: this is a table, with one for each verb below it"),
        ("[tool.latchcheck\n", ": is no TOML that can be read: "),
    ],
)
def test_an_error_says_where_it_stands(run: Run, here: Path, text: str, said: str) -> None:
    """File, line, table and key are named, with what to write instead; exit code 2, and nothing is verified."""
    project(here, text)
    outcome = run("explore" if "explore" in text else "verify", *([] if "explore" in text else ["fine.toml"]))
    assert (2, "") == (outcome.code, outcome.out)
    assert outcome.err.startswith("latchcheck: error: pyproject.toml:")
    assert said in outcome.err


@pytest.mark.parametrize(
    ("verb", "text", "said"),
    [
        (("explore",), "symmetry = 1", "symmetry: write true or false"),
        (("explore",), 'max-states = "many"', "max-states: 'many' is not a valid integer range"),
        (
            ("wording", "check"),
            "fles = []",
            "[tool.latchcheck.wording.check] fles: there is no such option\n  did you mean 'files'?",
        ),
    ],
)
def test_numbers_and_switches_are_checked_too(
    run: Run, here: Path, verb: tuple[str, ...], text: str, said: str
) -> None:
    """A switch takes true or false, a number a number, and a verb below another has its table below the other's."""
    project(here, f"[tool.latchcheck.{'.'.join(verb)}]\n{text}\n")
    outcome = run(*verb, "x")
    assert 2 == outcome.code
    assert said in outcome.err


def test_all_that_is_wrong_is_told_at_once(run: Run, here: Path) -> None:
    """A table of no verb, an option that is none and a value that is not taken are three errors of one call."""
    project(here, '[tool.latchcheck.verfy]\n[tool.latchcheck.verify]\nclinet = "c"\nformat = "yaml"\nclient = 1')
    outcome = run("verify", "fine.toml")
    assert (2, "") == (outcome.code, outcome.out)
    said = [line for line in outcome.err.splitlines() if line.startswith("latchcheck: error: ")]
    assert [":1:", ":3:", ":4:"] == [one.removeprefix("latchcheck: error: pyproject.toml")[:3] for one in said]


def test_a_name_that_no_verb_has_is_near_to_one(run: Run, here: Path) -> None:
    """A mistyped verb is answered with the one that is meant, a file with the command that takes it."""
    assert "did you mean 'verify'?" in run("verfy").err
    assert "did you mean '--format'?" in run("verify", "--frmat", "json").err
    (here / "mine.toml").touch()
    assert "write latchcheck verify mine.toml" in run("mine.toml").err
    assert "there is verify, " in run("xyzzy").err


def test_the_line_is_the_models_to_find() -> None:
    """A table header and a key stand in the lines of the text, counted from one."""
    text = "\n[tool.latchcheck.verify]\na = 1\n"
    assert (2, 3) == (
        wiring.toml_line(text, ("tool", "latchcheck", "verify")),
        wiring.toml_line(text, ("tool", "latchcheck", "verify", "a")),
    )


@pytest.mark.parametrize("kind", ["folder", "pipe", "loop", "binary"])
def test_what_is_no_file_of_ours_is_passed_by(run: Run, here: Path, kind: str) -> None:
    """A folder, a pipe, a link to itself and a file of other bytes called pyproject.toml keep nobody from verifying."""
    file = here / "pyproject.toml"
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "loop":
        file.symlink_to(file)
    else:
        file.write_bytes(bytes(range(256)))
    assert 0 == run("verify", "fine.toml").code
