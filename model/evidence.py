"""How a failure is recognised: by an HTTP-shaped status code first, by markers in its text else.

A code that is known decides.
A permanent marker decides before a transient one: "invalid connection string" is a mistake of the caller, and the
word "connection" does not rescue it.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import attrs
import z3

from latchcheck.kernel import Compiled, compile_expr

from .failures import KIND, classify
from .room import either, when

# The paper says that there are such lists and prints none; these are ours, and a caller may hand in others.
TRANSIENT_CODES: Final = (408, 425, 429, 500, 502, 503, 504)
PERMANENT_CODES: Final = (400, 401, 403, 404, 405, 409, 410, 422)
TRANSIENT_MARKERS: Final = (
    "timeout",
    "timed out",
    "connection reset",
    "connection refused",
    "unavailable",
    "temporarily",
    "throttl",
    "rate limit",
    "too many requests",
    "overloaded",
    "broken pipe",
)
PERMANENT_MARKERS: Final = (
    "invalid",
    "malformed",
    "schema",
    "validation",
    "unauthorized",
    "forbidden",
    "not found",
    "unknown tool",
    "unsupported",
    "permission denied",
)
NO_CODE: Final = 0
DEFAULTS: Final = ("permanent", "transient")


@attrs.frozen
class Markers:
    """What a deployment has learnt about its dependencies: codes and substrings (lower case) of either class."""

    transient_codes: tuple[int, ...] = TRANSIENT_CODES
    permanent_codes: tuple[int, ...] = PERMANENT_CODES
    transient_words: tuple[str, ...] = TRANSIENT_MARKERS
    permanent_words: tuple[str, ...] = PERMANENT_MARKERS

    def __attrs_post_init__(self) -> None:
        for name in ("codes", "words"):
            both = set(getattr(self, f"transient_{name}")) & set(getattr(self, f"permanent_{name}"))
            if both:
                raise ValueError(f"{min(map(str, both))} is transient and permanent; name it once")


LEARNT: Final = Markers()


def recognised(code: Any, permanent_word: Any, transient_word: Any, markers: Markers = LEARNT) -> Any:
    """The kind of a failure, from its code (0: none) and whether its text holds a marker of either class."""
    by_word = when(permanent_word, KIND["permanent"], when(transient_word, KIND["transient"], KIND["unrecognised"]))
    permanent = either(*(code == one for one in markers.permanent_codes))
    transient = either(*(code == one for one in markers.transient_codes))
    return when(transient, KIND["transient"], when(permanent, KIND["permanent"], by_word))


def kind_of(text: str, *, code: int | None = None, markers: Markers = LEARNT) -> str:
    """The kind of a failure, transient, permanent or unrecognised, by its text and its status code, if any."""
    return _recogniser(markers)(
        code=NO_CODE if code is None else code,
        permanent_word=_holds(text, markers.permanent_words),
        transient_word=_holds(text, markers.transient_words),
    )


def classified(
    text: str,
    *,
    attempt: int,
    ceiling: int,
    code: int | None = None,
    default: str = "permanent",
    markers: Markers = LEARNT,
) -> str:
    """The class of a failure: "transient" (another attempt), "permanent" (the end) or "poison" (the dead-letter queue).

    `attempt` counts from 1 and includes the one that has just failed; `ceiling` is the most attempts there may be.
    `default` is the class of what nobody recognises, "permanent" or "transient".
    Raises ValueError for another default, or an attempt or ceiling below 1.
    Evaluated from the very expressions that the model's `fail_attempt` is guarded by (paper, section 4.1).
    """
    if default not in DEFAULTS:
        raise ValueError(f"the default is {' or '.join(DEFAULTS)}, not {default!r}")
    if attempt < 1 or ceiling < 1:
        raise ValueError(f"attempts count from 1: attempt {attempt}, ceiling {ceiling}")
    kind = kind_of(text, code=code, markers=markers)
    return _classifier()(kind=kind, attempt=attempt, ceiling=ceiling, default_transient=default == "transient")


def _holds(text: str, words: tuple[str, ...]) -> bool:
    lower = text.lower()
    return any(word in lower for word in words)


@cache
def _recogniser(markers: Markers) -> Compiled:
    names = ("code", "permanent_word", "transient_word")
    return compile_expr(recognised(z3.Int(names[0]), z3.Bool(names[1]), z3.Bool(names[2]), markers), names)


@cache
def _classifier() -> Compiled:
    attempt, ceiling = z3.Ints("attempt ceiling")
    expr = classify(KIND.const("kind"), attempt >= ceiling, z3.Bool("default_transient"))
    return compile_expr(expr, ("kind", "attempt", "ceiling", "default_transient"))
