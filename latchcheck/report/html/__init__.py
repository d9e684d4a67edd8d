"""Answers as one HTML file that needs nothing else: no network, no other file, and no script to be read.

With scripts, runs can be walked through step by step and drawn on a linear or a logarithmic time axis.
"""

from __future__ import annotations

from collections.abc import Sequence

from latchcheck.needs import Needs

from ..findings import Findings


def dump(asked: Sequence[Findings]) -> str:
    """All answers as one page; raises Needs where jinja2 is not installed."""
    try:
        from .page import rendered
    except ModuleNotFoundError as missing:
        raise Needs("--format html", "jinja2", "report") from missing
    return rendered(asked)
