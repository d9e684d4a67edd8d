"""`latchcheck verify`: what it asks, what it prints, and how it exits."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path

import pytest

from latchcheck.cli.main import main
from tests.cli.conftest import Checker, Run

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("files", "code"),
    [
        (["fine.toml"], 0),
        (["violated.toml"], 1),
        (["broken.toml"], 2),
        (["bug.toml"], 3),
        (["inconclusive.toml"], 4),
        (["interrupted.toml"], 4),
        (["vacuous.toml"], 5),
        (["fine.toml", "inconclusive.toml"], 4),
        (["inconclusive.toml", "vacuous.toml"], 5),
        (["vacuous.toml", "broken.toml"], 2),
        (["broken.toml", "violated.toml"], 1),
        (["violated.toml", "bug.toml"], 3),
        (["violated.toml", "interrupted.toml"], 1),
    ],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_the_exit_code_is_the_worst_over_all_files(run: Run, files: list[str], code: int, form: str) -> None:
    """The exit code is the first of 3, 1, 2, 5, 4, 0 that any file gives, in either form."""
    assert code == run("verify", "--format", form, *files).code


def test_the_heading_names_what_was_verified(run: Run) -> None:
    """The report starts with the question, in the words of the command line."""
    outcome = run("verify", "fine.toml", "--client", "c", "--server", "s", "--task", "t.json", "--set", "a.b=1")
    assert outcome.out.splitlines()[0] == "fine.toml, client c, server s, task t.json, a.b=1"
    assert run("verify", "--client", "c").out.splitlines()[0] == "client c"
    assert run("verify", "-").out.splitlines()[0] == "standard input"


def test_control_characters_of_a_name_never_reach_the_terminal(run: Run) -> None:
    """The heading shows what a file name or an option may hold beside letters; so does the JSON form."""
    name = "esc\x1b[31m\r\x9b1m\u202e.toml"
    for outcome in (run("verify", name, "--set", "a.b=\x07"), run("verify", name, "--format", "json")):
        assert not [one for one in outcome.out if not one.isprintable() and one not in "\n\u202e"]
    assert run("verify", name).out.splitlines()[0] == r"esc\x1b[31m\r\x9b1m\u202e.toml"
    assert run("verify", name, "--format", "json").envelope["source"] == name


@pytest.mark.parametrize("option", ["--client", "--server", "--task"])
def test_what_can_be_given_once_is_refused_twice(run: Run, checker: Checker, option: str) -> None:
    """A preset or a task given twice is a usage error, which the help announces."""
    outcome = run("verify", option, "a", option, "b")
    assert outcome.code == 2
    assert f"{option} is given 2 times; give it once" in outcome.err
    assert checker.asked == []
    run("verify", option, "a")
    assert checker.asked[0][option[2:]] == "a"
    assert re.search(rf"{option} [A-Z]+ [^-]*once\.", run("verify", "-h").out)


def test_every_option_reaches_the_reader(run: Run, checker: Checker) -> None:
    """Presets, the task and every assignment are laid over each of the files, in the order given."""
    run("verify", "a.toml", "b.toml", "--client", "c", "--server", "s", "--task", "t", "--set", "x=1", "--set", "y=2")
    laid_over = {"client": "c", "server": "s", "task": "t", "sets": ("x=1", "y=2")}
    assert checker.asked == [{"file": "a.toml", **laid_over}, {"file": "b.toml", **laid_over}]


def test_properties_can_be_chosen(run: Run, checker: Checker) -> None:
    """Without --property every property is asked for, with it those named."""
    run("verify", "a.toml")
    run("verify", "a.toml", "--property", "no-live-orphan", "--property", "orphans-found-in-time")
    assert checker.only == [None, ("no-live-orphan", "orphans-found-in-time")]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "--property : there is no such property\n  `latchcheck list properties` names them all"),
        ("zzz", "`latchcheck list properties` names them all"),
        ("one-terminal-outcome", "`latchcheck explore --property one-terminal-outcome` answers it"),
        ("one-terminal-outcme", "did you mean 'one-terminal-outcome'?"),
    ],
)
def test_an_unknown_property_is_told_where_they_are(run: Run, name: str, words: str) -> None:
    """A property of the lifecycle is sent to `explore`, and what is like no property to the list of them."""
    outcome = run("verify", "fine.toml", "--property", name)
    assert outcome.code == 2
    assert words in outcome.err


def test_a_wrong_option_is_told_once(run: Run) -> None:
    """What is wrong for every file alike is said once, and each file counts."""
    outcome = run("verify", "broken.toml", "broken.toml", "fine.toml")
    assert outcome.err.count("unknown key") == 1
    assert "2 unreadable" in outcome.out


def test_what_is_read_is_never_written_over(run: Run, checker: Checker, tmp_path: Path) -> None:
    """-o refuses a file that is an input, under any of its names, and writes nothing."""
    file, link, hard, task = (tmp_path / name for name in ("op.toml", "link.toml", "hard.toml", "t.json"))
    for one in (file, task):
        one.write_text("old", encoding="utf-8")
    link.symlink_to(file)
    hard.hardlink_to(file)
    for target, given in (
        (file, [file]),
        (link, [file]),
        (hard, [link]),
        (task, ["--task", task]),
        (file, ["a", file]),
    ):
        outcome = run("verify", *map(str, given), "-o", str(target))
        assert outcome.code == 2
        assert "this file is read, and would be lost" in outcome.err
    assert checker.asked == []
    assert file.read_text(encoding="utf-8") == task.read_text(encoding="utf-8") == "old"


def test_an_empty_output_name_is_called_empty(run: Run) -> None:
    """`-o ""` is no directory but no name at all."""
    assert "-o: the name is empty" in run("verify", "fine.toml", "-o", "").err


def test_an_unknown_property_is_refused_with_the_nearest_spelling(run: Run) -> None:
    """A misspelt property is a usage error that names the one meant."""
    outcome = run("verify", "fine.toml", "--property", "no-live-orfan")
    assert outcome.code == 2
    assert "--property no-live-orfan: there is no such property\n  did you mean 'no-live-orphan'?" in outcome.err


def test_one_file_gives_one_document(run: Run) -> None:
    """With one file the JSON form is one indented envelope and nothing else."""
    outcome = run("verify", "violated.toml", "--format", "json")
    assert outcome.envelope["schema"] == "latchcheck/verdicts/1"
    assert outcome.envelope["source"] == "violated.toml"
    assert outcome.envelope["exit"] == 1
    assert outcome.err == ""


def test_several_files_give_one_envelope_a_line(run: Run) -> None:
    """With several files the JSON form has one envelope a line, in the order given."""
    outcome = run("verify", "violated.toml", "fine.toml", "--format", "json")
    envelopes = [json.loads(line) for line in outcome.out.splitlines()]
    assert [("violated.toml", 1), ("fine.toml", 0)] == [(one["source"], one["exit"]) for one in envelopes]


def test_several_files_end_with_a_count(run: Run) -> None:
    """With several files the text form ends with how many came to which end."""
    outcome = run("verify", "violated.toml", "fine.toml", "broken.toml", "fine.toml")
    assert outcome.out.splitlines()[-1] == "4 configurations: 1 violated, 2 fine, 1 unreadable. Exit code 1."


def test_a_broken_file_does_not_keep_the_others_from_being_answered(run: Run) -> None:
    """What is wrong with a file is said on stderr, and the other files are answered all the same."""
    outcome = run("verify", "broken.toml", "fine.toml", "--format", "json")
    assert outcome.code == 2
    assert outcome.envelope["source"] == "fine.toml"
    assert outcome.err == (
        "latchcheck: error: broken.toml:7: server.orphn: unknown key\n  write server.orphan_window\n"
    )


def test_nothing_to_verify_teaches(run: Run) -> None:
    """Without a file, a preset or a value the error shows a command that works."""
    outcome = run("verify")
    assert outcome.code == 2
    assert outcome.out == ""
    assert "latchcheck verify --client strands-py --server mcp-py-1 --set workload.execution=2m" in outcome.err


def test_the_output_file_holds_what_stdout_would(run: Run, tmp_path: Path) -> None:
    """With -o nothing goes to stdout and the file holds the same text; `-o -` is stdout."""
    target = tmp_path / "out.json"
    expected = run("verify", "violated.toml", "--format", "json").out
    outcome = run("verify", "violated.toml", "--format", "json", "-o", str(target))
    assert (outcome.code, outcome.out) == (1, "")
    assert json.loads(expected) == json.loads(target.read_text(encoding="utf-8"))
    assert run("verify", "violated.toml", "--format", "json", "-o", "-").out == expected


def test_what_cannot_be_read_leaves_no_file(run: Run, tmp_path: Path) -> None:
    """Where no configuration could be read there is no result, and no file is made for it."""
    target = tmp_path / "out.txt"
    assert run("verify", "broken.toml", "broken.toml", "-o", str(target)).code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cause", ["bug.toml", "interrupted.toml", "broken.toml"])
def test_a_run_that_fails_leaves_the_old_file(run: Run, tmp_path: Path, cause: str) -> None:
    """The output file is written whole or not at all: after a failure the old one stands, and no part of a new one."""
    target = tmp_path / "out.txt"
    target.write_text("old", encoding="utf-8")
    files = ["broken.toml"] if cause == "broken.toml" else ["fine.toml", cause]
    assert run("verify", *files, "-o", str(target)).code in {2, 3, 4}
    assert target.read_text(encoding="utf-8") == "old"
    assert [target] == list(tmp_path.iterdir())


def test_the_output_file_keeps_its_permissions_and_its_link(run: Run, tmp_path: Path) -> None:
    """A file that is replaced keeps its mode, a symbolic link still points at it, and a new file obeys the umask."""
    real, link, new = tmp_path / "real.txt", tmp_path / "link.txt", tmp_path / "new.txt"
    real.write_text("old", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    run("verify", "fine.toml", "-o", str(link))
    assert link.is_symlink()
    assert "proved" in real.read_text(encoding="utf-8")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    previous = os.umask(0o027)
    try:
        run("verify", "fine.toml", "-o", str(new))
    finally:
        os.umask(previous)
    assert stat.S_IMODE(new.stat().st_mode) == 0o640


def test_a_reader_of_the_old_file_keeps_it(run: Run, tmp_path: Path) -> None:
    """The new text comes as a new file under the old name, so that a reader never sees a part of either."""
    target = tmp_path / "out.txt"
    target.write_text("old", encoding="utf-8")
    with target.open(encoding="utf-8") as reader:
        run("verify", "fine.toml", "-o", str(target))
        assert reader.read() == "old"
    assert "proved" in target.read_text(encoding="utf-8")


def test_an_output_that_is_no_file_is_written_into(run: Run) -> None:
    """A device is written into and never replaced by a file."""
    assert run("verify", "fine.toml", "-o", "/dev/null").code == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_an_output_that_cannot_be_written_is_said_before_the_work(run: Run, checker: Checker, tmp_path: Path) -> None:
    """A directory, or a file in what is none, is a usage error before anything is verified."""
    file = tmp_path / "file"
    file.touch()
    for target, words in ((tmp_path, "this is a directory"), (file / "no" / "out.txt", f"{file} is no directory")):
        outcome = run("verify", "fine.toml", "-o", str(target))
        assert outcome.code == 2
        assert words in outcome.err
    assert checker.asked == []


def test_what_cannot_be_read_is_told_on_stderr_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """As JSON too, errors stand on stderr, each with its line; stdout has the answers on the other files."""
    wrong, fine = tmp_path / "wrong.toml", tmp_path / "fine.toml"
    wrong.write_text('[server]\norphan_windw = "7s"\nttlMs = -1\n[client]\nmax_delay = 5s\n', encoding="utf-8")
    fine.write_text('[workload]\nexecution = "1m"\n', encoding="utf-8")
    for files in ([wrong], [wrong, fine]):
        assert 2 == main(["verify", *map(str, files), "--property", "no-live-orphan", "--format", "json"])
        captured = capfd.readouterr()
        answers = [json.loads(line)["schema"] for line in captured.out.splitlines()]
        assert ["latchcheck/verdicts/1"] * (len(files) - 1) == answers
        lines = re.findall(rf"^latchcheck: error: {re.escape(str(wrong))}:(\d+)", captured.err, re.MULTILINE)
        assert ["2", "3", "5"] == lines


def test_what_a_preset_takes_over_from_a_file_is_noted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Standard error names key, both values and the line; standard output stays what it is."""
    file = tmp_path / "op.toml"
    file.write_text('[server]\npoll_interval = "7s"\n[workload]\nexecution = "1m"\n', encoding="utf-8")
    main(["verify", str(file), "--server", "mcp-py-1", "--property", "hint-honoured", "--format", "json"])
    captured = capfd.readouterr()

    assert captured.err == (
        f"latchcheck: note: server.poll_interval: preset mcp-py-1 says 500ms, which wins over 7s in {file}:2; "
        "--set server.poll_interval=... wins over both\n"
    )
    assert json.loads(captured.out)["config"]
