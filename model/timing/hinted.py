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

    The creation is the only contact before that poll, so a ttl since the last activity counts from it, or from the
    terminal write.
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
            *_work_ends(numbers),
        ),
        parameters=dict(numbers.symbols),
    )


def _work_ends(numbers: Numbers) -> tuple[Clause, ...]:
    last = execution(numbers)[1]
    if last is None:
        return ()
    over = z3.Or(O["client"] == OBEYING["absent"], O["terminal"], O["ttl_ended"])
    return (Clause("the work ends in time", z3.Or(over, O["now"] <= last)),)


def _ttl_actions(config: Config, numbers: Numbers) -> tuple[Action, Action]:
    """The terminal write, and the end of the ttl as early as a clock may see it."""
    ttl = numbers.real("enforced_ttl", config.enforced_ttl_ms_effective)
    skew = numbers.real("clock_skew", config.server.clock_skew_ms)
    anchor = config.enforced_anchor_effective
    created = Clause("the task was created", O["client"] != OBEYING["absent"])
    lo, hi = execution(numbers)
    guard = [
        created,
        Clause("the task is not terminal", z3.Not(O["terminal"])),
        Clause("the ttl has not ended", z3.Not(O["ttl_ended"])),
        Clause("the work takes at least workload.execution[0]", O["now"] >= lo),
    ]
    if hi is not None:
        guard.append(Clause("the work takes at most workload.execution[1]", O["now"] <= hi))
    written = {"terminal": z3.BoolVal(True), "ended_at": O["now"]}
    exempt = anchor == "terminal" or not config.server.expire_running
    applies = O["terminal"] if exempt else z3.BoolVal(True)
    since = z3.RealVal(0) if anchor == "creation" else z3.If(O["terminal"], O["ended_at"], z3.RealVal(0))
    error = Choice("error_anchor", Real(), lower=-skew, upper=skew)
    due = (
        created,
        Clause("the ttl applies: a running task may be exempt", applies),
        Clause("a clock is off by at most clock_skew", z3.And(error.term >= -skew, error.term <= skew)),
        Clause("the enforced ttl has passed", O["now"] - since + error.term >= ttl),
    )
    return (
        Action("write_terminal", "worker", guard, written),
        Action("ttl_ends", "reaper", due, {"ttl_ended": z3.BoolVal(True)}, (error,)),
    )
