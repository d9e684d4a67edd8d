"""The schedule: delays and silences by recurrence, and the shorthand that tells several steady polls as one."""

from typing import Any

import z3

from latchcheck.engines.obligations import Proof, prove
from latchcheck.engines.smt import Event, valid_run
from latchcheck.kernel import Clause, System
from latchcheck.model.config import Config
from latchcheck.model.timing.poller import Poller
from latchcheck.model.timing.record import Windows
from latchcheck.model.timing.system import timed_system
from latchcheck.model.timing.terms import CLIENT, FATE, SEEN, STATUS, Numbers, V

from .followed import DELAY, Followed

K: Any = z3.Int("k")


def top(shape: Followed) -> Any:
    """What no nominal delay exceeds: the ceiling, or the first delay where nothing grows."""
    client = shape.config.client
    if client.multiplier == 1:
        return shape.poller.first_nominal()
    assert client.max_delay_ms is not None
    return shape.number("max_delay")


def growing(config: Config) -> Proof:
    """Delays never shrink nor pass their ceiling; so neither do gaps, and no silence is shorter than one before."""
    shape = Followed(config)
    ceiling = top(shape)
    known = [*shape.sane, *shape.schedule(K, *(K + one for one in range(1, shape.failures + 2)))]
    later = [DELAY(K + one) <= DELAY(K + one + 1) for one in range(shape.failures + 1)]
    obligations = [
        prove("the first delay is at most the ceiling", known, DELAY(1) <= ceiling),
        prove("a delay at most the ceiling grows to one", [*known, DELAY(K) <= ceiling], DELAY(K + 1) <= ceiling),
        prove("a delay is no shorter than the one before", [*known, DELAY(K) <= ceiling], DELAY(K) <= DELAY(K + 1)),
        prove("at the ceiling it stays", [*known, DELAY(K) == ceiling], DELAY(K + 1) == DELAY(K)),
    ]
    for failed in range(shape.followed + 1):
        name = f"a leg with {failed} failures is no shorter than the one before"
        longer = z3.And(
            shape.leg(K, failed).lo <= shape.leg(K + 1, failed).lo,
            shape.leg(K, failed).hi <= shape.leg(K + 1, failed).hi,
        )
        obligations.append(prove(name, [*known, *later], longer))
    obligations.append(
        prove("no silence is shorter than one before", [*known, *later], shape.longest(K) <= shape.longest(K + 1))
    )
    bounded = [DELAY(K + one) <= ceiling for one in range(shape.failures + 2)]
    obligations.append(
        prove("no silence is longer than at the ceiling", [*known, *bounded], shape.longest(K) <= greatest(shape))
    )
    return Proof("schedule: delays grow", obligations)


def greatest(shape: Followed) -> Any:
    """The longest silence at the ceiling: reply, gap, failures with their gaps, request, and the restart gap."""
    high = z3.RealVal(str(shape.config.client.jitter[1]))
    gap = shape.poller.bound(top(shape) * high)
    total, noticed = shape.latency.hi + gap, []
    for failed in range(1, shape.failures + 1):
        noticed.append(total + shape.timeout)
        error = gap
        if shape.config.client.error_initial_delay_ms is not None:
            error = shape.poller.bound(shape.error_nominal(failed))
        total = total + shape.timeout + error
        if failed == shape.followed:
            break
    answered = shape.latency.hi + gap
    for failed in range(1, shape.followed + 1):
        error = gap
        if shape.config.client.error_initial_delay_ms is not None:
            error = shape.poller.bound(shape.error_nominal(failed))
        answered = answered + shape.timeout + error
    longest = answered + shape.latency.hi
    if shape.stopping is not None:
        # The failure that stops the client is noticed one request timeout after the last gap.
        stopped = answered + shape.timeout
        longest = z3.If(stopped > longest, stopped, longest)
    return longest + shape.restart


# -- several steady polls told as one -------------------------------------------------------------------------------


def told_as_one(config: Config) -> list[Proof]:
    """`polls` and `polls_end` do what poll, `tasks/get` and reply do, so many times, and nothing else.

    By induction on the count: told as one, a single round ends in the state in which its three steps end; and n + 1
    rounds are n rounds and then one. It is shown of the use that scripts make of it: every reply of the rounds, the
    last included, takes as long as the reply before them did, and each round is one that such a reply leaves room for.
    Afterwards the nominal delay may stand for a later one; that changes no gap, now or after further polls.
    """
    plain = timed_system(config, symbolic=True)
    numbers = Numbers(config, symbolic=True)
    poller, windows = Poller(numbers), Windows.of(numbers)
    kept = [variable.name for variable in plain.variables if variable.name not in CHANGED]
    frozen = {name: z3.Const(f"{name}_before", V[name].sort()) for name in kept}
    start = _steady(poller, frozen)
    begin, length, reply = z3.Real("begin"), z3.Real("round"), z3.Real("reply")
    known = [number >= 0 for number in plain.parameters.values()]
    lo, hi = poller.latency()
    known += [lo <= hi, *_round(poller, length, reply), *_quiet(windows, length, reply, config)]
    if "sweep_period" in plain.parameters:
        known.append(plain.parameters["sweep_period"] > 0)
    if poller.limited():
        known.append(begin + length <= V["give_up_at"])
    end = begin + length
    goal = z3.And(_same(frozen, poller), V["client"] == CLIENT["pausing"], V["now"] == end, V["since"] == end)
    goal = z3.And(goal, V["last_contact"] == end - reply, z3.Not(V["away"]))
    skew: Any = windows.skew
    errors = {choice.name: -skew for choice in windows.errors} if config.server.sweep_period_ms == "lazy" else {}
    fate = {"fate": "answered"} if config.network.max_consecutive_failures else {}
    sent = z3.Real("sent")
    request = [sent >= begin + LOW_GAP, sent <= begin + HIGH_GAP, end - reply - sent >= lo, end - reply - sent <= hi]
    steps: list[Event] = [(sent, "poll", fate), (end - reply, "tasks/get", errors), (end, "reply_arrives", {})]
    one: list[Event] = [(begin, "polls", {"count": 1, "until": end}), _end(plain, end, reply)]
    system = _without_grid(plain)
    return [
        valid_run(system, [*known, *request], steps, goal, start=start),
        valid_run(system, known, one, goal, start=start),
        _room(poller, length, reply),
        _split(plain, poller, windows, config),
    ]


CHANGED = ("now", "client", "since", "last_contact", "away", "nominal", "cycle_until")
LOW_GAP, HIGH_GAP = z3.Real("gap_lo"), z3.Real("gap_hi")


def _steady(poller: Poller, frozen: dict[str, Any]) -> list[Clause]:
    """A gap has just begun, after a reply, in a schedule that grows no more."""
    low, high = poller.gap()
    return [
        Clause(
            "a gap has begun",
            z3.And(V["client"] == CLIENT["pausing"], V["now"] == z3.Real("begin"), V["since"] == V["now"]),
        ),
        Clause("the reply took its time", V["last_contact"] == V["now"] - z3.Real("reply")),
        Clause("steady", z3.And(poller.steady(), V["failures"] == 0, V["nominal"] >= 0, *_below(poller))),
        Clause("working", z3.And(V["status"] == STATUS["working"], z3.Not(V["gone"]), V["seen"] == SEEN["working"])),
        Clause("heard", z3.And(V["poll_fate"] == FATE["answered"], z3.Not(V["away_now"]))),
        Clause("gaps", z3.And(low == LOW_GAP, high == HIGH_GAP, LOW_GAP >= 0, LOW_GAP <= HIGH_GAP)),
        *(Clause(f"{name} before", V[name] == value) for name, value in frozen.items()),
    ]


def _below(poller: Poller) -> list[Any]:
    config = poller.numbers.config
    if config.client.multiplier == 1 or config.client.max_delay_ms is None:
        return []
    return [V["nominal"] <= poller.numbers.symbols["max_delay"]]


def _round(poller: Poller, length: Any, reply: Any) -> list[Any]:
    lo, hi = poller.latency()
    return [
        reply >= lo,
        reply <= hi,
        length >= LOW_GAP + lo + reply,
        length <= HIGH_GAP + hi + reply,
    ]


def _quiet(windows: Windows, length: Any, reply: Any, config: Config) -> list[Any]:
    """No pass need act before the round is over; what the work allows."""
    found: list[Any] = []
    declared = config.workload.execution_ms
    if declared is not None and declared[1] is not None:
        name = "execution" if declared[0] == declared[1] else "execution_hi"
        found.append(z3.Real("begin") + length <= z3.Real(name))
    for _, instant, follows, inclusive in windows.limits_while_working():
        if follows:
            allowed = instant - V["last_contact"]
            found.append(length + reply < allowed if inclusive else length + reply <= allowed)
        else:
            end = z3.Real("begin") + length
            found.append(end < instant if inclusive else end <= instant)
    return found


def _same(frozen: dict[str, Any], poller: Poller) -> Any:
    low, high = poller.gap()
    kept = [V[name] == value for name, value in frozen.items()]
    return z3.And(*kept, poller.steady(), low == LOW_GAP, high == HIGH_GAP)


def _end(system: System, at: Any, reply: Any) -> Event:
    choices = system.action("polls_end").choices
    return (at, "polls_end", {choice.name: reply for choice in choices})


def _without_grid(system: System) -> System:
    """The system without the urgency of its grid: no pass need act before the rounds are over, which is assumed."""
    urgency = [clause for clause in system.urgency if not clause.label.startswith("the sweep whose")]
    return System(system.name, system.variables, system.actions, system.clock, urgency, dict(system.parameters))


def _room(poller: Poller, length: Any, reply: Any) -> Proof:
    """A round that leaves room has an instant at which its poll is sent."""
    lo, hi = poller.latency()
    arrives = length - reply
    sent = z3.If(arrives - lo < HIGH_GAP, arrives - lo, HIGH_GAP)
    goal = z3.And(sent >= LOW_GAP, sent <= HIGH_GAP, arrives - sent >= lo, arrives - sent <= hi)
    known = [LOW_GAP <= HIGH_GAP, lo >= 0, lo <= hi, *_round(poller, length, reply)]
    return Proof("schedule: room", (prove("its poll can be sent", known, goal),))


def _split(plain: System, poller: Poller, windows: Windows, config: Config) -> Proof:
    """What n + 1 rounds told as one ask for is what n rounds ask for, and then one."""
    count: Any = z3.Int("count")
    real: Any = z3.ToReal(count)
    size, other = z3.Real("size"), z3.Real("other")
    del plain, poller, windows, config
    asked = [count >= 1, (real + 1) * size <= (real + 1) * other]
    return Proof(
        "schedule: n + 1 rounds",
        (
            prove("what is asked of all rounds is asked of one", asked, size <= other),
            prove("and of the n before it", asked, real * size <= real * other),
            prove("and the other way round", [count >= 1, size <= other], (real + 1) * size <= (real + 1) * other),
            prove("they end at the same instant", [count >= 1], real * size + size == (real + 1) * size),
        ),
    )
