"""Why no repair was found: what cannot be met together, how far that is known, and which fixed number forces it.

- `unread`: the condition of a property comes out unmet without reading any of the keys that may change. There is no
  repair, whatever their numbers.
- `monotone`: one number alone may change, the outcome changes in one direction only as it grows, and it is unmet at
  both ends. There is no repair.
- `tried`: none of the configurations that were tried meets these properties together. That is no proof.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import Literal

import attrs

from latchcheck.model.config import Config
from latchcheck.model.keys import BY_FLAT
from latchcheck.model.timing.schedule import RampTooLong

from .analyses import ANALYSES
from .answers import Answer, NotApplicable, Vacuous
from .facts import Facts
from .monotone import why_monotone
from .regions import is_valid
from .repairs import LONGEST_MS
from .safe_side import starts
from .unread import unread_together

TOGETHER_MAX = 3
SETTINGS_MAX = 256
"""Up to so many combinations of settings are looked at for a proof."""

RELAXED: Mapping[str, object] = {
    "server.clock_skew_ms": 0,
    "server.sweep_lateness_ms": 0,
    "network.latency_ms": (0, 0),
    "network.max_consecutive_failures": 0,
    "workload.human_answer_ms": (0, 0),
    "workload.stall_ms": 0,
    "workload.works_on_after_cancel": False,
}
"""What no repair changes, and the value with which it is in nobody's way."""


@attrs.frozen
class Obstacle:
    """Properties that were not met together, each with what it says where the fewest were unmet.

    `fixed` are keys that no repair changes, with a value at which these properties were met, others staying as they
    are; empty where none of them alone does it.
    """

    properties: tuple[str, ...]
    evidence: Literal["unread", "monotone", "tried"]
    tried: int
    clauses: Mapping[str, str]
    fixed: Mapping[str, object]


def met(name: str, config: Config, *, wanted: bool) -> bool:
    """Whether a condition is met; what is not wanted may also have nothing to speak about."""
    try:
        outcome = ANALYSES[name](Facts(config))
    except RampTooLong:
        return False
    return outcome.safe if isinstance(outcome, Answer) else isinstance(outcome, NotApplicable) and not wanted


def obstacle(
    config: Config,
    wanted: Collection[str],
    tried: Sequence[tuple[Mapping[str, object], frozenset[str]]],
    knobs: Collection[str] | None,
) -> Obstacle | None:
    """What stood in the way; `tried` are changes with the properties that they leave unmet.

    None where for any few properties some change meets them all.
    """
    for name in wanted:
        evidence = None if knobs is None else _proof(name, config, knobs)
        if evidence is not None:
            return Obstacle((name,), evidence, 0, {name: _clause(name, config)}, _fixed(config, (name,), wanted, knobs))
    core = _core([missing for _, missing in tried])
    if not core:
        return None
    nearest = config.replace(min(tried, key=lambda one: len(one[1]))[0])
    clauses = {name: _clause(name, nearest) for name in core}
    return Obstacle(core, "tried", len(tried), clauses, _fixed(config, core, wanted, knobs))


def _core(unmet: Sequence[frozenset[str]]) -> tuple[str, ...]:
    """The fewest properties of which each of these leaves one unmet."""
    names = sorted({name for missing in unmet for name in missing}, key=list(ANALYSES).index)
    for size in range(1, TOGETHER_MAX + 1):
        for some in combinations(names, size):
            if all(missing.intersection(some) for missing in unmet):
                return some
    return ()


def _proof(name: str, config: Config, knobs: Collection[str]) -> Literal["unread", "monotone"] | None:
    """How it is known that no value of the keys meets the property; None where it is not."""
    numbers = {key for key in knobs if type(config.flat()[key]) is int}
    absent = {key for key in knobs if config.flat()[key] is None}
    settings = [(key, values_of(key)) for key in knobs if key not in numbers | absent]
    size = 1
    for _, values in settings:
        size *= len(values)
    if size > SETTINGS_MAX or any(not values for _, values in settings):
        return None
    chosen = [
        config.replace(dict(zip((key for key, _ in settings), values, strict=True)))
        for values in product(*(values for _, values in settings))
    ]
    if all(not met(name, one, wanted=True) and unread_together(name, one, numbers) for one in chosen):
        return "unread"
    if len(numbers) == 1 and not settings:
        (key,) = numbers
        ends = [config.replace({key: value}) for value in (1, LONGEST_MS)]
        if why_monotone(name, config, key) and not any(met(name, one, wanted=True) for one in ends):
            return "monotone"
    return None


def values_of(key: str) -> tuple[object, ...]:
    """Every value of a setting; empty where there are too many to name."""
    described = BY_FLAT[key]
    if described.kind == "flag":
        return (False, True)
    return described.choices if described.kind == "choice" else ()


def _clause(name: str, config: Config) -> str:
    try:
        outcome = ANALYSES[name](Facts(config))
    except RampTooLong as error:
        return str(error)
    if isinstance(outcome, Answer):
        return outcome.clause
    return outcome.why if isinstance(outcome, Vacuous) else outcome.missing


def _fixed(
    config: Config, core: Iterable[str], wanted: Collection[str], knobs: Collection[str] | None
) -> dict[str, object]:
    """The fixed numbers of which another one alone would let the properties be met."""
    may: Callable[[str], bool] = (lambda _: True) if knobs is None else set(knobs).__contains__
    now, names = config.flat(), list(core)

    def possible(other: Config) -> bool:
        found = (other, *(other.replace(changes) for changes in starts(other, may)))
        return any(is_valid(one) and all(met(name, one, wanted=name in wanted) for name in names) for one in found)

    relaxed = {key: config.replace({key: value}) for key, value in RELAXED.items() if now[key] is not None}
    return {key: one.flat()[key] for key, one in relaxed.items() if one.flat()[key] != now[key] and possible(one)}
