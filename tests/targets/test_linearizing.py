"""Histories of one record: by hand, and against trying every order."""

from __future__ import annotations

import random
from itertools import permutations

import attrs
import pytest

from latchcheck.counterexamples.targets.linearizing import Operation, Record, explained, smallest

RECORD = Record()


def write(by: str, status: str, when: tuple[int, int | None], decision: str | None, told: str | None) -> Operation:
    """A write without a version."""
    return Operation(by, "write", {"status": status}, when[0], when[1], decision, told)


def read(by: str, when: tuple[int, int | None], told: str | None) -> Operation:
    """A read."""
    return Operation(by, "get", {}, when[0], when[1], "RETURN_STATUS", told)


DONE, LATE = write("p1", "completed", (0, 10), "APPLY", "completed"), (20, 30)
HISTORIES = {
    "one write": ([DONE], True),
    "the second is refused": ([DONE, write("p2", "failed", (5, 15), "BLOCK_TERMINAL_REWRITE", "completed")], True),
    "two are applied": ([DONE, write("p2", "failed", (5, 15), "APPLY", "failed")], False),
    "refused before the first began": (
        [write("p1", "completed", LATE, "APPLY", "completed"),
         write("p2", "failed", (0, 10), "BLOCK_TERMINAL_REWRITE", "completed")], False),
    "a repetition": ([DONE, write("p2", "completed", (5, 15), "IDEMPOTENT_TERMINAL", "completed")], True),
    "a repetition told as a refusal": (
        [DONE, write("p2", "completed", (5, 15), "BLOCK_TERMINAL_REWRITE", "completed")], False),
    "an old value while it is written": ([DONE, read("p2", (1, 9), "working")], True),
    "an old value after it was written": ([DONE, read("p2", LATE, "working")], False),
    "a new value, then an old one": ([DONE, read("p2", (1, 2), "completed"), read("p2", (3, 4), "working")], False),
    "an unknown write that somebody saw": (
        [write("p1", "completed", (0, None), None, None), read("p2", LATE, "completed")], True),
    "an unknown write that nobody saw": (
        [write("p1", "completed", (0, None), None, None), read("p2", LATE, "working")], True),
    "an unknown write seen before its call": (
        [write("p1", "completed", (50, None), None, None), read("p2", LATE, "completed")], False),
    "expired, then gone": (
        [Operation("p1", "expire", {}, 0, 5, "SWEPT"), read("p2", LATE, None)], True),
    "expired, then there": (
        [Operation("p1", "expire", {}, 0, 5, "SWEPT"), read("p2", LATE, "working")], False),
}  # fmt: skip


@pytest.mark.parametrize("name", HISTORIES)
def test_by_hand(name: str) -> None:
    """Each history is explained, or not, as was worked out by hand."""
    history, right = HISTORIES[name]
    assert right == (explained(history, RECORD) is not None)


def by_trying_all(history: list[Operation]) -> bool:
    """Whether any order that respects what had returned before what was called is a run of the model."""
    for order in permutations(history):
        late = any(
            one.called_ns > other.returned_ns
            for i, one in enumerate(order)
            for other in order[i + 1 :]
            if other.returned_ns is not None
        )
        state = RECORD.start
        for one in order if not late else ():
            after = RECORD.after(state, one)
            if after is None:
                break
            state = after
        else:
            if not late:
                return True
    return False


def drawn(dice: random.Random) -> list[Operation]:
    """A history that some order explains, in half of the cases with one answer that is changed."""
    history, stored = [], "working"
    for number in range(dice.randint(2, 5)):
        begun = number * 10 + dice.randint(-12, 0)
        when, by = (begun, begun + dice.randint(1, 25)), f"p{number}"
        status = dice.choice(("completed", "failed"))
        if dice.random() < 0.4:
            history.append(read(by, when, stored))
            continue
        decision = {"working": "APPLY", status: "IDEMPOTENT_TERMINAL"}.get(stored, "BLOCK_TERMINAL_REWRITE")
        stored = status if stored == "working" else stored
        history.append(write(by, status, when, decision, stored))
    if dice.random() < 0.5:
        place = dice.randrange(len(history))
        history[place] = attrs.evolve(history[place], status=dice.choice(("working", "completed", "failed")))
    return history


def test_the_search_finds_what_trying_all_orders_finds() -> None:
    """On 300 small random histories, explained or not, the search and the enumeration of all orders agree."""
    dice, found = random.Random(5), {True: 0, False: 0}  # noqa: S311 - test data
    for _ in range(300):
        history = drawn(dice)
        right = by_trying_all(history)
        found[right] += 1
        assert right == (explained(history, RECORD) is not None), [str(one) for one in history]
    assert min(found.values()) > 20


def test_what_is_left_out_is_not_needed() -> None:
    """The smallest part of a history keeps the two writes that collide and drops reads and refusals."""
    collide = [DONE, write("p2", "failed", (5, 15), "APPLY", "failed")]
    beside = [read("p3", (0, 1), "working"), write("p4", "failed", (6, 16), "BLOCK_TERMINAL_REWRITE", "completed")]
    part = smallest([*beside, *collide], lambda one: explained(one, RECORD) is not None)
    assert collide == list(part)
