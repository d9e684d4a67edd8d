"""The source paper's sentence, taken apart.

"A task is orphaned exactly when the client's maximum poll gap exceeds the server's orphan window" (A. Baby, Stateless
Protocol, Stateful Problem, 2026, section 6.4).

"Exactly when" is two implications. Each is asked for four readings of *gap* and two of *orphaned*, and is proved, or
refuted by a run that the stepper executes. Where a run alone cannot refute it ("some run" and "every run" speak about
all of them) a proof about that one configuration stands beside the run.

`table()` is what docs/explanation/orphan-condition.md tells in words.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import attrs
import z3

from latchcheck.engines.obligations import Proof, prove
from latchcheck.engines.smt import inductive
from latchcheck.kernel import Clause, Trace
from latchcheck.model.config import Client, Config, Network, Server, Workload
from latchcheck.model.timing.system import Event, numbers, run, timed_system
from latchcheck.model.timing.terms import CLIENT, V

from . import orphan
from .followed import DELAY, FIRST, Followed
from .scripts import contacts_follow
from .ttl import WORKING

Gap = Literal["nominal", "jittered", "silence allowed", "silence in a run"]
"""The delay of the schedule at its ceiling; the longest pause the client makes, with jitter, hint and cap; the longest
silence between contacts that the schedule allows; one that a run has while the task works and the client follows."""

Orphaned = Literal["can be", "must be"]
"""Some run reclaims the task while its client follows its schedule; every run does."""

Implication = Literal["only if it exceeds", "if it exceeds"]
"""Orphaned, so the gap exceeds the window; the gap exceeds the window, so orphaned."""

GAPS: tuple[Gap, ...] = ("nominal", "jittered", "silence allowed", "silence in a run")


# -- the cases ----------------------------------------------------------------------------------------------------


@attrs.frozen
class Case:
    """One configuration and one run of it; `orphaned` says whether the run ends in a live orphan or in a result.

    `gaps` are the gaps of the configuration by reading, in milliseconds. Its window is 100 ms throughout.
    """

    name: str
    says: str
    config: Config
    events: Sequence[Event]
    orphaned: bool
    gaps: Mapping[Gap, int]

    def run(self) -> Trace:
        """Execute the run; NotAStep if the model does not allow it."""
        return run(self.config, self.events)


WINDOW = 100


def _client(delay: int, **more: Any) -> Client:
    return Client(initial_delay_ms=delay, max_delay_ms=more.pop("ceiling", delay), **more)


def _server(**more: Any) -> Server:
    return Server(orphan_window_ms=WINDOW, **more)


def _gaps(*values: int) -> dict[Gap, int]:
    return dict(zip(GAPS, values, strict=True))


BEGIN: tuple[Event, Event] = ((0, "create", {"call_latency": 0}), (0, "handle_arrives", {}))
LONG = Workload(execution_ms=(0, 1_000))

LATENCY = Case(
    "latency",
    "The handle took its time, so the server sees more silence than the client leaves.",
    Config(_client(WINDOW), _server(), Network(latency_ms=(0, 5)), LONG),
    (BEGIN[0], (5, "handle_arrives", {}), (101, "sweep", {})),
    orphaned=True,
    gaps=_gaps(100, 100, 110, 110),
)
LOST_POLL = Case(
    "lost poll",
    "One poll fails, and the silence goes on through its timeout and the next gap.",
    Config(_client(60, request_timeout_ms=10), _server(), Network(max_consecutive_failures=1), LONG),
    (*BEGIN, (60, "poll", {"fate": "request_lost"}), (70, "failure_noticed", {}), (101, "sweep", {})),
    orphaned=True,
    gaps=_gaps(60, 60, 130, 130),
)
JITTER_ABOVE = Case(
    "jitter above one",
    "The nominal delay is inside the window, the jittered one is not.",
    Config(_client(90, jitter=(Fraction(1), Fraction(6, 5))), _server(), workload=LONG),
    (*BEGIN, (101, "sweep", {})),
    orphaned=True,
    gaps=_gaps(90, 108, 108, 108),
)
EQUALITY = Case(
    "equality",
    "Judged by `>=`, a silence of the window itself is too long, and nothing exceeds the window.",
    Config(_client(WINDOW), _server(orphan_comparison=">="), workload=LONG),
    (*BEGIN, (100, "sweep", {})),
    orphaned=True,
    gaps=_gaps(100, 100, 100, 100),
)
SKEW = Case(
    "skew",
    "The instance that judges is ahead of the one that stamped the contact.",
    Config(_client(WINDOW), _server(clock_skew_ms=5), workload=LONG),
    (*BEGIN, (96, "sweep", {"error_created": -5, "error_contact": 5, "error_anchor": -5})),
    orphaned=True,
    gaps=_gaps(100, 100, 100, 96),
)
JITTER_BELOW = Case(
    "jitter below one",
    "The nominal delay exceeds the window, no delay that the client takes does.",
    Config(_client(110, jitter=(Fraction(1, 2), Fraction(9, 10))), _server(), workload=LONG),
    (*BEGIN, (99, "poll", {}), (99, "tasks/get", {}), (99, "reply_arrives", {}), (99, "write_terminal", {})),
    orphaned=False,
    gaps=_gaps(110, 99, 99, 99),
)
WORK_ENDS_FIRST = Case(
    "the work ends first",
    "The schedule grows beyond the window, and the work ends before it has grown so far.",
    Config(_client(10, ceiling=160, multiplier=Fraction(2)), _server(), workload=Workload(execution_ms=(0, 50))),
    (
        *BEGIN,
        *((at, name, {}) for at in (10, 30) for name in ("poll", "tasks/get", "reply_arrives")),
        (50, "write_terminal", {}),
    ),
    orphaned=False,
    gaps=_gaps(160, 160, 160, 40),
)
BETWEEN_SWEEPS = Case(
    "between sweeps",
    "One sweep comes when the silence is not yet too long, the next when it is over.",
    Config(_client(110), _server(sweep_period_ms=30), workload=Workload(execution_ms=(0, 120))),
    (
        (0, "create", {"call_latency": 0, "sweep_phase": 10}),
        BEGIN[1],
        *((110, name, {}) for name in ("poll", "tasks/get", "reply_arrives")),
        (120, "write_terminal", {}),
    ),
    orphaned=False,
    gaps=_gaps(110, 110, 110, 110),
)
EVERY_RUN = Case(
    "every run",
    "No gap exceeds the window, and both ways of the network always add so much that every run is orphaned.",
    Config(
        _client(90), _server(sweep_period_ms=1), Network(latency_ms=(20, 20)), Workload(execution_ms=(1_000, 1_000))
    ),
    ((0, "create", {"call_latency": 20, "sweep_phase": 0}), (20, "handle_arrives", {}), (101, "sweep", {})),
    orphaned=True,
    gaps=_gaps(90, 90, 130, 101),
)
CASES = (
    LATENCY,
    LOST_POLL,
    JITTER_ABOVE,
    EQUALITY,
    SKEW,
    JITTER_BELOW,
    WORK_ENDS_FIRST,
    BETWEEN_SWEEPS,
    EVERY_RUN,
)


# -- proofs about one case ----------------------------------------------------------------------------------------


def never_orphaned(case: Case) -> list[Proof]:
    """No run of this configuration reclaims a live task: its numbers meet the general condition at every poll."""
    shape, k = Followed(case.config), z3.Int("k")
    known = [*shape.sane, *shape.schedule(k)]
    values = numbers(case.config)
    known += [term == values[name] for name, term in shape.system.parameters.items()]
    ceiling = values["max_delay"]
    # A delay that has grown is one that the client waited for: polls come no sooner than their delay has grown.
    waited = [FIRST(1) == 0, FIRST(k + 1) == FIRST(k) + shape.leg(k, 0).lo]
    grown = FIRST(k) >= (DELAY(k) - DELAY(1)) * z3.RealVal(str(case.config.client.jitter[0]))
    later = z3.substitute(grown, (k, k + 1))
    return [
        Proof(
            f"case: {case.name}",
            (
                prove("the first delay", known, z3.And(DELAY(1) <= ceiling, DELAY(1) == values["initial_delay"])),
                prove("delays keep to the ceiling", [*known, DELAY(k) <= ceiling], DELAY(k + 1) <= ceiling),
                prove(
                    "before the first poll nothing has grown",
                    [*known, *waited],
                    z3.substitute(grown, (k, z3.IntVal(1))),
                ),
                prove("a delay has been waited for", [*known, *waited, grown, DELAY(k) <= ceiling], later),
                prove("the condition holds", [*known, grown, DELAY(k) <= ceiling], orphan.safe(shape, k)),
            ),
        ),
        orphan.never(case.config),
    ]


def always_orphaned(case: Case) -> Proof:
    """In every run of this configuration the task is reclaimed before anything else happens to it, within 101 ms."""
    system = timed_system(case.config)
    reclaimed = V["orphaned_live"]
    quiet = [V["client"] == CLIENT[name] for name in ("absent", "calling", "pausing")]
    begun = [
        z3.Implies(V["client"] == CLIENT["absent"], V["now"] == 0),
        z3.Implies(V["client"] == CLIENT["calling"], V["since"] == 0),
        z3.Implies(V["client"] == CLIENT["pausing"], V["since"] == case.config.network.latency_ms[0]),
        z3.Implies(V["client"] != CLIENT["absent"], V["nominal"] == case.gaps["nominal"]),
    ]
    waits = z3.And(z3.Or(quiet), *begun, WORKING, V["last_contact"] == 0, V["next_sweep"] == 0)
    last = WINDOW + 1
    invariant = [
        Clause("phase", z3.And(V["phase"] >= 0, V["phase"] <= 1)),
        Clause("until then nothing else happens", z3.Or(reclaimed, z3.And(waits, V["now"] >= 0, V["now"] <= last))),
    ]
    never = z3.And(z3.Not(reclaimed), z3.Or(z3.Not(WORKING), V["last_contact"] > 0, V["now"] > last))
    return inductive(system, [], invariant, never)


# -- the table ----------------------------------------------------------------------------------------------------


@attrs.frozen
class Cell:
    """One implication under one reading of each word: proved, or refuted by a run.

    `proof` re-proves what the answer rests on beyond the run; `provided` says under what an implication is proved.
    """

    gap: Gap
    orphaned: Orphaned
    implication: Implication
    answer: Literal["proved", "refuted"]
    case: Case | None = None
    proof: Callable[[], list[Proof]] | None = None
    provided: str = ""


def plain() -> Config:
    """The shape of which the proved implications are shown here: judged by `>`, no skew; failures and restarts too."""
    return Config(
        _client(10, ceiling=160, multiplier=Fraction(2), request_timeout_ms=9, restart_gap_ms=5),
        _server(),
        Network(latency_ms=(0, 5), max_consecutive_failures=1),
        LONG,
    )


EXACTLY = "judged by > and without clock skew"


def _flat() -> list[Proof]:
    return orphan.flat(plain())


def _never() -> list[Proof]:
    return [orphan.never(plain())]


def _reached() -> list[Proof]:
    return [*orphan.reached(plain()), *contacts_follow(plain())]


def table() -> tuple[Cell, ...]:
    """Every reading of the sentence, with its answer."""
    only, then = "only if it exceeds", "if it exceeds"
    safe_below, safe_before = partial(never_orphaned, JITTER_BELOW), partial(never_orphaned, WORK_ENDS_FIRST)
    every = partial(lambda case: [always_orphaned(case)], EVERY_RUN)
    return (
        Cell("nominal", "can be", only, "refuted", JITTER_ABOVE),
        Cell("jittered", "can be", only, "refuted", LATENCY),
        Cell("silence allowed", "can be", only, "proved", proof=_flat, provided=EXACTLY),
        Cell("silence in a run", "can be", only, "proved", proof=_never, provided=EXACTLY),
        Cell("nominal", "can be", then, "refuted", JITTER_BELOW, safe_below),
        Cell("jittered", "can be", then, "refuted", WORK_ENDS_FIRST, safe_before),
        Cell("silence allowed", "can be", then, "refuted", WORK_ENDS_FIRST, safe_before),
        Cell("silence in a run", "can be", then, "proved", proof=_reached),
        # Whatever must be can be: what is proved above of "can be" is proved of "must be".
        Cell("nominal", "must be", only, "refuted", EVERY_RUN, every),
        Cell("jittered", "must be", only, "refuted", EVERY_RUN, every),
        Cell("silence allowed", "must be", only, "proved", proof=_flat, provided=EXACTLY),
        Cell("silence in a run", "must be", only, "proved", proof=_never, provided=EXACTLY),
        *(Cell(gap, "must be", then, "refuted", BETWEEN_SWEEPS) for gap in GAPS),
    )


def beyond_doubt() -> list[Proof]:
    """What does hold of "must be".

    A silence beyond window + skew + period + lateness is always found on a grid, and one beyond window + skew by the
    access that ends it, where accesses judge.
    """
    swept = plain().replace({"server.sweep_period_ms": 10, "server.clock_skew_ms": 1})
    return [*orphan.always(swept), *orphan.always(swept.replace({"server.sweep_period_ms": "lazy"}))]
