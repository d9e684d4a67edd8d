"""One question to the solver z3, and its answer: whether assumptions imply a goal, or can hold together at all.

Proofs are made of such questions, and theorems of proofs.

Each is decided alone, in a fresh solver with a budget counted in the solver's own steps (rlimit), so that an answer
does not depend on the machine's speed.
Nor does it on what was asked before: terms are numbered as they are made, and the solver's path depends on the numbers,
so what runs out of its budget is asked once more among terms of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

import attrs
import z3

from latchcheck.kernel import FrozenMap
from latchcheck.kernel.doing import doing

RLIMIT = 5_000_000
"""Default budget of one obligation; the hardest step of the proofs about the lifecycle takes a tenth of it."""

Answer = Literal["proved", "refuted", "unknown"]


def z3_version() -> str:
    """The version of the solver in use: answers are deterministic for one version, and may move between two."""
    return z3.get_version_string()


@attrs.frozen
class Obligation:
    """One formula that was to be shown valid, and the solver's answer.

    `refuted` says that it is not valid; `model` then holds values for which it is false.
    For an induction step that is a state and a step, perhaps an unreachable one: it says that the invariant is
    not inductive, never that the system is wrong.
    `unknown` says that the budget ran out, or why else the solver gave up (`reason`).
    `rlimit` is what the answer took, in the solver's own steps.
    """

    name: str
    answer: Answer
    rlimit: int
    model: FrozenMap[str] | None = None
    reason: str | None = None

    @property
    def proved(self) -> bool:
        """Whether the formula is valid."""
        return self.answer == "proved"

    def __str__(self) -> str:
        if self.model is not None:
            values = ", ".join(f"{name} = {value}" for name, value in self.model.items())
            return f"{self.name}: {self.answer}" + (f" [{values}]" if values else "")
        return f"{self.name}: {self.answer}" + (f" ({self.reason})" if self.reason else "")


@attrs.frozen
class Proof:
    """All obligations of one statement; it is proved when each of them is."""

    statement: str
    obligations: tuple[Obligation, ...] = attrs.field(converter=tuple)
    solver: str = attrs.field(factory=lambda: f"z3 {z3_version()}")

    @property
    def proved(self) -> bool:
        """Whether every obligation is; a proof without obligations shows nothing."""
        return bool(self.obligations) and all(one.proved for one in self.obligations)

    @property
    def failed(self) -> tuple[Obligation, ...]:
        """The obligations that are not proved."""
        return tuple(one for one in self.obligations if not one.proved)

    @property
    def rlimit(self) -> int:
        """What the whole proof took, in the solver's own steps."""
        return sum(one.rlimit for one in self.obligations)

    def __str__(self) -> str:
        word = "proved" if self.proved else "not proved"
        head = f"{self.statement}: {word}, {len(self.obligations)} obligations, {self.solver}, rlimit {self.rlimit}"
        return "\n".join([head, *(f"  {one}" for one in self.failed)])


@attrs.frozen
class Theorem:
    """One statement about a property: `says` in a sentence, `prove` runs its proofs one after the other."""

    id: str
    property: str
    says: str
    prove: Callable[[], Iterator[Proof]]


def spent(solver: z3.Solver) -> int:
    """What the solver's whole context has spent so far, in its own steps: what one answer took is a difference."""
    for name, value in solver.statistics():
        if name == "rlimit count":
            return int(value)
    return 0


def decided(solver: z3.Solver | z3.Optimize) -> z3.CheckSatResult:
    """What the solver answers.

    The solver takes an interrupt for itself, answers that it does not know, and the program would go on: here it is an
    interrupt again. Raises KeyboardInterrupt.
    """
    answer = solver.check()
    if answer == z3.unknown and "interrupt" in solver.reason_unknown():
        raise KeyboardInterrupt
    return answer


def prove(name: str, assuming: Iterable[Any], goal: Any, *, rlimit: int = RLIMIT) -> Obligation:
    """Whether the assumptions imply the goal, for all values of everything in them."""
    result, took, solver = _asked(name, [*assuming, z3.Not(goal)], rlimit)
    if result == z3.unsat:
        return Obligation(name, "proved", took)
    if result == z3.sat:
        return Obligation(name, "refuted", took, _values(solver.model()))
    return Obligation(name, "unknown", took, reason=solver.reason_unknown())


def possible(name: str, assuming: Iterable[Any], *, rlimit: int = RLIMIT) -> Obligation:
    """Whether the assumptions can hold together: from assumptions that cannot, everything follows."""
    result, took, solver = _asked(name, [*assuming], rlimit)
    if result == z3.sat:
        return Obligation(name, "proved", took)
    if result == z3.unsat:
        return Obligation(name, "refuted", took, reason="the assumptions contradict each other")
    return Obligation(name, "unknown", took, reason=solver.reason_unknown())


def _asked(name: str, conditions: list[Any], rlimit: int) -> tuple[z3.CheckSatResult, int, z3.Solver]:
    """The answer, what it took, and the solver that gave it: among the terms of this process, then among its own."""
    total = 0
    for context in (z3.main_ctx(), None):
        own = context or z3.Context()
        solver = z3.Solver(ctx=own)
        solver.set("rlimit", rlimit)
        before = spent(solver)
        solver.add(*(one if context else one.translate(own) for one in conditions))
        with doing(name):
            result = decided(solver)
        total += spent(solver) - before
        if result != z3.unknown:
            break
    return result, total, solver


def _values(model: z3.ModelRef) -> FrozenMap[str]:
    found = {declared.name(): str(model[declared]) for declared in model.decls() if declared.arity() == 0}
    return FrozenMap(dict(sorted(found.items())))
