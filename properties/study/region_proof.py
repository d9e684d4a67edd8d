"""Why every long enough run is orphaned exactly where no gap can be `M`: the lemmas of `beyond`, for all numbers.

Time is counted in sweep periods, so that sweeps fall on whole numbers. `first(c)` is the first sweep at which a silence
from `c` is too long, `M` the least whole number that is too long a silence. Each is defined by what the orphans pass
compares, and for both comparisons.
"""

from __future__ import annotations

from typing import Any, Final, Literal, cast

import z3

from latchcheck.engines.obligations import Obligation, Proof, prove

Comparison = Literal[">", ">="]
# What z3's operators give is of too many types for a type checker to narrow.
WINDOW, CONTACT, NEXT, LEAST_GAP = cast("list[Any]", z3.Reals("window contact next least_gap"))
FIRST, FIRST_OF_NEXT, SWEEP, FIRST_OF_SWEEP, TOLERATED = cast(
    "list[Any]", z3.Ints("first first_of_next sweep first_of_sweep tolerated")
)
SANE: Final[list[Any]] = [WINDOW > 0, CONTACT >= 0, NEXT >= CONTACT]


def proofs() -> list[Proof]:
    """One proof a comparison."""
    return [Proof(f"sweeps that judge by {one}", _lemmas(one)) for one in (">", ">=")]


def _lemmas(comparison: Comparison) -> list[Obligation]:
    def too_long(silence: Any) -> Any:
        return silence > WINDOW if comparison == ">" else silence >= WINDOW

    def is_first(sweep: Any, contact: Any) -> Any:
        """The sweep finds the silence from the contact too long, and the one before did not."""
        at: Any = z3.ToReal(sweep)
        return z3.And(too_long(at - contact), z3.Not(too_long(at - 1 - contact)))

    first, first_of_next = is_first(FIRST, CONTACT), is_first(FIRST_OF_NEXT, NEXT)
    first_of_sweep, tolerated = is_first(FIRST_OF_SWEEP, z3.ToReal(SWEEP)), is_first(TOLERATED, z3.RealVal(0))
    both, survived = [*SANE, first, first_of_next], z3.ToReal(FIRST) >= NEXT
    moves_little: Any = FIRST_OF_NEXT <= FIRST + TOLERATED
    slack, slack_later = z3.ToReal(FIRST) - CONTACT, z3.ToReal(FIRST_OF_NEXT) - NEXT
    taken = LEAST_GAP - z3.ToReal(TOLERATED)
    longest: Any = z3.ToReal(FIRST_OF_SWEEP - SWEEP)
    return [
        prove("first does not fall when the contact comes later", both, FIRST_OF_NEXT >= FIRST),
        prove("from a sweep it is M later", [*SANE, first_of_sweep, tolerated], FIRST_OF_SWEEP == SWEEP + TOLERATED),
        prove("a survived silence moves it by M at most", [*both, tolerated, survived], moves_little),
        prove(
            "so each takes the gap less M of what is left",
            [moves_little, NEXT - CONTACT >= LEAST_GAP],
            slack_later <= slack - taken,
        ),
        prove(
            "at first no more than a window and a period is left",
            [*SANE, first],
            slack <= WINDOW + 1 if comparison == ">" else slack < WINDOW + 1,
        ),
        prove(
            "so the longest gap that is survived from a sweep is M",
            [FIRST_OF_SWEEP == SWEEP + TOLERATED],
            longest == z3.ToReal(TOLERATED),
        ),
    ]
