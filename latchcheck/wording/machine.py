"""What a monitor remembers and how one moment changes it: the scope of a sentence, around its pattern.

Written once, for the start of a run and for every action.
"""

from __future__ import annotations

from typing import Any

import z3

from latchcheck.kernel import Bool, IntRange, Real

from .conditions import FALSE, TRUE, Moment
from .language import Sentence
from .patterns import Memory, Pattern


class Machine:
    """One sentence: `bad` once it is broken, `tried` once it was put to the test, `in` while its scope is open.

    `soon` says that the scope opens at the next moment; `wrong` and `asked` become `bad` and `tried` where only a scope
    that is closed counts.
    """

    def __init__(self, sentence: Sentence) -> None:
        self.scope, self.pattern = sentence.scope, Pattern(sentence)
        kind = sentence.scope.kind
        self.closing = kind in ("before", "between", "from-until", "after-until")
        # Before R and between Q and R only what R closes counts.
        self.deferred = kind in ("before", "between")
        self.live = self.pattern.owing and not self.pattern.stamped and not self.deferred
        names = ["tried", "bad"]
        names += ["in"] if kind != "globally" else []
        names += ["soon"] if kind in ("after", "after-until") else []
        names += ["wrong", "asked"] if self.deferred else []
        self.domains: dict[str, Any] = {**{name: Bool() for name in names}, **self.pattern.domains}

    def blank(self) -> Memory:
        """Nothing has been seen."""
        blank = {
            key: domain.literal(0 if isinstance(domain, Real | IntRange) else False)
            for key, domain in self.domains.items()
        }
        if self.scope.kind == "before":
            blank["in"] = TRUE
        return blank

    def advance(self, before: Memory, at: Moment, *, first: bool = False) -> Memory:
        """What is remembered after a moment."""
        closes = at.value(self.scope.closes) if self.closing else FALSE
        after, inside, fresh = self._opened(before, at, closes, first=first)
        start = self.pattern.begun(before, fresh, at)
        wrong, tried, inner = self.pattern.look(start, at, fresh)
        for key, value in inner.items():
            after[key] = z3.If(inside, value, before[key])
        closing = z3.And(before["in"], closes) if self.closing else FALSE
        unmet = before["owes"] if self.pattern.owing and self.closing else FALSE
        if self.deferred:
            earlier = {key: z3.And(before[key], z3.Not(fresh)) for key in ("wrong", "asked")}
            after["wrong"] = z3.If(inside, z3.Or(earlier["wrong"], wrong), before["wrong"])
            after["asked"] = z3.If(inside, z3.Or(earlier["asked"], tried), before["asked"])
            after["bad"] = z3.Or(before["bad"], z3.And(closing, z3.Or(before["wrong"], unmet)))
            after["tried"] = z3.Or(before["tried"], z3.And(closing, before["asked"]))
        else:
            after["bad"] = z3.Or(before["bad"], z3.And(inside, wrong), z3.And(closing, unmet))
            after["tried"] = z3.Or(before["tried"], z3.And(inside, tried))
            if self.pattern.owing and self.closing:
                after["owes"] = z3.And(after["owes"], z3.Not(closing))
        return after

    def _opened(self, before: Memory, at: Moment, closes: Any, *, first: bool) -> tuple[Memory, Any, Any]:
        """What is remembered of the scope, whether the moment lies in it, and whether a stretch begins with it."""
        kind, after = self.scope.kind, dict(before)
        if kind == "globally":
            return after, TRUE, TRUE if first else FALSE
        was_in = before["in"]
        if kind == "before":
            after["in"] = z3.And(was_in, z3.Not(closes))
            return after, after["in"], after["in"] if first else FALSE
        opens = at.value(self.scope.opens)
        begins = before.get("soon", opens)
        after["in"] = z3.And(z3.Or(was_in, begins), z3.Not(closes))
        if "soon" in before:
            # A moment that closes one stretch may open the next.
            after["soon"] = z3.And(z3.Not(after["in"]), opens)
        return after, after["in"], z3.And(z3.Not(was_in), begins, z3.Not(closes))

    def still_owed(self, memory: Memory) -> Any:
        """A duty without an instant by which it must be met, and that is open now."""
        return z3.And(memory.get("in", TRUE), memory["owes"]) if self.live else FALSE
