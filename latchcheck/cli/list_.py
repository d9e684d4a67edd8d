"""`latchcheck list`: the presets, the configuration keys and the properties that there are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import click

from . import wiring
from .output import Output


@click.command("list", short_help="List presets, configuration keys or properties.")
@click.argument("what", type=click.Choice(["presets", "keys", "properties"]))
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Text or JSON."
)
def command(what: str, form: str) -> None:
    """List the presets of published clients and servers, the keys of a configuration, or the properties.

    As JSON each row holds all that is known of it, for a preset every value with the place where it was seen.
    """
    rows = {"presets": wiring.preset_rows, "keys": wiring.key_rows, "properties": wiring.property_rows}[what]()
    out = Output(None)
    if form == "json":
        out.write(json.dumps({what: rows}, indent=2, ensure_ascii=False) + "\n")
    elif what == "presets":
        out.write(_presets(rows))
    elif what == "properties":
        out.write(_properties(rows, out.width))
    else:
        out.write(_table(["key", "default", "takes"], [[row["key"], row["default"], row["takes"]] for row in rows]))


def _presets(rows: Sequence[Mapping[str, object]]) -> str:
    texts = []
    for party in ("client", "server"):
        cells = [[row["id"], row["name"], row["version"]] for row in rows if row["party"] == party]
        texts.append(_table([f"--{party}", "product", "version"], cells))
    return "\n".join(texts)


def _properties(rows: Sequence[Mapping[str, object]], width: int) -> str:
    from latchcheck.report.layout import columns

    cells = [("property", "keyword", "claims"), *((str(r["id"]), str(r["keyword"]), str(r["sentence"])) for r in rows)]
    return "\n".join(columns(cells, align="<<w", width=width, indent=0)) + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n" for row in cells
    )
