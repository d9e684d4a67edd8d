"""Lemmas of a proof in words: the variables of the model by their names, those of a monitor by what they remember."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

PARTS = {
    "bad": ("the sentence is broken", "the sentence is not broken"),
    "tried": ("it was put to the test", "it was not put to the test"),
    "in": ("its scope is open", "its scope is not open"),
    "soon": ("its scope opens next", "its scope does not open next"),
    "wrong": ("it is broken once the scope closes", "nothing in the scope breaks it so far"),
    "asked": ("it counts once the scope closes", "nothing in the scope counts so far"),
    "owes": ("something is owed", "nothing is owed"),
    "seen": ("what must come has come", "what must come has not come"),
}
SIGNS = {z3.Z3_OP_LE: "<=", z3.Z3_OP_LT: "<", z3.Z3_OP_GE: ">=", z3.Z3_OP_GT: ">", z3.Z3_OP_EQ: "is"}
OPPOSITE = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "is": "is not"}


Named = Callable[[str], str | None]


def lemma_text(lemma: Any, goal: Any, named: Named) -> str:
    """A lemma in words; `named` gives what a variable of the model is called, None where it has no name of its own."""
    if lemma.eq(goal):
        return "the sentence is not broken"
    if z3.is_or(lemma):
        *given, last = _ordered(lemma.children())
        return f"if {' and '.join(_told(one, named, negated=True) for one in given)}, then {_told(last, named)}"
    return _told(lemma, named)


def _ordered(parts: Sequence[Any]) -> list[Any]:
    """What is excluded first: it reads as a condition."""
    return sorted(parts, key=lambda one: not z3.is_not(one))


def _told(expr: Any, named: Named, *, negated: bool = False) -> str:
    if z3.is_not(expr):
        return _told(expr.arg(0), named, negated=not negated)
    if z3.is_const(expr):
        return _named(expr, named)[negated]
    kind = expr.decl().kind()
    if kind not in SIGNS:
        text = " ".join(str(expr).split())
        return f"not ({text})" if negated else text
    left, right = (_term(one, named) for one in expr.children())
    sign = SIGNS[kind]
    return f"{left} {OPPOSITE[sign] if negated else sign} {right}"


def _term(expr: Any, named: Named) -> str:
    if z3.is_sub(expr) or z3.is_add(expr):
        word = " - " if z3.is_sub(expr) else " + "
        return word.join(_term(one, named) for one in expr.children())
    return _named(expr, named)[0] if z3.is_const(expr) else " ".join(str(expr).split())


def _named(expr: Any, named: Named) -> tuple[str, str]:
    text = str(expr)
    head, dot, part = text.partition(".")
    watched = dot and head[:1] in ("m", "a") and head[1:].isdigit()
    if watched and part == "since":
        return "the instant it counts from", ""
    if watched and part in PARTS:
        return PARTS[part]
    told = named(text) or text
    return told, f"not {told}"
