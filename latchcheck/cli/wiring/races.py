"""Races and kills on real databases, and the fixture of a race that no order explains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.counterexamples import Fixture
    from latchcheck.counterexamples.targets.killing import Killed
    from latchcheck.counterexamples.targets.linearizing import Operation
    from latchcheck.counterexamples.targets.racing import Raced

STORES = ("sqlite", "sqlite-naive", "postgres", "postgres-naive")
LEVELS = ("autocommit", "deferred", "read-uncommitted", "read-committed", "repeatable-read", "serializable")
VIOLATIONS_KEPT = 10
"""Of so many rounds that no order explains the smallest part is worked out, for the smallest of all to be told."""


class NotReady(Exception):
    """What a race or a kill needs is not installed, or does not start; the text says what."""


def race_store(
    store: str,
    level: str | None,
    *,
    writers: int,
    rounds: int,
    seed: int,
    kill_every: int,
) -> Raced:
    """Race processes on a store of its own. Raises NotReady."""
    from latchcheck.counterexamples.targets.racing import race

    return _on_store(
        store,
        level,
        lambda place: race(
            place, writers=writers, rounds=rounds, seed=seed, kill_every=kill_every, keep=VIOLATIONS_KEPT
        ),
    )


def kill_store(store: str, story: str | None) -> tuple[tuple[Killed, ...], bool]:
    """Kill processes at every statement of every guarded story, or of one, on a store of its own.

    The stories that were told to their end, and whether the user ended it before the last. Raises NotReady.
    """
    from latchcheck.counterexamples.targets.killing import CONTRASTS, STORIES, kill_everywhere
    from latchcheck.kernel.doing import each

    names = [story] if story else [name for name in STORIES if name not in CONTRASTS]
    judge, told = _Judge(), list[Any]()

    def tell(place: Any) -> bool:
        try:
            for name in each("killing", names, named=str):
                told.append(kill_everywhere(place, name, judge))
        except KeyboardInterrupt:
            return True
        return False

    interrupted = _on_store(store, None, tell)
    return tuple(told), interrupted


class _Judge:
    """Asks a property of the guarded model about a state that was found in a database."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}

    def __call__(self, name: str, values: Mapping[str, Any]) -> tuple[str, ...]:
        """The clauses that are false where these variables have these values and all others their first ones."""
        from latchcheck.kernel import Stepper, compile_expr
        from latchcheck.model.policy import Policy
        from latchcheck.model.scope import Scope
        from latchcheck.properties.lifecycle.catalogue import cone, rule

        if name not in self._known:
            asked = rule(name)
            built = cone(asked, Scope.parse("ci").at_most(tasks=1, clients=1, workers=1, tenants=1)).build(Policy())
            clauses = [(one.label, compile_expr(one.expr)) for one in asked.over(built.room).clauses]
            self._known[name] = (Stepper(built.system).state, clauses)
        start, clauses = self._known[name]
        if "outbox_t1" not in start:
            # A model without an outbox has the message in the queue as soon as the record is committed.
            values = {**values, "queued_t1": values["queued_t1"] or values["outbox_t1"]}
        state = {**start, **{variable: value for variable, value in values.items() if variable in start}}
        return tuple(
            label for label, holds in clauses if not holds.function(**{one: state[one] for one in holds.names})
        )


def write_fixture(path: Path, fixture: Fixture) -> None:
    """Write a fixture into a file, whole or not at all."""
    from latchcheck.counterexamples import write

    write(path, fixture)


def _on_store(store: str, level: str | None, work: Callable[[Any], Any]) -> Any:
    import attrs

    from latchcheck.counterexamples.targets.errors import TargetError
    from latchcheck.counterexamples.targets.restarting import place
    from latchcheck.counterexamples.targets.stores.connection import Lost
    from latchcheck.counterexamples.targets.stores.process import Died

    database, _, kind = store.partition("-")
    try:
        with place(database, dsn()) as where:  # pyright: ignore[reportArgumentType]
            default = "autocommit" if kind == "naive" else where.level
            return work(attrs.evolve(where, naive=kind == "naive", level=level or default))
    except (TargetError, Lost, Died) as error:
        raise NotReady(f"{store}: {error}") from error


def dsn() -> str | None:
    """The PostgreSQL server that the user has named, or None, where one is started."""
    import os

    from latchcheck.counterexamples.targets.postgres import SERVER

    return os.environ.get(SERVER) or None


def story_names() -> tuple[str, ...]:
    """The stories in which somebody is killed."""
    from latchcheck.counterexamples.targets.killing import STORIES

    return tuple(STORIES)


def operation_row(operation: Operation) -> dict[str, Any]:
    """An operation of a history as plain data."""
    from latchcheck.counterexamples.targets.racing import row

    return row(operation)


def race_fixture(operations: Sequence[Operation]) -> Fixture | None:
    """The run of the model in which the same operations collide, checked there; None where it has no such run.

    Two writers read the record while it is open, and then both write.
    """
    from latchcheck.counterexamples import Case, FoundBy, Stale, made, run
    from latchcheck.report.envelope import versions

    from .lifecycle import lifecycle_system
    from .saving import answered

    stored = [one for one in operations if one.decision in ("APPLY", "CANCELLED")][:2]
    if len(stored) < 2 or all(one.do == "cancel" for one in stored):  # noqa: PLR2004 - a pair
        return None
    scope, policy, events = _collision([str(one.args.get("status", "cancelled")) for one in stored])
    name = "one-terminal-outcome"
    try:
        text = ",".join(f"{key}={value}" for key, value in policy.items())
        sizes = ",".join(f"{key}={value}" for key, value in scope.items())
        system, (asked,) = lifecycle_system(sizes, text, (name,))
        correct, _ = lifecycle_system(sizes, "guarded", (name,))
        trace, _ = run(system, events)
        found_by = FoundBy("race", None, versions())
        outcomes = "-".join(str(one.args.get("status", one.do)) for one in stored)
        for clause in asked.clauses:
            try:
                fixture = made(
                    f"{name}/race-{outcomes}", Case(system, asked), trace, clause.label,
                    found_by=found_by, era="2026-07-28", policy=policy, scope=scope,
                )  # fmt: skip
            except Stale:
                continue
            return _with_guarded(fixture, answered(correct, fixture))
    except Stale:
        return None
    return None


def _with_guarded(fixture: Fixture, steps: Any) -> Fixture:
    import attrs

    return attrs.evolve(fixture, steps=steps)


def _collision(outcomes: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    """Scope, policy and events of two writers with these outcomes, both of which look before either writes."""
    from latchcheck.counterexamples import Event

    created = [
        Event(None, "server", "create", {"task": "t1"}),
        Event(None, "worker", "deliver", {"task": "t1", "worker": "w1"}),
    ]
    policy: dict[str, Any] = {"terminal_guard": "check-then-set"}
    checks, writes = [Event(None, "worker", "check", {"worker": "w1"})], []
    for place, outcome in enumerate(outcomes):
        if outcome == "cancelled":
            checks.append(Event(None, "server", "cancel_reads", {"instance": "i1", "task": "t1"}))
            writes.append(Event(None, "server", "cancel_writes", {"instance": "i1"}))
            continue
        worker = "w2" if place and "cancelled" not in outcomes else "w1"
        writes.append(Event(None, "worker", "write_terminal", {"status": outcome, "worker": worker}))
    if "cancelled" in outcomes:
        return {"cancels": 1, "instances": 1}, policy, [*created, *checks, *writes]
    # Two workers have one task where the first was taken for dead.
    created += [
        Event(None, "worker", "stall", {"worker": "w1"}),
        Event(None, "server", "expire_lease", {"task": "t1"}),
        Event(None, "worker", "deliver", {"task": "t1", "worker": "w2"}),
        Event(None, "worker", "wake", {"worker": "w1"}),
    ]
    checks.append(Event(None, "worker", "check", {"worker": "w2"}))
    return {"workers": 2, "stalls": 1}, {**policy, "lease": "unfenced"}, [*created, *checks, *writes]
