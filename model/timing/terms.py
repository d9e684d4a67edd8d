"""The variables of the timed model, and its numbers: concrete ones of a configuration, or symbols.

Instants and durations are milliseconds. The task becomes durable at instant 0.
"""

from fractions import Fraction
from typing import Any

import attrs
import z3

from latchcheck.kernel import Bool, Enum, IntRange, Real, Variable

from ..config import Config

Term = Any
"""A z3 expression; z3's own annotations are too wide for a type checker to narrow."""

CLIENT = Enum("Client", ("absent", "calling", "pausing", "asking", "hearing", "cycling", "leaving", "stopped", "done"))
"""absent before the call; calling until the handle arrives; pausing between polls; asking while a request is out;
hearing while a reply is on its way; cycling through several steady polls told as one; leaving when it stopped while
its last poll still travels; stopped at a limit; done when it has read how the task ended."""

FATE = Enum("Fate", ("answered", "request_lost", "reply_lost"))
SEEN = Enum("Seen", ("working", "terminal", "gone"))
STATUS = Enum("Status", ("working", "completed", "failed", "cancelled"))
CAUSE = Enum("Cause", ("none", "worker", "timeouts", "orphans", "expiry"))

COUNT_MAX = 10**15
"""No run of any configuration counts so far: the ranges of counters are as good as open."""

VARIABLES = (
    Variable("now", Real(), 0),
    # client and network
    Variable("client", CLIENT, "absent"),
    Variable("since", Real(), 0),
    Variable("poll_fate", FATE, "answered"),
    Variable("seen", SEEN, "working"),
    Variable("nominal", Real(), 0),
    Variable("error_nominal", Real(), 0),
    Variable("failures", IntRange(0, COUNT_MAX), 0),
    Variable("away_used", Bool(), False),
    Variable("away", Bool(), False),
    Variable("away_now", Bool(), False),
    Variable("give_up_at", Real(), 0),
    Variable("cycle_until", Real(), 0),
    # server
    Variable("status", STATUS, "working"),
    Variable("cause", CAUSE, "none"),
    Variable("ended_at", Real(), 0),
    Variable("gone", Bool(), False),
    Variable("last_contact", Real(), 0),
    # reaper
    Variable("phase", Real(), 0),
    Variable("next_sweep", IntRange(0, COUNT_MAX), 0),
    # what has gone wrong
    Variable("orphaned_live", Bool(), False),
    Variable("orphaned_away", Bool(), False),
    Variable("expired_live", Bool(), False),
    Variable("outcome_lost", Bool(), False),
    Variable("timeout_lost", Bool(), False),
    Variable("gave_up_early", Bool(), False),
)

V = {variable.name: variable.term for variable in VARIABLES}
"""The z3 constant of each variable, by name."""


@attrs.define
class Numbers:
    """The numbers of a configuration as z3 terms: literals, or one symbol each when `symbolic`.

    A number that the configuration lacks is None in both cases: what is present is structure, not a number.
    """

    config: Config
    symbolic: bool = False
    symbols: dict[str, Term] = attrs.field(factory=dict)

    def real(self, name: str, value: int | Fraction | None) -> Term:
        """The number called `name`, or None where the configuration has none."""
        if value is None:
            return None
        if not self.symbolic:
            return z3.RealVal(str(value))
        return self.symbols.setdefault(name, z3.Real(name))


def least(terms: list[Term]) -> Term:
    """The smallest of some terms, as a z3 expression."""
    result = terms[0]
    for term in terms[1:]:
        result = z3.If(term < result, term, result)
    return result


def largest(terms: list[Term]) -> Term:
    """The largest of some terms, as a z3 expression."""
    result = terms[0]
    for term in terms[1:]:
        result = z3.If(term > result, term, result)
    return result
