"""The runs of the lifecycle model in words, for those who read them.

All names of actions and variables that a reader meets are in the tables below; the parties know nothing of it.
A phrase is filled with what the action picked; what is quiet is still in the run, only the text form leaves it out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from latchcheck.kernel.telling import Moment, Telling

from .scope import LARGEST

LETTERS: Final = "twci"

# Bookkeeping of the model, and history that properties read: the words of the event say it already.
QUIET: Final = (
    *("was", "first", "outcomes", "slot", "seen", "acted", "phase", "job", "unacked", "holder", "dispatched"),
    *("announced", "candidate", "just_stored", "uncleaned", "triaged", "durable", "replied", "accepted", "keyed"),
    *("digest", "digest_asked", "work", "called", "augmented", "tool", "intent_stored", "asked", "question"),
    *("letter_key", "newest", "view_version", "reply_version", "note1_version", "note2_version", "copy_version"),
    *("behind", "attempt", "spent", "read_cancelled"),
)
QUIET_SINGLES: Final = ("reported", "found", "served")

HARMS: Final = {
    "observed": "another principal than the owner has seen the task.",
    "changed": "another principal than the owner has changed the task.",
    "crossed": "a key of another tenant has decided about a call.",
    "stale_write": "a write with an old version has changed the record.",
    "late_write": "a report after the ttl has changed the record.",
    "asked_twice": "one question is put to the human twice.",
    "misheard": "an answer is taken for that of another question.",
    "wasted": "an answer that tells the end does not end the polling.",
}
"""The families that record a harm, each with the sentence that says what happened."""

PHRASES: Final[dict[str, str]] = {
    # admission
    "create": "{task} is created",
    "declare": "{client} declares {capabilities}",
    "call": "{client} calls",
    "reissue": "{client} calls again",
    "admit": "the call of {client} is answered with a new task, {task}",
    "judge": "only now is the call of {client} judged",
    "reply": "the create reply is sent",
    "replay": "the key of {client} is known: its task is named again",
    "refuse": "the call of {client} is refused",
    "refuse_collision": "the key of {client} is known with another digest: refused",
    "refuse_expired": "the key of {client} names a task whose ttl is over: refused",
    "answer_directly": "{client} is answered without a task",
    "look_up_key": "{instance} looks up the key of {client} and finds it free",
    "insert_after_look_up": "{instance} inserts {task} for the call that it has looked up",
    # access
    "get": "{client} reads {task}",
    "result": "{client} reads the result of {task}",
    "list": "{client} lists tasks",
    "fail_as": "{client} reports {task} as failed",
    # dispatch and workers
    "announce": "a message for {task} is published before there is a record",
    "publish": "the message for {task} is published",
    "deliver": "{worker} receives the message for {task} and begins",
    "discard": "the message for {task} is dropped: the task is over",
    "act": "{worker} does the work: its side effect happens",
    "check": "{worker} looks at the record: nothing forbids a write",
    "write_terminal": "{worker} writes {status}, as it has looked before",
    "report": "{worker} reports {status}",
    "read_again": "{worker} reads the record again",
    "crash_worker": "{worker} dies",
    "stall": "{worker} stalls",
    "wake": "{worker} wakes up",
    "redeliver": "the message for {task} becomes visible again",
    "expire_lease": "the lease of {task} runs out",
    "fail_attempt": "the attempt of {worker} fails, {kind}",
    "dead_letter": "the message for {task} goes to the dead-letter queue",
    # cancel
    "cancel": "cancel of {task} is asked for and acknowledged",
    "cancel_reads": "{instance} reads {task} for a cancel: it is open",
    "cancel_writes": "{instance} writes cancelled, as it has read before",
    "expire_marker": "the cancel marker of {task} is forgotten",
    # questions
    "ask": "{worker} asks a question",
    "update": "the question of {task} is answered with tasks/update",
    "respond": "the question of {task} is answered inside tasks/result",
    "hear": "the answer for {task} arrives",
    # the client
    "receive": "{client} receives the handle",
    "record": "{client} records the handle",
    "crash_client": "{client} dies",
    "recover": "{client} starts again from its store",
    "lose_reply": "the reply to {client} is lost",
    "get_status": "the client asks for {task}",
    "list_status": "the client lists its tasks and reads the row of {task}",
    "ask_result": "the client calls tasks/result for {task}",
    "return_result": "the held tasks/result call of {task} returns",
    "see_status": "the client reads the answer about {task}",
    "notify": "a notification about {task} is sent",
    "see_notification": "the client reads a notification about {task}",
    "lose_notification": "a notification about {task} is lost",
    # time, reaper, restart
    "deadline_passes": "the deadline of {task} passes",
    "silence_lasts": "the client of {task} is silent for longer than the orphan window",
    "ttl_passes": "the ttl of {task} passes",
    "sweep_timeouts": "the sweep's pass for timeouts",
    "sweep_orphans": "the sweep's pass for orphans",
    "sweep_expiry": "the sweep's pass for expired records",
    "delete_expired": "{task} is deleted",
    "clean_up": "the rest of {task} is removed",
    "replicate": "the replica catches up on {task}",
    "persist": "{task} is written to disk",
    "crash_server": "the server dies",
    "triage": "the starting server judges {task}",
    "open_server": "the server is up again",
}

# To whom a message goes: with it a sequence diagram has arrows.
RECEIVERS: Final = {
    **dict.fromkeys(("call", "reissue", "cancel", "get", "result", "list", "update", "respond"), "server"),
    **dict.fromkeys(("get_status", "list_status", "ask_result", "fail_as", "declare"), "server"),
    **dict.fromkeys(("reply", "return_result", "notify", "refuse", "refuse_collision", "refuse_expired"), "client"),
    **dict.fromkeys(("write_terminal", "report", "ask", "check", "read_again"), "server"),
    **dict.fromkeys(("publish", "announce"), "worker"),
}


def telling() -> Telling:
    """The words for the runs of every lifecycle model, whatever its scope."""
    labels = [f"{letter}{number}" for letter in LETTERS for number in range(1, LARGEST + 1)]
    quiet = {f"{family}_{label}" for family in QUIET for label in labels} | set(QUIET_SINGLES)
    harms = {f"{family}_{label}": words for family, words in HARMS.items() for label in labels}
    return Telling(phrases={name: _said(words) for name, words in PHRASES.items()}, quiet=frozenset(quiet), harms=harms)


def _said(words: str) -> Callable[[Moment], str]:
    def say(moment: Moment) -> str:
        text = words.format_map(_Picked(moment.args))
        if moment.args.get("replica"):
            text += ", at the replica"
        if moment.step.action == "report" and moment.new("decision") not in (None, "APPLY", "NO_REPORT"):
            text += f": {moment.new('decision')}"
        if moment.step.action == "cancel" and moment.args.get("applied") is False:
            text += ", and is only noted"
        return text

    return say


class _Picked(dict[str, Any]):
    """What an action picked; a party that a small scope leaves open is named by its kind."""

    def __missing__(self, name: str) -> str:
        return f"the {name}"
