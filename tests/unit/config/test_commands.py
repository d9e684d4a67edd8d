"""`latchcheck explain` and `latchcheck list`, on the rows that the model gives them."""

from __future__ import annotations

import json

import click
import pytest
from click.testing import CliRunner, Result

from latchcheck.cli import explain, list_, wiring
from latchcheck.model import describe

CLAIM = {
    "sentence": "A task whose client still follows its polling schedule is never reclaimed as an orphan.",
    "keyword": "MUST",
    "reads": ["server.orphan_window"],
}


@pytest.fixture(autouse=True)
def wired(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of the model, and one property that stands for all."""
    rows = {
        "explain_keys": describe.explained,
        "nearest_keys": describe.nearest_keys,
        "key_rows": describe.key_rows,
        "preset_rows": describe.preset_rows,
        "explain_property": lambda name: CLAIM if name == "no-live-orphan" else None,
        "property_ids": lambda: ("no-live-orphan",),
    }
    for name, function in rows.items():
        monkeypatch.setattr(wiring, name, function, raising=False)


def run(command: click.Command, *arguments: str) -> Result:
    """Run a command on its own, with errors as a user sees them."""
    return CliRunner().invoke(command, list(arguments))


def test_a_key_is_explained() -> None:
    """A key is explained with its meaning, spellings, default, the assumption and its reason."""
    done = run(explain.command, "orphan_window")
    assert done.exit_code == 0
    assert done.output == (
        "server.orphan_window\n"
        "  A task without contact for longer than this is reclaimed as an orphan.\n"
        "\n"
        '  takes     a duration, such as "15m"\n'
        "  spelled   orphan_window, orphan_window_ms\n"
        "  default   none\n"
        "  if absent The server reclaims no orphans.\n"
        "  why       No published MCP server was seen to have a window on polls.\n"
        "  read by   no-live-orphan, result-reaches-client, ttl-covers-execution,\n"
        "            hint-inside-orphan-window, restart-inside-orphan-window,\n"
        "            orphans-found-in-time, input-window-covers-human,\n"
        "            abandoned-work-is-bounded, every-window-can-fire, ttl-cap-suffices\n"
        "  source    docs/reference/semantics.md, section 3, rule 14\n"
    )


def test_a_name_of_two_keys_explains_both() -> None:
    """A wire name that two sections use explains the key of each."""
    done = run(explain.command, "ttl")
    assert [line for line in done.output.splitlines() if line and not line.startswith(" ")] == [
        "client.requested_ttl",
        "server.advertised_ttl",
    ]


@pytest.mark.parametrize("row", describe.key_rows(), ids=lambda row: row["key"])
def test_every_key_can_be_explained(row: dict[str, object]) -> None:
    """Each key is explained under its own name, within the width of a page."""
    done = run(explain.command, str(row["key"]))
    assert done.exit_code == 0
    assert str(row["meaning"]).split()[0] in done.output
    assert max(map(len, done.output.splitlines())) <= 80


def test_a_key_is_explained_as_json() -> None:
    """As JSON the explanation is the row of the key."""
    done = run(explain.command, "server.orphan_window", "--format", "json")
    found = json.loads(done.output)
    assert found["property"] is None
    assert found["keys"] == [row for row in describe.key_rows() if row["key"] == "server.orphan_window"]


def test_a_property_is_explained() -> None:
    """What is no key but a property is explained as one."""
    done = run(explain.command, "no-live-orphan")
    assert done.exit_code == 0
    assert done.output.startswith("no-live-orphan\n  A task whose client")
    assert "MUST" in done.output


def test_a_word_that_answers_print_is_explained() -> None:
    """What is no key and no property but stands in answers is told, in either form."""
    assert run(explain.command, "margin").output.startswith("margin\n  How far the first of the knobs may still move")
    found = json.loads(run(explain.command, "margin_ms", "--format", "json").output)
    assert (found["keys"], found["property"], found["word"]["word"]) == ([], None, "margin")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("margn", "margin"),
        ("orphan_windw", "server.orphan_window"),
        ("server.orphanwindow", "server.orphan_window"),
        ("no-live-orphans", "no-live-orphan"),
        ("zzz", "latchcheck list keys"),
    ],
)
def test_an_unknown_name_is_told_the_nearest(name: str, near: str) -> None:
    """A name of nothing is a usage error that names what is most like it."""
    done = run(explain.command, name)
    assert done.exit_code == 2
    assert near in done.output


def test_presets_are_listed_by_party() -> None:
    """The list of presets names the ids of each party, with product and version."""
    done = run(list_.command, "presets")
    assert done.exit_code == 0
    clients, servers = done.output.split("\n\n")
    assert clients.splitlines()[0].split() == ["--client", "product", "version"]
    assert any(line.startswith("strands-py ") for line in clients.splitlines())
    assert any(line.startswith("mcp-py-1 ") for line in servers.splitlines())
    assert not any(line.startswith("strands-py ") for line in servers.splitlines())


def test_presets_are_listed_as_json() -> None:
    """As JSON each preset holds its values, each with the place where it was seen."""
    rows = json.loads(run(list_.command, "presets", "--format", "json").output)["presets"]
    rmcp = next(row for row in rows if row["id"] == "rmcp" and row["party"] == "server")
    assert rmcp["values"]["poll_interval"] == {
        "value": "1s",
        "seen": "crates/rmcp/src/task_manager.rs:39,42",
        "note": "DEFAULT_POLL_INTERVAL_MS",
    }


def test_keys_are_listed() -> None:
    """The list of keys names each key with its default and what it takes."""
    done = run(list_.command, "keys")
    assert done.exit_code == 0
    lines = [line for line in done.output.splitlines() if not line.startswith(" ")]  # what wraps is indented
    assert len(lines) == 1 + len(describe.key_rows())
    assert [line.split() for line in lines if line.startswith("server.orphan_window ")] == [
        ["server.orphan_window", "none", "a", "duration,", "such", "as", '"15m"']
    ]


def test_what_cannot_be_listed_is_refused() -> None:
    """Only presets and keys can be listed."""
    assert run(list_.command, "tasks").exit_code == 2
