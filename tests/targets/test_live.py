"""A live server, seen from outside: what is asked, what is believed, and what is said of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from latchcheck.counterexamples.targets.errors import TargetCrashed, TargetError, TargetGarbage, TargetTimeout
from latchcheck.counterexamples.targets.live import RULES, Judged, Plan, Visit, Wire, begin, judge
from latchcheck.counterexamples.targets.live.visit import NOBODY
from tests.targets.fake_server import Clock, Fake, served

PATIENCE_S = 40.0
SHORT_S = 0.5
"""What a server that does not answer is given."""
Raw = Callable[[Any, Mapping[str, Any]], bool]


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A visit waits in no time."""
    monkeypatch.setattr("latchcheck.counterexamples.targets.live.visit.time", Clock())


def visit(fake: Fake, wait_s: float = 2.0) -> dict[str, Judged]:
    """What a visit says of a server, by sentence."""
    with served(fake) as url:
        talk = begin(Wire(url, timeout_s=PATIENCE_S))
        record = Visit(talk, Plan("quick", {}, wait_s=wait_s)).run()
        talk.wire.close()
    return {one.rule.id: one for one in judge(record)}


def verdicts(found: dict[str, Judged]) -> dict[str, str]:
    """The verdicts that are no pass, and not for want of an occasion."""
    return {name: one.verdict for name, one in found.items() if one.verdict not in ("holds", "not-applicable")}


def test_a_correct_server_breaks_nothing() -> None:
    """Every sentence that a correct server gives occasion to holds."""
    fake = Fake()
    found = visit(fake)
    assert {} == verdicts(found)
    held = {name for name, one in found.items() if one.verdict == "holds"}
    assert {"terminal-stays", "cancel-of-finished", "no-task-without-capability", "unknown-id-of-get"} <= held


def test_the_tool_is_called_twice_at_most() -> None:
    """A visit sends no load: the tool is called once as a task and once without the capability."""
    fake = Fake()
    visit(fake)
    assert 2 == sum(one["method"] == "tools/call" for one in fake.asked)


class Asking(Fake):
    """A server whose task asks questions, one after the other, and goes on when they are answered."""

    def __init__(self, *keys: str, method: str = "elicitation/create", again: str | None = None) -> None:
        super().__init__()
        self.keys, self.method, self.heard, self.again = list(keys), method, list[str](), again
        self.answers["tasks/update"] = self.update

    def get(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Input required while a question is open."""
        refused = self.guarded(asked)
        if refused is not None or not self.keys:
            return refused or super().get(asked)
        questions = {self.keys[0]: {"method": self.method, "params": {"message": f"{len(self.keys)} left"}}}
        return {"result": {"resultType": "complete", **self.task("input_required", inputRequests=questions)}}

    def update(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """An answer to the open question is consumed; any other one is ignored, by a correct server."""
        refused = self.guarded(asked)
        if refused is not None:
            return refused
        (key,) = asked["params"]["inputResponses"]
        if self.keys and key == self.keys[0]:
            self.heard.append(json.dumps(asked["params"]["inputResponses"][key]))
            self.keys.pop(0)
        elif self.again is not None and key in self.again:
            return {"error": {"code": -32602, "message": "answered already"}}
        return {"result": {"resultType": "complete"}}


def test_questions_are_declined_and_answers_repeated() -> None:
    """Each question is declined, each answer sent twice, and the task followed to its end without a cancel."""
    fake = Asking("q1", "q2")
    fake.answers["tasks/get"] = fake.get
    found = visit(fake, wait_s=3.0)
    assert {} == verdicts(found)
    assert ['{"action": "decline"}'] * 2 == fake.heard
    assert ("holds", "holds") == (found["key-names-one-question"].verdict, found["unknown-key-ignored"].verdict)
    assert "2 answers sent again" in found["unknown-key-ignored"].seen
    cancels = [one for one in fake.asked if one["method"] == "tasks/cancel"]
    # Of nobody's task, declared and not, and of the finished one.
    assert 3 == len(cancels)


def test_a_key_that_is_used_again_is_found() -> None:
    """A key that is asked with another question, and one that comes back after its answer, break the sentence."""
    for keys in (("q1", "q1"), ("q1", "q2", "q1")):
        fake = Asking(*keys)
        fake.answers["tasks/get"] = fake.get
        found = visit(fake, wait_s=3.0)
        assert "violated" == found["key-names-one-question"].verdict, keys
        assert {"violated", "inconclusive"} >= {*verdicts(found).values()}


def test_an_answer_that_is_refused_the_second_time_is_found() -> None:
    """An answer to a key that was answered already is to be ignored, not refused."""
    fake = Asking("q1", again="q1")
    fake.answers["tasks/get"] = fake.get
    assert {"unknown-key-ignored": "violated"} == verdicts(visit(fake, wait_s=3.0))


def test_a_question_that_cannot_be_declined_ends_in_a_cancel() -> None:
    """What asks for a model's words is not answered: the task is cancelled."""
    fake = Asking("q1", method="sampling/createMessage")
    fake.answers["tasks/get"] = fake.get
    visit(fake, wait_s=3.0)
    assert [] == fake.heard
    assert any(one["method"] == "tasks/cancel" and one["params"]["taskId"] != NOBODY for one in fake.asked)


@pytest.mark.parametrize("leak", [None, "tasks/get", "tasks/cancel", "tasks/update"])
def test_another_caller_is_tried_with_every_method(leak: str | None) -> None:
    """A server that refuses another caller holds; one that forgets a single method is found by it."""
    fake = Fake()

    def other(handler: Any, asked: Mapping[str, Any]) -> bool:
        if handler.headers.get("X-Caller") != "other" or asked["method"] in (leak, "server/discover"):
            return False
        told = {"error": {"code": -32602, "message": "not found"}}
        handler.say(200, json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}).encode())
        return True

    fake.raw = other
    with served(fake) as url:
        talks = [begin(Wire(url, headers, timeout_s=PATIENCE_S)) for headers in ({}, {"X-Caller": "other"})]
        record = Visit(talks[0], Plan("quick", {}, wait_s=3.0, other=talks[1])).run()
        for one in talks:
            one.wire.close()
    (found,) = [one for one in judge(record) if one.rule.id == "other-caller-refused"]
    assert ("holds" if leak is None else "violated") == found.verdict
    assert leak is None or leak in found.seen


def flipped(fake: Fake) -> None:
    """After the end, the task reads cancelled."""
    get = fake.get

    def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
        told = get(asked)
        return told if fake.reads < 4 else {"result": {"resultType": "complete", **fake.task("cancelled")}}

    fake.answers["tasks/get"] = answer


def moving(fake: Fake) -> None:
    """The time of the last update moves with each reading."""
    get = fake.get

    def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
        told = get(asked)
        if "result" in told:
            told["result"]["lastUpdatedAt"] = f"2026-01-01T00:00:{fake.reads:02}+00:00"
        return told

    fake.answers["tasks/get"] = answer


def open_to_all(fake: Fake) -> None:
    """Nobody looks at capabilities."""
    fake.looks = False


def late_record(fake: Fake) -> None:
    """The first reading finds nothing."""
    get = fake.get

    def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
        told = get(asked)
        return {"error": {"code": -32602, "message": "not found"}} if fake.reads == 1 else told

    fake.answers["tasks/get"] = answer


def refusing(fake: Fake) -> None:
    """A cancel of a finished task is an error, as in the older era."""
    fake.answers["tasks/cancel"] = lambda _: {"error": {"code": -32602, "message": "finished"}}


def counted(fake: Fake) -> None:
    """Task ids are numbers in a row."""
    task = fake.task
    fake.task = lambda status, **more: {**task(status, **more), "taskId": "17"}


def bare(fake: Fake) -> None:
    """A completed task has no result."""
    task = fake.task
    fake.task = lambda status, **more: {key: value for key, value in task(status, **more).items() if key != "result"}


BROKEN = {
    "terminal-stays": flipped,
    "last-updated-tells-updates": moving,
    "methods-need-capability": open_to_all,
    "no-task-without-capability": open_to_all,
    "durable-before-reply": late_record,
    "cancel-of-finished": refusing,
    "id-is-not-guessed": counted,
    "status-brings-its-payload": bare,
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_server_is_found(name: str) -> None:
    """Each check finds the server that breaks its sentence."""
    fake = Fake()
    BROKEN[name](fake)
    assert "violated" == visit(fake)[name].verdict


def test_a_call_without_a_task_is_vacuous() -> None:
    """Where the call makes no task, nothing is passed."""
    fake = Fake()
    fake.answers["tools/call"] = lambda _: {"result": {"resultType": "complete", "content": []}}
    found = verdicts(visit(fake))
    assert {"vacuous"} == set(found.values())


def plain(status: int, body: bytes, **headers: str) -> Raw:
    """A server that answers everything in one way."""

    def answer(handler: Any, _asked: Mapping[str, Any]) -> bool:
        handler.say(status, body, **headers)
        return True

    return answer


def silent(_handler: BaseHTTPRequestHandler, _asked: Mapping[str, Any]) -> bool:
    """A server that does not answer in time."""
    time.sleep(3 * SHORT_S)
    return True


def endless(handler: BaseHTTPRequestHandler, _asked: Mapping[str, Any]) -> bool:
    """A server whose answer has no end."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)
    except OSError:
        pass
    handler.close_connection = True
    return True


def result(**more: Any) -> bytes:
    """A result of `server/discover`, or of anything."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": more}).encode()


HOSTILE: dict[str, tuple[Raw, type[TargetError]]] = {
    "500": (plain(500, b"Internal Server Error", Content_Type="text/plain"), TargetGarbage),
    "html": (plain(200, b"<html>hello</html>", Content_Type="text/html"), TargetGarbage),
    "nothing": (plain(200, b""), TargetGarbage),
    "a redirect": (plain(302, b"", Location="http://elsewhere.invalid/mcp"), TargetGarbage),
    "another id": (plain(200, b'{"jsonrpc": "2.0", "id": 99, "result": {}}'), TargetGarbage),
    "an array": (plain(200, b"[1, 2]"), TargetGarbage),
    "deep": (plain(200, b"[" * 100_000), TargetGarbage),
    "no list of versions": (plain(200, result(supportedVersions="all")), TargetGarbage),
    "versions of its own": (plain(200, result(supportedVersions=["3000-01-01"])), TargetGarbage),
    "an error without a code": (plain(200, b'{"jsonrpc": "2.0", "id": 1, "error": "no"}'), TargetGarbage),
    "too much": (plain(200, b" " * 5_000_000), TargetGarbage),
    "silence": (silent, TargetTimeout),
    "no end": (endless, TargetTimeout),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nonsense_is_told_and_never_passed(name: str) -> None:
    """A server that answers nonsense, or not at all, is an error that says so, in time."""
    answer, error = HOSTILE[name]
    fake = Fake()
    fake.raw = answer
    begun = time.monotonic()
    with served(fake) as url, pytest.raises(error):
        begin(Wire(url, timeout_s=SHORT_S if error is TargetTimeout else PATIENCE_S))
    assert time.monotonic() - begun < PATIENCE_S


def test_nobody_there() -> None:
    """Where nothing listens, that is said."""
    with pytest.raises(TargetCrashed, match="no connection"):
        begin(Wire("http://127.0.0.1:9/mcp", timeout_s=2))


def test_a_redirect_is_not_followed() -> None:
    """A redirect is told, since the headers of a request may hold a secret."""
    other, fake = Fake(), Fake()
    with served(other) as there, served(fake) as url:
        fake.raw = plain(307, b"", Location=there)
        with pytest.raises(TargetGarbage, match="redirects"):
            begin(Wire(url, {"Authorization": "Bearer secret"}, timeout_s=PATIENCE_S))
    assert [] == other.asked


def test_an_answer_in_a_stream_is_read() -> None:
    """An answer may come as an event of a stream that stays open."""
    fake = Fake()

    def answer(handler: BaseHTTPRequestHandler, asked: Mapping[str, Any]) -> bool:
        told = fake.answers[asked["method"]](asked)
        body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told})
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        handler.wfile.write(f": hello\n\nevent: message\ndata: {body}\n\n".encode())
        handler.close_connection = True
        return True

    fake.raw = answer
    assert {} == verdicts(visit(fake))


def test_every_rule_is_judged() -> None:
    """Every sentence has a judge: a visit of either era ends in a verdict on each of its sentences."""
    from latchcheck.counterexamples.targets.live.judging import _JUDGES

    assert set(_JUDGES) == {one.id for one in RULES}
