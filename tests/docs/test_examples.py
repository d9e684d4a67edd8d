"""The console examples of the documentation are run, and their output is what the page shows.

An example is a fenced block whose language is `console`.
A line that starts with `$ ` is a command; a trailing backslash continues it on the next line.
The lines below it are what the command prints, stdout and stderr together.
In them `...` stands for any text within a line, and alone on a line for any number of lines.
Commands of one block run in one directory, in which `docs` is the documentation; `$?` is the exit code before.
A comment `<!-- before: COMMAND -->` on the line above a block is run first: it makes what the reader has by then.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from attrs import frozen

from tests.needs import PROGRAMS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MARK = "-- end of output --"
SECONDS_MAX = 300


@frozen
class Command:
    """One command of an example, and what the page says it prints."""

    text: str
    expected: str


@frozen
class Example:
    """A console block of a page."""

    place: str
    commands: tuple[Command, ...]


def examples(page: str, name: str) -> list[Example]:
    """The console blocks of a page in Markdown, each with the line it starts at."""
    found: list[Example] = []
    for block in re.finditer(
        r"^(?:<!-- before: ([^\n]*) -->\n)?```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL
    ):
        line = page.count("\n", 0, block.start(2))
        parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", block[2], flags=re.MULTILINE)
        if parts[0].strip() or len(parts) == 1:
            raise ValueError(f"{name}:{line}: a console block starts with a command: $ latchcheck ...")
        before = () if block[1] is None else (Command(block[1], "...\n"),)
        commands = tuple(Command(*pair) for pair in zip(parts[1::2], parts[2::2], strict=True))
        found.append(Example(f"{name}:{line}", before + commands))
    return found


def matches(expected: str, actual: str) -> bool:
    """Whether the output is as shown, with `...` for any text."""
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += r"[^\n]*?".join(re.escape(part) for part in line.split("...")) + r"\n"
    return re.fullmatch(pattern, actual) is not None


def outputs(commands: tuple[Command, ...], directory: Path) -> list[str]:
    """What each command prints, run one after the other in one shell."""
    script = "\n".join(f"(exit $code)\n{command.text}\ncode=$?\nprintf '%s\\n' '{MARK}'" for command in commands)
    environment = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    environment.pop("PYTEST_ADDOPTS", None)  # what this run of the tests was told is not for those of the page
    done = subprocess.run(
        ["/bin/bash", "-c", f"exec 2>&1\ncode=0\n{script}"],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    return done.stdout.split(f"{MARK}\n")[:-1]


ALL = [example for page in PAGES for example in examples(page.read_text("utf-8"), page.relative_to(ROOT).as_posix())]


def needed(example: Example) -> list[str]:
    """The programs beside Python that the commands of an example begin with."""
    begun = [word for one in example.commands for word in re.findall(r"(?:^|[|;&(]\s*)([\w-]+)\b", one.text)]
    return [name for name in PROGRAMS if name in begun]


CASES = [
    pytest.param(example, id=example.place, marks=[pytest.mark.needs(name) for name in needed(example)])
    for example in ALL
]


@pytest.mark.parametrize("example", CASES)
def test_an_example_prints_what_the_page_shows(example: Example, tmp_path: Path) -> None:
    """Every command of a console block prints what stands below it."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    for command, actual in zip(example.commands, outputs(example.commands, tmp_path), strict=True):
        if not matches(command.expected, actual):
            # Compared once more as they are, since pytest then shows the difference line by line.
            assert command.expected == actual, f"{example.place}: $ {command.text}"


def test_the_pages_have_examples() -> None:
    """The pattern that finds examples finds some, so that the test above cannot pass for lack of them."""
    assert any(example.place.startswith("README.md:") for example in ALL)


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n", "a\nb\n", False),
        ("a ... z\n", "a b c z\n", True),
        ("a ... z\n", "a b\nc z\n", False),
        ("a\n...\nz\n", "a\nb\nc\nz\n", True),
        ("a\n...\nz\n", "a\nz\n", True),
        ("a\n...\n", "b\n", False),
        ("1.5s\n", "1x5s\n", False),
    ],
)
def test_dots_stand_for_any_text(expected: str, actual: str, same: bool) -> None:  # noqa: FBT001 - a column of the table
    """Dots within a line stay within it, dots on a line of their own stand for any lines, all else is literal."""
    assert same == matches(expected, actual)


def test_commands_of_a_block_follow_one_another(tmp_path: Path) -> None:
    """A continued line is one command, stderr is shown as well, and `$?` is the exit code of the command before."""
    page = "```console\n$ printf 'a\\n' \\\n>&2; exit_with() { return 3; }; exit_with\na\n$ echo $?\n3\n```\n"
    (example,) = examples(page, "page.md")
    assert ["a\n", "3\n"] == [command.expected for command in example.commands]
    assert ["a\n", "3\n"] == outputs(example.commands, tmp_path)


def test_what_a_reader_has_by_then_is_made_first() -> None:
    """The command of a comment above a block comes before its own, and what it prints is not compared."""
    (example,) = examples("a\n<!-- before: make it -->\n```console\n$ use it\nused\n```\n", "page.md")
    assert ("page.md:3", "make it", "use it") == (example.place, *(command.text for command in example.commands))
    assert [True, False] == [matches(command.expected, "made\n") for command in example.commands]


def test_an_example_says_what_it_needs() -> None:
    """A program counts where a command begins, also behind another one, and not as a word of a command."""
    texts = ("latchcheck list java", "X=$(jq .a f) true", "(cd out && java -cp x y) | node z")
    example = Example("page.md:3", tuple(Command(text, "") for text in texts))
    assert ["java", "jq", "node"] == needed(example)


def test_a_block_without_a_command_is_refused() -> None:
    """A console block that starts with output names its page and line."""
    with pytest.raises(ValueError, match=r"page\.md:3: a console block starts with a command"):
        examples("a\n\n```console\noutput\n```\n", "page.md")
