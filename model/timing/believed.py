"""What a client is told of the ttl against what is enforced: a believer acts on the one, the task ends by the other.

Both ends are nominal: the sweeps' phase does not count, a clock error does.
Source: docs/reference/semantics.md, section 3 (items 14 to 16).
"""

from typing import Any

import attrs
import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, Real, System, Variable

from ..config import Config
from .server import execution
from .terms import Numbers, largest

BELIEVED_VARIABLES = (
    Variable("now", Real(), 0),
    Variable("created", Bool(), False),
    Variable("terminal", Bool(), False),
    Variable("ended_at", Real(), 0),
    Variable("last_contact", Real(), 0),
    Variable("gone", Bool(), False),
    Variable("gave_up", Bool(), False),
    Variable("gave_up_at", Real(), 0),
    Variable("gave_up_on_live", Bool(), False),
    Variable("read_gone", Bool(), False),
)
B = {variable.name: variable.term for variable in BELIEVED_VARIABLES}
"""The z3 constant of each variable, by name."""


@attrs.frozen
class End:
    """When a ttl ends: the anchor's instant and whether it stands at all (under `terminal` not before the write)."""

    anchor: str
    ttl: Any

    @property
    def stands(self) -> Any:
        """Whether there is an end at all."""
        return B["terminal"] if self.anchor == "terminal" else z3.BoolVal(True)

    @property
    def at(self) -> Any:
        """The instant of the end, where there is one."""
        since = {
            "creation": z3.RealVal(0),
            "terminal": B["ended_at"],
            # The terminal write is activity too.
            "activity": largest([B["last_contact"], B["ended_at"]]),
            "creation-then-terminal": z3.If(B["terminal"], B["ended_at"], z3.RealVal(0)),
        }[self.anchor]
        return since + self.ttl


def believed_system(config: Config, *, symbolic: bool = False) -> System:
    """A task, its ttl as enforced, and somebody who believes the advertised one.

    `gave_up_on_live`: the believer gave up at the advertised end, and the task lives on after that instant.
    `read_gone`: the believer read before the advertised end, and the task was gone.
    """
    numbers = Numbers(config, symbolic)
    told = _end(numbers, "advertised_ttl", config.advertised_ttl_ms_effective, config.server.advertised_anchor)
    kept = _end(numbers, "enforced_ttl", config.enforced_ttl_ms_effective, config.enforced_anchor_effective)
    first = _expiry_first(config, numbers, kept)
    actions = [_create(), _write_terminal(numbers, first), _contact(first), *_believer(told)]
    urgency = [_work_ends(numbers)] if execution(numbers)[1] is not None else []
    if kept is not None:
        acts, in_time = _enforced(config, numbers, kept)
        actions.append(acts)
        urgency.append(in_time)
    return System(
        name="believed",
        variables=BELIEVED_VARIABLES,
        actions=actions,
        clock="now",
        urgency=[Clause("the task is created at instant 0", z3.Or(B["created"], B["now"] <= 0)), *urgency],
        parameters=dict(numbers.symbols),
    )


def _end(numbers: Numbers, name: str, ttl: int | None, anchor: str) -> End | None:
    return None if ttl is None else End(anchor, numbers.real(name, ttl))


def _there() -> tuple[Clause, Clause]:
    return Clause("the task was created", B["created"]), Clause("the record is there", z3.Not(B["gone"]))


def _create() -> Action:
    guard = (
        Clause("nothing was created yet", z3.Not(B["created"])),
        Clause("creation is instant 0", B["now"] == 0),
    )
    return Action("create", "client", guard, {"created": z3.BoolVal(True)})


def _exempt(config: Config, kept: End) -> bool:
    """Whether a running task never expires."""
    return not config.server.expire_running or kept.anchor == "terminal"


def _expiry_first(config: Config, numbers: Numbers, kept: End | None) -> tuple[Clause, ...]:
    """At the instant at which the ttl surely ends a task, it ends it before anything could move that instant.

    Told and enforced end are compared in the same order of events; otherwise two equal ttls would differ at a tie.
    """
    if kept is None:
        return ()
    still = B["now"] < kept.at + numbers.real("clock_skew", config.server.clock_skew_ms)
    if _exempt(config, kept):
        still = z3.Or(z3.Not(B["terminal"]), still)
    return (Clause("the enforced ttl comes first at its own instant", still),)


def _write_terminal(numbers: Numbers, expiry_first: tuple[Clause, ...]) -> Action:
    lo, hi = execution(numbers)
    guard = [
        *_there(),
        *expiry_first,
        Clause("the task is not terminal", z3.Not(B["terminal"])),
        Clause("the work takes at least workload.execution[0]", B["now"] >= lo),
    ]
    if hi is not None:
        guard.append(Clause("the work takes at most workload.execution[1]", B["now"] <= hi))
    return Action("write_terminal", "worker", guard, {"terminal": z3.BoolVal(True), "ended_at": B["now"]})


def _work_ends(numbers: Numbers) -> Clause:
    over = z3.Or(z3.Not(B["created"]), B["terminal"], B["gone"])
    return Clause("the work ends in time", z3.Or(over, B["now"] <= execution(numbers)[1]))


def _contact(expiry_first: tuple[Clause, ...]) -> Action:
    """Somebody polls; the believer's own reads are another matter, and no contact is needed for them."""
    return Action("tasks/get", "client", (*_there(), *expiry_first), {"last_contact": B["now"]})


def _enforced(config: Config, numbers: Numbers, kept: End) -> tuple[Action, Clause]:
    """The enforced end, at its instant give or take the clocks' skew; an exempt running task waits for its write."""
    skew = numbers.real("clock_skew", config.server.clock_skew_ms)
    error = Choice("error_anchor", Real(), lower=-skew, upper=skew)
    exempt = _exempt(config, kept)
    applies = B["terminal"] if exempt else z3.BoolVal(True)
    guard = (
        *_there(),
        Clause("the ttl applies: a running task may be exempt", applies),
        Clause("a clock is off by at most clock_skew", z3.And(error.term >= -skew, error.term <= skew)),
        Clause("the enforced ttl has passed", B["now"] + error.term >= kept.at),
    )
    over = z3.Or(z3.Not(B["created"]), B["gone"], z3.Not(applies))
    last = kept.at + skew
    if exempt:
        last = z3.If(B["ended_at"] > last, B["ended_at"], last)
    in_time = Clause("the enforced ttl acts in time", z3.Or(over, B["now"] <= last))
    return Action("ttl_ends", "reaper", guard, {"gone": z3.BoolVal(True)}, (error,)), in_time


def _believer(told: End | None) -> tuple[Action, ...]:
    """Reads before the advertised end, gives up at it, and sees whether the task lives on after that."""
    before = z3.BoolVal(True) if told is None else z3.Or(z3.Not(told.stands), B["now"] < told.at)
    read = Action(
        "read",
        "believer",
        (
            Clause("the task was created", B["created"]),
            Clause("the advertised ttl has not ended", before),
            Clause("the believer still waits", z3.Not(B["gave_up"])),
        ),
        {"read_gone": z3.Or(B["read_gone"], B["gone"])},
    )
    if told is None:
        return (read,)
    give_up = Action(
        "give_up",
        "believer",
        (
            Clause("the task was created", B["created"]),
            Clause("the believer still waits", z3.Not(B["gave_up"])),
            Clause("the advertised ttl ends", z3.And(told.stands, B["now"] == told.at)),
        ),
        {"gave_up": z3.BoolVal(True), "gave_up_at": B["now"]},
    )
    lives_on = Action(
        "lives_on",
        "server",
        (
            *_there(),
            Clause("the believer gave up before this instant", z3.And(B["gave_up"], B["now"] > B["gave_up_at"])),
        ),
        {"gave_up_on_live": z3.BoolVal(True)},
    )
    return read, give_up, lives_on
