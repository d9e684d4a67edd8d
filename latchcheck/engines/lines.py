"""Python source written line by line, from the outside in: what all writers of generated searches have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from latchcheck.kernel import ModelError


class Lines:
    """The lines of one function, and the level at which the next one stands."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.level = 0

    @property
    def indent(self) -> str:
        """What the next line begins with."""
        return "    " * self.level

    def line(self, text: str) -> None:
        """One line at the present level; one that ends in a colon opens the next level."""
        self.lines.append(self.indent + text)
        if text.endswith(":"):
            self.level += 1

    def where(self, conditions: Iterable[Callable[[], str]]) -> None:
        """Open a block in which all conditions hold; each is asked for its source, and may write lines before it.

        What a later condition needs is computed only where the earlier ones hold.
        """
        pending: list[str] = []
        for condition in conditions:
            start = len(self.lines)
            source = condition()
            needed = self.lines[start:]
            if needed and pending:
                del self.lines[start:]
                self.line(f"if {' and '.join(pending)}:")
                self.lines += ["    " + line for line in needed]
                pending = []
            pending.append(source)
        if pending:
            self.line(f"if {' and '.join(pending)}:")


def unbounded(action: str, choice: str) -> ModelError:
    """The error of a dense choice that nothing bounds, so that no loop can be written over its values."""
    return ModelError(
        f"action {action!r} picks {choice!r} from all numbers; "
        "give the Choice lower and upper, or the search bounds for it"
    )
