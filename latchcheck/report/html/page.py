"""The page: answers and drawings handed to the template, with style and script put inside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from attrs import frozen
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from latchcheck import __version__
from latchcheck.kernel.telling import Moment, moments

from ..envelope import plain, versions
from ..findings import EXPLAINED, Finding, Findings
from ..layout import printable
from ..timeline import Row, every_row
from ..values import knob, value_text
from .lanes import Drawing, drawing
from .picture import picture

STATES_SHOWN = 40
"""How many variables the state beside a timeline shows: the ones that change in the run."""


@frozen
class Shown:
    """A finding with what is drawn of it: `ident` names it in the page, `values` are its states, a step each."""

    ident: str
    finding: Finding
    drawing: Drawing | None
    steps: tuple[Row, ...]
    values: str
    names: tuple[str, ...]


def rendered(asked: Sequence[Findings]) -> str:
    """The whole page."""
    parts = [
        {
            "asked": part,
            "shown": [_shown(one, f"q{count}-{one.id.replace('/', '-')}") for one in part.findings],
            "picture": None if part.graph is None else picture(part.graph, part.broken),
        }
        for count, part in enumerate(asked)
    ]
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            parts=parts, version=__version__, versions=versions(), style=_text("style.css"), script=_text("script.js")
        )
    )


def _shown(one: Finding, ident: str) -> Shown:
    if one.trace is None:
        return Shown(ident, one, None, (), "[]", ())
    found = moments(one.trace.steps)
    steps = tuple(every_row(one.trace, one.telling))
    drawn = drawing(found, steps, one.telling.spans(found))
    names = tuple(found[0].before)[:STATES_SHOWN] if found else ()
    return Shown(ident, one, drawn, steps, _values(found, names), names)


def _values(found: Sequence[Moment], names: Sequence[str]) -> str:
    """The value of each variable before the run and after each step, as a JSON table that a script element holds."""
    table = [[value_text(name, found[0].before[name]) for name in names]] if found else []
    table += [[value_text(name, moment.new(name)) for name in names] for moment in found]
    # In a script element only "<" could end it.
    return json.dumps(plain(table), ensure_ascii=False).replace("<", "\\u003c")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("latchcheck.report", "html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"printable": printable, "knob": knob}
    environment.globals |= {"explained": EXPLAINED.format}
    return environment


def _text(name: str) -> Any:
    """A file of ours beside the template, put into the page as it is."""
    source, _, _ = PackageLoader("latchcheck.report", "html").get_source(_environment(), name)
    return Markup(source)  # noqa: S704 - our own style and script
