"""The language: what is read, what it reads back as, and errors that point at the word."""
# ruff: noqa: E501 - a sentence stands on one line

from __future__ import annotations

import pytest

from latchcheck.gathering import every
from latchcheck.properties.wording.models import vocabularies
from latchcheck.wording.faults import SentenceError, WordingError
from latchcheck.wording.files import read
from latchcheck.wording.grammar import parse

LIFECYCLE, TIMING = vocabularies()["lifecycle"], vocabularies()["timing"]
SENTENCES = (
    "globally, it is never the case that the task is working",
    "before the task is terminal, it is always the case that the task is open or there is no record yet",
    "after the task is terminal, if a client cancels, then at that moment not the status changes",
    "from a cancel is noted until the record is deleted, it is eventually the case that the task is cancelled",
    "between the task is created and the record is removed, if a worker reports, then before that a worker takes the task",
    "globally, if the task is open and (the task is working or not a cancel is noted), then eventually the task is terminal within 3 steps",
    "globally, it is possible that the number of stored outcomes >= 1",
)  # fmt: skip
HEAD = 'sentence = "s"\nsource = "d"\nkeyword = "MUST"\n'


@pytest.mark.parametrize("text", SENTENCES)
def test_a_sentence_reads_back_as_itself(text: str) -> None:
    """The canonical English of a sentence is the sentence, and reading it again changes nothing."""
    assert text == str(parse(text, LIFECYCLE))


@pytest.mark.parametrize("text", ["Globally,  it is NEVER the case that\nThe Task is working.", "globally,it is never the case that the task is working"])  # fmt: skip
def test_case_and_spaces_do_not_matter(text: str) -> None:
    """Capitals, line ends and a full stop change nothing."""
    assert str(parse(text, LIFECYCLE)) == SENTENCES[0]


@pytest.mark.parametrize(
    ("text", "column", "what", "instead"),
    [
        ("globally, it is never the case that the task is expired", 49, "'expired' after 'the task is'", "'working'"),
        ("globaly, it is never the case", 1, "'globaly' cannot stand here", "did you mean 'globally'?"),
        ("after the task is terminal it is never", 28, "'it' cannot stand here", "','"),
        ("globally, if the task is", 25, "'the task is' is unfinished", "'terminal'"),
        (
            "globally, it is never the case that the silence > 3s",
            37,
            "a word of the model 'timing'",
            'model = "timing"',
        ),
        ("globally, it is never the case that the version > 3s", 49, "a duration is compared with a count", "unit"),
        ("globally, if the task is open, then eventually the task is terminal within 5s", 69, "no clock", "N steps"),
        ("", 1, "the sentence is empty", "'globally'"),
        ("globally, it is never the case that (the task is open", 54, "ends too soon", "')'"),
    ],
)
def test_an_error_points_at_the_word(text: str, column: int, what: str, instead: str) -> None:
    """What cannot stand is named with its column, and what could stand there is listed."""
    with pytest.raises(SentenceError) as caught:
        parse(text, LIFECYCLE, [TIMING])
    assert column == caught.value.offset + 1
    assert what in caught.value.what
    assert instead in caught.value.instead


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (HEAD, ["there is no reading of the sentence", "[readings.plain]"]),
        (HEAD.replace("MUST", "must not"), ["f.toml:3: 'must not' is no keyword", 'write keyword = "MUST"', "it is never the case that"]),
        (HEAD + 'kyword = "x"\n', ["f.toml:4: there is no key 'kyword'", "did you mean 'keyword'?"]),
        (HEAD + 'model = "lifecicle"\n', ["f.toml:4: there is no model 'lifecicle'", "did you mean 'lifecycle'?"]),
        ('sentence = "s"\nkeyword = "MUST"\n', ["'source' is missing", "write source ="]),
        (HEAD + "[readings.a]\nnote = 'x'\n", ["reading 'a' has no text"]),
        (HEAD + "[readings.a]\ntext = 'globally, it is never the case that the task is gone'\n",
         ["f.toml:5:57: reading 'a'", "no phrase goes on with 'gone'", "^"]),
        (HEAD + "[readings.a]\nkeyword = 'MAY'\ntext = 'globally, it is never the case that the task is open'\n",
         ["a MAY names a freedom", "it is possible that"]),
        (HEAD + "[readings.a]\ntext = 'globally, it is possible that the task is open'\nassuming = ['workers work']\n",
         ["assumes 'workers work'", "did you mean 'workers report'?"]),
        ("sentence = x", ["f.toml: ", "a text stands in quotes"]),
    ],
)  # fmt: skip
def test_a_wrong_file_is_told_where_and_what_instead(text: str, parts: list[str]) -> None:
    """One error says the file, the line where there is one, what is wrong, and what to write."""
    with pytest.raises(WordingError) as caught:
        read("f.toml", text, vocabularies())
    assert [part for part in parts if part not in str(caught.value)] == []


def test_all_that_is_wrong_in_a_file_is_told_at_once() -> None:
    """Each error of the file and of its readings is one of `every`, in one call."""
    text = (
        'sentence = "s"\nkeyword = "WILL"\nkyword = "x"\nset = 1\n'
        "[readings.a]\ntext = 'globaly, it is never the case that the task is open'\nassuming = ['workers work']\n"
        "[readings.b]\nnote = 1\ntext = 'globally, it is possible that the task is gone'\n"
    )
    with pytest.raises(WordingError) as caught:
        read("f.toml", text, vocabularies())
    parts = ["'source' is missing", ":3: there is no key", ":2: 'WILL'", "assumes 'workers work'", "'globaly'"]
    parts += ["'gone'", "note is 1", "set is no list"]
    assert len(parts) == len(every(caught.value))
    assert [part for part, one in zip(parts, every(caught.value), strict=True) if part not in str(one)] == []


@pytest.mark.parametrize(
    "text",
    [
        "globally, if a poll is sent, then eventually a poll arrives",
        "globally, if a poll is sent, then eventually a poll arrives within 3 steps",
        "after a poll is sent until a poll arrives, it is eventually the case that the record is gone",
    ],
)
def test_on_a_clock_a_sentence_says_by_when(text: str) -> None:
    """What should come without an instant cannot be judged by a search that ends, and is an error at once."""
    with pytest.raises(SentenceError, match="say by when"):
        parse(text, TIMING)


def test_a_duration_beyond_the_search_is_refused() -> None:
    """A limit that no searched run is long enough for is an error, not a pass."""
    from latchcheck.properties.wording.models import model

    with pytest.raises(WordingError, match="900000 ms"):
        model("timing", sets=("server.orphan_window=15m",))


def test_markdown_with_front_matter_is_a_property_file() -> None:
    """TOML between two lines +++ is read, line numbers are those of the whole file, and the prose below is free."""
    text = f"+++\n{HEAD}[readings.a]\ntext = 'globally, it is possible that the task is open'\n+++\n# Why\nProse.\n"
    assert read("f.md", text, vocabularies()).readings[0].name == "a"
    with pytest.raises(WordingError, match=r"f\.md:6:51: "):
        read("f.md", text.replace("is open", "was"), vocabularies())
    with pytest.raises(WordingError, match=r"f\.md:1: .* begins with TOML"):
        read("f.md", "# Why\n", vocabularies())


def test_every_word_can_be_bound() -> None:
    """Each word of each vocabulary, used alone, builds what it is bound to on its model."""
    from latchcheck.properties.wording.models import model

    for name, vocabulary in vocabularies().items():
        made = model(name)
        for phrase in vocabulary.words:
            world = made.world(made.base, (phrase,))
            assert world is not None
            assert world.value(phrase) is not None
            assert all(one in vocabulary.words for one in vocabulary.words[phrase].near), phrase


def test_every_form_has_an_example_that_is_one() -> None:
    """Each scope and each pattern has an example that reads as it, in words of its model."""
    from latchcheck.properties.wording.examples import EXAMPLES
    from latchcheck.wording.language import SCOPES, TEMPLATES

    assert {*SCOPES, *TEMPLATES} == set(EXAMPLES)
    for kind, (name, text) in EXAMPLES.items():
        found = parse(text, vocabularies()[name])
        assert kind in (found.scope.kind, found.pattern)
        assert text == str(found)
