"""`advertised-ttl-is-enforced`: the condition against its system, where told and enforced anchor are the same.

Written with A the advertised ttl, T the enforced one, s the clock skew, e0 and e1 the declared range of the terminal
write. A difference is reachable exactly when

- a running task expires, or the anchor is `terminal`: A != T or s > 0;
- anchor `creation`, a running task exempt: max(e0, T - s) != A or max(e1, T + s) != A;
- any other anchor, a running task exempt: A != T or s > 0 or e1 >= A.
"""

from typing import Any

import attrs
import z3

from latchcheck.engines.obligations import Proof, prove
from latchcheck.engines.smt import Event, inductive, valid_run
from latchcheck.kernel import Clause
from latchcheck.model.config import Config
from latchcheck.model.timing.believed import B, End, believed_system
from latchcheck.model.timing.terms import Numbers, largest

Run = tuple[list[Any], list[Event], Any]
"""When it is the one to show, its events, and the harm at its end."""


@attrs.frozen
class Terms:
    """The numbers of one shape as z3 terms; `last` is None for undeclared work."""

    anchor: str
    exempt: bool
    told: Any
    kept: Any
    skew: Any
    first: Any
    last: Any | None

    @classmethod
    def of(cls, config: Config) -> "Terms":
        """The numbers of a configuration's shape."""
        numbers, declared = Numbers(config, symbolic=True), config.workload.execution_ms
        anchor = config.server.advertised_anchor
        return cls(
            anchor=anchor,
            exempt=not config.server.expire_running or anchor == "terminal",
            told=numbers.real("advertised_ttl", config.advertised_ttl_ms_effective),
            kept=numbers.real("enforced_ttl", config.enforced_ttl_ms_effective),
            skew=numbers.real("clock_skew", 0),
            first=numbers.real("execution_lo", 0),
            last=None if declared is None else numbers.real("execution_hi", 0),
        )

    @property
    def sane(self) -> list[Any]:
        """Ttls are positive, nothing else is negative, ranges are the right way round."""
        found = [self.told > 0, self.kept > 0, self.skew >= 0, self.first >= 0]
        return found if self.last is None else [*found, self.first <= self.last]

    @property
    def early(self) -> Any:
        """The enforced ttl as it is when the clocks make it as short as they can."""
        return largest([z3.RealVal(0), self.kept - self.skew])

    @property
    def late(self) -> Any:
        """The enforced ttl as it is when the clocks make it as long as they can."""
        return self.kept + self.skew

    def error(self, sign: int) -> dict[str, Any]:
        """The clock error with which it is so."""
        return {"error_anchor": sign * self.skew}


def differs(terms: Terms) -> Any:
    """The condition of a difference."""
    unequal = z3.Or(terms.told != terms.kept, terms.skew > 0)
    if not terms.exempt or terms.anchor == "terminal":
        return unequal
    if terms.last is None:
        return z3.BoolVal(True)
    if terms.anchor == "creation":
        sooner = largest([terms.first, terms.kept - terms.skew])
        return z3.Or(sooner != terms.told, largest([terms.last, terms.late]) != terms.told)
    return z3.Or(unequal, terms.last >= terms.told)


def proofs(config: Config) -> list[Proof]:
    """Both implications for the shape of a configuration with one anchor for both ttls and e0 < e1."""
    system, terms = believed_system(config, symbolic=True), Terms.of(config)
    broken = differs(terms)
    runs = _runs(terms)
    found = [valid_run(system, [*terms.sane, broken, *given], events, harm) for given, events, harm in runs]
    covered = z3.Or([z3.And(given) for given, _, _ in runs])
    found.append(Proof("a run for every difference", (prove("covered", [*terms.sane, broken], covered),)))
    if terms.last is not None or not terms.exempt or terms.anchor == "terminal":
        harm = z3.Or(B["gave_up_on_live"], B["read_gone"])
        found.append(inductive(system, [*terms.sane, z3.Not(broken)], _invariant(terms), harm))
    return found


# -- runs ---------------------------------------------------------------------------------------------------------

CREATE: Event = (0, "create", {})


def _runs(terms: Terms) -> list[Run]:
    if terms.anchor == "creation":
        return _from_creation(terms)
    written = (terms.first, "write_terminal", {})
    told, gone, seen = terms.first + terms.told, terms.first + terms.early, terms.first + terms.late
    reads = [CREATE, written, (gone, "ttl_ends", terms.error(1)), (gone, "read", {})]
    gives_up = [CREATE, written, (told, "give_up", {}), (seen, "lives_on", {})]
    earlier, later = terms.early < terms.told, terms.told < terms.late
    if terms.anchor == "terminal":
        return [([earlier], reads, B["read_gone"]), ([later], gives_up, B["gave_up_on_live"])]
    if terms.exempt:
        return _exempt(terms, (earlier, reads), (later, gives_up))
    running = [CREATE, (terms.early, "ttl_ends", terms.error(1)), (terms.early, "read", {})]
    sees = z3.If(terms.first < terms.late, terms.first, terms.late)
    still = [CREATE, (terms.told, "give_up", {}), (sees, "lives_on", {})]
    tie = [CREATE, (terms.told, "give_up", {}), written, (seen, "lives_on", {})]
    return [
        ([earlier, terms.first < terms.early], reads, B["read_gone"]),
        ([earlier, terms.first >= terms.early], running, B["read_gone"]),
        ([later, terms.first < terms.told], gives_up, B["gave_up_on_live"]),
        ([later, terms.first > terms.told], still, B["gave_up_on_live"]),
        ([later, terms.first == terms.told], tie, B["gave_up_on_live"]),
    ]


def _exempt(terms: Terms, reads: tuple[Any, list[Event]], gives_up: tuple[Any, list[Event]]) -> list[Run]:
    """A running task lives on past the told end, or the end of a terminal one is off."""
    if terms.last is None:
        events = [CREATE, (terms.told, "give_up", {}), (terms.told + 1, "lives_on", {})]
        return [([z3.BoolVal(True)], events, B["gave_up_on_live"])]
    runs_on = [
        CREATE,
        (terms.told, "give_up", {}),
        (terms.last, "write_terminal", {}),
        (terms.last + terms.late, "lives_on", {}),
    ]
    ends = terms.last < terms.told
    return [
        ([z3.Not(ends)], runs_on, B["gave_up_on_live"]),
        ([ends, reads[0]], reads[1], B["read_gone"]),
        ([ends, gives_up[0]], gives_up[1], B["gave_up_on_live"]),
    ]


def _from_creation(terms: Terms) -> list[Run]:
    written, give_up = (terms.first, "write_terminal", {}), (terms.told, "give_up", {})
    late, first, told = terms.late, terms.first, terms.told
    sees = (late, "lives_on", {})
    lost, outlived = B["read_gone"], B["gave_up_on_live"]
    if terms.exempt and terms.last is None:
        return [([z3.BoolVal(True)], [CREATE, give_up, (told + 1, "lives_on", {})], outlived)]
    if terms.exempt:
        gone = largest([first, terms.early])
        reads = [CREATE, written, (gone, "ttl_ends", terms.error(1)), (gone, "read", {})]
        return [
            ([gone < told], reads, lost),
            ([terms.last > told], [CREATE, give_up, (terms.last, "lives_on", {})], outlived),
            ([terms.last <= told, late > told], [CREATE, written, give_up, sees], outlived),
        ]
    ends = [(terms.early, "ttl_ends", terms.error(1)), (terms.early, "read", {})]
    earlier, later = terms.early < told, told < late
    return [
        ([earlier, first < terms.early], [CREATE, written, *ends], lost),
        ([earlier, first >= terms.early], [CREATE, *ends], lost),
        ([later, first < told], [CREATE, written, give_up, sees], outlived),
        ([later, first >= told, first < late], [CREATE, give_up, written, sees], outlived),
        ([later, first >= late], [CREATE, give_up, sees], outlived),
    ]


# -- the invariant ------------------------------------------------------------------------------------------------


def _invariant(terms: Terms) -> list[Clause]:
    """A task that is there has not outlived its ttl, one that is gone has, and nobody gave up before."""
    kept: Any = End(terms.anchor, terms.kept)
    told: Any = End(terms.anchor, terms.told)
    there = z3.And(B["created"], z3.Not(B["gone"]))
    lemmas = [
        Clause("time begins at creation", B["now"] >= 0),
        Clause(
            "nothing happens before creation",
            z3.Or(B["created"], z3.Not(z3.Or(B["gone"], B["terminal"], B["gave_up"]))),
        ),
        Clause(
            "no instant lies ahead",
            z3.And([B[name] <= B["now"] for name in ("ended_at", "last_contact", "gave_up_at")]),
        ),
        Clause("no instant lies before creation", z3.And(B["ended_at"] >= 0, B["last_contact"] >= 0)),
        Clause("only a terminal task has ended", z3.Or(B["terminal"], B["ended_at"] == 0)),
        Clause("nobody gives up on a task that lives on", z3.Not(B["gave_up_on_live"])),
        Clause("nobody reads a task that is gone", z3.Not(B["read_gone"])),
        Clause(
            "a believer gives up at the told end",
            z3.Implies(B["gave_up"], z3.And(told.stands, B["gave_up_at"] >= told.at)),
        ),
    ]
    if terms.exempt and terms.anchor != "terminal":
        running = z3.And(there, z3.Not(B["terminal"]))
        lemmas += [
            Clause("running work ends in time", z3.Implies(running, B["now"] <= terms.last)),
            Clause("terminal work ended in time", z3.Implies(B["terminal"], B["ended_at"] <= terms.last)),
            Clause("terminal work took its time", z3.Implies(B["terminal"], B["ended_at"] >= terms.first)),
            Clause("only a terminal task is gone", z3.Implies(B["gone"], B["terminal"])),
        ]
        last = largest([B["ended_at"], kept.at + terms.skew])
        lemmas.append(
            Clause(
                "a terminal task does not outlive its ttl", z3.Implies(z3.And(there, B["terminal"]), B["now"] <= last)
            )
        )
        early = largest([B["ended_at"], kept.at - terms.skew])
        return [*lemmas, Clause("what is gone has outlived its ttl", z3.Implies(B["gone"], B["now"] >= early))]
    applies = z3.And(there, kept.stands)
    return [
        *lemmas,
        Clause("a task does not outlive its ttl", z3.Implies(applies, B["now"] <= kept.at)),
        Clause("what is gone has outlived its ttl", z3.Implies(B["gone"], z3.And(kept.stands, B["now"] >= kept.at))),
    ]
