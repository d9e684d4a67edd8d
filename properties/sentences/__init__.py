"""The normative sentences of MCP Tasks in both eras, and where each of them is in the model.

Paraphrases of our own; line and section say where the words of the specification stand.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Final, Literal

import attrs

Role = Literal["guard", "property", "assumption", "out"]
FILES: Final = ("extension.toml", "core-2025-11-25.toml")


@attrs.frozen
class Normative:
    """A normative sentence: where it stands, its keyword, a paraphrase, and what it is in the model.

    `links` are property ids, `key:` and a key of a configuration, `switch:` and a switch of a policy, or `admission`.
    `reason` says why it is out of scope. `excluded` says that the official conformance suite lists it as not
    observable.
    """

    id: str
    era: str
    source: str
    section: str
    line: int
    keyword: str
    text: str
    role: Role
    links: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    reason: str | None = None
    excluded: bool = False


@cache
def sentences() -> tuple[Normative, ...]:
    """Every sentence, the extension's first, each document in its order."""
    found: list[Normative] = []
    for name in FILES:
        content = tomllib.loads((files(__package__ or "") / name).read_text(encoding="utf-8"))
        common = {"era": content["era"], "source": content["source"]}
        found += [Normative(**common, **one) for one in content["sentence"]]
    return tuple(found)


def chosen(
    *,
    era: str | None = None,
    keyword: str | None = None,
    role: str | None = None,
    link: str | None = None,
    excluded: bool = False,
    of: Iterable[Normative] | None = None,
) -> tuple[Normative, ...]:
    """The sentences that pass every filter that is given; `link` is a property, a key or a switch."""
    return tuple(
        one
        for one in (sentences() if of is None else of)
        if era in (None, one.era)
        and keyword in (None, one.keyword)
        and role in (None, one.role)
        and (link is None or any(link in (each, each.partition(":")[2]) for each in one.links))
        and (one.excluded or not excluded)
    )
