"""What each pattern remembers of a stretch of a run, and what is wrong at a moment of it."""

from __future__ import annotations

from typing import Any, Final

import z3

from latchcheck.kernel import Bool, IntRange, Real

from .conditions import FALSE, TRUE, Moment
from .language import Sentence

Memory = dict[str, Any]
OWING: Final = ("existence", "response")
REAL_TIME: Final = ("lasts", "ends", "recurs")


class Pattern:
    """The pattern of a sentence, without its scope.

    `owes` is remembered where something must come or is going on, `seen` where it matters what has come, `since` from
    which instant and `age` from which step a bound counts.
    """

    def __init__(self, sentence: Sentence) -> None:
        self.sentence, bound = sentence, sentence.bound
        self.owing = sentence.pattern in OWING
        self.stamped = bound is not None and bound.timed
        # Steps are counted while there are any, so a run that stops with a duty open breaks that too.
        self.counted = bound is not None and not bound.timed
        self.domains: dict[str, Any] = {}
        if self.owing or sentence.pattern in REAL_TIME:
            self.domains["owes"] = Bool()
        if sentence.pattern in ("precedence", "existence"):
            self.domains["seen"] = Bool()
        if self.stamped:
            self.domains["since"] = Real()
        if self.counted:
            assert bound is not None
            self.domains["age"] = IntRange(0, bound.value + 1)

    def begun(self, before: Memory, fresh: Any, at: Moment) -> Memory:
        """A stretch that begins forgets what was seen in the one before."""
        start = dict(before)
        for key in ("owes", "seen"):
            if key in self.domains:
                start[key] = z3.And(before[key], z3.Not(fresh))
        if self.sentence.pattern == "existence":
            start["owes"] = z3.Or(start["owes"], fresh)
        if self.stamped:
            start["since"] = z3.If(fresh, at.now, before["since"])
        if self.counted:
            start["age"] = z3.If(fresh, 0, before["age"])
        return start

    def look(self, start: Memory, at: Moment, fresh: Any) -> tuple[Any, Any, Memory]:
        """At a moment of a stretch: what is wrong, whether the sentence is put to the test, what is remembered."""
        kind, first = self.sentence.pattern, at.value(self.sentence.first)
        second = at.value(self.sentence.second)
        if kind in ("absence", "possibility"):
            return (first if kind == "absence" else FALSE), (TRUE if kind == "absence" else first), {}
        if kind in ("universality", "invariance"):
            wanted = first if kind == "universality" else z3.Implies(first, second)
            return z3.Not(wanted), TRUE if kind == "universality" else first, {}
        if kind == "precedence":
            seen = z3.Or(start["seen"], second)
            return z3.And(first, z3.Not(seen)), first, {"seen": seen}
        if kind == "existence":
            return self._existence(start, at, first, fresh)
        if kind == "response":
            return self._response(start, at, first, second)
        return self._real_time(start, at, first)

    def _existence(self, start: Memory, at: Moment, first: Any, fresh: Any) -> tuple[Any, Any, Memory]:
        seen = z3.Or(start["seen"], first)
        after: Memory = {"seen": seen, "owes": z3.And(start["owes"], z3.Not(first))}
        late = z3.And(self._late(start, at), z3.Not(fresh))
        if self.counted:
            after["age"] = z3.If(fresh, 0, self._older(start))
        if self.stamped:
            after["since"] = start["since"]
        return late, TRUE, after

    def _response(self, start: Memory, at: Moment, first: Any, second: Any) -> tuple[Any, Any, Memory]:
        after: Memory = {"owes": z3.And(z3.Or(start["owes"], first), z3.Not(second))}
        begins = z3.And(first, z3.Not(start["owes"]))
        if self.stamped:
            after["since"] = z3.If(begins, at.now, start["since"])
        if self.counted:
            after["age"] = z3.If(z3.Or(begins, z3.Not(after["owes"])), 0, self._older(start))
        return self._late(start, at), first, after

    def _real_time(self, start: Memory, at: Moment, first: Any) -> tuple[Any, Any, Memory]:
        bound = self.sentence.bound
        assert bound is not None
        held = at.now - start["since"]
        if self.sentence.pattern == "recurs":
            return held > bound.value, TRUE, {"since": z3.If(first, at.now, start["since"]), "owes": TRUE}
        rises = z3.And(first, z3.Not(start["owes"]))
        after: Memory = {"owes": first, "since": z3.If(rises, at.now, start["since"])}
        if self.sentence.pattern == "lasts":
            return z3.And(start["owes"], z3.Not(first), held < bound.value), first, after
        return z3.And(start["owes"], first, held > bound.value), first, after

    def _late(self, start: Memory, at: Moment) -> Any:
        """What is owed comes too late, whatever this moment brings."""
        bound = self.sentence.bound
        if bound is None:
            return FALSE
        if bound.timed:
            return z3.And(start["owes"], at.now - start["since"] > bound.value)
        return z3.And(start["owes"], self._older(start) > bound.value)

    def _older(self, start: Memory) -> Any:
        bound = self.sentence.bound
        assert bound is not None
        return z3.If(start["age"] > bound.value, start["age"], start["age"] + 1)
