"""What the explorer shows, as plain lines: the same for the interactive form, for a pipe and for tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from attrs import define, field, frozen

from latchcheck.engines.walking import Obstacle, Offer, Walk
from latchcheck.kernel import Step, System
from latchcheck.kernel.errors import show
from latchcheck.kernel.telling import PLAIN, Telling
from latchcheck.kernel.trace import Trace
from latchcheck.report.layout import printable
from latchcheck.report.timeline import every_row
from latchcheck.report.values import value_text

SAME, LEFT, RIGHT = " ", "-", "+"


@frozen
class Line:
    """One line of a pane: `changed` where the last step made it so, `marked` where the harm happens."""

    text: str
    changed: bool = False
    marked: bool = False


@define
class Board:
    """A run, how far it is walked, and the branch that somebody tries instead of the rest of it.

    `at` counts the steps that are taken, 0 before the first.
    """

    system: System
    steps: tuple[Step, ...]
    telling: Telling = PLAIN
    at: int = 0
    branch: list[Step] = field(factory=list)
    branched_at: int | None = None

    @property
    def walked(self) -> tuple[Step, ...]:
        """The steps taken so far: of the run, and then of the branch."""
        if self.branched_at is None:
            return self.steps[: self.at]
        return (*self.steps[: self.branched_at], *self.branch)[: self.at]

    @property
    def all_steps(self) -> tuple[Step, ...]:
        """Every step that can be gone to, of the run or of the branch."""
        if self.branched_at is None:
            return self.steps
        return (*self.steps[: self.branched_at], *self.branch)

    def walk(self) -> Walk:
        """The walk so far, executed."""
        return Walk(self.system, self.walked)

    def go(self, at: int) -> None:
        """Go to after so many steps, as near as there are steps."""
        self.at = min(max(at, 0), len(self.all_steps))

    def take(self, offer: Offer) -> None:
        """Take a step that is offered: it begins a branch, or lengthens or cuts the one there is."""
        walked = self.walked
        if self.branched_at is None:
            self.branched_at, self.branch = self.at, []
        self.branch = [*walked[self.branched_at :], offer.step] if self.at >= self.branched_at else [offer.step]
        self.branched_at = min(self.branched_at, self.at)
        self.at = len(walked) + 1

    def drop_branch(self) -> None:
        """Back to the run, where the branch left it."""
        if self.branched_at is not None:
            self.at, self.branch, self.branched_at = self.branched_at, [], None

    def step_lines(self) -> list[Line]:
        """Each step of the run, or of the branch, in words."""
        rows = every_row(Trace(self.system.name, self.all_steps), self.telling)
        lines: list[Line] = []
        for count, row in enumerate(rows, 1):
            mark = "+" if self.branched_at is not None and count > self.branched_at else " "
            words = "  ".join(part for part in (row.time, row.party, row.event) if part)
            lines.append(Line(printable(f"{count:>3}{mark}{words}"), marked=row.marked))
        return lines

    def state_lines(self) -> list[Line]:
        """Each variable with its value, those that the last step changed with the value before."""
        walk = self.walk()
        changed = dict(walk.steps[-1].changed) if walk.steps else {}
        lines = []
        for name, value in walk.state.items():
            before = f"{value_text(name, changed[name][0])} -> " if name in changed else ""
            lines.append(Line(printable(f"{name}: {before}{value_text(name, value)}"), changed=name in changed))
        return sorted(lines, key=lambda line: not line.changed)

    def offers(self) -> tuple[Offer, ...]:
        """What can happen now."""
        return self.walk().offers()

    def obstacles(self) -> tuple[Obstacle, ...]:
        """What cannot happen now, and why."""
        return self.walk().obstacles()


def offer_line(offer: Offer) -> str:
    """A step that is offered, with what it would change."""
    step = offer.step
    args = ", ".join(f"{name}={value_text(name, value)}" for name, value in step.args.items())
    pairs = ((name, value_text(name, old), value_text(name, new)) for name, (old, new) in step.changed.items())
    changed = ", ".join(f"{name}: {old} -> {new}" for name, old, new in pairs)
    when = "" if step.at_ms is None else f"at {show(step.at_ms)} ms "
    return printable(f"{when}{step.party}  {step.action}({args})  {changed or 'nothing changes'}")


def obstacle_line(obstacle: Obstacle) -> str:
    """What is in the way of an action, with the values that it reads."""
    reads = ", ".join(f"{name} = {value_text(name, value)}" for name, value in obstacle.reads.items())
    return printable(f"{obstacle.party}  {obstacle.action}: not ({obstacle.label})" + (f", {reads}" if reads else ""))


def difference(left: Sequence[Step], right: Sequence[Step]) -> list[str]:
    """Two runs side by side as a difference: what both do, what only the first does, what only the second does."""
    ours, theirs = list(map(_plainly, left)), list(map(_plainly, right))
    lines: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += _prefixed(SAME, ours[a:b])
        else:
            lines += [*_prefixed(LEFT, ours[a:b]), *_prefixed(RIGHT, theirs[c:d])]
    return lines


def from_difference(lines: Sequence[str]) -> list[str]:
    """The difference from its first line that is not in both runs, with a word on what comes before."""
    alike = next((count for count, line in enumerate(lines) if line[:1] != SAME), len(lines))
    return [f"{SAME} (the first {alike} {'step is' if alike == 1 else 'steps are'} alike)", *lines[alike:]]


def _prefixed(mark: str, texts: Iterable[str]) -> list[str]:
    return [f"{mark} {text}" for text in texts]


def _plainly(step: Step) -> str:
    args = ", ".join(f"{name}={value_text(name, value)}" for name, value in step.args.items())
    when = "" if step.at_ms is None else f"{show(step.at_ms)} ms  "
    return printable(f"{when}{step.party}  {step.action}({args})")
