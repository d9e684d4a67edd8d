"""A question to a human, and every limit that can close before the answer arrives.

The server asks, the client learns of it with the reply to a poll, a human answers, and the answer travels back.
Limits close as early as clocks and sweeps let them.
Source: docs/reference/semantics.md, section 3 (items 12 to 15) and its keys.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, Enum, Real, System, Trace, Variable

from ..config import Config
from .poller import Poller
from .small import run_small, system_of
from .system import Event
from .terms import Numbers, Term

STAGE = Enum("Stage", ("absent", "working", "asked", "told", "answered", "heard", "polled"))
"""asked until the client has read of it; told while the human thinks; answered while the answer is on its way; heard
once it has arrived; polled at the next poll after that, where the answer itself is no contact."""

HUMAN_VARIABLES = (
    Variable("now", Real(), 0),
    Variable("stage", STAGE, "absent"),
    Variable("since", Real(), 0),
    Variable("asked_at", Real(), 0),
    Variable("last_contact", Real(), 0),
    Variable("closed_by_client", Bool(), False),
    Variable("closed_by_server", Bool(), False),
    Variable("unheard", Bool(), False),
)
H: dict[str, Any] = {variable.name: variable.term for variable in HUMAN_VARIABLES}
"""The z3 constant of each variable, by name; `since` is when the present stage began."""


def human_system(config: Config, *, symbolic: bool = False) -> System:
    """One question of a task, its human and its limits; `unheard`: an answer given in time met a closed limit.

    Numbers that follow from the client's schedule are parameters of their own: `told_within` is the longest time from
    the question to the reply that tells of it, `reply_within` how long that reply travels, `polls_within` the longest
    time from the answer's arrival to the next poll's, `client_stops` the earliest instant at which the client stops.
    """
    numbers = Numbers(config, symbolic)
    actions = (*_question(numbers), *_answer(numbers), *_limits(numbers))
    return System(
        name="human",
        variables=HUMAN_VARIABLES,
        actions=actions,
        clock="now",
        urgency=(Clause("the task is created at instant 0", z3.Or(H["stage"] != STAGE["absent"], H["now"] <= 0)),),
        parameters=dict(numbers.symbols),
    )


def run_human(config: Config, events: list[Event], given: Mapping[str, int | Fraction]) -> Trace:
    """Execute events on the system of a configuration; NotAStep at the first that it does not allow."""
    return run_small(human_system, config, events, _own(config, given))


def human_with(config: Config, given: Mapping[str, int | Fraction]) -> System:
    """The system of a configuration in which `run_human` executes, with its numbers in."""
    return system_of(human_system, config, _own(config, given))


def _own(config: Config, given: Mapping[str, int | Fraction]) -> dict[str, int | Fraction]:
    client, server = config.client, config.server
    human = config.workload.human_answer_ms or (0, 0)
    return {
        "human_lo": human[0],
        "human_hi": human[1],
        "input_request_timeout": client.input_request_timeout_ms or 0,
        "input_window": server.input_window_ms or 0,
        "input_state_retention": server.input_state_retention_ms or 0,
        **given,
    }


def _at(stage: str, *more: str) -> Term:
    return z3.Or([H["stage"] == STAGE[name] for name in (stage, *more)])


def _step(name: str, party: str, before: str, after: str, *guard: Clause, **updates: Any) -> Action:
    own = {"stage": STAGE[after], "since": H["now"], **updates}
    return Action(name, party, (Clause(f"the question is at stage {before}", _at(before)), *guard), own)


def _question(numbers: Numbers) -> Iterator[Action]:
    elapsed = H["now"] - H["since"]
    last = numbers.config.workload.execution_ms
    yield _step("create", "client", "absent", "working", Clause("creation is instant 0", H["now"] == 0))
    asks = []
    if last is None:
        asks.append(Clause("undeclared work asks at once", H["now"] == 0))
    elif last[1] is not None:
        name = "execution" if last[0] == last[1] else "execution_hi"
        asks.append(Clause("the work asks while it runs", H["now"] <= numbers.real(name, last[1])))
    yield _step("input_required", "server", "working", "asked", *asks, asked_at=H["now"])
    reply = Choice("reply_latency", Real())
    within, travel = numbers.real("told_within", 0), numbers.real("reply_within", 0)
    guard = (
        Clause("the client has not been told", _at("asked")),
        Clause("the client polls, and reads the reply", elapsed <= within),
        Clause("the reply takes network.latency at most", z3.And(reply.term >= 0, reply.term <= travel)),
    )
    updates = {"stage": STAGE["told"], "since": H["now"], "last_contact": H["now"] - reply.term}
    yield Action("reply_arrives", "client", guard, updates, (reply,))


def _answer(numbers: Numbers) -> Iterator[Action]:
    elapsed, contacts = H["now"] - H["since"], numbers.config.server.contact_includes
    lo, hi = Poller(numbers).latency()
    human = numbers.config.workload.human_answer_ms or (0, 0)
    least, most = numbers.real("human_lo", human[0]), numbers.real("human_hi", human[1])
    yield _step(
        "answer",
        "human",
        "told",
        "answered",
        Clause("the human takes workload.human_answer", z3.And(elapsed >= least, elapsed <= most)),
        unheard=z3.Or(H["unheard"], H["closed_by_client"]),
    )
    updates: dict[str, Any] = {"unheard": z3.Or(H["unheard"], H["closed_by_server"])}
    if "update" in contacts:
        updates["last_contact"] = H["now"]
    travelled = Clause("the answer takes network.latency", z3.And(elapsed >= lo, elapsed <= hi))
    yield _step("tasks/update", "client", "answered", "heard", travelled, **updates)
    if "update" not in contacts and not numbers.config.client.polls_while_waiting:
        polled = Clause("the next poll comes in time", elapsed <= numbers.real("polls_within", 0))
        unheard = z3.Or(H["unheard"], H["closed_by_server"])
        yield _step("tasks/get", "client", "heard", "polled", polled, last_contact=H["now"], unheard=unheard)


def _limits(numbers: Numbers) -> Iterator[Action]:
    """Every limit, each from the earliest instant at which it can close."""
    config, real = numbers.config, numbers.real
    server, client = config.server, config.client
    skew = real("clock_skew", server.clock_skew_ms)
    waiting, silent = ("asked", "told", "answered"), ("told", "answered", "heard")

    def closes(name: str, by: str, stages: tuple[str, ...], due: Any) -> Action:
        party = "client" if by == "client" else "reaper"
        guard = (Clause("the answer has not arrived", _at(*stages)), Clause(f"{name} is over", due))
        return Action(f"{name}_ends", party, guard, {f"closed_by_{by}": z3.BoolVal(True)})

    request = real("input_request_timeout", client.input_request_timeout_ms)
    if request is not None:
        yield closes("input_request_timeout", "client", ("told",), H["now"] - H["since"] >= request)
    if config.client.overall_timeout_ms is not None or client.ttl_mode == "give-up":
        yield closes("overall_timeout", "client", ("asked", "told"), H["now"] >= real("client_stops", 0))
    for name, limit in (
        ("input_window", server.input_window_ms),
        ("input_state_retention", server.input_state_retention_ms),
    ):
        if limit is not None:
            yield closes(name, "server", waiting, H["now"] - H["asked_at"] >= real(name, limit))
    window = real("orphan_window", server.orphan_window_ms)
    silence = H["now"] - H["last_contact"]
    if window is not None and not client.polls_while_waiting:
        over = silence >= window - skew if server.orphan_comparison == ">=" else silence > window - skew
        yield closes("orphan_window", "server", silent, over)
    deadline = real("execution_deadline", server.execution_deadline_ms)
    if deadline is not None:
        yield closes("execution_deadline", "server", waiting, H["now"] > deadline - skew)
    ttl, anchor = real("enforced_ttl", config.enforced_ttl_ms_effective), config.enforced_anchor_effective
    if ttl is None or anchor == "terminal" or not server.expire_running:
        return
    if anchor != "activity":
        yield closes("enforced_ttl", "server", waiting, H["now"] >= ttl - skew)
    elif not client.polls_while_waiting:
        yield closes("enforced_ttl", "server", silent, silence >= ttl - skew)
