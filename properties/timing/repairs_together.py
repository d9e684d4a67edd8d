"""Changes after which several violated properties hold together, and nothing that held is broken.

A change is found step by step: what is not met is repaired by itself, at the numbers that the steps before have led
to, and what that breaks is repaired next. Changes of few keys come before changes of many. Each that is found is then
made as small as `repairs` defines it: nothing in it can be left out, and no number in it can be a millisecond nearer
to what it is now, while the rest of it stays. At last it is verified in full, like any configuration.

Where that leads nowhere the search comes from the other side: from configurations in which everything is as generous
as the world allows, back towards what is now. Where none of those will do it is told what stood in the way.
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
from .obstacles import Obstacle, obstacle
from .regions import Label, is_valid, label_at
from .repairs import by_halves, pairs_of, repairs_of
from .safe_side import starts
from .verifying import answer

FOUND_MAX = 5
STATES_MAX = 60
KEYS_MAX = 5
"""How many repairs are offered, how many changes are followed on the way to them, and how many keys one may have."""
CLIMBS_MAX = 3
CLIMB_MAX = 4
"""From how many generous configurations the search goes on, and for how many steps, where none of them will do."""
HELD = ("proved", "holds", "not-applicable")


@attrs.frozen
class Together:
    """The repairs that were found, the best first; `before` and each of `after` hold the verdict of every property.

    `tried` counts the changes that were followed; `whole` says that none was left to follow. `obstacle` is what stood
    in the way where no repair was found, as far as that can be said.
    """

    violated: tuple[str, ...]
    before: Mapping[str, str]
    repairs: tuple[Repair, ...]
    after: tuple[Mapping[str, str], ...]
    tried: int = 0
    whole: bool = True
    interrupted: bool = False
    obstacle: Obstacle | None = None


def repair_together(
    config: Config, only: Sequence[str] | None = None, knobs: Collection[str] | None = None
) -> Together:
    """Repairs of all the properties asked for that are violated.

    With `knobs`, flat names, nothing else is changed. Where the user ends it, what was found by then is told.
    """
    before: dict[str, str] = {}
    found: list[tuple[Repair, Mapping[str, str]]] = []
    search, blocked, interrupted = None, None, False
    try:
        before |= _verdicts(config, "verifying")
        violated = tuple(name for name, one in before.items() if one == "violated" and (only is None or name in only))
        if violated:
            search = _Search(config, violated, before, None if knobs is None else frozenset(knobs))
            for one in search.repairs():
                found.append(one)
                if len(found) == FOUND_MAX:
                    break
            found.extend(() if found else search.from_safe_side())
            blocked = None if found else obstacle(config, violated, search.unmet_there, search.knobs)
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
        obstacle=blocked,
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
    unmet_there: list[tuple[dict[str, object], frozenset[str]]] = attrs.field(factory=list)
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

    # -- from the safe side -----------------------------------------------------------------------------------

    def from_safe_side(self) -> Iterator[tuple[Repair, Mapping[str, str]]]:
        """Repairs that are generous configurations taken back, by leaving out early keys first, or late ones."""
        told: list[dict[str, object]] = []
        with doing("repairing from the safe side", unit="changes", done=lambda: self.tried):
            for changes in self._generous():
                for keys in (list(changes), list(reversed(changes))):
                    least = self._least(self._fewest({key: changes[key] for key in keys}))
                    after = None if least in told else self._verified(least)
                    if after is not None:
                        told.append(least)
                        yield self._repair(least), after
                if told:
                    return

    def _generous(self) -> Iterator[dict[str, object]]:
        """Generous changes that are a repair, then those to which a few more steps lead; notes what is unmet there."""
        may = (lambda _: True) if self.knobs is None else self.knobs.__contains__
        for changes in starts(self.config, may):
            self.tried += 1
            missing = frozenset(self.unmet(changes))
            if not missing:
                yield changes
            elif "" not in missing:
                self.unmet_there.append((changes, missing))
        nearest = sorted(self.unmet_there, key=lambda one: len(one[1]))[:CLIMBS_MAX]
        for changes, missing in nearest:
            found = self._climbed(changes, missing)
            if found is not None:
                yield found

    def _climbed(self, changes: dict[str, object], missing: frozenset[str]) -> dict[str, object] | None:
        """The changes, mended property by property for as long as fewer are unmet after each step."""
        for _ in range(CLIMB_MAX):
            name = min(missing)
            better = None
            for more in self._moves(name, changes, onward=False):
                self.tried += 1
                then = frozenset(self.unmet(more))
                if "" not in then and len(then) < len(missing):
                    better = (more, then)
                    break
            if better is None:
                return None
            changes, missing = better
            if not missing:
                return changes
            self.unmet_there.append(better)
        return None

    def _fewest(self, changes: dict[str, object]) -> dict[str, object]:
        """The changes without what they can do without, half of the keys at a time, then a quarter, down to one."""
        size = max(1, len(changes) // 2)
        while True:
            for start in range(0, len(changes), size):
                left_out = list(changes)[start : start + size]
                rest = {key: value for key, value in changes.items() if key not in left_out}
                if rest and self.fits(rest):
                    changes = rest
                    break
            else:
                if size == 1:
                    return changes
                size //= 2

    # -- both -------------------------------------------------------------------------------------------------

    def _moves(self, name: str, changes: dict[str, object], *, onward: bool = True) -> Iterator[dict[str, object]]:
        """The changes with what mends one property more, if `onward` each key only further from what it is now."""
        config = self.config.replace(changes)
        outcome = ANALYSES[name](Facts(config))
        margin = outcome.margin_ms if isinstance(outcome, Answer) else None
        now = self.config.flat()
        alone = repairs_of(name, config, (), margin, self.knobs)
        for repair in alone or pairs_of(name, config, self.knobs):
            more = {**changes, **repair.set}
            if not onward or all(
                more[key] != now[key] and _onward(now[key], changes[key], more[key]) for key in changes
            ):
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
            least = self._nearer_together(least)
            if least == changes:
                return least
            changes = least

    def _nearer_together(self, changes: dict[str, object]) -> dict[str, object]:
        """The changes in which numbers that became equal are moved back together, since they may have to be alike."""
        now = self.config.flat()
        numbers = {value for value in changes.values() if isinstance(value, int) and not isinstance(value, bool)}
        for value in sorted(numbers):
            ends = {
                key: old
                for key, other in changes.items()
                if type(other) is int and other == value and isinstance(old := now[key], int)
            }
            beyond = all(value > old for old in ends.values()) or all(value < old for old in ends.values())
            if len(ends) > 1 and beyond:
                nearest = min(ends.values(), key=lambda old, value=value: abs(value - old))
                changes = self._moved_together(changes, tuple(ends), nearest, value)
        return changes

    def _moved_together(
        self, changes: dict[str, object], keys: tuple[str, ...], nearest: int, value: int
    ) -> dict[str, object]:
        sign = 1 if value > nearest else -1

        def moved(distance: int) -> dict[str, object]:
            return {**changes, **dict.fromkeys(keys, nearest + sign * distance)}

        return moved(by_halves(lambda distance: self.fits(moved(distance)), abs(value - nearest)))

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
