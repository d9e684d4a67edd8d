"""Logs against the model: what it does is explained, what it cannot do is not, and the first such event is named."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from latchcheck.cli.main import main
from latchcheck.counterexamples.audit import KINDS, Entry, Occurrence, Reading, audit, entries, mapped
from latchcheck.counterexamples.audit.log import LogError
from latchcheck.counterexamples.audit.meaning import ACTIONS
from latchcheck.counterexamples.audit.shapes import OTEL, ShapeError
from latchcheck.kernel import NotAStep, Stepper, compile_expr
from latchcheck.model.cancelling import shown

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = DOCS / "examples" / "audit"
OTHER_NAMES = {"none": "gone", "deleted": "gone"}


@pytest.fixture(scope="module")
def reading() -> Reading:
    """The guarded model."""
    return Reading()


def judged(reading: Reading, *events: Occurrence) -> int | None:
    """How many events come before the first that is not explained; None where all are."""
    log = [Entry(line, None, "a", one) for line, one in enumerate(events, 1)]
    made = audit(log, reading, name="log")
    return made.found[0].explained if made.found else None


def walks(reading: Reading, seed: int, steps: int) -> list[Occurrence]:
    """A random run of the model itself, as a server would log it: every event tells the status after it."""
    drawn, system = random.Random(seed), reading.system  # noqa: S311 - no secret
    view = compile_expr(shown(reading.built.room, "t1"))
    stepper, events = Stepper(system), []
    kinds = {name: kind for kind, names in ACTIONS.items() for name in names}
    for _ in range(steps):
        action = drawn.choice(system.actions)
        args = {choice.name: drawn.choice(list(choice.domain.members())) for choice in action.choices}  # type: ignore[union-attr]
        try:
            state = stepper.do(None, action.name, args)
        except NotAStep:
            continue
        status = str(view.function(**{name: state[name] for name in view.names}))
        status = OTHER_NAMES.get(status, status)
        written = str(args.get("status", status))
        if action.name in kinds:
            events.append(Occurrence(kinds[action.name], written, refused=written != status))
    return events


@pytest.mark.parametrize("seed", range(40))
def test_what_the_model_does_is_explained(reading: Reading, seed: int) -> None:
    """Every log that a random run of the model leaves is explained to its end."""
    events = walks(reading, seed, 400)
    assert len(events) > 0
    assert judged(reading, *events) is None


def test_random_runs_reach_every_kind(reading: Reading) -> None:
    """The runs above tell of every kind of event but `get`, which changes nothing."""
    kinds = {one.kind for seed in range(40) for one in walks(reading, seed, 400)}
    assert set(KINDS) - {"get"} == kinds


TERMINAL = ("completed", "failed", "cancelled")


@pytest.mark.parametrize("first", TERMINAL)
@pytest.mark.parametrize("then", [*TERMINAL, "working", "input_required"])
def test_a_terminal_status_is_never_left(reading: Reading, first: str, then: str) -> None:
    """Once a task has ended, a reader is shown that end and nothing else (MCP Tasks, terminal statuses)."""
    ends = Occurrence("cancel", "cancelled") if first == "cancelled" else Occurrence("worker_write", first)
    found = judged(reading, Occurrence("create", "working"), ends, Occurrence("get", then))
    assert (None if first == then else 2) == found


def test_a_late_write_is_refused_or_not_explained(reading: Reading) -> None:
    """After a cancel a worker's write is refused; told as done, with a reader shown it, it has no explanation."""
    begun = (Occurrence("create", "working"), Occurrence("cancel", "cancelled"))
    assert judged(reading, *begun, Occurrence("worker_write", "completed", refused=True)) is None
    assert judged(reading, *begun, Occurrence("worker_write", "completed")) == 2


def test_a_refusal_without_reason_is_not_explained(reading: Reading) -> None:
    """A server that is up refuses no first creation, so a log in which it does has no explanation."""
    assert judged(reading, Occurrence("create", None, refused=True)) == 0


def test_nothing_happens_before_the_creation(reading: Reading) -> None:
    """A task that was not created cannot be read, written or cancelled; it is gone, and may be created."""
    assert judged(reading, Occurrence("get", "working")) == 0
    assert judged(reading, Occurrence("worker_write", "completed")) == 0
    assert judged(reading, Occurrence("get", "gone"), Occurrence("create", "working")) is None


def test_a_log_may_begin_in_the_middle(reading: Reading) -> None:
    """From the middle a task may be in any state at first, and is held to what it tells from there on."""
    log = [Entry(1, None, "a", Occurrence("get", "completed")), Entry(2, None, "a", Occurrence("get", "working"))]
    made = audit(log, reading, name="log", anywhere=True)
    assert [2] == [one.entry.line for one in made.found]


def test_questions_are_as_many_as_there_are(reading: Reading) -> None:
    """A log is no scope: a task may ask, be answered, be polled and be cancelled as often as it likes."""
    asks = [Occurrence("cancel", "working"), *[Occurrence("get", "working")] * 3, Occurrence("restart_server")]
    assert judged(reading, Occurrence("create", "working"), *asks * 20) is None


def test_the_first_false_condition_is_named(reading: Reading) -> None:
    """A second creation of the same task fails for its id, which is used."""
    log = [Entry(line, None, "a", Occurrence("create", "working")) for line in (1, 2)]
    (found,) = audit(log, reading, name="log").found
    assert ["the id is unused"] == [one.label for one in found.hindrances]
    assert "get working" in found.possible
    assert ("working",) == found.shown


def test_a_server_is_judged_under_its_own_policy() -> None:
    """Where nothing guards a terminal status, cancelling a completed task is a run of the model."""
    log = [Occurrence("create", "working"), Occurrence("worker_write", "completed"), Occurrence("cancel", "cancelled")]
    assert judged(Reading("terminal_guard=none"), *log) is None
    assert judged(Reading(), *log) == 2


def test_tasks_are_judged_apart(reading: Reading) -> None:
    """Of two tasks whose events are mixed, only the one that goes wrong is told; the other goes on."""
    made = audit(entries(open_lines("server.jsonl"), "log"), reading, name="log")
    assert (7, 2, 1, ["a"]) == (made.events, made.tasks, made.broken, [one.entry.task for one in made.found])


def open_lines(name: str) -> list[str]:
    """The lines of an example."""
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


def read(*lines: str, **rest: Any) -> list[Entry]:
    """The events of lines."""
    return list(entries(lines, "log", **rest))


@pytest.mark.parametrize(
    ("line", "what", "instead"),
    [
        ("{", "log:1: is no JSON", "write one JSON object a line"),
        ("[]", "log:1: is no object", "write one JSON object a line"),
        ('{"task": "a", "event": "creat"}', "log:1: event: 'creat' is none", "did you mean 'create'?"),
        ('{"task": "a"}', "log:1: event: 'nothing' is none", "write one of create"),
        ('{"event": "get"}', "log:1: task: is missing", "only restart_server is about all"),
        (
            '{"task": "a", "event": "get", "status": "done"}',
            "log:1: status: there is no 'done'",
            "write one of working",
        ),
        ('{"task": "a", "event": "get", "at_ms": "soon"}', "log:1: at_ms: 'soon' is no number", "the instant in ms"),
        ('{"task": "a", "event": "get", "refused": 1}', "log:1: refused: 1 is no truth value", "true or false"),
        ('{"task": "a", "event": "get", "state": "working"}', "log:1: 'state' is no field", "write one of event"),
        ('{"tsk": "a", "event": "get"}', "log:1: 'tsk' is no field", "did you mean 'task'?"),
        ('{"task": [], "event": "get"}', "log:1: task: [] is no id", "as a string"),
    ],
)
def test_a_line_that_is_none_is_told_with_its_place(line: str, what: str, instead: str) -> None:
    """The error names file, line and field, and says what to write instead."""
    with pytest.raises(LogError) as found:
        read(line)
    assert what in str(found.value)
    assert instead in str(found.value)


def test_a_mapping_reads_other_logs() -> None:
    """Seconds become ms, nested fields are found, words are translated, and what is ignored is no event."""
    found = read(*open_lines("other.jsonl"), shape=mapped(str(EXAMPLES / "mapping.toml")))
    assert [(1000.0, "create", "working"), (2000.0, "worker_write", "completed"), (2500.0, "get", "completed")] == [
        (one.at_ms, one.event.kind, one.event.status) for one in found
    ]


def span(method: str, start_ns: int, task: str | None = "a", **more: Any) -> dict[str, Any]:
    """A span as an exporter writes it."""
    told = {"mcp.method.name": method, **({} if task is None else {"mcp.task.id": task})}
    listed = [{"key": key, "value": {"stringValue": value}} for key, value in {**told, **more.pop("told", {})}.items()]
    return {"name": method, "startTimeUnixNano": str(start_ns), "attributes": listed, **more}


def document(*spans: dict[str, Any]) -> str:
    """One line of OTLP."""
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})


def test_spans_are_read_in_the_order_of_their_ends() -> None:
    """Whatever the order in which a document lists them."""
    found = read(document(span("tasks/get", 3_000_000), span("tools/call", 1_000_000)), shape=OTEL)
    assert [("create", 1.0), ("get", 3.0)] == [(one.event.kind, one.at_ms) for one in found]


@pytest.mark.parametrize("code", [2, "2", "STATUS_CODE_ERROR"])
def test_a_span_that_failed_was_refused(code: object) -> None:
    """A cancel of a finished task that is answered with an error is a refusal, however written, and explained."""
    call = span("tools/call", 1, told={"mcp.task.status": "working"})
    done = span("tasks/get", 2, told={"mcp.task.status": "completed"})
    for status, broken in (({"code": code}, 0), ({"code": 1}, 0), ({}, 0)):
        cancel = span("tasks/cancel", 3, status=status)
        late = span("tasks/get", 4, told={"mcp.task.status": "completed"})
        log = read(document(call, done, cancel, late), shape=OTEL)
        assert (status.get("code") == code) == log[2].event.refused
        assert broken == audit(log, Reading("guarded", OTEL.unsaid), name="spans").broken


def test_spans_without_a_task_are_no_events() -> None:
    """Other methods, and calls that made no task, are left out; a wrong method of a task is an error."""
    spans = [span("resources/read", 1, None), span("tools/call", 2, None), span("tasks/get", 3)]
    assert ["get"] == [one.event.kind for one in read(document(*spans), shape=OTEL)]
    with pytest.raises(LogError, match="resources/read"):
        read(document(span("resources/read", 1)), shape=OTEL)


@pytest.mark.parametrize(
    "line",
    [
        '{"resourceSpans": 5}',
        '{"resourceSpans": [5]}',
        '{"resourceSpans": [{"scopeSpans": [{"spans": [7]}]}]}',
        '{"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": ["a"]}]}]}]}',
        '{"resourceSpans": [{"scopeSpans": [{"spans": {"a": 1}}]}]}',
    ],
)
def test_a_document_that_is_none_is_one_error(line: str) -> None:
    """Whatever is wrong inside, the line is named."""
    with pytest.raises(LogError, match="log:1: resourceSpans: is no document of spans"):
        read(line, shape=OTEL)


def test_a_mapping_says_which_words_are_refusals(tmp_path: Path) -> None:
    """Any of them is one, any other is none, and without the list only a truth value is."""
    mapping = tmp_path / "m.toml"
    mapping.write_text('refusals = ["409", "rejected"]\n[fields]\nrefused = "code"\n', encoding="utf-8")
    lines = [json.dumps({"task": "a", "event": "cancel", "code": code}) for code in (409, "rejected", 200, None)]
    shape = mapped(str(mapping))
    assert [True, True, False, False] == [one.event.refused for one in read(*lines, shape=shape)]


def test_spans_are_read() -> None:
    """A document of two spans is two events, their instants in ms, their names the method's."""
    found = read(*open_lines("spans.jsonl"), shape=OTEL)
    assert [(1000.0, "create"), (2000.0, "get")] == [(one.at_ms, one.event.kind) for one in found]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[fields]\nevnt = 'a'", "there is no 'evnt'"),
        ("[events]\na = 'creat'", "there is no 'creat'"),
        ("[statuses]\na = 'done'", "there is no 'done'"),
        ("unit = 'h'", "there is no 'h'"),
        ("unsaid = ['x']", "there is no 'x'"),
        ("unsaid = 'get'", "is no list"),
        ("fields = 1", "is no table"),
        ("[fields]\ntask = 1", "is no text"),
        ("other = 1", "is unknown"),
        ("[", "write TOML"),
    ],
)
def test_a_wrong_mapping_is_refused(text: str, what: str, tmp_path: Path) -> None:
    """The error names the file and what is wrong in it."""
    (tmp_path / "m.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ShapeError, match=r"m\.toml") as found:
        mapped(str(tmp_path / "m.toml"))
    assert what in str(found.value)


def test_the_model_is_known_whole(reading: Reading) -> None:
    """Every action that an event stands for is one of the model, under the guarded policy."""
    names = {action.name for action in reading.system.actions}
    known = {name for found in ACTIONS.values() for name in found}
    assert known - names <= {"delete_expired"}


def run(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Exit code, output and errors of the command."""
    code = main(["audit", *arguments])
    caught = capsys.readouterr()
    return code, caught.out, caught.err


def schemas(*names: str) -> Iterator[Draft202012Validator]:
    """Validators of published schemas."""
    for name in names:
        yield Draft202012Validator(json.loads((DOCS / "reference" / f"{name}.schema.json").read_text(encoding="utf-8")))


def test_the_command_answers_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    """A broken log has exit code 1 and an answer that its schema allows."""
    code, out, _ = run([str(EXAMPLES / "server.jsonl"), "--format", "json"], capsys)
    (schema,) = schemas("audit")
    answer = json.loads(out)
    schema.validate(answer)
    assert (1, 5, "a") == (code, answer["unexplained"][0]["line"], answer["unexplained"][0]["task"])


def test_the_examples_follow_the_schema_of_logs() -> None:
    """Each line of the example is valid, and one with a wrong event is not."""
    (schema,) = schemas("log")
    for line in open_lines("server.jsonl"):
        schema.validate(json.loads(line))
    assert not schema.is_valid({"task": "a", "event": "creat"})
    assert not schema.is_valid({"event": "get"})


def test_a_log_that_is_not_there_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    """A missing file, and a file with a wrong line, end with exit code 2 and one message."""
    code, _, err = run(["nowhere.jsonl"], capsys)
    assert (2, 1) == (code, err.count("error"))


@pytest.mark.parametrize("log", ["", "\n", '{"task": "a", "event": "create"}\n'])
def test_a_log_that_tells_nothing_is_vacuous(log: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where no event tells a status nothing was checked, and the exit code says so."""
    (tmp_path / "empty.jsonl").write_text(log, encoding="utf-8")
    code, out, _ = run([str(tmp_path / "empty.jsonl")], capsys)
    assert (5, True) == (code, "0 of them tell a status" in out)
