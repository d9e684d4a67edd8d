"""The two models that a sentence can be about, each with its faults as worlds of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

import attrs
import z3

from latchcheck.kernel import Clause, Property, Sentence, System
from latchcheck.naming import instead
from latchcheck.wording.faults import WordingError
from latchcheck.wording.words import Model, Vocabulary, World

from ...model.config import Config
from ...model.lifecycle import available, closed, lifecycle
from ...model.policy import Policy
from ...model.reading import read
from ...model.reading.errors import ConfigError
from ...model.scope import SIZES, Scope
from ...model.spelling import SpellingError
from ...model.timing.system import timed_system
from ...model.timing.terms import Numbers, V
from ..lifecycle.catalogue import RULES, lacks
from ..lifecycle.killing import MUTANTS
from . import lifecycle as lifecycle_words
from . import timing as timing_words
from .looking import Noting, differing
from .opening import narrow, opened_worlds
from .telling import LIFECYCLE, timed

# What is built in whatever a sentence says, so that a fault has somebody to act it out.
PARTIES: Final = ("outcomes", "version", "workers", "cancels", "acks", "inputs", "expiries", "deletion", "instances")
# What a scope names is built in too, whether or not a sentence speaks about it.
ACTED_OUT: Final = {
    "restarts": ("restarts", "durability"),
    "deadlines": ("deadlines", "sweeps"),
    "silences": ("silences", "sweeps"),
    **{size: (size,) for size in ("losses", "client_crashes", "crashes", "stalls", "redeliveries")},
}
SCOPE: Final = Scope(workers=1, cancels=1, expiries=1)

TIMING: Final = {
    "client.initial_delay": "2ms", "client.max_delay": "2ms", "client.multiplier": "1", "network.latency": "0ms",
    "server.orphan_window": "3ms", "server.sweep_period": "1ms", "server.enforced_ttl": "6ms",
    "server.advertised_ttl": "6ms", "workload.execution": '["4ms", "5ms"]',
}  # fmt: skip
"""The timed model of a sentence that brings no configuration: small whole numbers, so that a search sees every run."""
TIMED_MUTANTS: Final = (
    "server.orphan_window=1ms",
    "server.orphan_comparison=>=",
    "server.orphan_window=2ms,server.orphan_comparison=>=",
    "server.execution_deadline=3ms",
    "server.enforced_ttl=4ms",
    "server.enforced_ttl=3ms",
    "server.enforced_anchor=terminal",
    "server.enforced_anchor=creation-then-terminal",
    "server.enforced_anchor=activity",
    "server.expiry_action=fail",
    "server.expiry_action=hide,server.expire_running=false",
    "client.hint_mode=replace,server.poll_interval=4ms",
    "client.overall_timeout=3ms",
)
HORIZON_MS: Final = 12


@lru_cache(maxsize=1)
def vocabularies() -> Mapping[str, Vocabulary]:
    """Each vocabulary by the name of its model."""
    found = (lifecycle_words.vocabulary(), timing_words.vocabulary())
    return {one.name: one for one in found}


def model(
    name: str,
    *,
    scope: str | None = None,
    policy: str | None = None,
    sets: Sequence[str] = (),
    also: Sequence[str] = (),
) -> Model:
    """The model of that name.

    `scope` and `policy` are those of the lifecycle; `sets` are settings of the timed configuration.
    `also` are further policies (or settings, with commas between them) to compare readings in, which are no faults.
    Raises WordingError, SpellingError or ConfigError.
    """
    if name not in vocabularies():
        raise WordingError(f"model: there is no {name!r}; {instead(name, vocabularies())}")
    if name == timing_words.NAME:
        for key, value in (("scope", scope), ("policy", policy)):
            if value is not None:
                raise WordingError(
                    f"{key}: the model 'timing' has none\n  write set = [\"server.orphan_window=3ms\"] instead"
                )
        return _timing(tuple(sets), tuple(also))
    if sets:
        raise WordingError(
            "set: the model 'lifecycle' has no configuration\n  write scope or policy, or model = \"timing\""
        )
    return _lifecycle(scope, policy or "guarded", tuple(also))


def _named(also: Sequence[str], reads: Callable[[str], object]) -> None:
    """Refuse a further model that cannot be read; WordingError says which."""
    for name in also:
        try:
            reads(name)
        except (SpellingError, ConfigError, WordingError) as error:
            raise WordingError(f"also {name!r}: {error}") from None


# -- the lifecycle ------------------------------------------------------------------------------------------------


def _sized(scope: str | None, phrases: Sequence[str]) -> Scope:
    words = vocabularies()[lifecycle_words.NAME].words
    wanted: dict[str, int] = {}
    for phrase in phrases:
        for size, least in words[phrase].sizes.items():
            wanted[size] = max(least, wanted.get(size, 0))
    if scope is None:
        if any("input_required" in one or "clients answer" in one for one in phrases):
            wanted["inputs"] = 1
        return attrs.evolve(SCOPE, **wanted)
    size = Scope.parse(scope)
    for phrase in phrases:
        for name, least in words[phrase].sizes.items():
            if getattr(size, name) < least:
                raise WordingError(
                    f"scope {scope!r}: {phrase!r} speaks about {name}, and the scope has none\n"
                    f"  write {name}={least} into it ({SIZES[name]['meaning']}), or leave the scope out"
                )
    return size


def _modules(scope: Scope, phrases: Sequence[str]) -> frozenset[str]:
    words = vocabularies()[lifecycle_words.NAME].words
    needs = {need for phrase in phrases for need in words[phrase].needs}
    wanted = {*PARTIES, *needs}
    for size, modules in ACTED_OUT.items():
        if getattr(scope, size):
            wanted |= set(modules)
    return closed(wanted) & available(scope)


def _lifecycle(scope: str | None, policy: str, also: tuple[str, ...]) -> Model:
    Policy.parse(policy)
    _named(also, Policy.parse)
    made: dict[tuple[str, Scope, frozenset[str]], World | None] = {}
    looked: dict[tuple[Scope, frozenset[str]], frozenset[str]] = {}

    def world(name: str, phrases: Sequence[str]) -> World | None:
        size = _sized(scope, phrases)
        key = (name, size, _modules(size, phrases))
        if key not in made:
            made[key] = build(*key)
        return made[key]

    def build(name: str, size: Scope, modules: frozenset[str]) -> World | None:
        whole = Policy.parse(name) if name in also else _combined(policy, name)
        plain = made.get((policy, size, modules))
        if plain is not None and not differing(Policy.parse(policy), whole) & looked[size, modules]:
            return None  # nobody who is built in looks at what is changed
        noting = Noting(**whole.changed)
        noting.forget()
        built = lifecycle(size, noting, modules)
        if name == policy:
            looked[size, modules] = frozenset(noting.looked)
        if plain is not None and _same(plain.system, built.system):
            return None
        others = tuple(rule.over(built.room) for rule in RULES if not lacks(rule, built.room.modules))
        scope_text = f"workers={size.workers},{size}" if size.workers == 1 else str(size)
        words = vocabularies()[lifecycle_words.NAME]
        return World(name, built.system, built.room, words, scope_text, others, shown=LIFECYCLE)

    caught: dict[str, tuple[str, ...]] = {}
    for rule in RULES:
        for mutant in rule.mutants:
            caught[mutant] = (*caught.get(mutant, ()), rule.id)
    return Model(vocabularies()[lifecycle_words.NAME], policy, world, MUTANTS, caught, also)


def _combined(base: str, name: str) -> Policy:
    """The switches of a policy laid over those of the base."""
    if name == base:
        return Policy.parse(base)
    switches = Policy.parse(base).changed | Policy.parse(name).changed
    return Policy(**switches)


def _same(one: System, other: System) -> bool:
    return one.variables == other.variables and one.actions == other.actions


# -- the timed model ----------------------------------------------------------------------------------------------


def _config(sets: Sequence[str], name: str) -> Config:
    values = dict(TIMING)
    for text in sets:
        values |= dict([_setting(text)])
    if name != "as configured":
        values |= dict(_setting(part) for part in name.split(","))
    return read([], sets=[f"{key}={value}" for key, value in values.items()])


def _setting(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign:
        raise SpellingError(f"set: {text!r} is no key=value", "write server.orphan_window=3ms")
    return key.strip(), value.strip()


def _timing(sets: tuple[str, ...], also: tuple[str, ...]) -> Model:
    _short(sets)
    _named(also, lambda name: _short((*sets, *name.split(","))))

    def world(name: str, phrases: Sequence[str]) -> World | None:  # noqa: ARG001 - every word is always there
        try:
            config = _config(sets, name)
        except ConfigError:
            if name == "as configured":
                raise
            return None  # a fault that contradicts this configuration is none of it
        if name != "as configured" and config.flat() == _config(sets, "as configured").flat():
            return None
        system = narrow(timed_system(config))
        bound = timing_words.Bound(config, Numbers(config), system)
        scope = f"every run in whole milliseconds, up to {HORIZON_MS} ms"
        vocabulary = vocabularies()[timing_words.NAME]
        return World(name, system, bound, vocabulary, scope, _harms(), HORIZON_MS, shown=timed(config),
                     opened=partial(opened_worlds, name, config))  # fmt: skip

    return Model(vocabularies()[timing_words.NAME], "as configured", world, TIMED_MUTANTS, also=also)


def _short(sets: tuple[str, ...]) -> None:
    """Refuse a duration that no run of the search is long enough for; WordingError says what to write."""
    usual, given = _config((), "as configured").flat(), _config(sets, "as configured").flat()
    for key, value in given.items():
        numbers = [one for one in (value if isinstance(value, list) else [value]) if type(one) is int]
        if key.endswith("_ms") and value != usual[key] and max(numbers, default=0) > HORIZON_MS:
            raise WordingError(
                f"set: {key} is {max(numbers)} ms, and every run is searched for {HORIZON_MS} ms after creation\n"
                f'  write numbers of the same order that are at most {HORIZON_MS}ms: "3ms" for 15 minutes, say'
            )


def _harms() -> tuple[Property, ...]:
    return tuple(
        Property(name, "MUST", Sentence(name, "docs/reference/semantics.md", "section 4"),
                 (Clause(f"{harm} never happens", z3.Not(V[harm])),))
        for harm, name in _TOLD.items()
    )  # fmt: skip


_TOLD: Final = {
    "orphaned_live": "no-live-orphan",
    "expired_live": "ttl-covers-execution",
    "outcome_lost": "result-reaches-client",
}
