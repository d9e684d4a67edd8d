"""A client's handle store, statement by statement: as printed in the third source, and with each repair by itself.

One key, two calls of it that may come after each other or after a crash, a server that keeps tasks `t1` and `t2`.
Every statement of the printed `call`, `poll` and `reconcile` is an action, so that a crash may come between any two.
`repairs` is a set of names from REPAIRS: none of them is the store as printed, all of them the repaired one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import z3

from latchcheck.kernel import Action, Bool, Clause, Enum, IntRange, System, Variable

from .room import FALSE, NONE, TRUE, both, either, no, when

REPAIRS: Final = {
    "intent": "the call and its key are on disk before the call goes out, and a start sends open ones again",
    "server-key": "the key travels with the call and the server answers a known one with the same task",
    "digest": "a key is compared with the digest of the arguments that it was first used for",
    "latch": "a terminal status in the store is never overwritten",
    "result": "the result is stored in the transaction that marks the task completed",
    "retry": "a poll that fails is sent again",
    "surface": "input_required is told to the caller",
    "direct": "a direct result is stored as well, under its key",
}
PRINTED: Final = frozenset[str]()
REPAIRED: Final = frozenset(REPAIRS)

TASK: Final = Enum("HandleTask", (NONE, "t1", "t2"))
PC: Final = Enum("HandleStatement", ("idle", "sent", "accepted", "replied", "direct", "polling", "read", "marked"))
STATUS: Final = Enum("HandleStatus", (NONE, "working", "input_required", "completed", "failed", "unknown"))
TERMINAL: Final = ("completed", "failed", "unknown")
CALLS_MAX: Final = 2

_VARIABLES: Final = (
    Variable("up", Bool(), True),
    Variable("pc", PC, "idle"),
    Variable("handle", TASK, NONE),
    Variable("seen", STATUS, NONE),
    # The poll that `reconcile` has started beside a call: what it has read and not yet marked.
    Variable("second", STATUS, NONE),
    Variable("watched", Bool(), False),
    Variable("row", TASK, NONE),
    Variable("row_status", STATUS, NONE),
    Variable("intent", Bool(), False),
    Variable("kept", Bool(), False),
    Variable("other_args", Bool(), False),
    Variable("t1", STATUS, NONE),
    Variable("t2", STATUS, NONE),
    Variable("calls_left", IntRange(0, CALLS_MAX), CALLS_MAX),
    Variable("crashes_left", IntRange(0, 1), 1),
    Variable("failures_left", IntRange(0, 1), 1),
    # History: how often the work was started, and what has gone wrong.
    Variable("starts", IntRange(0, 3), 0),
    Variable("delivered", Bool(), False),
    Variable("rewritten", Bool(), False),
    Variable("went_back", Bool(), False),
    Variable("unheard", Bool(), False),
    Variable("misanswered", Bool(), False),
)
V: Final[dict[str, Any]] = {variable.name: variable.term for variable in _VARIABLES}


def is_in(status: Any, *labels: str) -> Any:
    """The status is one of these."""
    return either(*(status == STATUS[label] for label in labels))


def task_status(task: Any) -> Any:
    """The status of a task on the server."""
    return when(task == TASK["t1"], V["t1"], V["t2"])


def _act(name: str, party: str, guard: Iterable[tuple[str, Any]], **updates: Any) -> Action:
    clauses = tuple(Clause(label, expr) for label, expr in guard if not z3.is_true(expr))
    return Action(name, party, clauses, {name: _value(name, value) for name, value in updates.items()})


def _value(name: str, value: Any) -> Any:
    if isinstance(value, z3.ExprRef):
        return value
    domain = next(one.domain for one in _VARIABLES if one.name == name)
    return domain.literal(value)


def handle_system(repairs: Iterable[str] = PRINTED) -> System:
    """The store with some repairs; KeyError for a name that is none."""
    wanted = {name: REPAIRS[name] for name in repairs}
    has = {name: name in wanted for name in REPAIRS}
    label = ",".join(name for name in REPAIRS if has[name]) or "as printed"
    actions = [*_calling(has), *_storing(has), *_serving(has), *_polling(has), *_around(has)]
    return System(f"handle store {label}", _VARIABLES, actions)


def _calling(has: dict[str, bool]) -> list[Action]:
    """The calls of one key, and what the store knows of it by then."""
    running = ("the client is running", V["up"])
    idle, calls = ("no call of it is under way", V["pc"] == PC["idle"]), ("the caller calls again", V["calls_left"] > 0)
    less = V["calls_left"] - 1
    known = V["row"] != TASK[NONE]
    stored = both(V["kept"], V["row_status"] == STATUS["completed"]) if has["result"] or has["direct"] else FALSE
    used = either(known, V["intent"], stored)
    sends = [running, idle, calls]
    return [
        _act(
            "call",
            "client",
            [*sends, ("its store knows no task for the key", no(either(known, stored)))],
            pc="sent",
            calls_left=less,
            intent=has["intent"],
        ),
        _act(
            "call_finds_handle",
            "client",
            [*sends, ("its store has a handle", known), ("it has no result", no(stored))],
            pc="polling",
            handle=V["row"],
            calls_left=less,
        ),
        _act(
            "call_finds_result",
            "client",
            [*sends, ("its store has the result", stored)],
            delivered=True,
            calls_left=less,
        ),
        _act(
            "call_with_other_args",
            "client",
            [*sends, ("its store knows the key", used)],
            calls_left=less,
            misanswered=either(V["misanswered"], not has["digest"]),
        ),
    ]


def _storing(has: dict[str, bool]) -> list[Action]:
    """What the client does with the reply to its call."""
    running = ("the client is running", V["up"])
    known = V["row"] != TASK[NONE]
    return [
        _act(
            "record",
            "client",
            [running, ("it has a handle", V["pc"] == PC["replied"])],
            pc="polling",
            row=when(known, V["row"], V["handle"]),
            row_status=when(known, V["row_status"], STATUS["working"]),
            intent=False,
        ),
        _act(
            "return_direct",
            "client",
            [running, ("it has the result", V["pc"] == PC["direct"])],
            pc="idle",
            delivered=True,
            kept=has["direct"],
            row_status=when(has["direct"], STATUS["completed"], V["row_status"]),
            intent=False,
        ),
    ]


def _serving(has: dict[str, bool]) -> list[Action]:
    """The server: it starts work, or finds the key."""
    started = when(V["starts"] < 3, V["starts"] + 1, V["starts"])  # noqa: PLR2004 - three stands for more
    free = when(V["t1"] == STATUS[NONE], TASK["t1"], TASK["t2"])
    again = both(has["server-key"], V["t1"] != STATUS[NONE])
    # A server that knows keys answers a known one as it answered it first, directly too.
    answered = both(has["server-key"], V["starts"] > 0, V["t1"] == STATUS[NONE])
    return [
        _act(
            "accept",
            "server",
            [
                ("the call is under way", V["pc"] == PC["sent"]),
                ("no direct answer was given", no(answered)),
                ("an id is free", either(again, V["t2"] == STATUS[NONE])),
            ],
            pc="accepted",
            handle=when(again, TASK["t1"], free),
            starts=when(again, V["starts"], started),
            t1=when(V["t1"] == STATUS[NONE], STATUS["working"], V["t1"]),
            t2=when(both(no(again), V["t1"] != STATUS[NONE]), STATUS["working"], V["t2"]),
        ),
        _act(
            "answer_directly",
            "server",
            [("the call is under way", V["pc"] == PC["sent"]), ("no task was made for it", V["t1"] == STATUS[NONE])],
            pc="direct",
            starts=when(both(has["server-key"], V["starts"] > 0), V["starts"], started),
        ),
        _act("reply", "network", [("a task was made", V["pc"] == PC["accepted"])], pc="replied"),
    ]


def _marked(has: dict[str, bool], seen: Any) -> dict[str, Any]:
    """The updates of marking what a poll has seen in the store."""
    over = is_in(V["row_status"], *TERMINAL)
    writes = no(over) if has["latch"] else TRUE
    # A late `unknown` means that the server has aged the task out; a latch keeps what was stored.
    changes = both(writes, over, seen != V["row_status"])
    return {
        "row_status": when(writes, seen, V["row_status"]),
        "rewritten": either(V["rewritten"], both(changes, is_in(seen, *TERMINAL))),
        "went_back": either(V["went_back"], both(changes, no(is_in(seen, *TERMINAL)))),
        "kept": either(V["kept"], both(has["result"], seen == STATUS["completed"])),
        "unheard": either(V["unheard"], both(not has["surface"], seen == STATUS["input_required"])),
    }


def _polling(has: dict[str, bool]) -> list[Action]:
    """Polls of a call, and of the watch that `reconcile` has started."""
    running = ("the client is running", V["up"])
    read = ("it has an answer", V["pc"] == PC["read"])
    terminal = is_in(V["seen"], *TERMINAL)
    fails = ("the network fails once", V["failures_left"] > 0)
    return [
        _act(
            "get", "client", [running, ("it polls", V["pc"] == PC["polling"])], pc="read", seen=task_status(V["handle"])
        ),
        _act(
            "get_fails",
            "network",
            [running, ("it polls", V["pc"] == PC["polling"]), fails],
            pc="polling" if has["retry"] else "idle",
            failures_left=V["failures_left"] - 1,
        ),
        _act(
            "mark", "client", [running, read], pc=when(terminal, PC["marked"], PC["polling"]), **_marked(has, V["seen"])
        ),
        _act(
            "return_result",
            "client",
            [running, ("the end is marked", V["pc"] == PC["marked"])],
            pc="idle",
            handle=NONE,
            delivered=either(V["delivered"], V["seen"] == STATUS["completed"]),
        ),
        # The poll that reconcile has started.
        _act(
            "reconciled_get",
            "client",
            [running, ("reconcile watches the row", V["watched"]), ("it has no answer", V["second"] == STATUS[NONE])],
            second=task_status(V["row"]),
        ),
        _act(
            "reconciled_mark",
            "client",
            [running, ("it has an answer", V["second"] != STATUS[NONE])],
            second=NONE,
            watched=no(is_in(V["second"], *TERMINAL)),
            **_marked(has, V["second"]),
        ),
    ]


def _around(has: dict[str, bool]) -> list[Action]:
    """The client crashes and starts again, and the tasks of the server go on."""
    opened = both(V["row"] != TASK[NONE], no(is_in(V["row_status"], *TERMINAL)))
    volatile = {"pc": "idle", "handle": NONE, "seen": NONE, "second": NONE, "watched": False}
    resent = both(has["intent"], V["intent"])
    actions = [
        _act(
            "crash",
            "client",
            [("the client is running", V["up"]), ("it may crash", V["crashes_left"] > 0)],
            up=False,
            crashes_left=V["crashes_left"] - 1,
            **volatile,
        ),
        _act(
            "recover",
            "client",
            [("the client is down", no(V["up"]))],
            up=True,
            watched=opened,
            pc=when(resent, PC["sent"], PC["idle"]),
        ),
    ]
    for task in ("t1", "t2"):
        steps = (
            ("finishes", ("working", "input_required"), "completed"),
            ("asks", ("working",), "input_required"),
            ("expires", ("completed",), "unknown"),
        )
        actions += [
            _act(
                f"{task}_{word}", "server", [(f"it is {' or '.join(before)}", is_in(V[task], *before))], **{task: after}
            )
            for word, before, after in steps
        ]
    return actions


def reached(task: str, repairs: frozenset[str]) -> Any:
    """Something leads from the client to the task: a call under way, its row, or a call that will be sent again."""
    under_way = both(V["handle"] == TASK[task], no(V["pc"] == PC["idle"]))
    again = both(V["intent"], task == "t1") if {"intent", "server-key"} <= repairs else FALSE
    return either(V[task] == STATUS[NONE], under_way, V["row"] == TASK[task], again)
