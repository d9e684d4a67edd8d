"""Judges the record of a visit: one small function a sentence, which sees the record and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs

from latchcheck.kernel.verdict import Verdict

from .sentences import Rule, rules_of
from .talk import INVALID_PARAMS, METHOD_NOT_FOUND, MISSING_CAPABILITY, MODERN
from .visit import TERMINAL, Read, Record, instant
from .wire import Reply, shorten

STATUSES: Final = ("working", "input_required", *TERMINAL)
ID_LENGTH_MIN: Final = 16


@attrs.frozen
class Judged:
    """What became of one sentence: a verdict that says what was seen, for what was seen and no more."""

    rule: Rule
    verdict: Verdict
    seen: str


@attrs.frozen
class _Said:
    verdict: Verdict
    seen: str


def _holds(seen: str) -> _Said:
    return _Said("holds", seen)


def _broken(seen: str) -> _Said:
    return _Said("violated", seen)


def _not_tried(why: str) -> _Said:
    return _Said("not-applicable", why)


def _open(why: str) -> _Said:
    return _Said("inconclusive", why)


def judge(record: Record) -> tuple[Judged, ...]:
    """The verdict on every sentence of the era that the record speaks."""
    found = []
    for ident, rule in rules_of(record.offer.era).items():
        said = _NO_TASK(record) if record.task is None and ident not in _WITHOUT_TASK else _JUDGES[ident](record)
        found.append(Judged(rule, said.verdict, said.seen))
    return tuple(found)


def _NO_TASK(record: Record) -> _Said:  # noqa: N802 - stands beside the table below
    told = "nothing" if record.call is None else record.call.told()
    return _Said("vacuous", f"the call made no task; it was answered with {told}")


def _missing(record: Record, what: str, otherwise: str) -> _Said:
    """A question that was not answered: open where it was asked, else not tried."""
    return _open(record.left_out[what]) if what in record.left_out else _not_tried(otherwise)


def _no_task_without_capability(record: Record) -> _Said:
    reply = record.undeclared.get("call")
    if reply is None:
        return _missing(record, "undeclared call", "the tool was not called without the capability")
    if reply.result is not None and (reply.result.get("resultType") == "task" or "taskId" in reply.result):
        return _broken(f"a client that declared nothing was answered with a task: {reply.told()}")
    if reply.error is not None and reply.code != MISSING_CAPABILITY:
        return _open(f"the call without the capability failed otherwise: {reply.told()}")
    return _holds("-32021" if reply.error is not None else "answered with a plain result")


def _methods_need_capability(record: Record) -> _Said:
    return _all_refused(record.undeclared, ("get", "update", "cancel"), (MISSING_CAPABILITY,), record, "undeclared")


def _all_refused(
    replies: Mapping[str, Reply], names: Sequence[str], codes: Sequence[int], record: Record, what: str
) -> _Said:
    wrong = [
        f"tasks/{name}: {replies[name].told()}" for name in names if name in replies and replies[name].code not in codes
    ]
    if wrong:
        return _broken("; ".join(wrong))
    absent = [name for name in names if name not in replies]
    if absent:
        return _missing(record, f"{what} {absent[0]}", f"tasks/{absent[0]} was not tried")
    return _holds(f"{', '.join(f'tasks/{name}' for name in names)}: {codes[0]}")


def _unknown_id_of_get(record: Record) -> _Said:
    return _all_refused(record.unknown, ("get",), (INVALID_PARAMS,), record, "unknown")


def _unknown_id_of_others(record: Record) -> _Said:
    return _all_refused(record.unknown, ("update", "cancel"), (INVALID_PARAMS,), record, "unknown")


def _unknown_id_2025(record: Record) -> _Said:
    names = ["get", *(["cancel"] if "cancel" in record.offer.parts else [])]
    return _all_refused(record.unknown, names, (INVALID_PARAMS,), record, "unknown")


def _durable(record: Record) -> _Said:
    first = record.reads[0]
    if first.status == "gone":
        return _broken(f"the first tasks/get, {first.at_s:.2f} s after the call: {first.reply.told()}")
    return _holds(f"the first tasks/get, {first.at_s:.2f} s after the call, reads {first.status}")


def _result_type(record: Record) -> _Said:
    told = [("tasks/get", one.reply) for one in record.reads]
    told += [("tasks/cancel", one) for one in (record.cancel, record.cancel_again) if one is not None]
    told += [("tasks/update", record.unknown_key)] if record.unknown_key is not None else []
    wrong = [
        f"{method}: resultType is {reply.result.get('resultType')!r}"
        for method, reply in told
        if reply.result is not None and reply.result.get("resultType") != "complete"
    ]
    if wrong:
        return _broken(wrong[0])
    return _holds(f"{len(told)} answers")


def _payload(record: Record) -> _Said:
    wants = {"completed": "result", "failed": "error", "input_required": "inputRequests"}
    for read in record.reads:
        if read.status == "gone":
            continue
        if read.status not in STATUSES:
            return _broken(f"status is {shorten(repr(read.task.get('status')))}")
        want = wants.get(read.status)
        if want is not None and not isinstance(read.task.get(want), dict):
            return _broken(f"{read.status} without {want}: {read.reply.told()}")
    seen = sorted({one.status for one in record.reads} - {"gone"})
    return _holds(f"read {', '.join(seen)}") if seen else _open("no task was read")


def _unknown_key(record: Record) -> _Said:
    reply = record.unknown_key
    refused = next((key for key, one in record.answers_again.items() if one.error is not None), None)
    if refused is not None:
        return _broken(f"an answer that was sent a second time, to {refused!r}: {record.answers_again[refused].told()}")
    if reply is None and not record.answers_again:
        return _missing(record, "unknown key", "the task was finished before a key could be sent")
    if reply is not None and reply.error is not None:
        return _broken(f"refused: {reply.told()}")
    again = f"; {len(record.answers_again)} answers sent again too" if record.answers_again else ""
    return _holds(f"acknowledged{again}")


def _one_question(record: Record) -> _Said:
    asked: dict[str, Any] = {}
    over: set[str] = set()
    for read in record.reads:
        found = read.task.get("inputRequests")
        questions = found if isinstance(found, dict) else {}
        for key, question in questions.items():
            if asked.setdefault(key, question) != question:
                return _broken(f"key {key!r} was asked twice, with different questions")
            if key in over:
                return _broken(f"key {key!r} was asked again at {read.at_s:.2f} s, after its answer was consumed")
        over |= {key for key in asked if key in record.answers and key not in questions}
    return _holds(f"{len(asked)} keys over {len(record.reads)} polls") if asked else _not_tried("nothing was asked")


def _cancel_of_finished(record: Record) -> _Said:
    reply = record.cancel_again
    if reply is None:
        return _missing(record, "cancel of finished", "the task did not finish in the time given")
    if record.offer.era == MODERN:
        if reply.error is not None:
            return _broken(f"a finished task was cancelled, and the answer is {reply.told()}")
        extra = sorted(set(reply.result or {}) - {"resultType", "_meta"})
        return _broken(f"the acknowledgement holds {', '.join(extra)}") if extra else _holds("acknowledged, empty")
    if reply.code != INVALID_PARAMS:
        if reply.code == METHOD_NOT_FOUND and "cancel" not in record.offer.parts:
            return _not_tried("the server does not declare tasks.cancel")
        return _broken(f"the answer is {reply.told()}, not error {INVALID_PARAMS}")
    return _holds(str(INVALID_PARAMS))


def _terminal_stays(record: Record) -> _Said:
    first = next((index for index, one in enumerate(record.reads) if one.status in TERMINAL), None)
    if first is None:
        return _open("no terminal status was read in the time given")
    end, later = record.reads[first], record.reads[first + 1 :]
    for read in later:
        if read.status not in (end.status, "gone"):
            return _broken(f"read {end.status} at {end.at_s:.2f} s and {read.status} at {read.at_s:.2f} s")
        if read.status != "gone" and any(read.task.get(one) != end.task.get(one) for one in ("result", "error")):
            return _broken(f"its result read at {read.at_s:.2f} s is another than at {end.at_s:.2f} s")
    back = _back_from_gone(record.reads)
    if back is not None:
        return _broken(f"gone, and at {back.at_s:.2f} s back as {back.status}")
    return (
        _holds(f"{end.status} in {1 + len(later)} reads, one of them after a cancel") if later else _open("read once")
    )


def _back_from_gone(reads: Sequence[Read]) -> Read | None:
    gone = next((index for index, one in enumerate(reads) if one.status == "gone"), len(reads))
    return next((one for one in reads[gone:] if one.status != "gone"), None)


def _last_updated(record: Record) -> _Said:
    ends = [one for one in record.reads if one.status in TERMINAL]
    for read in ends:
        if instant(read.task.get("lastUpdatedAt")) is None or instant(read.task.get("createdAt")) is None:
            return _broken(f"no ISO 8601 timestamps: {shorten(str(dict(read.task)))}")
    if len(ends) < 2:  # noqa: PLR2004 - two reads are compared
        return _open("the end of the task was not read twice")
    told = [str(one.task["lastUpdatedAt"]) for one in ends]
    if len(set(told)) > 1:
        return _broken(
            f"nothing changed between two reads of {ends[0].status}, and it moved: {told[0]}, then {told[1]}"
        )
    return _holds(f"the same in {len(ends)} reads of {ends[0].status}")


def _alive_until_ttl(record: Record) -> _Said:
    end = record.ttl_end_s
    gone = next((one for one in record.reads if one.status == "gone"), None)
    if end is None:
        return _broken(f"unlimited, and gone at {gone.at_s:.2f} s") if gone else _not_tried("the ttl is unlimited")
    if gone is not None and record.offer.era != MODERN and (record.cancel or record.cancel_again):
        return _not_tried("the task was cancelled, and a cancelled task may be deleted at any time")
    if gone is not None and gone.at_s < end:
        return _broken(f"the ttl ends at {end:g} s, and the task is gone at {gone.at_s:.2f} s")
    last = max((one.at_s for one in record.reads if one.status != "gone"), default=0.0)
    if gone is None and last < end:
        return _not_tried(f"the ttl of {end:g} s ends after the time given")
    after = f"gone at {gone.at_s:.2f} s" if gone is not None else f"still read at {last:.2f} s, which it may be"
    return _holds(f"the ttl ends at {end:g} s; {after}")


def _other_caller(record: Record) -> _Said:
    if not record.other:
        return _missing(record, "other get", "there is no second caller: give one with --other-header")
    listed = record.other.get("list")
    asked = {name: reply for name, reply in record.other.items() if name != "list"}
    for name, reply in asked.items():
        if reply.error is None:
            return _broken(f"another caller's tasks/{name} is answered: {reply.told()}")
    ident = (record.task or {}).get("taskId")
    rows = (listed.result or {}).get("tasks") if listed is not None else None
    if any(isinstance(one, dict) and one.get("taskId") == ident for one in (rows if isinstance(rows, list) else [])):
        return _broken("another caller's tasks/list names the task")
    return _holds("; ".join(f"tasks/{name}: {reply.told()}" for name, reply in asked.items()) or "not in its list")


def _not_guessed(record: Record) -> _Said:
    ident = str((record.task or {})["taskId"])
    if ident.isdecimal() or len(ident) < ID_LENGTH_MIN:
        return _broken(f"the id {shorten(ident)!r} can be counted up to")
    return _holds(f"{len(ident)} characters, seen once; how they are drawn cannot be seen")


def _begins_working(record: Record) -> _Said:
    status = (record.task or {}).get("status")
    return _holds("working") if status == "working" else _broken(f"created as {shorten(repr(status))}")


def _ttl_is_told(record: Record) -> _Said:
    for read in record.reads:
        told = read.task.get("ttl", "absent")
        number = isinstance(told, int) and not isinstance(told, bool)
        if read.status != "gone" and told is not None and not number:
            return _broken(f"ttl is {told!r} in tasks/get")
    first, created = record.reads[0].task.get("ttl"), (record.task or {}).get("ttl")
    if first != created and record.reads[0].status != "gone":
        return _broken(f"the task was created with ttl {created}, and tasks/get tells {first}")
    return _holds(f"{first}")


def _cancelled_before_reply(record: Record) -> _Said:
    if record.cancel is None:
        return _missing(record, "cancel", "the task finished by itself before it was to be cancelled")
    if record.cancel.error is not None:
        return _open(f"the cancel was refused: {record.cancel.told()}")
    told = record.cancel.result or {}
    status = told.get("status", (told.get("task") or {}).get("status") if isinstance(told.get("task"), dict) else None)
    after = next((one for one in record.reads if record.cancel_before and one.at_s > record.cancel_before.at_s), None)
    if after is not None and after.status not in ("cancelled", "gone"):
        return _broken(f"cancelled, and the next tasks/get reads {after.status}")
    return _holds(f"the reply tells {status}")


_JUDGES: Final[Mapping[str, Callable[[Record], _Said]]] = {
    "no-task-without-capability": _no_task_without_capability,
    "methods-need-capability": _methods_need_capability,
    "durable-before-reply": _durable,
    "result-type-complete": _result_type,
    "status-brings-its-payload": _payload,
    "unknown-id-of-get": lambda record: (_unknown_id_of_get if record.offer.era == MODERN else _unknown_id_2025)(
        record
    ),
    "unknown-id-of-update-and-cancel": _unknown_id_of_others,
    "unknown-key-ignored": _unknown_key,
    "key-names-one-question": _one_question,
    "cancel-of-finished": _cancel_of_finished,
    "terminal-stays": _terminal_stays,
    "last-updated-tells-updates": _last_updated,
    "alive-until-ttl": _alive_until_ttl,
    "other-caller-refused": _other_caller,
    "id-is-not-guessed": _not_guessed,
    "begins-working": _begins_working,
    "ttl-is-told": _ttl_is_told,
    "cancelled-before-reply": _cancelled_before_reply,
}
_WITHOUT_TASK: Final = frozenset({"no-task-without-capability"})
