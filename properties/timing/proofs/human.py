"""`input-window-covers-human`: each limit around a question holds exactly when what must fit into it does.

Written with x the latest instant of the question, q the longest time until the client reads of it, r how long that
reply travels, m the longest the human takes, u the slowest message, p the longest time from the answer's arrival to the
next poll, s the clock skew:

- the limit on the waiting call: m < limit; the input window and the parked state: q + m + u < limit;
- silence, while nobody polls: r + m + u (and p, where the answer is no contact) at most window - s, less under `>=`;
- the deadline: x + q + m + u <= deadline - s; a ttl from creation: less than ttl - s; the client's limit: more than
  x + q + m.
"""

from collections.abc import Iterator
from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import Proof
from latchcheck.engines.smt import Event, inductive, valid_run
from latchcheck.kernel import Clause, System
from latchcheck.model.config import Config
from latchcheck.model.timing.human import STAGE, H, human_system

BY_CLIENT = ("input_request_timeout_ends", "overall_timeout_ends")


@attrs.frozen
class Fits:
    """One limit: the action that closes it, and when what must fit into it does."""

    ends: str
    holds: Any
    silent: bool = False


@attrs.frozen
class Shaped:
    """The system of one configuration's shape, and its numbers."""

    config: Config
    system: System

    @classmethod
    def of(cls, config: Config) -> "Shaped":
        """The system of one configuration."""
        return cls(config, human_system(config, symbolic=True))

    def number(self, name: str) -> Any:
        """A number of the system; what it does not read is 0."""
        return self.system.parameters.get(name, z3.RealVal(0))

    @property
    def slowest(self) -> Any:
        """The slowest message."""
        return self.number("latency_hi" if "latency_hi" in self.system.parameters else "latency")

    @property
    def asked(self) -> Any:
        """The latest instant of the question."""
        return self.number("execution_hi" if "execution_hi" in self.system.parameters else "execution")

    @property
    def update_counts(self) -> bool:
        """Whether the answer is a contact."""
        return "update" in self.config.server.contact_includes

    @property
    def sane(self) -> list[Any]:
        """No number is negative, ranges are the right way round."""
        known: list[Any] = [number >= 0 for number in self.system.parameters.values()]
        return [*known, self.number("human_lo") <= self.number("human_hi"), self.number("latency_lo") <= self.slowest]

    def limits(self) -> Iterator[Fits]:
        """Every limit of the shape, with its condition."""
        names = {action.name for action in self.system.actions}
        told, human = self.number("told_within"), self.number("human_hi")
        answered = told + human
        arrived = answered + self.slowest
        skew, server = self.number("clock_skew"), self.config.server
        silence = self.number("reply_within") + human + self.slowest
        if not self.update_counts:
            silence = silence + self.number("polls_within")
        window = self.number("orphan_window") - skew
        kept, silent = self.number("enforced_ttl") - skew, self.config.enforced_anchor_effective == "activity"
        quick = silence < window if server.orphan_comparison == ">=" else silence <= window
        found = [
            Fits("input_request_timeout_ends", human < self.number("input_request_timeout")),
            Fits("input_window_ends", arrived < self.number("input_window")),
            Fits("input_state_retention_ends", arrived < self.number("input_state_retention")),
            Fits("orphan_window_ends", quick, silent=True),
            Fits("execution_deadline_ends", self.asked + arrived <= self.number("execution_deadline") - skew),
            Fits("enforced_ttl_ends", silence < kept if silent else self.asked + arrived < kept, silent=silent),
            Fits("overall_timeout_ends", self.asked + answered < self.number("client_stops")),
        ]
        return (one for one in found if one.ends in names)


def proofs(config: Config) -> list[Proof]:
    """Both implications: where every limit's condition holds nobody is unheard, and where one fails somebody is."""
    shaped = Shaped.of(config)
    return [_heard(shaped), *(_unheard(shaped, one) for one in shaped.limits())]


def _at(*stages: str) -> Any:
    return z3.Or([H["stage"] == STAGE[name] for name in stages])


def _heard(shaped: Shaped) -> Proof:
    told, human, travel = shaped.number("told_within"), shaped.number("human_hi"), shaped.slowest
    waited, since, asked = H["now"] - H["since"], H["since"], H["asked_at"]
    late = z3.Or(
        z3.And(_at("asked"), waited > told),
        z3.And(_at("told"), waited > human),
        z3.And(_at("answered"), waited > travel),
        z3.And(_at("heard"), waited > shaped.number("polls_within")),
        # Nothing of the question is left to come.
        _at("polled") if not shaped.update_counts else _at("heard", "polled"),
        _at("heard") if shaped.config.client.polls_while_waiting else z3.BoolVal(False),
    )
    contact = shaped.number("reply_within")
    silent = [
        z3.Implies(_at("told"), H["last_contact"] >= since - contact),
        z3.Implies(_at("answered"), H["last_contact"] >= since - contact - human),
    ]
    if not shaped.update_counts:
        silent.append(z3.Implies(_at("heard"), H["last_contact"] >= since - contact - human - travel))
    invariant = [
        Clause("before the question nothing is closed", z3.Implies(_at("absent", "working"), _open())),
        Clause("nothing happens before creation", z3.Implies(_at("absent"), H["now"] == 0)),
        Clause(
            "the question is asked in time",
            z3.Implies(_at("asked", "told", "answered"), z3.And(asked >= 0, asked <= shaped.asked)),
        ),
        Clause("asked", z3.Implies(_at("asked"), since == asked)),
        Clause("told in time", z3.Implies(_at("told"), since <= asked + told)),
        Clause("answered in time", z3.Implies(_at("answered"), since <= asked + told + human)),
        Clause("silent no longer than it takes", z3.And(silent)),
        Clause("instants are past", z3.And(since <= H["now"], H["now"] >= 0)),
        Clause("a server's limit closes only on who is late", z3.Implies(H["closed_by_server"], late)),
        Clause("a client's limit too", z3.Implies(H["closed_by_client"], z3.Or(late, z3.Not(_at("asked", "told"))))),
        Clause("nobody is unheard", z3.Not(H["unheard"])),
    ]
    safe = [one.holds for one in shaped.limits()]
    return inductive(shaped.system, [*shaped.sane, *safe], invariant, H["unheard"])


def _open() -> Any:
    return z3.Not(z3.Or(H["closed_by_server"], H["closed_by_client"]))


def _unheard(shaped: Shaped, one: Fits) -> Proof:
    """Everything takes as long as it may, and the limit closes at the instant of the event that then meets it."""
    asked = shaped.asked
    heard = asked + shaped.number("told_within")
    answered = heard + shaped.number("human_hi")
    arrived = answered + shaped.slowest
    events: list[Event] = [
        (0, "create", {}),
        (asked, "input_required", {}),
        (heard, "reply_arrives", {"reply_latency": shaped.number("reply_within")}),
        (answered, "answer", {}),
    ]
    if one.ends not in BY_CLIENT:
        events.append((arrived, "tasks/update", {}))
    if one.silent and not shaped.update_counts:
        events.append((arrived + shaped.number("polls_within"), "tasks/get", {}))
    events.insert(len(events) - 1, (events[-1][0], one.ends, {}))
    return valid_run(shaped.system, [*shaped.sane, z3.Not(one.holds)], events, H["unheard"])
