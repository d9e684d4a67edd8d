"""The words of calls and their handles, of principals, and of how the work and the server end a task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from latchcheck.wording.words import Occurrence, Word

from ...model import client, record
from ...model.failures import VERDICT
from ...model.room import Room, both, either, no

TASK: Final = "t1"
CALLS: Final[Mapping[str, int]] = {"clients": 1}
LOSSES: Final[Mapping[str, int]] = {"clients": 1, "losses": 1}
OWNERS: Final[Mapping[str, int]] = {"clients": 2, "tenants": 2}


def _happens(phrase: str, meaning: str, *names: str, **more: Any) -> Word:
    return Word(phrase, "event", meaning, lambda _: Occurrence(names), **more)


def _begins(phrase: str, meaning: str, build: Any, **more: Any) -> Word:
    """The event that makes a state true."""
    return Word(phrase, "event", meaning, lambda room: Occurrence(before=no(build(room)), after=build(room)), **more)


def _accepted(room: Room, task: str, one: str) -> Any:
    return client.is_accepted(room, one, task)


def _lost(room: Room) -> Any:
    """The task answers a call of a client from which nothing leads to it any more."""
    return either(*(both(_accepted(room, TASK, one), no(client.reaches(room, one, TASK))) for one in room.clients))


def _twice(room: Room) -> Any:
    """Another task answers the same call."""
    others = [task for task in room.tasks if task != TASK]
    return either(
        *(both(_accepted(room, TASK, one), _accepted(room, task, one)) for one in room.clients for task in others)
    )


def _open_twice(room: Room) -> Any:
    others = [task for task in room.tasks if task != TASK]
    return both(
        _twice(room),
        *(record.is_open(room.read("status", task)) for task in (TASK, *others)),
    )


def _handles() -> Iterable[Word]:
    """The call, the reply that names its task, and the handle that the client keeps."""
    handles: dict[str, Any] = {"needs": ("handles",), "sizes": CALLS}
    keyed: dict[str, Any] = {"needs": ("handles", "keys"), "sizes": CALLS}
    two: dict[str, Any] = {"needs": ("handles", "keys"), "sizes": {"clients": 1, "tasks": 2}}
    yield Word("the client has the handle", "state", "it knows the taskId",
               lambda room: either(*(room.read("knows", one) == room.reference("tasks")[TASK] for one in room.clients)),
               near=("the handle is lost",), **handles)  # fmt: skip
    yield Word("the handle is lost", "state", "the task answers a call of a client, and neither a handle, nor a reply "
               "under way, nor a key that the server knows leads the client to it", _lost,
               near=("the create reply is out",), **keyed)  # fmt: skip
    yield _begins("the handle gets lost", "from this step on nothing leads the client to the task", _lost, **keyed)
    yield _happens("the create reply is lost", "the reply that names the task never arrives", "lose_reply",
                   needs=("handles", "losses"), sizes=LOSSES)  # fmt: skip
    yield _happens("the handle arrives", "the reply that names the task arrives at the client", "receive", **handles)
    yield _happens("the client calls", "it sends tools/call for the first time", "call", **handles)
    yield _happens("the client calls again", "it sends the call again, without a handle of the first", "reissue",
                   needs=("handles", "keys"), sizes={"clients": 1, "reissues": 1})  # fmt: skip
    yield _happens("the client crashes", "the process of the client dies", "crash_client",
                   needs=("handles", "client_crashes"), sizes={"clients": 1, "client_crashes": 1})  # fmt: skip
    yield _happens("the known task is named again", "the server knows the key of the call, and names the same task",
                   "replay", **keyed)  # fmt: skip
    yield Word("the call has a second task", "state", "two records answer the same call of the client", _twice, **two)
    yield Word("both tasks of the call are open", "state", "neither of them is terminal or deleted", _open_twice, **two)
    yield _begins("a second task is created for the call", "another record is made for a call that has one", _twice,
                  **two)  # fmt: skip


def _principals() -> Iterable[Word]:
    """Who is not the owner."""
    owners: dict[str, Any] = {"needs": ("owners",), "sizes": OWNERS}
    for word, name, does in (("seen", "observed", "reads"), ("changed", "changed", "changes")):
        flag = lambda room, name=name: room.read(name, TASK)  # noqa: E731 - one line a flag
        yield Word(f"another principal has {word} the task", "state", f"somebody who does not own it has {word} it",
                   flag, **owners)  # fmt: skip
        yield _begins(f"another principal {does} the task", f"somebody who does not own it {does} it, the first time",
                      flag, **owners)  # fmt: skip
    yield _happens("a client reads the task", "a tasks/get or tasks/result by any principal is answered", "get",
                   "result", **owners)  # fmt: skip


def _ends() -> Iterable[Word]:
    """Deadline, silence, and attempts that fail."""
    late: dict[str, Any] = {"needs": ("deadlines", "sweeps"), "sizes": {"deadlines": 1}}
    quiet: dict[str, Any] = {"needs": ("silences", "sweeps"), "sizes": {"silences": 1}}
    tries: dict[str, Any] = {"needs": ("failures",), "sizes": {"attempts": 1}}
    yield Word("the deadline is over", "state", "the execution deadline of the task has passed",
               lambda room: room.read("overdue", TASK), **late)  # fmt: skip
    yield Word("the client is silent", "state", "nobody has polled for longer than the orphan window",
               lambda room: room.read("silent", TASK), **quiet)  # fmt: skip
    yield _begins("the task becomes orphaned", "a sweep cancels the task because its client was silent",
                  lambda room: room.read("orphaned", TASK), **quiet)  # fmt: skip
    yield _happens("an attempt fails", "the work ends in an error: as a JSON-RPC error, or inside a result",
                   "fail_attempt", **tries)  # fmt: skip
    yield _happens("the attempts run out", "a message that was delivered as often as may be is put aside",
                   "dead_letter", **tries)  # fmt: skip
    yield Word("the failure is tried again", "state", "the last failure of the task is followed by another attempt",
               lambda room: room.read("judged", TASK) == VERDICT["retried"], **tries)  # fmt: skip


def _assumptions() -> Iterable[Word]:
    def fair(phrase: str, meaning: str, *names: str, **more: Any) -> Word:
        return Word(phrase, "assumption", meaning, lambda _: names, **more)

    yield fair("silences last", "a client that asks no more is silent for longer than the orphan window in the end",
               "silence_lasts", needs=("silences",), sizes={"silences": 1})  # fmt: skip
    yield fair("sweeps run", "each pass of the reaper comes in its turn",
               *(f"sweep_{name}" for name in ("timeouts", "orphans", "expiry")), needs=("sweeps",))  # fmt: skip


def words() -> list[Word]:
    """Every word about calls, principals and ends."""
    return [*_handles(), *_principals(), *_ends(), *_assumptions()]
