"""Single steps of a packed system, and runs put together from them and executed by the plain stepper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd
from typing import Any

from latchcheck.kernel import Bool, Enum, ModelError, Real, Trace, Value, record
from latchcheck.kernel.compiling import define

from .packed_actions import Blocks
from .packed_source import Plan, Steps
from .symmetry import Image

# A step: the position of the action, its choices as numbers, the state after it.
Move = tuple[int, tuple[int, ...], int]

# How many states are swapped to see whether a declared symmetry is one.
SAMPLE = 400


class Runs:
    """The steps of a plan; the source is written when first used."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._steps: Callable[[int], Iterator[Move]] | None = None
        self._canonical: Callable[[int], int] | None = None

    def steps(self, state: int) -> Iterator[Move]:
        """Every step from a state, in the order of the search."""
        if self._steps is None:
            source = Steps(self.plan).source()
            self._steps = define("steps", source.lines, source.constants)
        return self._steps(state)

    def canonical(self, state: int) -> int:
        """The representative of a state."""
        if self.plan.canonical is None:
            return state
        if self._canonical is None:
            blocks = Blocks(self.plan.system, self.plan.layout, split=False)
            self.plan.canonical(blocks)
            self._canonical = define("canonical", blocks.lines, blocks.constants)
        return self._canonical(state)

    def along(self, start: int, path: Iterable[int]) -> list[Move]:
        """The steps of a run from a real state whose representatives are those of the path."""
        run: list[Move] = []
        for wanted in path:
            move = next(move for move in self.steps(start) if self.canonical(move[2]) == wanted)
            run.append(move)
            start = move[2]
        return run

    def args(self, code: int, picked: Sequence[int]) -> Mapping[str, Value]:
        """The choices of an action as the kernel keeps them."""
        found: dict[str, Value] = {}
        for choice, number in zip(self.plan.system.actions[code].choices, picked, strict=True):
            domain = choice.domain
            if isinstance(domain, Enum):
                found[choice.name] = domain.values[number]
            elif isinstance(domain, Bool):
                found[choice.name] = bool(number)
            else:
                found[choice.name] = (
                    Fraction(number, self.plan.layout.grid.parts) if isinstance(domain, Real) else number
                )
        return found

    def trace(self, start: int, moves: Iterable[Move]) -> Trace:
        """The run from the initial state, executed by the plain stepper; time passing shows only in the instants."""
        system, planned, state = self.plan.system, [], start
        for code, picked, after in moves:
            if code < len(system.actions):
                planned.append((self._instant(state), system.actions[code].name, self.args(code, picked)))
            state = after
        return record(system, planned)

    def _instant(self, state: int) -> Fraction | None:
        """The instant of a state, None without a clock."""
        if self.plan.system.clock is None:
            return None
        field = self.plan.layout.fields[self.plan.system.clock]
        return Fraction((state >> field.offset & field.mask) + field.lo, field.parts)

    def check_symmetry(self, swaps: Sequence[Image], state_at: Callable[[int], int], count: int) -> None:
        """ModelError where a swapped state has other steps than the state itself, swapped.

        All states with all `swaps` if they are few, else a sample spread over them.
        """
        layout = self.plan.layout
        names = tuple(layout.fields)
        judge = judgements(self.plan)

        def swapped(swap: Image, state: int) -> int:
            return layout.pack(swap.apply(names, layout.unpack(state)))

        pairs = count * len(swaps)
        step = max(1, pairs // SAMPLE)
        while gcd(step, len(swaps)) > 1:
            step += 1  # so that every swap gets its turn
        for pair in range(0, pairs, step):
            state, swap = state_at(pair // len(swaps)), swaps[pair % len(swaps)]
            image = swapped(swap, state)
            if {swapped(swap, move[2]) for move in self.steps(state)} != {move[2] for move in self.steps(image)}:
                raise ModelError(
                    f"system {self.plan.system.name!r} is not symmetric: in {self._words(state)} the members that "
                    f"swap {self._swap(swap)} do not act alike"
                )
            for asked, before, now in zip(self.plan.properties, judge(state), judge(image), strict=True):
                if before != now:
                    raise ModelError(f"property {asked.id!r} does not treat members that swap {self._swap(swap)} alike")

    def _words(self, state: int) -> str:
        return ", ".join(
            f"{n}={v}" for n, v in zip(self.plan.layout.fields, self.plan.layout.unpack(state), strict=True)
        )

    def _swap(self, swap: Image) -> str:
        pairs = [f"{old} and {new}" for old, new in swap.goes.items()]
        pairs += [f"the values {', '.join(map(str, becomes))} of {name}" for name, becomes in swap.becomes.items()]
        return ", ".join(pairs)


def judgements(plan: Plan) -> Callable[[int], tuple[Any, ...]]:
    """What each property reads of a state: whether its antecedent holds, and each clause."""
    blocks = Blocks(plan.system, plan.layout, split=False)
    blocks.line("def judge(s0):")
    exprs = [
        [*(() if asked.antecedent is None else (asked.antecedent,)), *(clause.expr for clause in asked.clauses)]
        for asked in plan.properties
    ]
    scope = blocks.unpack({name for group in exprs for expr in group for name in blocks.reads(expr)})
    sources = [f"({''.join(source + ', ' for source in blocks.values(scope, group))})" for group in exprs]
    blocks.line(f"return ({''.join(source + ', ' for source in sources)})")
    return define("judge", blocks.lines, blocks.constants)
