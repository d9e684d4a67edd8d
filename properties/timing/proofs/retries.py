"""`retries-inside-deadline` is violated exactly when N*e + d(1) + ... + d(N-1) > deadline - skew.

The sum is a function B of the attempt, defined by its recurrence: B(1) = 0, B(k+1) = B(k) + e + d(k), where d(1) is the
first delay and d(k+1) what the system makes of d(k). B(k) is the latest beginning of attempt k. Number and growth of
the attempts stay open, so nothing here unrolls them.
"""

from typing import Any

import z3

from latchcheck.engines.obligations import Proof, prove
from latchcheck.engines.smt import inductive, valid_run
from latchcheck.kernel import Clause
from latchcheck.model.timing.retry import NUMBERS, SUMMED, WORK, Shape, V, first_delay, grown, of_shape
from latchcheck.model.timing.terms import COUNT_MAX

BEGINS: Any = z3.Function("begins", z3.IntSort(), z3.RealSort())
DELAY: Any = z3.Function("delay_after", z3.IntSort(), z3.RealSort())
SUM: Any = z3.Function("delays_summed", z3.IntSort(), z3.RealSort())
COUNT, LONGEST = NUMBERS["max_attempts"], NUMBERS["execution_hi"]
DEADLINE, SKEW = NUMBERS["execution_deadline"], NUMBERS["clock_skew"]
NUMBERS_ARE_SANE: list[Any] = [
    COUNT >= 1,
    *(NUMBERS[name] >= 0 for name in ("execution_hi", "execution_deadline", "clock_skew", "retry_initial_delay")),
    NUMBERS["retry_max_delay"] >= 0,
    NUMBERS["retry_multiplier"] >= 1,
]
SAFE: Any = BEGINS(COUNT) + LONGEST <= DEADLINE - SKEW
SHAPES = tuple(Shape(grows, ceiling) for grows in (False, True) for ceiling in (False, True))


def begun(shape: Shape) -> list[Any]:
    """The recurrences at 1."""
    return [BEGINS(1) == 0, SUM(1) == 0, DELAY(1) == first_delay(shape), DELAY(1) >= 0]


def continued(shape: Shape, k: Any) -> list[Any]:
    """The recurrences from k to k + 1."""
    return [
        BEGINS(k + 1) == BEGINS(k) + LONGEST + DELAY(k),
        SUM(k + 1) == SUM(k) + DELAY(k),
        DELAY(k + 1) == grown(shape, DELAY(k)),
    ]


def proofs(shape: Shape) -> list[Proof]:
    """Both implications, and the two lemmas on B that they use."""
    return [_lemmas(shape), _never(shape), *_reached(shape), _told(shape)]


def _lemmas(shape: Shape) -> Proof:
    """By induction on k: delays are not negative, attempts begin one after the other, B(k) = (k-1)e + the delays."""
    k, other = z3.Int("k"), z3.Int("other")
    step = [*NUMBERS_ARE_SANE, *begun(shape), *continued(shape, k)]
    product = z3.ToReal(k - 1) * LONGEST
    return Proof(
        "attempts: lemmas",
        (
            prove("the first delay is not negative", [*NUMBERS_ARE_SANE, *begun(shape)[:3]], DELAY(1) >= 0),
            prove("no delay is negative", [*step, DELAY(k) >= 0], DELAY(k + 1) >= 0),
            prove(
                "attempts begin in order", [*step, DELAY(k) >= 0, BEGINS(other) <= BEGINS(k)], _ordered(other, k + 1)
            ),
            prove("the first begins at 0", step, BEGINS(1) == z3.ToReal(z3.IntVal(0)) * LONGEST + SUM(1)),
            prove(
                "an attempt begins after those before and their delays",
                [*step, BEGINS(k) == product + SUM(k)],
                BEGINS(k + 1) == product + LONGEST + SUM(k + 1),
            ),
            prove(
                "the delays alone take no longer",
                [*NUMBERS_ARE_SANE, k >= 1, BEGINS(k) == product + SUM(k)],
                SUM(k) <= BEGINS(k),
            ),
        ),
    )


def _ordered(first: Any, second: Any) -> Any:
    return BEGINS(first) <= BEGINS(second)


def _known(shape: Shape) -> list[Any]:
    """The recurrences and lemmas where a step reads them: at the present attempt."""
    now = V["attempt"]
    return [
        *NUMBERS_ARE_SANE,
        *begun(shape),
        *continued(shape, now),
        DELAY(now) >= 0,
        DELAY(now + 1) >= 0,
        z3.Implies(now <= COUNT, _ordered(now, COUNT)),
        z3.Implies(now + 1 <= COUNT, _ordered(now + 1, COUNT)),
    ]


def _never(shape: Shape) -> Proof:
    """Where everything fits, the deadline never fires."""
    attempt, since, waiting = V["attempt"], V["since"], V["work"] == WORK["waiting"]
    latest = z3.If(waiting, BEGINS(attempt) + LONGEST, BEGINS(attempt))
    invariant = [
        Clause("attempts are counted", z3.And(attempt >= 1, attempt <= COUNT)),
        Clause("a wait leaves an attempt", z3.Implies(waiting, attempt < COUNT)),
        Clause("a wait is as long as its delay", z3.Implies(waiting, V["delay"] == DELAY(attempt))),
        Clause(
            "a running attempt follows its delay",
            z3.Implies(z3.And(V["work"] == WORK["running"], attempt > 1), grown(shape, V["delay"]) == DELAY(attempt)),
        ),
        Clause("nothing is told", z3.Not(V["told_as_one"])),
        Clause("nothing begins later than it can", since <= latest),
        Clause("the deadline never fired", z3.Not(V["cut_short"])),
    ]
    return inductive(of_shape(shape), [*_known(shape), SAFE], invariant, V["cut_short"])


def _slowest(shape: Shape) -> list[Clause]:
    """Attempt k begins, as late as it can."""
    follows = z3.Implies(V["attempt"] > 1, grown(shape, V["delay"]) == DELAY(V["attempt"]))
    return [
        Clause("an attempt runs", z3.And(V["work"] == WORK["running"], z3.Not(V["told_as_one"]))),
        Clause("it began just now", z3.And(V["now"] == V["since"], V["now"] == BEGINS(V["attempt"]))),
        Clause("attempts are counted", z3.And(V["attempt"] >= 1, V["attempt"] <= COUNT)),
        Clause("delays follow", follows),
    ]


def _reached(shape: Shape) -> list[Proof]:
    """Where something does not fit: the slowest run reaches attempt N by induction, and there the deadline fires."""
    system, known, slowest = of_shape(shape), _known(shape), _slowest(shape)
    state = z3.And([clause.expr for clause in slowest])
    fires = BEGINS(COUNT) + LONGEST
    initially = valid_run(system, known, [], state)
    more = [*known, V["attempt"] < COUNT, V["attempt"] < COUNT_MAX]
    fails = V["now"] + LONGEST
    step = [(fails, "attempt_fails", {}), (fails + DELAY(V["attempt"]), "retry", {})]
    last = [*known, V["attempt"] == COUNT, z3.Not(SAFE)]
    end = [(fires, "deadline_fires", {"error_created": SKEW})]
    return [
        initially,
        valid_run(system, more, step, state, start=slowest),
        valid_run(system, last, end, V["cut_short"], start=slowest),
    ]


def _told(shape: Shape) -> Proof:
    """The action that tells attempts as one does nothing else than they do, one by one.

    By induction on its count: if attempt k can begin at any instant from the sum of the delays before it to B(k), so
    can attempt k + 1, the attempt between taking from 0 to e.
    """
    attempt, until = V["attempt"], z3.Real("until")
    earliest, latest = SUM(attempt), BEGINS(attempt)
    start = [
        *_slowest(shape)[:1],
        Clause("it began just now, at any instant that is early and late enough", V["now"] == V["since"]),
        *_slowest(shape)[2:],
    ]
    inside = z3.And(until >= SUM(attempt + 1), until <= BEGINS(attempt + 1))
    # The instant from which `until` is reached: as late as attempt k allows, and early enough to wait the delay.
    begins = z3.If(until - DELAY(attempt) < latest, until - DELAY(attempt), latest)
    known = [*_known(shape), attempt < COUNT, attempt < COUNT_MAX, earliest <= latest, inside, V["now"] == begins]
    goal = z3.And(V["work"] == WORK["running"], V["since"] == until, V["now"] == until)
    step = [(until - DELAY(attempt), "attempt_fails", {}), (until, "retry", {})]
    proof = valid_run(of_shape(shape), known, step, goal, start=start)
    within = prove("the instant before is allowed too", known, z3.And(begins >= earliest, begins <= latest))
    told = of_shape(Shape(shape.grows, shape.ceiling, told=True)).action("attempts_fail")
    allowed = z3.And([clause.expr for clause in told.guard])
    count, choice = SUMMED["attempts_told"], told.choices[0].term
    summed = [
        *NUMBERS_ARE_SANE,
        count >= 1,
        SUMMED["delays_told"] == SUM(count + 1),
        BEGINS(count + 1) == z3.ToReal(count) * LONGEST + SUM(count + 1),
        allowed,
    ]
    covers = prove(
        "what it allows lies between",
        summed,
        z3.And(choice >= SUM(count + 1), choice <= BEGINS(count + 1), count < COUNT),
    )
    return Proof("attempts: told as one", (*proof.obligations, within, covers))
