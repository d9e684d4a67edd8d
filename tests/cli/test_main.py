"""The command `latchcheck` itself: help, versions, errors, interruption, pipes, colour."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from latchcheck.cli import main as cli
from latchcheck.cli import wiring
from latchcheck.kernel.exits import Exit
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]

# The command line in a process of its own, wired to the checker that answers at once.
DRIVER = """
from latchcheck.cli import wiring
from latchcheck.cli.main import run
from latchcheck.kernel.telling import PLAIN
from tests.cli.conftest import Checker
fake = Checker()
wiring.read_config, wiring.verify, wiring.telling = fake.read_config, fake.verify, lambda config: PLAIN
run()
"""


def process(
    arguments: Sequence[str], stdout: int, stderr: int | None = None, env: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start the driver."""
    inherited = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment = {**inherited, "PYTHONPATH": str(ROOT), "TERM": "xterm", **(env or {})}
    return subprocess.Popen([sys.executable, "-c", DRIVER, *arguments], env=environment, stdout=stdout, stderr=stderr)


def test_the_codes_of_the_command_are_those_of_the_kernel() -> None:
    """The three numbers that main repeats, to start without the solver, are the kernel's."""
    assert (Exit.USAGE, Exit.INTERNAL, Exit.INCONCLUSIVE) == (cli.USAGE, cli.INTERNAL, cli.INCONCLUSIVE)


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_is_help(run: Run, option: str) -> None:
    """Either spelling shows the verbs and exits with 0; so does it for a verb."""
    outcome = run(option)
    assert outcome.code == 0
    assert re.search(r"^  verify +Prove or refute", outcome.out, re.MULTILINE)
    assert run("verify", option).out.startswith("Usage: latchcheck verify [OPTIONS] [CONFIG.toml]...")


def test_every_verb_is_documented(run: Run) -> None:
    """Each verb loads, shows help, and has a line in the help of the command."""
    listed = run("-h").out
    for verb in cli.VERBS:
        assert re.search(rf"^  {verb} +[A-Z].*", listed, re.MULTILINE), verb
        assert run(verb, "-h").code == 0


def test_version_names_everything_an_answer_depends_on(run: Run) -> None:
    """--version names latchcheck, the solver, Hypothesis and Python, each with its number."""
    outcome = run("--version")
    assert outcome.code == 0
    assert re.fullmatch(r"latchcheck [\d.]+ \(z3 [\d.]+, hypothesis [\d.]+, python [\d.]+\)\n", outcome.out)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Usage: latchcheck"),
        (("verfy",), "verfy: there is no such command\n  did you mean 'verify'?"),
        (("verify", "--format", "yaml", "x"), "there is no 'yaml'\n  there is text, json, jsonl"),
        (("verify", "--frmat", "json", "x"), "--frmat: there is no such option\n  did you mean '--format'?"),
        (("--nonsense",), "--nonsense: there is no such option\n  there is --version, --isolated, -h, --help"),
    ],
)
def test_a_usage_error_is_code_2_on_stderr(run: Run, arguments: tuple[str, ...], words: str) -> None:
    """Whatever is wrong with the command line is said on stderr, without a traceback, and exits with 2."""
    outcome = run(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert words in outcome.err
    assert "Traceback" not in outcome.err


def test_a_bug_is_one_line_and_how_to_report_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected exception is told without a traceback, which LATCHCHECK_DEBUG=1 adds, and exits with 3."""
    monkeypatch.delenv("LATCHCHECK_DEBUG", raising=False)
    quiet = run("verify", "bug.toml")
    assert quiet.code == 3
    assert quiet.err.splitlines()[0] == "latchcheck: error: internal error: RuntimeError: the floor gave way"
    assert "please report it" in quiet.err
    assert "Traceback" not in quiet.err
    monkeypatch.setenv("LATCHCHECK_DEBUG", "1")
    assert "Traceback (most recent call last)" in run("verify", "bug.toml").err


def test_an_interruption_is_inconclusive(run: Run) -> None:
    """Ctrl-C gives one line and exit code 4: what was asked has no answer."""
    outcome = run("verify", "fine.toml", "interrupted.toml", "violated.toml")
    assert outcome.code == 4
    assert outcome.err == "latchcheck: error: interrupted\n"


def test_an_interruption_is_inconclusive_wherever_it_comes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C before the first question gives the same line and code."""

    def interrupted() -> tuple[str, ...]:
        raise KeyboardInterrupt

    monkeypatch.setattr(wiring, "property_ids", interrupted)
    outcome = run("verify", "fine.toml", "--property", "no-live-orphan")
    assert (outcome.code, outcome.out, outcome.err) == (4, "", "latchcheck: error: interrupted\n")


def test_control_characters_of_an_argument_are_shown_and_not_obeyed(run: Run) -> None:
    """An error that quotes bad input never sends its control characters to the terminal."""
    outcome = run("verify", "fine.toml", "--property", "no\x1b[31m\x07")
    assert "\x1b" not in outcome.err
    assert r"--property no\x1b[31m\x07: there is no such property" in outcome.err


def test_errors_that_nobody_reads_change_no_code() -> None:
    """With stderr closed at the other end the exit code is the same."""
    ours, theirs = os.pipe()
    os.close(ours)
    with process(["verify", "broken.toml"], stdout=theirs, stderr=theirs) as run:
        os.close(theirs)
    assert run.returncode == 2


def test_help_that_nobody_reads_ends_quietly() -> None:
    """A reader that goes away is no violation, even where there was nothing to verify."""
    ours, theirs = os.pipe()
    os.close(ours)
    with process(["--help"], stdout=theirs, stderr=subprocess.PIPE) as run:
        os.close(theirs)
        assert run.stderr is not None
        assert run.stderr.read() == b""
    assert run.returncode == 4


@pytest.mark.parametrize(
    ("files", "code"),
    [(["fine.toml"] * 3000, 4), (["violated.toml"] * 3000, 1)],
    ids=["what-is-left-is-inconclusive", "a-violation-stays-one"],
)
def test_a_reader_that_goes_away_ends_the_run(files: list[str], code: int) -> None:
    """When nobody reads any more the run ends quietly, and what was not answered counts as inconclusive."""
    with process(["verify", *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.readline()
        run.stdout.close()
        errors = run.stderr.read()
    assert (run.returncode, errors) == (code, b"")


@pytest.mark.needs("linux")
def test_a_full_disk_is_said() -> None:
    """Results that cannot be written are an error in words, exit code 2, unless there is worse to say."""
    for file, code in (("fine.toml", 2), ("violated.toml", 1)):
        with (
            Path("/dev/full").open("wb") as full,
            process(["verify", file], stdout=full.fileno(), stderr=subprocess.PIPE) as run,
        ):
            assert run.stderr is not None
            errors = run.stderr.read()
        assert errors == b"latchcheck: error: cannot write to standard output: No space left on device\n"
        assert run.returncode == code


def shell(command: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run the driver as a shell does that redirects its streams: `command` is `"$@"` with redirections."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    whole = ["/bin/sh", "-c", command, "sh", sys.executable, "-c", DRIVER, *arguments]
    return subprocess.run(whole, env=environment, capture_output=True, check=False)


@pytest.mark.parametrize(
    ("file", "code"), [("fine.toml", 2), ("violated.toml", 1)], ids=["an-error", "a-violation-stays-one"]
)
def test_a_closed_output_is_an_error(file: str, code: int) -> None:
    """Started with its output closed, the command says that nobody gets the answer."""
    done = shell('exec "$@" >&-', "verify", file)
    assert done.returncode == code
    assert done.stderr == b"latchcheck: error: cannot write to standard output: it is closed\n"


@pytest.mark.parametrize("redirection", [pytest.param(">/dev/full", marks=pytest.mark.needs("linux")), ">&-"])
@pytest.mark.parametrize("arguments", [("list", "keys"), ("explain", "ttl"), ("--help",), ("--version",)])
def test_an_output_that_takes_nothing_is_no_bug(redirection: str, arguments: tuple[str, ...]) -> None:
    """Whatever a verb prints, a full disk or a closed output is one line on stderr and exit code 2."""
    done = shell(f'exec "$@" {redirection}', *arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert b"internal error" not in done.stderr


def test_a_closed_output_does_not_matter_to_a_file(tmp_path: Path) -> None:
    """With -o nothing goes to stdout, so that it may be closed."""
    done = shell('exec "$@" >&-', "verify", "fine.toml", "-o", str(tmp_path / "out.txt"))
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_missing_choice_is_listed_line_by_line(run: Run) -> None:
    """`list` without an argument names what can be listed, without the tabs that would be shown as such."""
    outcome = run("list")
    assert outcome.code == 2
    assert "\n  presets,\n  keys," in outcome.err
    assert "\\t" not in outcome.err


def test_an_error_is_never_endless(run: Run) -> None:
    """What a user gives is shown as far as it can be read."""
    outcome = run("explain", "k" * 100_000)
    assert outcome.code == 2
    assert "kkk..." in outcome.err
    assert max(map(len, outcome.err.splitlines())) <= 1100


def on_a_terminal(arguments: Sequence[str], env: dict[str, str]) -> str:
    """What the driver shows on a terminal of its own."""
    ours, theirs = pty.openpty()
    with process(arguments, stdout=theirs, env=env):
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
    os.close(ours)
    return shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # how Linux says that the other side of a terminal has gone
        return b""


def test_colour_is_for_terminals_only(run: Run) -> None:
    """A terminal gets colour, unless NO_COLOR is set or the terminal is dumb; a pipe or a file gets none."""
    assert "\x1b[" in on_a_terminal(["verify", "violated.toml"], {})
    assert "\x1b[" not in on_a_terminal(["verify", "violated.toml"], {"NO_COLOR": "1"})
    assert "\x1b[" not in on_a_terminal(["verify", "violated.toml"], {"TERM": "dumb"})
    assert "\x1b[" not in run("verify", "violated.toml").out


def test_a_shell_can_complete_the_verbs(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """The completion protocol of the shell lists the verbs."""
    monkeypatch.setenv("_LATCHCHECK_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "latchcheck ver")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert "plain,verify\n" in run().out
