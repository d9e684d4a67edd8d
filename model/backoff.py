"""Retries of one task: capped exponential backoff with full jitter, delays that are advertised, a ceiling of attempts.

The delay after a failure is anything between nothing and the nominal one, which doubles up to a cap.
It is told to the caller instead of being slept through by the worker, so that nothing is held while it passes.
Every part can be left out, to see what it is for.
"""

from __future__ import annotations

from typing import Any, Final

import z3

from latchcheck.kernel import Action, Bool, Choice, Clause, Enum, FrozenMap, IntRange, Real, System, Variable

PHASE: Final = Enum("RetryPhase", ("running", "waiting", "over", "dead-lettered"))
COUNT_MAX: Final = 10**9
PARTS: Final = {
    "capped": "the nominal delay never exceeds max_delay",
    "counted": "no attempt follows the last of max_attempts",
    "advertised": "the caller is told when to call again, and no worker is held until then",
}
_VARIABLES: Final = (
    Variable("now", Real(), 0),
    Variable("phase", PHASE, "running"),
    Variable("attempt", IntRange(1, COUNT_MAX), 1),
    Variable("nominal", Real(), 0),
    Variable("due", Real(), 0),
    # History: a delay beyond the cap, an attempt beyond the ceiling, a worker held by a wait.
    Variable("too_long", Bool(), False),
    Variable("too_many", Bool(), False),
    Variable("held", Bool(), False),
)
V: Final[dict[str, Any]] = {variable.name: variable.term for variable in _VARIABLES}
INITIAL: Final[Any] = z3.Real("initial_delay")
LONGEST: Final[Any] = z3.Real("max_delay")
ATTEMPTS: Final[Any] = z3.Int("max_attempts")


def backoff_system(*, capped: bool = True, counted: bool = True, advertised: bool = True) -> System:
    """The retries of one task; `initial_delay` and `max_delay` in milliseconds and `max_attempts` are left open."""
    first = V["attempt"] == 1
    grown = z3.If(first, INITIAL, V["nominal"] + V["nominal"])
    nominal = z3.If(grown > LONGEST, LONGEST, grown) if capped else grown
    delay = Choice("delay", Real(), 0, nominal)
    last = V["attempt"] >= ATTEMPTS if counted else z3.BoolVal(False)
    running, waiting = V["phase"] == PHASE["running"], V["phase"] == PHASE["waiting"]
    fail = Action(
        "fail",
        "worker",
        (Clause("an attempt runs", running), Clause("full jitter", z3.And(delay.term >= 0, delay.term <= nominal))),
        FrozenMap(
            {
                "phase": z3.If(last, PHASE["dead-lettered"], PHASE["waiting"]),
                "nominal": nominal,
                "due": V["now"] + delay.term,
                "too_long": z3.Or(V["too_long"], z3.And(z3.Not(last), delay.term > LONGEST)),
                "held": z3.Or(V["held"], z3.And(z3.Not(last), z3.BoolVal(not advertised))),
            }
        ),
        (delay,),
    )
    retry = Action(
        "retry",
        "client",
        (Clause("a retry is due", z3.And(waiting, V["now"] >= V["due"])),),
        FrozenMap(
            {
                "phase": PHASE["running"],
                "attempt": V["attempt"] + 1,
                "too_many": z3.Or(V["too_many"], V["attempt"] + 1 > ATTEMPTS),
            }
        ),
    )
    succeed = Action("succeed", "worker", (Clause("an attempt runs", running),), FrozenMap({"phase": PHASE["over"]}))
    parameters = FrozenMap({"initial_delay": INITIAL, "max_delay": LONGEST, "max_attempts": ATTEMPTS})
    parts = {"capped": capped, "counted": counted, "advertised": advertised}
    missing = ", ".join(name for name, there in parts.items() if not there)
    name = "backoff" + (f" not {missing}" if missing else "")
    return System(name, _VARIABLES, (fail, retry, succeed), "now", parameters=parameters)
