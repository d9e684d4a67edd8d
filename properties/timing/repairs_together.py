"""Changes after which several violated properties hold together, and nothing that held is broken.

A change is found step by step: what is not met is repaired by itself, at the numbers that the steps before have led
to, and what that breaks is repaired next. Changes of few keys come before changes of many. Each that is found is then
made as small as `repairs` defines it: nothing in it can be left out, and no number in it can be a millisecond nearer
to what it is now, while the rest of it stays. At last it is verified in full, like any configuration.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heappop, heappush

import attrs

from latchcheck.kernel.doing import doing
from latchcheck.kernel.interrupts import INTERRUPTS, is_interrupt
from latchcheck.kernel.verdict import Repair
from latchcheck.model.config import Config

from .analyses import ANALYSES
from .answers import Answer
from .catalogue import CATALOGUE
from .facts import Facts
from .regions import Label, is_valid, label_at
from .repairs import by_halves, pairs_of, repairs_of
from .verifying import answer

FOUND_MAX = 5
STATES_MAX = 60
KEYS_MAX = 5
"""How many repairs are offered, how many changes are followed on the way to them, and how many keys one may have."""
HELD = ("proved", "holds", "not-applicable")


@attrs.frozen
class Together:
    """The repairs that were found, the best first; `before` and each of `after` hold the verdict of every property.

    `tried` counts the changes that were followed; `whole` says that none was left to follow.
    """

    violated: tuple[str, ...]
    before: Mapping[str, str]
    repairs: tuple[Repair, ...]
    after: tuple[Mapping[str, str], ...]
    tried: int = 0
    whole: bool = True
    interrupted: bool = False


def repair_together(
    config: Config, only: Sequence[str] | None = None, knobs: Collection[str] | None = None
) -> Together:
    """Repairs of all the properties asked for that are violated.

    With `knobs`, flat names, nothing else is changed. Where the user ends it, what was found by then is told.
    """
    before: dict[str, str] = {}
    found: list[tuple[Repair, Mapping[str, str]]] = []
    search, interrupted = None, False
    try:
        before |= _verdicts(config, "verifying")
        violated = tuple(name for name, one in before.items() if one == "violated" and (only is None or name in only))
        if violated:
            search = _Search(config, violated, before, None if knobs is None else frozenset(knobs))
            for one in search.repairs():
                found.append(one)
                if len(found) == FOUND_MAX:
                    break
    except INTERRUPTS as error:
        if not is_interrupt(error):
            raise
        interrupted = True
    asked = [name for name in before if only is None or name in only]
    found.sort(key=lambda one: _order(config, one[0].set))
    return Together(
        violated=tuple(name for name in asked if before[name] == "violated"),
        before=before,
        repairs=tuple(repair for repair, _ in found),
        after=tuple(after for _, after in found),
        tried=0 if search is None else search.tried,
        whole=search is None or search.whole,
        interrupted=interrupted,
    )


def _verdicts(config: Config, what: str) -> dict[str, str]:
    facts = Facts(config)
    with doing(what, len(CATALOGUE)) as stage:
        found = {}
        for name in CATALOGUE:
            found[name] = answer(name, facts).verdict
            stage.step()
    return found


def _order(config: Config, changes: Mapping[str, object]) -> tuple[int, float]:
    """Few keys first, then small relative changes; a mode counts as a doubling."""
    flat, total = config.flat(), 0.0
    for key, value in changes.items():
        old = flat[key]
        if isinstance(value, int) and isinstance(old, int) and not isinstance(value, bool):
            total += abs(value - old) / max(old, 1)
        else:
            total += 1.0
    return len(changes), total


@attrs.define
class _Search:
    """The search for changes that mend all of `wanted`."""

    config: Config
    wanted: tuple[str, ...]
    before: Mapping[str, str]
    knobs: frozenset[str] | None
    tried: int = 0
    whole: bool = True
    _labels: dict[str, Label] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self._labels = {name: label_at(name, self.config) for name in ANALYSES}

    def unmet(self, changes: Mapping[str, object]) -> Iterator[str]:
        """What is wanted and does not hold after the changes, or is broken by them.

        The name is empty for numbers that contradict each other.
        """
        config = self.config.replace(changes)
        if not is_valid(config):
            yield ""
            return
        facts = Facts(config)
        for name in self.wanted:
            outcome = ANALYSES[name](facts) if label_at(name, config) == "safe" else None
            if not isinstance(outcome, Answer):
                yield name
        for name, was in self._labels.items():
            if name in self.wanted or was in ("unsafe", "undecided"):
                continue
            label = label_at(name, config)
            if label in ("unsafe", "undecided") or (label == "vacuous" and was == "safe"):
                yield name

    def fits(self, changes: Mapping[str, object]) -> bool:
        """Whether the changes are a repair, as far as the conditions say."""
        return next(self.unmet(changes), None) is None

    def repairs(self) -> Iterator[tuple[Repair, Mapping[str, str]]]:
        """Each repair with the verdicts after it."""
        queue: list[tuple[tuple[int, float], int, dict[str, object]]] = [((0, 0.0), 0, {})]
        seen: set[frozenset[tuple[str, object]]] = {frozenset()}
        told: list[dict[str, object]] = []
        with doing("repairing", unit="changes", done=lambda: self.tried):
            while queue:
                if self.tried == STATES_MAX:
                    self.whole = False
                    return
                *_, changes = heappop(queue)
                if any(one.items() <= changes.items() for one in told):
                    continue
                self.tried += 1
                missing = next(self.unmet(changes), None)
                if missing is None:
                    least = self._least(changes)
                    after = None if least in told else self._verified(least)
                    if after is not None:
                        told.append(least)
                        yield self._repair(least), after
                    continue
                if not missing or len(changes) >= KEYS_MAX:
                    self.whole = self.whole and not missing
                    continue
                for more in self._moves(missing, changes):
                    key = frozenset(more.items())
                    if key not in seen:
                        seen.add(key)
                        heappush(queue, (_order(self.config, more), len(seen), more))

    def _moves(self, name: str, changes: dict[str, object]) -> Iterator[dict[str, object]]:
        """The changes with what mends one property more, each key moved only further from what it is now."""
        config = self.config.replace(changes)
        outcome = ANALYSES[name](Facts(config))
        margin = outcome.margin_ms if isinstance(outcome, Answer) else None
        now = self.config.flat()
        alone = repairs_of(name, config, (), margin, self.knobs)
        for repair in alone or pairs_of(name, config, self.knobs):
            more = {**changes, **repair.set}
            if all(more[key] != now[key] and _onward(now[key], changes[key], more[key]) for key in changes):
                yield more

    def _least(self, changes: dict[str, object]) -> dict[str, object]:
        """The changes without what they can do without, each number as near to what it is now as the others allow."""
        now = self.config.flat()
        while True:
            least = dict(changes)
            for key, value in changes.items():
                rest = {name: other for name, other in least.items() if name != key}
                if rest and self.fits(rest):
                    least = rest
                    continue
                old = now[key]
                if isinstance(value, bool) or not isinstance(value, int) or not isinstance(old, int):
                    continue
                sign = 1 if value > old else -1
                steps = by_halves(
                    lambda distance, key=key, rest=rest, old=old, sign=sign: self.fits(
                        {**rest, key: old + sign * distance}
                    ),
                    abs(value - old),
                )
                least = {**least, key: old + sign * steps}
            if least == changes:
                return least
            changes = least

    def _verified(self, changes: dict[str, object]) -> Mapping[str, str] | None:
        """The verdicts after the changes; None where these say otherwise than the conditions did."""
        after = _verdicts(self.config.replace(changes), "verifying the repair")
        mended = all(after[name] == "proved" for name in self.wanted)
        kept = all(after[name] in HELD for name, was in self.before.items() if was in HELD)
        no_worse = all(was == "violated" or after[name] != "violated" for name, was in self.before.items())
        return after if mended and kept and no_worse else None

    def _repair(self, changes: dict[str, object]) -> Repair:
        flat, total = self.config.flat(), 0
        for key, value in changes.items():
            old = flat[key]
            if isinstance(value, bool) or not isinstance(value, int) or not isinstance(old, int):
                return Repair(changes, verified=True)
            total += abs(value - old)
        return Repair(changes, verified=True, cost_ms=total)


def _onward(now: object, before: object, after: object) -> bool:
    """Whether a key is not moved back towards what it is now."""
    if before == after:
        return True
    if isinstance(now, int) and isinstance(before, int) and isinstance(after, int):
        return (after > before) == (before > now)
    return False
