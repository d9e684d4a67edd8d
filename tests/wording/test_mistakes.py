"""What authors write first: each wrong sentence is answered at its word, with what to write."""
# ruff: noqa: E501 - a sentence stands on one line

from __future__ import annotations

import pytest

from latchcheck.properties.wording.models import vocabularies
from latchcheck.wording.faults import SentenceError
from latchcheck.wording.grammar import parse

NEVER = "globally, it is never the case that "
IF = "globally, if the task is open, "
LIFECYCLE = (
    ("A task must never leave a terminal status", "A", "a reading begins with a scope and a comma"),
    ("always, it is never the case that the task is open", "always", "globally, it is always the case that"),
    ("globaly, it is never the case that the task is open", "globaly", "did you mean 'globally'?"),
    ("when the task is terminal, it is never the case that the status changes", "when", "then at that moment S"),
    ("until the task is terminal, it is always the case that the task is open", "until", "before R"),
    ("if the task is terminal, then eventually the record is deleted", "if", "a reading begins with a scope"),
    ("once the task is terminal, it is never the case that the status changes", "once", "from P"),
    ("the task is working", "the", "a reading begins with a scope"),
    ("Globally it is never the case that the task is open", "it", "','"),
    ("globally", "", "','"),
    ("globally,", "", "what is said begins here"),
    ("globally, the task is never cancelled", "the", "it is never the case that ..."),
    ("globally, never the task is working", "never", "write: it is never the case that"),
    ("globally, it MUST never be the case that the task is open", "MUST", 'keyword = "MUST"'),
    ("globally, it is not the case that the task is open", "not", "did you mean 'it is never the case that'?"),
    ("globally, it is never the case the task is working", "the", "did you mean 'it is never the case that'?"),
    ("globally, it is possible the task is cancelled", "the", "did you mean 'it is possible that'?"),
    (IF + "eventually the task is terminal", "eventually", "write: then eventually S"),
    (IF + "then the task is terminal", "the", "'at that moment'"),
    (IF + "then finally the task is terminal", "finally", "write: then eventually S"),
    (IF + "then eventually the task is terminal in 5 steps", "in", "within 3 steps"),
    (IF + "then eventually the task is terminal within 5", "", "5 steps"),
    (IF + "then eventually the task is terminal within five steps", "five", "in digits: 5"),
    (IF + "then eventually the task is terminal within 1 step", "step", "did you mean 'steps'?"),
    (IF + "then before the task is created", "the", "did you mean 'then before that'?"),
    ("between the task is created until the record is removed, it is never the case that the task is open", "until", "between Q and R"),
    ("from the task is created to the record is removed, it is never the case that the task is open", "to", "from Q until R"),
    (NEVER + "task is working", "task", "did you mean 'the task is working'?"),
    (NEVER + "the status is working", "is", "did you mean 'the task is working'?"),
    (NEVER + "the task is working or completed", "completed", "did you mean 'the task is completed'?"),
    (NEVER + "the task is not working", "not", "write not before the whole phrase"),
    (NEVER + "the task isn't terminal", "isn't", "write not before the whole phrase"),
    (NEVER + "the task is canceled", "canceled", "did you mean 'the task is cancelled'?"),
    (NEVER + "the task is input-required", "input-required", "did you mean 'the task is input_required'?"),
    (NEVER + "the worker writes a terminal status", "worker", "did you mean 'a worker writes a terminal status'?"),
    (NEVER + "a worker write a terminal status", "write", "did you mean 'a worker writes a terminal status'?"),
    (NEVER + "the task is terminal and then the status changes", "then", "then eventually S"),
    (NEVER + "the version is greater than 3", "greater", "is more than"),
    (NEVER + "the version is 3", "3", "is exactly"),
    (NEVER + "the number of outcomes > 1", "outcomes", "did you mean 'the number of stored outcomes'?"),
    (NEVER + "(the task is working", "", "')'"),
    (NEVER + "the task is orphaned", "the", 'model = "timing"'),
)  # fmt: skip
TIMING = (
    ("globally, if the worker finishes, then eventually a poll finds the end within 5 seconds", "seconds", "5s"),
    (NEVER + "the silence exceeds the orphan window", "exceeds", "is more than"),
    (NEVER + "silence > the orphan window", "silence", "did you mean 'the silence'?"),
    (NEVER + "the silence is more than or equal to the orphan window", "or", "is at least"),
    (NEVER + "the silence > the window", "window", "did you mean 'the orphan window'?"),
    (NEVER + "the silence > 2 * the orphan window", "*", "no multiplication"),
    (NEVER + "the silence > -3ms", "-3ms", "0ms - 3ms"),
    (NEVER + "the silence > 3", "the", "write a unit"),
    ("globally, every 5s, a poll is sent", "every", "at least every 5s"),
    ("globally, once the task is working, it stays so at most 5s", "at", "did you mean 'it stays so for at most'?"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("model", "text", "word", "instead"),
    [(name, *row) for name, rows in (("lifecycle", LIFECYCLE), ("timing", TIMING)) for row in rows],
)
def test_a_mistake_is_answered_at_its_word(model: str, text: str, word: str, instead: str) -> None:
    """The error points at the word that is wrong, or behind the last, and says what to write."""
    known = vocabularies()
    with pytest.raises(SentenceError) as caught:
        parse(text, known[model], [one for name, one in known.items() if name != model])
    error = caught.value
    at_sign = "compared" in error.what
    assert at_sign or text[error.offset :].split(" ", maxsplit=1)[0].strip(",.") == word
    assert instead in error.instead


def test_only_what_may_stand_there_is_listed() -> None:
    """A list names nothing that the parser would refuse: after a whole sentence no comma, and no closing bracket."""
    with pytest.raises(SentenceError) as caught:
        parse("globally, it is never the case that the task is open soon", vocabularies()["lifecycle"])
    assert caught.value.instead == "here may stand: 'and', 'or', '.', 'the end'"
