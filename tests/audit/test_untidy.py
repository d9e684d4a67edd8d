"""Logs that are not tidy: overlapping spans, late lines, repetitions, files that are packed or still being written."""

from __future__ import annotations

import gzip
import io
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from latchcheck.cli.main import main
from latchcheck.counterexamples.audit import Audit, Entry, LogError, Occurrence, Reading, audit, entries, opened
from latchcheck.counterexamples.audit import lines as module
from latchcheck.counterexamples.audit.ordering import Waiting
from latchcheck.counterexamples.audit.shapes import OTEL

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "audit.schema.json"
CREATE = Occurrence("create", "working")
POLLS = {status: Occurrence("get", status) for status in ("working", "completed", "gone")}
ENDS = Occurrence("worker_write", "completed")


@pytest.fixture(scope="module")
def reading() -> Reading:
    """The guarded model."""
    return Reading()


def told(reading: Reading, *events: tuple[Any, ...], slack_ms: float = 1000, task: str = "a") -> Audit:
    """What becomes of a log of instants, or of beginnings and ends, with what happened, in the order of its lines."""
    log = [Entry(line, one[0], task, one[-1], one[1] if len(one) > 2 else None) for line, one in enumerate(events, 1)]
    return audit(log, reading, name="log", slack_ms=slack_ms)


def test_requests_that_overlap_are_in_no_order(reading: Reading) -> None:
    """A poll that began before the outcome was written and ended after it may read either; one after it only that."""
    ends = (10, 30, ENDS)
    for status in ("working", "completed"):
        assert 0 == told(reading, (1, CREATE), ends, (20, 40, POLLS[status])).broken
        assert 0 == told(reading, (1, CREATE), (20, 40, POLLS[status]), ends).broken
    late = told(reading, (1, CREATE), ends, (31, 40, POLLS["working"]))
    assert [3] == [one.entry.line for one in late.found]
    assert () == late.found[0].overlaps


def test_what_no_order_explains_is_told_with_what_it_overlaps(reading: Reading) -> None:
    """Two outcomes at the same time: whichever comes first, the other is not explained."""
    other = Occurrence("worker_write", "failed")
    (found,) = told(reading, (1, CREATE), (10, 30, ENDS), (20, 40, other)).found
    assert (2, {found.entry.line, *found.overlaps}) == (found.explained, {2, 3})


def test_groups_are_those_of_every_order(reading: Reading) -> None:
    """Up to four events with drawn beginnings and ends: explained if a permutation that keeps what is certain is."""
    kinds = [
        ENDS,
        POLLS["working"],
        POLLS["completed"],
        Occurrence("cancel", "cancelled"),
        Occurrence("cancel", "working"),
    ]
    spans = [(1, 4), (2, 3), (3, 6), (5, 5)]
    for chosen in itertools.product(kinds, repeat=3):
        for shape in itertools.combinations(spans, 3):
            log = [(begin, end, one) for (begin, end), one in zip(shape, chosen, strict=True)]
            assert _some_order(reading, log) == (told(reading, (0, CREATE), *log).broken == 0), log


def _some_order(reading: Reading, log: Sequence[tuple[float, float, Occurrence]]) -> bool:
    for order in itertools.permutations(log):
        certain = all(not later[1] < earlier[0] for earlier, later in itertools.combinations(order, 2))
        if certain and told(reading, *[(at, one[2]) for at, one in enumerate([(0, 0, CREATE), *order])]).broken == 0:
            return True
    return False


def test_many_polls_at_once_are_no_burden(reading: Reading) -> None:
    """Forty polls that overlap have more orders than anybody can try; looks that tell nothing new need no order."""
    polls = [(10 + one, 200, POLLS["working"]) for one in range(20)]
    polls += [(10 + one, 200, POLLS["completed"]) for one in range(20)]
    assert 0 == told(reading, (1, CREATE), *polls, (100, 150, ENDS)).broken


def test_a_line_that_stands_a_little_too_late(reading: Reading) -> None:
    """Neither its instant nor its place is believed: it is unexplained only if no instant in between explains it."""
    assert (0, 1) == ((made := told(reading, (5, CREATE), (9, POLLS["completed"]), (8, ENDS))).broken, made.late)
    assert (0, 1) == ((made := told(reading, (5, POLLS["working"]), (4, CREATE))).broken, made.late)
    # The clock of whoever polled is behind: by its instant it polled before the creation, by its place after.
    assert 0 == told(reading, (5, CREATE), (3, POLLS["working"])).broken
    assert 1 == told(reading, (5, CREATE), (9, ENDS), (30, POLLS["completed"]), (20, POLLS["working"])).broken


def test_a_line_that_stands_far_too_late_is_an_error(reading: Reading) -> None:
    """By more than the slack it is told with its line and by how much; of two tasks there is no order."""
    lines = [(one, "get", at) for one, at in (("a", 5000), ("b", 3), ("a", 4000), ("a", 3500))]
    log = [json.dumps({"task": task, "event": event, "status": "gone", "at_ms": at}) for task, event, at in lines]
    assert 4 == audit(entries(log, "log"), reading, name="log", slack_ms=1500).events
    with pytest.raises(LogError, match=r"log:4: at_ms: the events of task 'a' go back in time by 1500 ms"):
        audit(entries(log, "log"), reading, name="log")
    with pytest.raises(LogError, match="log:3"):
        audit(entries(log, "log"), reading, name="log", slack_ms=0)


def test_events_wait_no_longer_than_the_slack() -> None:
    """Memory is bounded: what is older than the newest by more than the slack has left."""
    waiting, left = Waiting(100), 0
    for at in range(0, 10_000, 10):
        waiting.add(Entry(at, at, "a", CREATE), at)
        left += sum(map(len, waiting.ready()))
        assert at / 10 + 1 - left <= 11
    assert 1000 == left + sum(map(len, waiting.ready(over=True)))


def test_a_restart_is_about_tasks_that_are_told_late_too() -> None:
    """A creation that stands behind a restart which happened after it is followed by that restart."""
    log = [
        '{"event": "restart_server", "at_ms": 5}',
        '{"event": "create", "task": "a", "status": "working", "at_ms": 4}',
        '{"event": "get", "task": "a", "status": "failed", "at_ms": 9}',
    ]
    late = Reading("guarded", ("dispatch", "crash_worker"))
    assert (
        audit(entries(log, "log"), late, name="log").broken
        == audit(entries([log[1], log[0], log[2]], "log"), late, name="log").broken
    )


def span(number: int, begin_ms: int, end_ms: int, method: str, status: str | None = None) -> dict[str, Any]:
    """A span as an exporter writes it."""
    attributes = {"mcp.method.name": method, "mcp.task.id": "a"} | ({"mcp.task.status": status} if status else {})
    return {
        "spanId": f"{number:016x}",
        "startTimeUnixNano": str(begin_ms * 1_000_000),
        "endTimeUnixNano": str(end_ms * 1_000_000),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
    }


def document(*spans: dict[str, Any]) -> str:
    """One line of OTLP."""
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})


def test_batches_of_spans_come_in_any_order() -> None:
    """Two exporters: the batch of one arrives after that of the other, and one span is sent twice."""
    call = span(1, 0, 5, "tools/call", "working")
    cancel, poll = span(2, 1000, 4000, "tasks/cancel"), span(3, 2000, 2001, "tasks/get", "cancelled")
    log = [document(poll, cancel), document(call), document(poll)]
    made = audit(entries(log, "log", OTEL), Reading("guarded", OTEL.unsaid), name="log", slack_ms=10_000)
    assert (3, 0, 1) == (made.events, made.broken, made.repeated)


def test_the_same_event_twice_counts_once_if_it_has_an_id(reading: Reading) -> None:
    """Under one id a repetition is left out; another event under that id is not, and without ids it happened twice."""
    line = {"task": "a", "event": "create", "status": "working", "at_ms": 1}

    def judged(*log: dict[str, Any]) -> Audit:
        return audit(entries(map(json.dumps, log), "log"), reading, name="log")

    made = judged({**line, "id": 7}, {**line, "id": 7})
    assert (1, 1, 0) == (made.events, made.repeated, made.broken)
    assert 1 == judged({**line, "id": 7}, {**line, "id": 7, "at_ms": 2}).broken
    (found,) = judged(line, line).found
    assert (2, 1) == (found.entry.line, found.alike)


GOOD = b'{"task": "a", "event": "create", "status": "working"}\n'


def read(folder: Path, content: bytes) -> tuple[list[str], bool]:
    """The lines of a file, and whether the last was cut off."""
    (folder / "log").write_bytes(content)
    with opened(str(folder / "log")) as found:
        return list(found), found.unfinished


def test_a_log_that_is_being_written(tmp_path: Path) -> None:
    """A last line that is cut off is left out and said to be; one that is whole but for its end counts."""
    assert ([GOOD.decode()], True) == read(tmp_path, GOOD + GOOD[:20])
    assert ([GOOD.decode(), GOOD.decode().strip()], False) == read(tmp_path, GOOD + GOOD.strip())
    assert (["hello"], False) == read(tmp_path, b"hello")
    assert ([], False) == read(tmp_path, b"")


def test_what_is_added_meanwhile_is_not_read(tmp_path: Path) -> None:
    """The length of the file at the beginning is what is read, or a fast writer would never be caught up with."""
    log = tmp_path / "log"
    log.write_bytes(GOOD * 3)
    with opened(str(log)) as found:
        lines = iter(found)
        for _ in range(3):
            next(lines)
            with log.open("ab") as writer:
                writer.write(GOOD)
        assert ([], False) == (list(lines), found.unfinished)


def test_a_packed_log_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file, or standard input, that gzip has packed is read; one that is cut off is read as far as it goes."""
    log = b"".join(b'{"task": "%d", "event": "create", "status": "working"}\n' % one for one in range(2000))
    packed = gzip.compress(log)
    assert (log.decode().splitlines(keepends=True), False) == read(tmp_path, packed)
    found, unfinished = read(tmp_path, packed[: len(packed) // 2])
    assert unfinished
    assert 0 < len(found) < 2000
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(packed))))
    with opened("-") as lines:
        assert 2000 == len(list(lines))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\x28\xb5\x2f\xfd1234", "is compressed by zstd"),
        (b"\xfd7zXZ\x00", "is compressed by xz"),
        (b"\xff\xfe{\x00}\x00", "is written in UTF-16"),
        (gzip.compress(GOOD, mtime=0)[:-8] + b"12345678", "is damaged after line 1"),
        (b"{" + b" " * 2000, "is longer than 0 MiB"),
    ],
)
def test_what_cannot_be_read_is_one_error(
    content: bytes, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is named, and what to do instead."""
    monkeypatch.setattr(module, "LINE_BYTES_MAX", 1000)
    with pytest.raises(LogError, match=what):
        read(tmp_path, content)


def test_a_mark_of_the_byte_order_is_no_content(tmp_path: Path) -> None:
    """What some editors write at the beginning of a UTF-8 file is not read."""
    assert [GOOD.decode()] == read(tmp_path, b"\xef\xbb\xbf" + GOOD)[0]


def test_the_answer_says_how_the_log_was_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Late lines, repetitions and a cut line are told in words and in JSON, which its schema allows."""
    log = [
        {"task": "a", "event": "get", "status": "working", "at_ms": 5},
        {"task": "a", "event": "create", "status": "working", "at_ms": 4, "id": 1},
        {"task": "a", "event": "create", "status": "working", "at_ms": 4, "id": 1},
    ]
    file = tmp_path / "log.jsonl"
    file.write_text("\n".join(map(json.dumps, log)) + '\n{"task', encoding="utf-8")
    assert 0 == main(["audit", str(file)])
    out = capsys.readouterr().out
    for words in ("1 events stand behind", "1 events were told again", "The last line is cut off"):
        assert words in out
    assert 0 == main(["audit", str(file), "--format", "json"])
    answer = json.loads(capsys.readouterr().out)
    Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(answer)
    assert (1, 1, True) == (answer["late_events"], answer["repeated_events"], answer["unfinished"])
    assert 2 == main(["audit", str(file), "--slack", "0s"])
    assert 2 == main(["audit", str(file), "--slack", "5"])
    assert 'write "5s" for seconds' in capsys.readouterr().err
