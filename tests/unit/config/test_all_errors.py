"""Everything that is wrong with a configuration is told in one go, each with its line, and nothing else is."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from latchcheck.model.reading import ConfigError, read

WHOLE = """\
[client]
initial_delay = "1s"
multiplier = 2
max_delay = "30s"
hint_mode = "floor"

[server]
orphan_window = "5m"
advertised_ttl = "1h"

[workload]
execution = "10m"
"""
# A line of the text above, what it becomes, and what is then said of it.
BROKEN = [
    (2, "initial_delay = 1s", 'put quotes around it: initial_delay = "1s"'),
    (3, "multiplier = -2", "is negative"),
    (4, 'max_dely = "30s"', "did you mean 'max_delay'?"),
    (5, 'hint_mode = "flor"', "did you mean 'floor'?"),
    (8, "orphan_window: 5m", "TOML has = where YAML has a colon"),
    (9, "advertised_ttl = 3600", "has no unit"),
    (12, "execution =", "give it a value"),
]


def errors(text: str, tmp_path: Path, **laid_over: object) -> ConfigError:
    """What is raised for a file with this text."""
    file = tmp_path / "op.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        read([str(file)], **laid_over)  # pyright: ignore[reportArgumentType]
    return refused.value


def broken(*wrong: tuple[int, str, str]) -> str:
    """The text with these lines in the place of its own."""
    lines: list[str] = [*WHOLE.splitlines()]
    for number, line, _ in wrong:
        lines[number - 1] = line
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("wrong", [*itertools.combinations(BROKEN, 2), tuple(BROKEN)], ids=lambda some: str(len(some)))
def test_each_wrong_line_is_told_and_no_other(wrong: tuple[tuple[int, str, str], ...], tmp_path: Path) -> None:
    """Whatever is wrong with two lines, or with all, both are told in their order, with key and remedy, and once."""
    found = errors(broken(*wrong), tmp_path)
    assert [number for number, _, _ in wrong] == [one.where.line for one in found.every]
    for (_, _, said), one in zip(wrong, found.every, strict=True):
        assert said in str(one)
        assert 2 == str(one).count("\n") + 1
    assert str(found) == "\n".join(map(str, found.every))


def test_what_follows_from_an_error_is_no_error(tmp_path: Path) -> None:
    """A key that needs another one is not said to lack it where that one could not be read."""
    assert [2] == [one.where.line for one in errors(broken(BROKEN[0]), tmp_path).every]


def test_contradictions_are_told_together(tmp_path: Path) -> None:
    """Values that each can be read, and contradict others, are all told."""
    text = '[client]\nmultiplier = 2\nmin_delay = "9s"\nmax_delay = "3s"\nerror_multiplier = 2\n'
    assert {2, 3, 5} == {one.where.line for one in errors(text, tmp_path).every}


def test_presets_and_options_are_told_after_the_file(tmp_path: Path) -> None:
    """A name that no preset has, and an option that assigns nothing, are told beside the errors of the file."""
    found = errors(broken(BROKEN[3]), tmp_path, client="strands-pi", server="no", sets=["server.ttl", "server.foo=1"])
    places = [one.where.file for one in found.every]
    assert ["--client strands-pi", "--server no", "--set server.ttl", "--set server.foo=1"] == places[1:]
    assert (5, "client.hint_mode") == (found.where.line, found.where.key)


def test_what_nobody_can_read_on_from_ends_the_reading(tmp_path: Path) -> None:
    """After a line that is broken in a way of its own, nothing that follows is guessed at."""
    text = '[client]\ninitial_delay = 1s\n[server\norphan_windw = "5m"\n'
    assert [2, 3] == [one.where.line for one in errors(text, tmp_path).every]


@pytest.mark.parametrize(
    "text", ["[server]\nttlMs = 1\n[client]\n[server]\nttlMs = 2\n", "[client]\njitter = [1,\n a]\n"]
)
def test_a_header_or_a_list_is_not_left_out(text: str, tmp_path: Path) -> None:
    """What belongs to other lines is not taken away, as these would then be taken for wrong."""
    assert 1 == len(errors(text, tmp_path).every)


def test_very_many_errors_are_all_kept(tmp_path: Path) -> None:
    """A file of wrong keys has an error a key."""
    text = "[server]\n" + "".join(f"key_{count} = 1\n" for count in range(500))
    assert list(range(2, 502)) == [one.where.line for one in errors(text, tmp_path).every]
