"""A checked file beside the sentences of other files: what already asks for its readings, and what contradicts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from latchcheck.kernel.doing import each

from .by_wording import implied_by_wording
from .checking import Checked
from .faults import WordingError
from .files import Reading
from .judging import contradict, judge
from .relations import words_of
from .separating import separate, watch
from .words import Model


@attrs.frozen(eq=False)
class Other:
    """A reading of another file, and what it is called beside the readings of this one."""

    file: str
    name: str
    reading: Reading


@attrs.frozen(eq=False)
class Beside:
    """How far the comparison with other files came.

    `met` were compared with every reading of the file, `unmet` were not reached within `seconds`; `left_out` are files
    with the reason why nothing of them can be compared.
    `places` are the folders and files that were looked into.
    """

    places: tuple[str, ...] = ()
    met: tuple[Other, ...] = ()
    unmet: tuple[Other, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    seconds: float = 0


@attrs.define(eq=False)
class Meeting:
    """The readings of a file meeting others, those first that share most words with them; it can be left at any time.

    All are judged in the model of the file: its scope, its policy, its numbers.
    """

    model: Model
    checked: Sequence[Checked]
    others: Sequence[Other]
    met: list[Other] = attrs.field(factory=list)
    refused: dict[str, str] = attrs.field(factory=dict)
    implied: dict[tuple[str, str], None] = attrs.field(factory=dict)
    against: dict[tuple[str, str], None] = attrs.field(factory=dict)

    def run(self, more: Callable[[], bool]) -> None:
        """Compare with one reading after the other while there is `more` time."""
        mine = set(words_of([one.reading for one in self.checked]))
        nearest = sorted(self.others, key=lambda one: -len(mine & set(words_of([one.reading]))))
        for other in each("comparing with", nearest, named=lambda one: one.name):
            if not more():
                return
            try:
                for one in self.checked:
                    self._meet(one, other)
            except WordingError as error:
                self.refused[other.file] = str(error).splitlines()[0]
                continue
            self.met.append(other)

    @property
    def unmet(self) -> list[Other]:
        """What was not reached."""
        done = {id(one) for one in self.met}
        return [one for one in self.others if id(one) not in done and one.file not in self.refused]

    def told(self) -> tuple[Checked, ...]:
        """The readings of the file with what the others make of them."""
        return tuple(
            attrs.evolve(
                one,
                implied_by=(*one.implied_by, *self._of(self.implied, one)),
                contradicts=(*one.contradicts, *self._of(self.against, one)),
            )
            for one in self.checked
        )

    @staticmethod
    def _of(pairs: dict[tuple[str, str], None], one: Checked) -> list[str]:
        return [other for mine, other in pairs if mine == one.reading.name]

    def _meet(self, one: Checked, other: Other) -> None:
        words = words_of([one.reading, other.reading])
        pair = one.reading.name, other.name
        if self._excludes(one, other, words):
            self.against[pair] = None
        if self._is_implied(one, other, words):
            self.implied[pair] = None

    def _excludes(self, one: Checked, other: Other, words: Sequence[str]) -> bool:
        """Whether no run puts both to the test and obeys both; a freedom, where a model has somebody who uses it."""
        for name in (self.model.base, *(name for name, _ in one.caught)):
            world = self.model.world(name, words)
            if world is None:
                continue
            allows = [r for r in (one.reading, other.reading) if r.sentence.pattern == "possibility"]
            if all(judge(world, freedom).verdict == "holds" for freedom in allows):
                return contradict(world, one.reading, other.reading)
        return False

    def _is_implied(self, one: Checked, other: Other, words: Sequence[str]) -> bool:
        """Whether the other forbids already what this one forbids: by its wording, or wherever a fault breaks it."""
        free = "possibility" in (one.reading.sentence.pattern, other.reading.sentence.pattern)
        base = self.model.world(self.model.base, words)
        if free or base is None or one.judged.verdict in ("violated", "vacuous"):
            return False
        if implied_by_wording(base, other.reading, one.reading)[0]:
            return True
        breaking = [self.model.world(name, words) for name, _ in one.caught]
        worlds = [world for world in breaking if world is not None]
        return bool(worlds) and all(
            separate(watch(world, [one.reading, other.reading]), 1, 0) == (None, True) for world in worlds
        )
