"""A file that is no configuration is called what it looks like, with the command that takes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from latchcheck.counterexamples import SAVED
from latchcheck.model.reading import ConfigError, read

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "docs" / "examples"
FIXTURE = SAVED / "one-terminal-outcome" / "terminal-guard-none.json"


@pytest.mark.parametrize(
    ("file", "looks", "instead"),
    [
        (ROOT / "README.md", "Markdown", "a configuration has sections and keys"),
        (EXAMPLES / "wording" / "first.toml", "a sentence with its readings", "write latchcheck wording check {}"),
        (EXAMPLES / "audit" / "mapping.toml", "the mapping of a log", "audit EVENTS.jsonl --mapping {}"),
        (EXAMPLES / "audit" / "server.jsonl", "a log", "write latchcheck audit {}"),
        (EXAMPLES / "tasks" / "created.json", "a task as a server returned it", "write latchcheck verify --task {}"),
        (EXAMPLES / "admission" / "mine.json", "packets", "write latchcheck admission {}"),
        (EXAMPLES / "project" / "pyproject.toml", "a pyproject.toml", "is taken without naming it"),
        (ROOT / "model" / "presets" / "clients" / "strands-py.toml", "a preset", "with --client or --server"),
        (FIXTURE, "a saved counterexample", "write latchcheck replay {}"),
        (ROOT / "mkdocs.yml", "YAML", "with = for the colon"),
        (ROOT / "docs" / "reference" / "verdicts.schema.json", "JSON", "a configuration has sections and keys"),
        (Path(__file__), "a Python program", "a configuration has sections and keys"),
    ],
    ids=lambda one: one.name if isinstance(one, Path) else None,
)
def test_what_a_file_looks_like(file: Path, looks: str, instead: str) -> None:
    """Each kind of file of this project is recognised, and the command names the file."""
    with pytest.raises(ConfigError) as caught:
        read([str(file)])
    assert f"not a configuration (it looks like {looks})" == caught.value.what
    assert instead.format(file) in caught.value.instead


@pytest.mark.parametrize(
    "text", ["", "[server]\norphan_window = 15m\n", "orphan_window: 15m\n", "[client\n", "[sever]\nttl = 1\n"]
)
def test_a_mistake_does_not_make_it_something_else(tmp_path: Path, text: str) -> None:
    """What may well be a configuration keeps the error that says what is wrong in it."""
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read([str(file)])
    assert "looks like" not in caught.value.what


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("# A page\n\n- one\n- two\n", "Markdown"),
        ("<!DOCTYPE html>\n<html></html>", "HTML or XML"),
        ("+++\nid = 'x'\n+++\n", "a sentence with its readings"),
        ("#!/bin/sh\ntrue\n", "a program"),
        ("server:\n  orphan_window: 15m\nclient:\n", "YAML"),
        ('{"schema": "latchcheck/verdicts/1"}', "an answer of latchcheck, latchcheck/verdicts/1"),
    ],
)
def test_what_a_text_without_a_telling_name_looks_like(tmp_path: Path, text: str, looks: str) -> None:
    """Where the name says nothing, the text does."""
    file = tmp_path / "mine"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read([str(file)])
    assert f"not a configuration (it looks like {looks})" == caught.value.what
