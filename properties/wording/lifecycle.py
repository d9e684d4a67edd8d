"""The words of the lifecycle: statuses, what a record has been through, and what parties do, read from the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from latchcheck.wording.words import Occurrence, Vocabulary, Word

from ...model import record
from ...model.attempts import works_on
from ...model.record import STATUS, TERMINAL, TRANSITIONS
from ...model.room import Room, either, no
from . import calls, exchange

NAME: Final = "lifecycle"
TASK: Final = "t1"
State = Callable[[Room], Any]


def _status(room: Room) -> Any:
    return room.read("status", TASK)


def _outcomes(room: Room) -> Any:
    return room.read("outcomes", TASK)


def _is(label: str) -> State:
    return lambda room: _status(room) == STATUS[label]


def _stored(label: str) -> State:
    return lambda room: room.read("first", TASK) == STATUS[label]


def _flag(name: str) -> State:
    return lambda room: room.read(name, TASK)


_GROUPS: Final[dict[str, tuple[State, str]]] = {
    "terminal": (lambda room: record.is_terminal(_status(room)), "its status is completed, failed or cancelled"),
    "open": (lambda room: record.is_open(_status(room)), "its status is working or input_required"),
}


def _states() -> list[Word]:
    found = [
        Word(f"the task is {label}", "state", f"the stored status is `{label}`", _is(label)) for label in TRANSITIONS
    ]
    found += [Word(f"the task is {name}", "state", meaning, build) for name, (build, meaning) in _GROUPS.items()]
    found += [
        Word("there is a record", "state", "the task is created and not deleted", lambda r: record.exists(_status(r))),
        Word("there is no record yet", "state", "the task is not created", _is(record.UNBORN)),
        Word("the record is deleted", "state", "the record was removed", _is(record.GONE)),
        Word("an outcome is stored", "state", "a terminal status was written at some time",
             lambda r: no(_stored(record.UNBORN)(r)), needs=("outcomes",)),
    ]  # fmt: skip
    found += [
        Word(f"the stored outcome is {label}", "state", f"the first terminal status that was written is `{label}`",
             _stored(label), needs=("outcomes",)) for label in TERMINAL
    ]  # fmt: skip
    found += [
        Word("a cancel is noted", "state", "the record holds a request to cancel that came while the task was open",
             _flag("intent"), needs=("cancels",), sizes={"cancels": 1}, near=("a cancel is acknowledged",)),
        Word("a cancel is acknowledged", "state", "some tasks/cancel was answered",
             _flag("acked"), needs=("acks",), sizes={"cancels": 1}, near=("a cancel is noted",)),
        Word("the task has read cancelled", "state", "a reader could be told `cancelled` at some time",
             _flag("read_cancelled"), needs=("acks",), sizes={"cancels": 1}),
        Word("the ttl is over", "state", "the ttl of the task has passed; a terminal write starts it again",
             _flag("expired"), needs=("expiries",), sizes={"expiries": 1}),
        Word("the create reply is out", "state", "a reply has named the task",
             _flag("replied"), needs=("durability",)),
        Word("the record is durable", "state", "the record is on disk",
             _flag("durable"), needs=("durability",), near=("there is a record",)),
        Word("the server is up", "state", "the server serves requests",
             lambda r: r.holds("server", None, "up", absent=True), needs=("restarts",), sizes={"restarts": 1}),
        Word("a worker runs the task", "state", "a worker that believes in its attempt works on it",
             lambda r: either(*(works_on(r, one, TASK) for one in r.workers)), needs=("workers",)),
    ]  # fmt: skip
    return found


def _past() -> list[Word]:
    """What was so just before the step that led to this moment."""
    labels = {label: _is(label) for label in TRANSITIONS} | {name: build for name, (build, _) in _GROUPS.items()}
    return [
        Word(f"the task was {label}", "event", f"just before this step the task was {label}",
             lambda room, build=build: Occurrence(before=build(room))) for label, build in labels.items()
    ]  # fmt: skip


def _becomes(name: str, build: State) -> Word:
    def made(room: Room) -> Occurrence:
        now = build(room)
        return Occurrence(before=no(now), after=now)

    return Word(f"the task becomes {name}", "event", f"this step makes the task {name}, which it was not before", made)


def _stores(room: Room, party: str | None = None, **more: Any) -> Occurrence:
    """A terminal status is written, the same one again included."""
    after = record.is_terminal(_status(room))
    return Occurrence(party=party, after=after, changes=(_status(room), _outcomes(room)), **more)


def _events() -> list[Word]:
    labels = {label: _is(label) for label in TRANSITIONS} | {name: build for name, (build, _) in _GROUPS.items()}
    found = [_becomes(name, build) for name, build in labels.items()]
    parties = (("a worker", "worker"), ("the reaper", "reaper"), ("the server", "server"))
    found += [
        Word(f"{who} writes a terminal status", "event", f"a step of {who} stores completed, failed or cancelled",
             lambda room, party=party: _stores(room, party), needs=("outcomes",),
             near=tuple(f"{other} writes a terminal status" for other, _ in parties if other != who))
        for who, party in parties
    ]  # fmt: skip
    found += [
        Word("a terminal status is written", "event", "anybody stores completed, failed or cancelled", _stores,
             needs=("outcomes",), near=("a worker writes a terminal status", "the task becomes terminal")),
        Word("the status changes", "event", "this step changes the stored status, removal included",
             lambda r: Occurrence(changes=(_status(r),))),
        Word("the stored outcome changes", "event", "a terminal status is replaced by another",
             lambda r: Occurrence(before=record.is_terminal(_status(r)), after=record.is_terminal(_status(r)),
                                  changes=(_status(r),)),
             near=("the status changes",)),
        Word("the task is created", "event", "the record comes into being",
             lambda r: Occurrence(before=_is(record.UNBORN)(r), after=record.exists(_status(r)))),
        Word("the record is removed", "event", "the record is deleted in this step",
             lambda r: Occurrence(before=record.exists(_status(r)), after=_is(record.GONE)(r))),
        Word("the record is lost", "event", "a record that was there is as if it had never been",
             lambda r: Occurrence(before=record.exists(_status(r)), after=_is(record.UNBORN)(r)),
             sizes={"restarts": 1}, needs=("restarts",), near=("the record is removed",)),
    ]  # fmt: skip
    found += [
        Word(phrase, "event", meaning, lambda _, names=names: Occurrence(names), needs=needs, sizes=sizes)
        for phrase, meaning, names, needs, sizes in (
            ("a client cancels", "a tasks/cancel arrives", ("cancel", "cancel_reads"), ("acks",), {"cancels": 1}),
            ("a worker takes the task", "a message is delivered to a worker", ("deliver",), ("workers",), {}),
            ("a worker reports", "an attempt reports its outcome, applied or refused",
             ("report", "write_terminal"), ("workers",), {}),
            ("a worker crashes", "a worker's process dies", ("crash_worker",), ("crashes",), {"crashes": 1}),
            ("the server crashes", "the server's process dies", ("crash_server",), ("restarts",), {"restarts": 1}),
            ("the server opens", "a started server serves again", ("open_server",), ("restarts",), {"restarts": 1}),
            ("the create reply is sent", "the reply that names the task goes out", ("reply",), ("durability",), {}),
            ("the ttl passes", "the ttl of the task ends", ("ttl_passes",), ("expiries",), {"expiries": 1}),
        )
    ]  # fmt: skip
    return found


def _quantities() -> list[Word]:
    return [
        Word("the number of stored outcomes", "quantity", "how often a terminal status was written; 2 stands for more",
             _outcomes, "count", needs=("outcomes",)),
        Word("the version", "quantity", "the version of the record", lambda r: r.read("version", TASK), "count",
             needs=("version",)),
    ]  # fmt: skip


def _assumptions() -> list[Word]:
    def fair(phrase: str, meaning: str, *names: str, **more: Any) -> Word:
        return Word(phrase, "assumption", meaning, lambda _: names, **more)

    return [
        fair("messages are delivered", "a message that stays deliverable is delivered to a worker", "deliver"),
        fair(
            "workers report",
            "a worker that can report does so, and reads again where its version is old",
            "report",
            "write_terminal",
            "read_again",
        ),
        fair("leases expire", "a lease that nobody renews ends", "expire_lease"),
        fair("the reaper deletes", "an expired record is deleted", "delete_expired"),
        fair("ttls pass", "a ttl ends", "ttl_passes"),
        fair(
            "the server comes back",
            "a crashed server starts, looks at its records, and serves",
            "triage",
            "open_server",
        ),
        fair("clients answer", "an open question is answered, and the answer heard", "update", "respond", "hear"),
    ]


def vocabulary() -> Vocabulary:
    """Every word about the lifecycle; they speak about one task, the first of the scope."""
    own = [*_states(), *_past(), *_events(), *_quantities(), *_assumptions()]
    return Vocabulary.of(NAME, [*own, *exchange.words(), *calls.words()])
