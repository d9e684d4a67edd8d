"""Capability tables and calls: a word that is no abstract event is refused, with those that there are."""

from __future__ import annotations

import pytest

from latchcheck.counterexamples.targets import EVENTS, Call, Table
from latchcheck.kernel import ModelError


def test_every_event_can_be_in_a_table() -> None:
    """Each abstract event by itself makes a table, and all of them do."""
    assert all(Table(events={event}).events == {event} for event in EVENTS)
    assert set(EVENTS) == Table(events=EVENTS).events


@pytest.mark.parametrize("word", ["creat", "Create", "", "tasks/get"])
def test_a_word_that_is_no_event_is_refused(word: str) -> None:
    """In a table and in a call, with the word and all the words that would have been right."""
    with pytest.raises(ModelError) as table:
        Table(events={"create", word})  # pyright: ignore[reportArgumentType]
    with pytest.raises(ModelError) as call:
        Call(word)  # pyright: ignore[reportArgumentType]
    for error in (table, call):
        assert repr(word) in str(error.value)
        assert all(event in str(error.value) for event in EVENTS)
