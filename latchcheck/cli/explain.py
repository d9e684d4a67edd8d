"""`latchcheck explain`: what a configuration key, a property, a switch, a size of a scope or a printed word means."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping

import click

from . import wiring
from .errors import NoSuchName
from .options import TEXT_OR_JSON
from .output import Output

SCHEMA = "latchcheck/explanation/1"
LABEL_WIDTH = 12
NEAR_MAX = 3
LISTS = "`latchcheck list keys` names the keys, `latchcheck list properties` the properties"


@click.command(
    "explain",
    short_help="Say what a key, a property, a switch, a size or a word means.",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="A key may be named without its section, and in any spelling: server.orphan_window, ttlMs.",
)
@click.argument("name", metavar="KEY|PROPERTY|SWITCH|SIZE|WORD")
@TEXT_OR_JSON
def command(name: str, form: str) -> None:
    """Say what KEY means, what it takes, its default and why; or what PROPERTY claims.

    SWITCH is one of a policy of the lifecycle model, SIZE one of a scope, WORD one that answers print: margin, bound.
    """
    from latchcheck.report import glossary

    keys = wiring.explain_keys(name)
    claim = wiring.explain_property(name)
    setting = wiring.explain_setting(name)
    word = glossary.explained(name)
    if not keys and claim is None and setting is None and word is None:
        raise NoSuchName(_unknown(name))
    out = Output(None)
    if form == "json":
        meant = None if word is None else {"word": word[0], "meaning": word[1]}
        found = {"schema": SCHEMA, "keys": keys, "property": claim, "setting": setting, "word": meant, "exit": 0}
        out.write(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
        return
    texts = [_key(row, out.width) for row in keys]
    if claim is not None:
        texts.append(_claim(name, claim, out.width))
    if setting is not None:
        texts.append(_setting(name, setting, out.width))
    if word is not None:
        texts.append(f"{word[0]}\n{_wrapped(word[1], '  ', '  ', out.width)}\n")
    out.write("\n".join(texts))


def _key(row: Mapping[str, object], width: int) -> str:
    lines = [
        ("takes", row["takes"]),
        ("spelled", ", ".join(_words(row["spellings"]))),
        ("default", row["default"]),
        ("if absent", row["assumed"]),
        ("why", row["why"]),
        ("read by", ", ".join(_words(row["properties"]))),
        (
            "source",
            f"docs/reference/semantics.md, {row['source']}" if "section" in str(row["source"]) else row["source"],
        ),
    ]
    return _entry(str(row["key"]), str(row["meaning"]), lines, width)


def _claim(name: str, claim: Mapping[str, object], width: int) -> str:
    known = dict(claim)
    sentence = str(known.pop("sentence"))
    lines = [
        (label.replace("_", " "), ", ".join(_words(value)) if isinstance(value, list) else value)
        for label, value in known.items()
        if value
    ]
    return _entry(name, sentence, lines, width)


def _setting(name: str, row: Mapping[str, object], width: int) -> str:
    lines = [
        (label, ", ".join(_words(value)) if isinstance(value, list) else value)
        for label, value in row.items()
        if label not in ("switch", "size", "meaning") and value != []
    ]
    return _entry(name, str(row["meaning"]), lines, width)


def _entry(title: str, text: str, lines: list[tuple[str, object]], width: int) -> str:
    body = [title, _wrapped(text, "  ", "  ", width), ""]
    for label, value in lines:
        first = f"  {label:<{LABEL_WIDTH - 2}}"
        body.append(_wrapped(str(value), first, " " * LABEL_WIDTH, width))
    return "\n".join(body) + "\n"


def _wrapped(text: str, first: str, rest: str, width: int) -> str:
    return textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, break_long_words=False
    )


def _words(values: object) -> list[str]:
    assert isinstance(values, (list, tuple))
    return [str(value) for value in values]


def _unknown(name: str) -> str:
    from latchcheck.naming import alternatives, nearest  # only when there is something to mend
    from latchcheck.report import glossary

    ids = [str(row["id"]) for row in wiring.property_rows()]
    settings = [
        str(row[one])
        for one, rows in (("switch", "policies"), ("size", "scopes"))
        for row in wiring.lifecycle_rows(rows)
    ]
    near = [*wiring.nearest_keys(name), *nearest(name, [*ids, *settings, *glossary.WORDS])][:NEAR_MAX]
    return f"{name}: there is no such name\n  {f'did you mean {alternatives(near)}?' if near else LISTS}"
