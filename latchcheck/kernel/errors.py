"""Errors of the kernel: a model that is not well formed, an expression nobody can run, a step that is none."""

from __future__ import annotations

from collections.abc import Mapping


class ModelError(Exception):
    """The model itself is wrong: a name, a sort or a range does not fit.

    The message names it and says what to write.
    """


class UnsupportedExpression(ModelError):
    """A z3 operator has no translation to Python; `operator` is its name as z3 prints it."""

    def __init__(self, operator: str, text: str) -> None:
        self.operator = operator
        self.text = text
        super().__init__(
            f"operator {operator!r} has no translation to Python, in {text}; "
            "write it with And, Or, Not, Implies, If, comparisons and linear arithmetic"
        )


class NotAStep(Exception):
    """A step that the system does not allow, with the first condition that is false and the values it read.

    `index` counts steps from 0; -1 is the initial state.
    `clause` is the label of the false clause, or None where the step is refused before any clause is asked
    (an unknown action, a value outside its domain, time that runs backwards).
    """

    def __init__(
        self,
        index: int,
        action: str,
        clause: str | None,
        reads: Mapping[str, object],
        reason: str,
    ) -> None:
        self.index = index
        self.action = action
        self.clause = clause
        self.reads = dict(reads)
        self.reason = reason
        where = "the initial state" if index < 0 else f"step {index} ({action})"
        values = ", ".join(f"{name} = {show(value)}" for name, value in self.reads.items())
        super().__init__(f"{where}: {reason}" + (f" [{values}]" if values else ""))


def show(value: object) -> str:
    """A value as people write it: `1/3` for a fraction, text without quotes."""
    return value if isinstance(value, str) else str(value)
