"""A property file: the sentence word by word, its source, its keyword, and the readings of it.

TOML, or Markdown whose front matter between two lines `+++` is TOML.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, get_args

import attrs

from latchcheck.gathering import all_read, together
from latchcheck.kernel.records import Keyword

from .faults import SentenceError, WordingError, suggestion
from .grammar import parse
from .language import Sentence
from .words import Vocabulary

SIZE_MAX = 1 << 20
KEYS = (
    "id",
    "sentence",
    "source",
    "where",
    "keyword",
    "model",
    "scope",
    "policy",
    "set",
    "ignored",
    "readings",
    "note",
    "question",
    "case",
    "also",
    "outside",
)
NEEDED = {"sentence": "the sentence, word by word", "source": "the document it stands in", "keyword": "MUST"}
READING_KEYS = ("text", "assuming", "note", "keyword", "products")


@attrs.frozen
class Reading:
    """One reading: its name, its text as it stands, the sentence that it is, and the assumptions it is made under."""

    name: str
    text: str
    sentence: Sentence
    assuming: tuple[str, ...] = ()
    restricting: tuple[Sentence, ...] = ()
    note: str = ""
    keyword: Keyword = "MUST"
    products: tuple[str, ...] = ()

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Everything it assumes, in words: what is fair, and what is excluded."""
        return (*self.assuming, *map(str, self.restricting))


@attrs.frozen
class Document:
    """A property file that was read.

    `question` is what its readings answer differently, `cases` where the question is listed, `outside` what of it no
    model here can say; `also` names further models in which readings are judged and compared.
    """

    file: str
    id: str
    sentence: str
    source: str
    where: str
    keyword: Keyword
    readings: tuple[Reading, ...]
    model: str
    scope: str | None = None
    policy: str | None = None
    sets: tuple[str, ...] = ()
    ignored: str | None = None
    question: str = ""
    cases: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    outside: str = ""

    def reading(self, name: str) -> Reading:
        """The reading of that name; WordingError lists those there are."""
        for one in self.readings:
            if one.name == name:
                return one
        names = [one.name for one in self.readings]
        raise WordingError(f"{self.file}: there is no reading {name!r}\n  {suggestion(name, names)}")


def load(file: str, vocabularies: Mapping[str, Vocabulary]) -> Document:
    """Read a property file; WordingError says what is wrong in it, where, and what to write instead."""
    path = Path(file)
    try:
        if path.is_file() and path.stat().st_size > SIZE_MAX:
            raise WordingError(f"{file}: too large for a property file; one sentence and its readings are a page")
        source = path.read_text(encoding="utf-8")
    except OSError as error:
        raise WordingError(f"{file}: {error.strerror or error}\n  name a property file, in TOML or Markdown") from None
    except (UnicodeDecodeError, ValueError):
        raise WordingError(f"{file}: this is no text in UTF-8\n  name a property file, in TOML or Markdown") from None
    return read(file, source.removeprefix("\N{BYTE ORDER MARK}"), vocabularies)


def read(file: str, source: str, vocabularies: Mapping[str, Vocabulary]) -> Document:
    """Read the text of a property file; errors as `load`, all of them as `every` of the first."""
    text = _front_matter(file, source)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise WordingError(f'{file}: {error}\n  a text stands in quotes: sentence = "..."') from None
    missing = [
        WordingError(f'{file}: {key!r} is missing\n  write {key} = "{example}"')
        for key, example in NEEDED.items()
        if key not in content
    ]
    told = all_read(
        WordingError,
        {
            "keys": partial(_only, file, source, content, KEYS, ""),
            "model": partial(_model, file, source, content, vocabularies),
            "keyword": lambda: _keyword(file, source, _text(file, content, "keyword", "MUST")),
            "readings": partial(_readings, file, source, content, vocabularies),
            **{key: partial(_text, file, content, key, "") for key in ("sentence", "source", "where")},
            **{key: partial(_text, file, content, key, "") for key in ("question", "outside")},
            **{key: partial(_text, file, content, key, None) for key in ("scope", "policy", "ignored")},
            "id": partial(_text, file, content, "id", Path(file).stem),
            "sets": partial(_texts, file, source, content, "set", "key=value"),
            "cases": partial(_texts, file, source, content, "case", "W01"),
            "also": partial(_texts, file, source, content, "also", "era=2025-11-25"),
        },
        missing,
    )
    del told["keys"]
    return Document(file, **told)


def _model(file: str, source: str, content: Mapping[str, Any], vocabularies: Mapping[str, Vocabulary]) -> str:
    model = _text(file, content, "model", next(iter(vocabularies)))
    if model not in vocabularies:
        raise WordingError(
            f"{file}{_line(source, 'model')}: there is no model {model!r}\n  {suggestion(model, vocabularies)}"
        )
    return model


def _texts(file: str, source: str, content: Mapping[str, Any], key: str, example: str) -> tuple[str, ...]:
    value = content.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise WordingError(f'{file}{_line(source, key)}: {key} is no list of texts\n  write {key} = ["{example}"]')
    return tuple(value)


def _front_matter(file: str, source: str) -> str:
    if not file.endswith((".md", ".markdown")):
        return source
    found = re.match(r"\+\+\+[ \t]*\n(.*?\n)\+\+\+[ \t]*(\n|$)", source, re.DOTALL)
    if found is None:
        raise WordingError(
            f"{file}:1: a property file in Markdown begins with TOML between two lines +++\n  write +++ there"
        )
    # An empty line in place of the first mark keeps the line numbers.
    return "\n" + found[1]


def _only(file: str, source: str, content: Mapping[str, Any], known: tuple[str, ...], inside: str) -> None:
    unknown = []
    for key in content:
        if key not in known:
            near = get_close_matches(key, known, 1)
            meant = f"did you mean {near[0]!r}? " if near else ""
            what = f"{inside}there is no key {key!r}\n  {meant}there is {', '.join(known)}"
            unknown.append(WordingError(f"{file}{_line(source, key)}: {what}"))
    if unknown:
        raise together(unknown)


def _line(source: str, key: str) -> str:
    found = re.search(rf"^\s*\[?(readings\.)?[\"']?{re.escape(key)}[\"']?\s*[]=.]", source, re.MULTILINE)
    return f":{source.count(chr(10), 0, found.start() + len(found[0]) - len(found[0].lstrip())) + 1}" if found else ""


def _text(file: str, content: Mapping[str, Any], key: str, default: str | None) -> Any:
    value = content.get(key, default)
    if value is None:
        return None
    if not isinstance(value, str) or (not value.strip() and key in content):
        raise WordingError(f'{file}: {key} is {value!r}, and must be a text\n  write {key} = "..."')
    return value


def _keyword(file: str, source: str, word: str) -> Keyword:
    if word not in get_args(Keyword):
        head = word.upper().split(" ")[0]
        meant = {"SHALL": "MUST", "REQUIRED": "MUST", "RECOMMENDED": "SHOULD", "OPTIONAL": "MAY"}.get(head, head)
        known = f'write keyword = "{meant}"' if meant in get_args(Keyword) else "write MUST, SHOULD or MAY"
        never = (
            "; that it must not be is said by the reading: it is never the case that ..."
            if " NOT" in word.upper()
            else ""
        )
        raise WordingError(f"{file}{_line(source, 'keyword')}: {word!r} is no keyword\n  {known}{never}")
    return word  # type: ignore[return-value]


def _readings(
    file: str, source: str, content: Mapping[str, Any], vocabularies: Mapping[str, Vocabulary]
) -> tuple[Reading, ...]:
    tables = content.get("readings")
    if not isinstance(tables, dict) or not tables:
        example = '[readings.plain]\n  text = "globally, it is never the case that ..."'
        raise WordingError(f"{file}: there is no reading of the sentence\n  write {example}")
    model = content.get("model", next(iter(vocabularies)))
    if not isinstance(model, str) or model not in vocabularies:
        return ()  # what they may say is not known, and this is told already
    words = (vocabularies[model], *(one for name, one in vocabularies.items() if name != model))
    keyword = content.get("keyword", "MUST")
    keyword = keyword if keyword in get_args(Keyword) else ""  # an error of the file, and not of each reading
    reads = {name: partial(_reading, file, source, name, table, keyword, words) for name, table in tables.items()}
    return tuple(all_read(WordingError, reads).values())


def _reading(
    file: str, source: str, name: str, table: Any, keyword: str, vocabularies: tuple[Vocabulary, ...]
) -> Reading:
    place = f"{file}{_line(source, name)}"
    if not isinstance(table, dict) or "text" not in table:
        raise WordingError(
            f'{place}: reading {name!r} has no text\n  write text = "globally, it is never the case that ..."'
        )
    told = all_read(
        WordingError,
        {
            "keys": partial(_only, file, source, table, READING_KEYS, f"reading {name!r}: "),
            "keyword": lambda: _keyword(file, source, str(table["keyword"])) if "keyword" in table else keyword,
            "assuming": partial(_assuming, file, source, name, table, vocabularies),
            "sentence": lambda: _parsed(file, source, name, _text(file, table, "text", ""), vocabularies),
            "products": partial(_products, place, table),
            "note": partial(_text, file, table, "note", ""),
        },
    )
    if told["keyword"] == "MAY" and told["sentence"].pattern != "possibility":
        raise WordingError(
            f"{place}: reading {name!r} is a MAY, and forbids: a MAY names a freedom\n"
            '  write text = "globally, it is possible that ...", or another keyword for this reading'
        )
    del told["keys"]
    fair, restricting = told.pop("assuming")
    return Reading(name, table["text"], assuming=fair, restricting=restricting, **told)


def _assuming(
    file: str, source: str, name: str, table: Mapping[str, Any], vocabularies: tuple[Vocabulary, ...]
) -> tuple[tuple[str, ...], tuple[Sentence, ...]]:
    """What a reading assumes: what is fair, and what is excluded."""
    texts = table.get("assuming", [])
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        place = f"{file}{_line(source, name)}"
        raise WordingError(f'{place}: assuming is no list of texts\n  write assuming = ["workers report"]')
    fair = vocabularies[0].of_kind("assumption")
    others = {one: partial(_assumption, file, source, name, one, vocabularies) for one in texts if one not in fair}
    return tuple(one for one in texts if one in fair), tuple(all_read(WordingError, others).values())


def _products(place: str, table: Mapping[str, Any]) -> tuple[str, ...]:
    products = table.get("products", [])
    if not isinstance(products, list) or not all(isinstance(one, str) for one in products):
        raise WordingError(f'{place}: products is no list of texts\n  write products = ["PRODUCT: how it is known"]')
    return tuple(products)


def _assumption(file: str, source: str, name: str, text: str, vocabularies: tuple[Vocabulary, ...]) -> Sentence:
    known = vocabularies[0].of_kind("assumption")
    if "," not in text:
        raise WordingError(
            f"{file}{_line(source, name)}: reading {name!r} assumes {text!r}, which is no assumption\n"
            f"  {suggestion(text, known, more='; or a sentence: globally, it is never the case that ...')}"
        )
    sentence = _parsed(file, source, name, text, vocabularies)
    if sentence.pattern in ("existence", "response") and sentence.bound is None:
        raise WordingError(
            f"{file}{_line(source, name)}: reading {name!r}: what is assumed must be safety, not {text!r}\n"
            f"  say that something never happens, or {suggestion('', known)}"
        )
    return sentence


def _parsed(file: str, source: str, name: str, text: str, vocabularies: tuple[Vocabulary, ...]) -> Sentence:
    try:
        return parse(text, vocabularies[0], vocabularies[1:])
    except SentenceError as error:
        header = re.search(rf"^\s*\[readings\.[\"']?{re.escape(name)}[\"']?\]", source, re.MULTILINE)
        begin = header.end() if header else 0
        start = source.find(text, begin)
        raise error.placed(file, source, start if start >= 0 else None, name) from None
