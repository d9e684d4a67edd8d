"""The symbolic timed system with a record of where its client stands.

The record is kept in variables that no guard reads, so it changes no run: which poll comes next, which poll the present
leg began with, at which contact it began, and when the handle arrived.
"""

from functools import cached_property
from typing import Any

import attrs
import z3

from latchcheck.kernel import Action, IntRange, Real, System, Variable
from latchcheck.model.config import Config
from latchcheck.model.timing.poller import Poller
from latchcheck.model.timing.record import Windows
from latchcheck.model.timing.server import execution
from latchcheck.model.timing.system import timed_system
from latchcheck.model.timing.terms import CLIENT, COUNT_MAX, FATE, SEEN, Numbers, V

RECORD = (
    Variable("next_poll", IntRange(0, COUNT_MAX), 0),
    Variable("leg_poll", IntRange(0, COUNT_MAX), 0),
    Variable("leg_from", Real(), 0),
    Variable("handle_at", Real(), 0),
)
R: dict[str, Any] = {variable.name: variable.term for variable in RECORD}
"""Number of the next poll, number of the poll the leg began with, the contact it began at, arrival of the handle."""

ZERO = z3.RealVal(0)


@attrs.frozen
class Range:
    """From `lo` to `hi`, as expressions."""

    lo: Any
    hi: Any

    def __add__(self, other: "Range") -> "Range":
        return Range(self.lo + other.lo, self.hi + other.hi)


def either(*names: str) -> Any:
    """The client is in one of these states."""
    return z3.Or([V["client"] == CLIENT[name] for name in names])


FOLLOWED: Any = either("calling", "hearing", "pausing", "asking", "leaving")
"""A message of the client, or one to it, is on its way or will be."""
UNTOLD: Any = z3.And(V["client"] == CLIENT["hearing"], V["seen"] == SEEN["working"])
"""The reply on its way says that the task works."""


@attrs.frozen(slots=False)
class Recorded:
    """One shape of configuration: its modes are taken as they are, its numbers left open."""

    config: Config

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers of the shape, one symbol each."""
        return Numbers(self.config, symbolic=True)

    @cached_property
    def poller(self) -> Poller:
        """The client's actions and gaps over those numbers."""
        return Poller(self.numbers)

    @cached_property
    def windows(self) -> Windows:
        """The server's limits over those numbers."""
        return Windows.of(self.numbers)

    @cached_property
    def system(self) -> System:
        """The timed system without the shorthand for many polls, and with the record."""
        plain = timed_system(self.config, symbolic=True)
        actions = [_recorded(action) for action in plain.actions if action.name not in ("polls", "polls_end")]
        return System(
            name=plain.name,
            variables=(*plain.variables, *RECORD),
            actions=actions,
            clock=plain.clock,
            urgency=plain.urgency,
            parameters=dict(plain.parameters),
        )

    # -- numbers ------------------------------------------------------------------------------------------------

    def number(self, name: str) -> Any:
        """The symbol of that name."""
        return self.system.parameters[name]

    @property
    def failures(self) -> int:
        """Most failures in a row."""
        return self.config.network.max_consecutive_failures

    @property
    def stopping(self) -> int | None:
        """So many failures in a row stop the client, where they can happen."""
        most = self.config.client.max_consecutive_errors
        return most if most is not None and most <= self.failures else None

    @property
    def followed(self) -> int:
        """Most failures in a row after which the client still follows its schedule."""
        return self.failures if self.stopping is None else self.stopping - 1

    @property
    def latency(self) -> Range:
        """How long a message takes."""
        return Range(*self.poller.latency())

    @property
    def timeout(self) -> Any:
        """How long after sending a failure is noticed."""
        return self.system.parameters.get("request_timeout", ZERO)

    @property
    def restart(self) -> Any:
        """How long the client is away at most."""
        return self.system.parameters.get("restart_gap", ZERO)

    @property
    def skew(self) -> Any:
        """How far the clocks are apart at most."""
        return self.system.parameters.get("clock_skew", ZERO)

    @property
    def work_ends(self) -> Any | None:
        """Latest end of the work, or None."""
        return execution(self.numbers)[1]

    @cached_property
    def sane(self) -> list[Any]:
        """What every configuration has: no negative number, ranges the right way round."""
        known = [number >= 0 for number in self.system.parameters.values()]
        known += [self.latency.lo <= self.latency.hi]
        if "execution_lo" in self.system.parameters and self.work_ends is not None:
            known.append(self.number("execution_lo") <= self.work_ends)
        if "sweep_period" in self.system.parameters:
            known.append(self.number("sweep_period") > 0)
        return known


def _recorded(action: Action) -> Action:
    """The action with what it adds to the record."""
    added: dict[str, Any] = {}
    if action.name == "create":
        added = {"next_poll": z3.IntVal(1), "leg_poll": z3.IntVal(1), "leg_from": ZERO}
    elif action.name == "handle_arrives":
        added = {"handle_at": V["now"]}
    elif action.name == "poll":
        added = {"next_poll": R["next_poll"] + 1}
    elif action.name == "tasks/get":
        heard = V["poll_fate"] == FATE["answered"]
        added = {
            "leg_poll": z3.If(heard, R["next_poll"], R["leg_poll"]),
            "leg_from": z3.If(heard, V["now"], R["leg_from"]),
        }
    return attrs.evolve(action, updates={**action.updates, **added})
