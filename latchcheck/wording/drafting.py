"""What helps to write a property file: one to begin with, and what may stand next in a reading."""

from __future__ import annotations

from .grammar import FORMS, parser_of
from .mistakes import OTHERS, Mistake
from .words import Vocabulary

DRAFT = """\
# A property file: try it with `latchcheck wording check {file}`.
# `latchcheck wording vocabulary` lists the words and the forms of a reading.
sentence = "The sentence, word by word."
source = "the document it stands in"
where = "the place in it"
keyword = "MUST"  # or SHOULD, or MAY
model = "{model}"

[readings.first]
text = "{first}"
note = "what one reader takes the sentence to say"

[readings.second]
text = "{second}"
note = "what another takes it to say"
"""


def draft(file: str, model: str, first: str, second: str) -> str:
    """A property file with two readings, to be changed."""
    return DRAFT.format(file=file, model=model, first=first, second=second)


def continuations(text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Everything that may stand after the beginning of a reading; after half a phrase, what completes it.

    Raises SentenceError where the beginning is wrong already.
    """
    from lark.exceptions import UnexpectedInput  # where lark is missing, the line below says so

    parser = parser_of(vocabulary)
    try:
        before = parser.parse_interactive(text)
        for _ in before.iter_parse():
            pass
    except UnexpectedInput as error:
        token = getattr(error, "token", None)
        offset: int = (error.pos_in_stream if token is None else token.start_pos) or 0
        head = text[:offset]
        before = parser.parse_interactive(head)
        for _ in before.iter_parse():
            pass
        place = Mistake(text, offset, set(before.accepts()), vocabulary, FORMS)
        found = place.completing()
        if not found:
            raise place.error(()) from None
        return found
    place = Mistake(text, len(text), set(before.accepts()), vocabulary, FORMS)
    ends = {OTHERS["$END"]}
    return tuple(one for one in (*place.literals, *place.phrases, *place.examples) if one not in ends)
