"""The theorems of docs/explanation/silence-for-the-extension.md beside the first, for all numbers.

Theorem 1 is the exact condition of `ttl-cap-suffices`, proved against the model in properties/timing/proofs/cap.py.
The others are about any client and any server, so what is proved of them is their arithmetic, in true time.
"""

from __future__ import annotations

from typing import Any, Final, cast

import z3

from latchcheck.engines.obligations import Obligation, Proof, prove

TTL, WORK, BEGINS, PAUSE = cast("list[Any]", z3.Reals("ttl work begins pause"))
LAST, NEXT, SWEEP, SILENCE, WINDOW = cast("list[Any]", z3.Reals("last next sweep silence window"))
SHOWN, SKEW, LATENCY, NOTICED, AWAY = cast("list[Any]", z3.Reals("shown skew latency noticed away"))
CAPPED: Final[Any] = z3.If(PAUSE <= TTL, PAUSE, TTL)
LOST_MAX: Final = 9
"""The last theorem is proved for each number of polls lost in a row up to this one, so that it is linear."""


def proofs() -> list[Proof]:
    """One proof a theorem."""
    return [
        Proof("2: where the ttl covers the work, the cap changes nothing", _covered()),
        Proof("3: no rule for clients alone suffices", _alone()),
        Proof("4: the two sentences suffice, and neither can be dropped", _sufficient()),
        Proof("the client's pause", [_pause(lost) for lost in range(LOST_MAX + 1)]),
    ]


def _covered() -> list[Obligation]:
    shortened = [BEGINS >= 0, TTL > WORK, CAPPED != PAUSE]
    return [
        prove("a pause that the cap shortens ends after the work", shortened, BEGINS + CAPPED > WORK),
        prove("and would have ended later without the cap", shortened, BEGINS + PAUSE > BEGINS + CAPPED),
    ]


def _alone() -> list[Obligation]:
    # A window of half the client's first pause, and a sweep at three quarters of it.
    window, sweep = PAUSE / 2, 3 * PAUSE / 4
    return [
        prove(
            "a server with a window below the first pause finds it too long before the pause ends",
            [PAUSE > 0],
            z3.And(window > 0, sweep - 0 > window, sweep < PAUSE),
        )
    ]


def _sufficient() -> list[Obligation]:
    ends = SWEEP - LAST > SILENCE
    follows = [NEXT > LAST, NEXT - LAST <= SILENCE]
    none_between: Any = NEXT >= SWEEP
    return [
        prove(
            "a server that ends the task and a client that follows contradict each other",
            [SILENCE > 0, ends, *follows],
            z3.Not(none_between),
        ),
        prove(
            "what a server shows less the skew is no more than the true silence",
            [SKEW >= 0, SHOWN - (SWEEP - LAST) <= SKEW, SHOWN > SILENCE + SKEW],
            ends,
        ),
        prove(
            "at equality both keep their sentence and nothing happens",
            [NEXT - LAST == SILENCE, SWEEP <= NEXT],
            z3.Not(ends),
        ),
        prove(
            "a client that pauses twice as long is reclaimed by a server that keeps its sentence",
            [SILENCE > 0, NEXT - LAST == 2 * SILENCE, SWEEP - LAST == 3 * SILENCE / 2],
            z3.And(ends, none_between),
        ),
        prove(
            "a server whose window is half as long reclaims a client that keeps its sentence",
            [SILENCE > 0, WINDOW == SILENCE / 2, NEXT - LAST == SILENCE, SWEEP - LAST == 3 * SILENCE / 4],
            z3.And(SWEEP - LAST > WINDOW, none_between),
        ),
    ]


def _pause(lost: int) -> Obligation:
    """With so many polls lost in a row, the pause of the page uses the allowed silence up and no more."""
    pause = (SILENCE - 2 * LATENCY - lost * NOTICED - AWAY) / (lost + 1)
    longest = 2 * LATENCY + lost * (NOTICED + pause) + pause + AWAY
    return prove(f"{lost} lost polls", [], longest == SILENCE)
