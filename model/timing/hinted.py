"""Two clients and the server's hint: one as configured, watched for polls that come too soon, and one that obeys.

Source: docs/reference/semantics.md, section 2 (item 7) and section 3 (items 14 to 16).
"""

import attrs
import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, Enum, Real, System, Variable

from ..config import Config
from .poller import Poller
from .server import execution
from .terms import CLIENT, FATE, SEEN, VARIABLES, Numbers, V

POLLED_TOO_SOON = Variable("polled_too_soon", Bool(), False)


def polling_system(config: Config, *, symbolic: bool = False) -> System:
    """The client of a configuration against a server that answers anything; a gap below the hint is recorded."""
    numbers = Numbers(config, symbolic)
    poller = Poller(numbers)
    hint = numbers.real("poll_interval", config.server.poll_interval_ms)
    too_soon = z3.Or(POLLED_TOO_SOON.term, V["now"] - V["since"] < hint)
    poll = _with_choice(poller.poll())
    actions = (
        poller.create(None, ()),
        poller.handle_arrives(),
        attrs.evolve(poll, updates={**poll.updates, "polled_too_soon": too_soon}),
        _answered(poller),
        poller.reply_arrives(),
        poller.failure_noticed(),
        poller.give_up(),
    )
    return System(
        name="polling",
        variables=(*VARIABLES, POLLED_TOO_SOON),
        actions=tuple(action for action in actions if action is not None),
        clock="now",
        urgency=poller.urgency(),
        parameters=dict(numbers.symbols),
    )


def _with_choice(poll: Action) -> Action:
    """The poll with its choice under a name that no variable has: what becomes of it is decided when it is sent."""
    if not poll.choices:
        return poll
    (old,) = poll.choices
    new = Choice("becomes", old.domain)
    guard = tuple(Clause(clause.label, z3.substitute(clause.expr, (old.term, new.term))) for clause in poll.guard)
    updates = {name: z3.substitute(expr, (old.term, new.term)) for name, expr in poll.updates.items()}
    return attrs.evolve(poll, guard=guard, updates=updates, choices=(new,))


def _answered(poller: Poller) -> Action:
    """A successful poll arrives, and the server tells whatever it may: only the client is looked at."""
    seen = Choice("seen_status", SEEN)
    guard = (
        Clause("a request is on its way", z3.And(V["client"] == CLIENT["asking"], V["poll_fate"] == FATE["answered"])),
        *poller.travelled(),
    )
    return Action(
        "tasks/get", "server", guard, {"client": CLIENT["hearing"], "since": V["now"], "seen": seen.term}, (seen,)
    )


# -- the client that obeys ----------------------------------------------------------------------------------------

OBEYING = Enum("Obeying", ("absent", "calling", "pausing", "asking", "arrived"))
OBEYING_VARIABLES = (
    Variable("now", Real(), 0),
    Variable("client", OBEYING, "absent"),
    Variable("since", Real(), 0),
    Variable("terminal", Bool(), False),
    Variable("ended_at", Real(), 0),
    Variable("ttl_ended", Bool(), False),
    Variable("hint_too_late", Bool(), False),
)
O = {variable.name: variable.term for variable in OBEYING_VARIABLES}  # noqa: E741 - stands beside V
"""The z3 constant of each variable of the obeying system, by name."""


def obeying_system(config: Config, *, symbolic: bool = False) -> System:
    """A client that sends its first poll exactly one hint after the handle, against the enforced ttl.

    The ttl counts from creation, under anchor `terminal` from the terminal write; the creation is the only contact
    before the first poll, and no other anchor counts from anything earlier.
    """
    numbers = Numbers(config, symbolic)
    lo, hi = Poller(numbers).latency()
    hint = numbers.real("poll_interval", config.server.poll_interval_ms)
    elapsed = O["now"] - O["since"]

    def step(name: str, party: str, before: str, after: str, *guard: Clause) -> Action:
        updates = {"client": OBEYING[after], "since": O["now"]}
        return Action(name, party, (Clause(f"the client is {before}", O["client"] == OBEYING[before]), *guard), updates)

    travelled = Clause("the message takes network.latency", z3.And(elapsed >= lo, elapsed <= hi))
    get = step("tasks/get", "server", "asking", "arrived", travelled)
    actions = (
        step("create", "client", "absent", "calling", Clause("creation is instant 0", O["now"] == 0)),
        step("handle_arrives", "client", "calling", "pausing", travelled),
        step("poll", "client", "pausing", "asking", Clause("the gap is the hint", elapsed == hint)),
        attrs.evolve(get, updates={**get.updates, "hint_too_late": O["ttl_ended"]}),
        *_ttl_actions(config, numbers),
    )
    return System(
        name="obeying",
        variables=OBEYING_VARIABLES,
        actions=actions,
        clock="now",
        urgency=(
            Clause("the task is created at instant 0", z3.Or(O["client"] != OBEYING["absent"], O["now"] <= 0)),
            Clause("the handle arrives in time", z3.Or(O["client"] != OBEYING["calling"], elapsed <= hi)),
            Clause("the poll is sent in time", z3.Or(O["client"] != OBEYING["pausing"], elapsed <= hint)),
            Clause("the request arrives in time", z3.Or(O["client"] != OBEYING["asking"], elapsed <= hi)),
        ),
        parameters=dict(numbers.symbols),
    )


def _ttl_actions(config: Config, numbers: Numbers) -> tuple[Action, ...]:
    """The end of the ttl, as early as a clock may see it; before it, where it counts from there, the terminal write."""
    ttl = numbers.real("enforced_ttl", config.enforced_ttl_ms_effective)
    skew = numbers.real("clock_skew", config.server.clock_skew_ms)
    created = Clause("the task was created", O["client"] != OBEYING["absent"])
    error = Choice("error_anchor", Real(), lower=-skew, upper=skew)
    bounded = Clause("a clock is off by at most clock_skew", z3.And(error.term >= -skew, error.term <= skew))
    if config.enforced_anchor_effective != "terminal":
        due = Clause("the ttl has passed since creation", O["now"] + error.term >= ttl)
        return (Action("ttl_ends", "reaper", (created, bounded, due), {"ttl_ended": z3.BoolVal(True)}, (error,)),)
    lo, hi = execution(numbers)
    inside = [Clause("the work takes at least workload.execution[0]", O["now"] >= lo)]
    if hi is not None:
        inside.append(Clause("the work takes at most workload.execution[1]", O["now"] <= hi))
    running = Clause("the task is not terminal", z3.Not(O["terminal"]))
    write = Action(
        "write_terminal",
        "worker",
        (created, running, *inside),
        {"terminal": z3.BoolVal(True), "ended_at": O["now"]},
    )
    ended = Clause("the task is terminal", O["terminal"])
    due = Clause("the ttl has passed since the terminal write", O["now"] - O["ended_at"] + error.term >= ttl)
    return (
        write,
        Action("ttl_ends", "reaper", (ended, bounded, due), {"ttl_ended": z3.BoolVal(True)}, (error,)),
    )
