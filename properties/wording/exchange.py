"""The words of what client and server exchange about a task: questions and answers, polls, notifications, results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from latchcheck.wording.words import Occurrence, Word

from ...model import inputs
from ...model.cancelling import shown
from ...model.network import VIEW, snapshot
from ...model.record import TRANSITIONS, is_terminal
from ...model.room import Room, no

TASK: Final = "t1"
ASKS: Final[Mapping[str, int]] = {"inputs": 1}
POLLS: Final[Mapping[str, int]] = {"polls": 1}
NOTES: Final[Mapping[str, int]] = {"polls": 1, "notifications": 1}


def _outstanding(room: Room) -> Any:
    return room.read("key", TASK, absent=0) != 0


def _other_actions(room: Room, *names: str) -> tuple[str, ...]:
    return tuple(action.name for action in room.actions if action.name not in names)


def _question(phrase: str, meaning: str, build: Any, kind: Any = "event", **more: Any) -> Word:
    return Word(phrase, kind, meaning, build, needs=("inputs",), sizes=ASKS, **more)


def _reads(phrase: str, meaning: str, build: Any, kind: Any = "event", **more: Any) -> Word:
    return Word(phrase, kind, meaning, build, needs=("polls",), sizes=POLLS, **more)


def _told(phrase: str, meaning: str, build: Any, **more: Any) -> Word:
    return Word(phrase, "event", meaning, build, needs=("notifications",), sizes=NOTES, **more)


def _questions() -> Iterable[Word]:
    """Questions to the client: their keys, and what becomes of the answers."""
    yield _question("a key is outstanding", "inputRequests holds a key: a question that nobody has answered",
                    _outstanding, "state")  # fmt: skip
    yield _question("an answer is under way", "the client has sent inputResponses, and the record does not show it yet",
                    lambda room: room.read("letter", TASK) != 0, "state")  # fmt: skip
    yield _question("the client has answered the outstanding key", "it remembers the key, and will not answer it again",
                    lambda room: inputs.answered(room, TASK), "state",
                    near=("the client had answered the outstanding key",))  # fmt: skip
    yield _question("the client had answered the outstanding key", "just before this step it remembered the key",
                    lambda room: Occurrence(before=inputs.answered(room, TASK)))  # fmt: skip
    yield _question("a question is asked", "the task asks the client something, under some key",
                    lambda _: Occurrence(("ask",)), near=("a question is asked under a used key",))  # fmt: skip
    yield _question(
        "a question is asked under a used key",
        "the key of this question has named another question of the task before",
        lambda room: Occurrence(("ask",), after=inputs.named(room, TASK) != room.read("question", TASK)),
        near=("a question is asked",),
    )
    yield _question("an answer is sent", "the client sends tasks/update, or in 2025-11-25 its response",
                    lambda _: Occurrence(("update", "respond")), near=("an answer is consumed",))  # fmt: skip
    yield _question("an answer arrives", "inputResponses reach the server, whatever it does with them",
                    lambda _: Occurrence(("hear",)), near=("an answer is consumed",))  # fmt: skip
    yield _question(
        "an answer is consumed",
        "inputResponses reach the server, and the outstanding question is over by them",
        lambda room: Occurrence(("hear",), before=_outstanding(room), after=no(_outstanding(room))),
        near=("an answer arrives",),
    )
    yield _question(
        "an answer to another question is consumed",
        "it was written for a question that its key no longer names, so its content fits the wrong schema",
        lambda room: Occurrence(before=no(room.read("misheard", TASK)), after=room.read("misheard", TASK)),
        near=("an answer is consumed",),
    )
    yield _question(
        "an outstanding key is withdrawn",
        "a key leaves inputRequests without an answer",
        lambda room: Occurrence(_other_actions(room, "hear"), before=_outstanding(room), after=no(_outstanding(room))),
        near=("an answer is consumed",),
    )
    yield _question("the outstanding key", "the key that inputRequests holds, by its number; 0 where there is none",
                    lambda room: room.read("key", TASK), "quantity", unit="count")  # fmt: skip
    yield _question("the number of questions", "how many questions the task has asked",
                    lambda room: room.read("asked", TASK), "quantity", unit="count")  # fmt: skip


_SEEN: Final = {**{label: f"the task is {label}" for label in TRANSITIONS}, "gone": "the id is unknown"}


def _polls() -> Iterable[Word]:
    """What a client reads, and what it makes of it."""
    for label, says in _SEEN.items():
        yield _reads(f"the client believes that {says}", "the last answer or notification that it took over said so",
                     lambda room, label=label: room.read("view", TASK) == VIEW[label], "state")  # fmt: skip
        yield _reads(f"the answer under way says that {says}", "an answer to tasks/get or tasks/result that says so",
                     lambda room, label=label: room.read("reply", TASK) == VIEW[label], "state")  # fmt: skip
    yield _reads("the client believes what is stored", "the status that it believes in is the one in the record now",
                 lambda room: room.read("view", TASK) == snapshot(shown(room, TASK)), "state")  # fmt: skip
    yield _reads("the client polls no more", "an answer has ended its polling",
                 lambda room: room.read("stopped", TASK), "state")  # fmt: skip
    yield _reads("the client asks for the task", "tasks/get arrives, and its answer is under way",
                 lambda _: Occurrence(("get_status",)))  # fmt: skip
    yield _reads("the client reads an answer", "an answer to tasks/get or tasks/result arrives at the client",
                 lambda _: Occurrence(("see_status",)), near=("the client reads a notification",))  # fmt: skip
    yield Word(
        "the view of the client goes back", "event", "it takes over a snapshot that is older than one it has read",
        lambda room: Occurrence(
            before=room.read("view_version", TASK) == room.read("newest", TASK),
            after=room.read("view_version", TASK) != room.read("newest", TASK),
        ),
        needs=("polls", "version"), sizes=POLLS,
    )  # fmt: skip


def _notes() -> Iterable[Word]:
    """Status notifications."""
    yield _told("a notification is sent", "the server sends the status as it is", lambda _: Occurrence(("notify",)))
    yield _told("a notification of the end is sent", "the server sends a terminal status",
                lambda room: Occurrence(("notify",), before=_ended(room)))  # fmt: skip
    yield _told("the client reads a notification", "a notification arrives", lambda _: Occurrence(
        ("see_notification",)), near=("the client reads an answer",))  # fmt: skip
    yield _told("the client reads an outdated notification", "it arrives when the status is another than it says",
                _outdated, near=("the client reads a notification",))  # fmt: skip
    yield _told("a notification is lost", "a notification never arrives", lambda _: Occurrence(("lose_notification",)))


def _outdated(room: Room) -> Occurrence:
    # Where none is ever sent there is none to compare.
    late = room.read("note1", TASK) != snapshot(shown(room, TASK)) if "note1" in room.families else None
    return Occurrence(("see_notification",), before=late)


def _ended(room: Room) -> Any:
    return is_terminal(shown(room, TASK))


def _results() -> Iterable[Word]:
    """The tasks/result of 2025-11-25; in the extension none of it happens."""
    yield _reads("a tasks/result call is held", "in 2025-11-25, the receiver blocks the response until the end",
                 lambda room: room.read("blocked", TASK), "state")  # fmt: skip
    yield _reads("a held tasks/result call returns", "the receiver answers the call that it held",
                 lambda _: Occurrence(("return_result",)))  # fmt: skip
    yield _reads("a held tasks/result call is cut off", "the server dies, and nobody answers the call",
                 lambda room: Occurrence(("crash_server",), before=room.read("blocked", TASK)))  # fmt: skip


def _assumptions() -> Iterable[Word]:
    def fair(phrase: str, meaning: str, *names: str) -> Word:
        return Word(phrase, "assumption", meaning, lambda _: names, needs=("polls",), sizes=POLLS)

    yield fair("clients poll", "a client that may ask does, and reads the answer", "get_status", "see_status")
    yield fair("held calls return", "a tasks/result call whose task is over is answered, and the answer read",
               "return_result", "see_status")  # fmt: skip


def words() -> list[Word]:
    """Every word about the exchange."""
    return [*_questions(), *_polls(), *_notes(), *_results(), *_assumptions()]
