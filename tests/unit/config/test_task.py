"""A task as a server returned it, in either version of the wire."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from latchcheck.model.config import UNLIMITED, Origin
from latchcheck.model.reading import ConfigError, read

# the reply, then what is known of ttl and hint: (advertised_ttl_ms, poll_interval_ms)
REPLIES = [
    (
        {"resultType": "task", "taskId": "t", "status": "working", "ttlMs": 900000, "pollIntervalMs": 5000},
        (900_000, 5_000),
    ),
    ({"resultType": "complete", "taskId": "t", "status": "completed", "ttlMs": None}, (UNLIMITED, None)),
    ({"task": {"taskId": "t", "status": "working", "ttl": 60000, "pollInterval": 500}}, (60_000, 500)),
    ({"task": {"taskId": "t", "status": "working", "ttl": None, "pollInterval": 1000}}, (UNLIMITED, 1_000)),
    ({"taskId": "t", "status": "working", "ttl": 0, "pollInterval": 0}, (0, 0)),
    ({"jsonrpc": "2.0", "id": 1, "result": {"task": {"taskId": "t", "ttl": 60000}}}, (60_000, None)),
    (
        {"jsonrpc": "2.0", "id": 1, "result": {"resultType": "task", "taskId": "t", "pollIntervalMs": 5000}},
        (None, 5_000),
    ),
]


@pytest.mark.parametrize(("reply", "expected"), REPLIES)
def test_a_reply_gives_its_ttl_and_hint(tmp_path: Path, reply: object, expected: tuple[object, object]) -> None:
    """A CreateTaskResult or Task of either era, in a response or alone, gives the ttl and the hint that it tells."""
    file = tmp_path / "created.json"
    file.write_text(json.dumps(reply), encoding="utf-8")
    server = read(task=str(file)).server
    assert (server.advertised_ttl_ms, server.poll_interval_ms) == expected


def test_a_value_remembers_its_place(tmp_path: Path) -> None:
    """A value from a task has the file, the line and the path as origin."""
    file = tmp_path / "created.json"
    file.write_text('{\n "result": {\n  "taskId": "t",\n  "ttlMs": 1e3\n }\n}', encoding="utf-8")
    config = read(task=str(file))
    assert config.server.advertised_ttl_ms == 1_000
    assert config.origin("server.advertised_ttl_ms") == Origin("task", f"{file}:4: result.ttlMs")


BAD = [
    ("", "is empty", "taskId"),
    ("{", "created.json:1: is not valid JSON", "as the server sent it"),
    ('{"taskId": "t",\n "ttlMs": }', "created.json:2: is not valid JSON", "as the server sent it"),
    ("[]", "is a list, not a task", "taskId"),
    ("null", "is null, not a task", "taskId"),
    ('{"a": 1}', "has no taskId", "taskId"),
    ('{"task": {"status": "working"}}', "task: has no taskId", "taskId"),
    ('{"result": 5}', "result: 5 is a number", "taskId"),
    ('{"jsonrpc": "2.0", "id": 1, "error": {"code": -32602}}', "is an error reply", "taskId"),
    ('{"taskId": "t"}', "neither a ttl nor a poll interval", "ttlMs"),
    ('{"taskId": "t", "ttlMs": "900000"}', 'ttlMs: "900000" is a text', '"ttlMs": 900000'),
    ('{"taskId": "t", "ttlMs": "15m"}', 'ttlMs: "15m" is a text', '"ttlMs": 900000'),
    ('{"taskId": "t", "ttlMs": true}', "is a flag", "milliseconds"),
    ('{"taskId": "t", "ttlMs": {}}', "is a table", "milliseconds"),
    ('{"taskId": "t", "ttlMs": -1}', "is negative", "whole milliseconds"),
    ('{"taskId": "t", "ttlMs": NaN}', "is not a number", "whole milliseconds"),
    ('{"taskId": "t", "ttlMs": Infinity}', "is infinite", "whole milliseconds"),
    ('{"taskId": "t", "ttlMs": 1e400}', "over 100 years", "whole milliseconds"),
    ('{"taskId": "t", "ttlMs": 0.5}', "finer than a millisecond", "whole milliseconds"),
    ('{"taskId": "t", "ttlMs": 99999999999999}', "over 100 years", "whole milliseconds"),
    ('{"taskId": "t",\n "ttlMs": ' + "9" * 5000 + "}", "created.json:2: ttlMs: 999", "whole milliseconds"),
    ('{"taskId": "t",\n "ttlMs": 1,\n "ttlMs": 2}', "created.json:3: ttlMs: stands twice", "keep one"),
    ('{"task": {"taskId": "t"},\n "task": {"taskId": "t"}}', "created.json:2: task: stands twice", "keep one"),
    (
        '{"task": {"taskId": "t",\n "ttlMs": 1},\n "pollIntervalMs": 2}',
        "created.json:3: pollIntervalMs: stands outside of the task: contradictory",
        "the task itself",
    ),
    ('{"task": {"taskId": "t", "ttlMs": 1}, "ttlMs": 2}', "ttlMs: stands outside of the task", "the task itself"),
    ('{"taskId": "t", "ttlMs": 1, "task": {"ttl": 2}}', "task.ttl: stands outside of the task", "the task itself"),
    (
        '{"taskId": "t",\n "status": "bogus", "ttlMs": 1}',
        'created.json:2: status: "bogus" is no status',
        "there are working, input_required, completed, failed, cancelled",
    ),
    ('{"taskId": "t", "status": null, "ttlMs": 1}', "status: null is no status", "working"),
    ('{"taskId": "t", "status": "failed", "status": "working", "ttlMs": 1}', "status: stands twice", "keep one"),
    ('{"taskId": "t", "ttlMs": 1, "ttl": 1}', "ttl: stands beside ttlMs", "one era"),
    ('{"taskId": "t", "pollIntervalMs": null}', "null is no number", "leave it out"),
    ("[" * 100_000, "nested too deeply", "taskId"),
]


@pytest.mark.parametrize(("text", "wrong", "instead"), BAD, ids=[repr(row[0][:50]) for row in BAD])
def test_a_wrong_reply_is_told_what_to_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, wrong: str, instead: str
) -> None:
    """A file that is no task gives one error of two lines, like a wrong configuration."""
    monkeypatch.chdir(tmp_path)
    Path("created.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        read(task="created.json")
    first, second = str(refused.value).split("\n")
    assert first.startswith("created.json")
    assert wrong in first
    assert instead in second


def test_a_missing_task_file_is_said_to_be_missing() -> None:
    """The path of a task is checked like that of a configuration."""
    with pytest.raises(ConfigError, match=r"nowhere\.json: there is no such file"):
        read(task="nowhere.json")
