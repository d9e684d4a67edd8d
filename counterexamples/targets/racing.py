"""Races for real: many processes on one record of a real database, and whether the model explains what each was told.

In a round every process asks for one thing at the same time, on a connection of its own: a worker reads the record
and writes an outcome, a client cancels, a client reads, the reaper sweeps past the end of the ttl.
A process that dies, or a database that goes away, leaves operations without an answer; they may have happened.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any, Final

import attrs

from latchcheck.kernel.doing import Stage, doing

from .linearizing import Operation, Record, explained, smallest
from .stores.opening import Place
from .stores.process import Died, Process

CREATED_MS: Final = 0
NOW_MS: Final = 10
TTL_MS: Final = 100
LATE_MS: Final = 1_000
# What a process does in a round, and how often: enough outcomes to collide, and something of everything else.
ROLES: Final = (("complete", 4), ("fail", 3), ("cancel", 3), ("read", 3), ("expire", 1))


@attrs.frozen
class Violation:
    """A round that no order of the model's operations explains, with the smallest part that none explains either."""

    round: int
    history: tuple[Operation, ...]
    smallest: tuple[Operation, ...]


@attrs.frozen
class Raced:
    """What came of a race.

    `collided`: rounds in which at least two operations each were told that they had stored an outcome.
    `contended`: rounds in which at least two tried to, without which nothing was tried. `unknown`: operations without
    an answer. `violations` holds the first few of `unexplained`, the rounds that no order explains, the smallest first.
    `interrupted`: the user ended it, and `rounds` is how many were done.
    """

    rounds: int
    writers: int
    operations: int
    contended: int
    collided: int
    unexplained: int
    unknown: int
    decisions: dict[str, int]
    violations: tuple[Violation, ...]
    interrupted: bool = False


def race(
    place: Place,
    *,
    writers: int = 8,
    rounds: int = 100,
    seed: int = 0,
    keep: int = 1,
    kill_every: int = 0,
) -> Raced:
    """Race `writers` processes for `rounds` records; in every `kill_every`-th round one of them is killed (0: never).

    Where the user ends it, what was raced for by then is told.
    Raises Died where the processes cannot even begin, or the database has gone.
    """
    with doing("racing", rounds, "rounds") as stage:
        return _raced(place, stage, writers, rounds, seed=seed, keep=keep, kill_every=kill_every)


def _raced(place: Place, stage: Stage, writers: int, rounds: int, *, seed: int, keep: int, kill_every: int) -> Raced:
    record, dice = Record(), random.Random(seed)  # noqa: S311 - a load, no secret
    counts = dict.fromkeys(("operations", "contended", "collided", "unexplained", "unknown"), 0)
    decisions: dict[str, int] = {}
    violations: list[Violation] = []
    done, interrupted = 0, False
    try:
        for number, history in enumerate(_rounds(place, writers, rounds, dice, kill_every)):
            if explained(history, record) is None:
                if len(violations) < keep:
                    small = smallest(history, lambda part: explained(part, record) is not None)
                    violations.append(Violation(number, history, small))
                counts["unexplained"] += 1
            counts["operations"] += len(history)
            counts["unknown"] += sum(not one.known for one in history)
            counts["contended"] += sum(one.do in ("write", "cancel") for one in history) > 1
            counts["collided"] += sum(one.decision in ("APPLY", "CANCELLED") for one in history) > 1
            for one in history:
                name = f"{one.do}: {one.decision or 'no answer'}"
                decisions[name] = decisions.get(name, 0) + 1
            stage.done = done = number + 1
            stage.covered = f"{counts['contended']:,} contended, {counts['unexplained']:,} unexplained"
    except KeyboardInterrupt:
        interrupted = True
    return Raced(
        done,
        writers,
        decisions=dict(sorted(decisions.items())),
        violations=tuple(sorted(violations, key=lambda one: len(one.smallest))),
        interrupted=interrupted,
        **counts,
    )


def _rounds(
    place: Place, writers: int, rounds: int, dice: random.Random, kill_every: int
) -> Iterator[tuple[Operation, ...]]:
    with ExitStack() as stack:
        running = [stack.enter_context(Process(place)) for _ in range(writers)]
        running[0].ask("create_tables")
        for number in range(rounds):
            task = f"task-{number}"
            running[0].ask("create", now_ms=CREATED_MS, task=task, auth="p1", windows={"ttl_ms": TTL_MS})
            asked = [_steps(task, dice, versions=not place.naive) for _ in running]
            begun_ns = time.monotonic_ns()
            for process, steps in zip(running, asked, strict=True):
                process.send("steps", steps=steps)
            if kill_every and number % kill_every == kill_every - 1:
                time.sleep(dice.random() / 500)
                dice.choice(running).kill()
            history: list[Operation] = []
            for index, (process, steps) in enumerate(zip(running, asked, strict=True)):
                heard = _heard(f"p{index + 1}", process, steps, begun_ns)
                if not all(one.known for one in heard):
                    # Nobody saw its answers; another takes its place.
                    process.kill()
                    running[index] = stack.enter_context(Process(place))
                history += heard
            yield tuple(history)


def _steps(task: str, dice: random.Random, *, versions: bool) -> list[dict[str, Any]]:
    """What one process does in a round."""
    role = dice.choices([name for name, _ in ROLES], [weight for _, weight in ROLES])[0]
    base = {"now_ms": NOW_MS, "task": task, "auth": "p1"}
    read = {"do": "get", **base, "contact": False}
    if role == "read":
        return [read, read]
    if role == "cancel":
        return [{"do": "cancel", **base}]
    if role == "expire":
        return [{"do": "reap", "now_ms": LATE_MS}]
    expected = {"expected": "read"} if versions else {}
    return [read, {"do": "write", **base, "status": "completed" if role == "complete" else "failed", **expected}]


def _heard(by: str, process: Process, steps: Sequence[dict[str, Any]], begun_ns: int) -> list[Operation]:
    """What one process was told; where it has died, each of its operations may have happened since the round began."""
    try:
        told = process.receive()
    except Died:
        unseen = {"called_ns": begun_ns, "returned_ns": None, "answer": None}
        # A write that takes effect carries the version of the open record, which is the first one.
        first = [{**step, "expected": 1} if step.get("expected") == "read" else step for step in steps]
        return [_operation(by, {"asked": step, **unseen}) for step in first]
    return [_operation(by, one) for one in told]


def _operation(by: str, told: dict[str, Any]) -> Operation:
    asked, answer = told["asked"], told["answer"] or {}
    do = "expire" if asked["do"] == "reap" else str(asked["do"])
    args = {name: asked[name] for name in ("status", "expected") if name in asked and asked[name] != "read"}
    return Operation(
        by=by,
        do=do,
        args=args,
        called_ns=told["called_ns"],
        returned_ns=told["returned_ns"],
        decision=answer.get("decision") or ("SWEPT" if do == "expire" and told["returned_ns"] else None),
        status=answer.get("status"),
        version=answer.get("version"),
    )


def row(operation: Operation) -> dict[str, Any]:
    """An operation as plain data."""
    return {**attrs.asdict(operation, recurse=False), "args": dict(operation.args)}
