"""`latchcheck list`: the presets, keys, properties, and what the lifecycle model may be set to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from . import wiring
from .errors import no_such
from .options import TEXT_OR_JSON, OneOf
from .output import Output

# What the lifecycle model has lists of: the columns, and how each is laid out.
LIFECYCLE: Mapping[str, tuple[tuple[str, ...], str]] = {
    "policies": (("switch", "values", "meaning"), "<ww"),
    "scopes": (("size", "ci", "deep", "wide", "default", "meaning"), "<>>>>w"),
    "mutants": (("mutant", "properties"), "<w"),
}


SCHEMA = "latchcheck/list/1"
SENTENCES = "sentences"
FILTERS = ("era", "keyword", "role", "link", "excluded")


@click.command(
    "list",
    short_help="List presets, keys, properties, policies, scopes, mutants or sentences.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("what", type=OneOf(["presets", "keys", "properties", *LIFECYCLE, SENTENCES]))
@TEXT_OR_JSON
@click.option("--era", type=OneOf(["2026-07-28", "2025-11-25"]), help="Sentences of this era only.")
@click.option("--keyword", type=OneOf(["MUST", "SHOULD", "MAY"]), help="Sentences with this keyword only.")
@click.option(
    "--role",
    type=OneOf(["guard", "property", "assumption", "out"]),
    help="Sentences that are this in the model only.",
)
@click.option("--link", metavar="ID", help="Sentences that this property, key or switch stands for only.")
@click.option("--excluded", is_flag=True, help="Only those that the official conformance suite cannot observe.")
def command(what: str, form: str, **filters: Any) -> None:
    """List what there is to choose from.

    That is the presets of published clients and servers, the keys of a configuration, the properties, and for the
    lifecycle model the switches of a policy, the sizes of a scope, and the mutants. Sentences are the normative
    sentences of the specification in both eras, each with what it is in the model.

    As JSON each row holds all that is known of it, for a preset every value with the place where it was seen.
    """
    given = [name for name in FILTERS if filters[name]]
    if given and what != SENTENCES:
        raise click.UsageError(f"--{given[0]} chooses among sentences: latchcheck list sentences --{given[0]} ...")
    rows = _rows(what, filters)
    if not rows and filters["link"] is not None:
        _check_link(filters["link"])
    out = Output(None)
    if form == "json":
        out.write(json.dumps({"schema": SCHEMA, what: rows, "exit": 0}, indent=2, ensure_ascii=False) + "\n")
    elif what == "presets":
        out.write(_presets(rows, out.width))
    elif what == "properties":
        out.write(_properties(rows, out.width))
    elif what == SENTENCES:
        out.write(_sentences(rows, out.width))
    elif what in LIFECYCLE:
        out.write(_lifecycle(what, rows, out.width))
    else:
        cells = [[row["key"], row["default"], row["takes"]] for row in rows]
        out.write(_table(["key", "default", "takes"], cells, "<ww", out.width))


def _rows(what: str, filters: Mapping[str, Any]) -> list[dict[str, object]]:
    if what == SENTENCES:
        from .wiring.sentences import sentence_rows

        return sentence_rows(**filters)
    if what in LIFECYCLE:
        return wiring.lifecycle_rows(what)
    return {"presets": wiring.preset_rows, "keys": wiring.key_rows, "properties": wiring.property_rows}[what]()


def _check_link(name: str) -> None:
    """Raise UsageError for what no sentence stands for: it is a misspelled name, and no question without an answer."""
    rows = _rows(SENTENCES, dict.fromkeys(FILTERS))
    known = {str(link): None for row in rows for link in row["links"]}  # pyright: ignore[reportGeneralTypeIssues]
    if name not in known:
        raise no_such("--link", "property, key or switch", name, known, "latchcheck list sentences")


def _sentences(rows: Sequence[Mapping[str, object]], width: int) -> str:
    from latchcheck.report.layout import columns

    if not rows:
        return "no sentence is like this\n"
    table = [("id", "keyword", "sentence", "in the model")]
    for row in rows:
        links = row["links"]
        where = f"{row['role']}: " + (
            ", ".join(map(str, links)) if isinstance(links, list) and links else str(row["reason"])
        )
        table.append((str(row["id"]), str(row["keyword"]), str(row["text"]), where))
    return "\n".join(columns(table, align="<<ww", width=width, indent=0)) + "\n"


def _presets(rows: Sequence[Mapping[str, object]], width: int) -> str:
    texts = []
    for party in ("client", "server"):
        # In one column, as the name of a package may be too long for one of its own.
        cells = [[row["id"], f"{row['name']}, {row['version']}"] for row in rows if row["party"] == party]
        texts.append(_table([f"--{party}", "product version"], cells, "<w", width))
    return "\n".join(texts)


def _properties(rows: Sequence[Mapping[str, object]], width: int) -> str:
    from latchcheck.report.layout import columns

    texts = []
    for verb in ("verify", "explore"):
        found = [row for row in rows if row["verb"] == verb]
        cells = [(f"{verb} --property", "keyword", "claims")]
        cells += [(str(row["id"]), str(row["keyword"]), str(row["sentence"])) for row in found]
        texts.append("\n".join(columns(cells, align="<<w", width=width, indent=0)) + "\n")
    return "\n".join(texts)


def _lifecycle(what: str, rows: Sequence[Mapping[str, object]], width: int) -> str:
    """Rows of a few columns, the lists in them separated by commas."""
    from latchcheck.report.layout import columns

    names, align = LIFECYCLE[what]
    if what == "mutants":  # a policy is long, and stands whole so that it can be copied
        below = [columns([(_cell(row["properties"]),)], align="w", width=width, indent=4) for row in rows]
        texts = [
            "mutant",
            "    properties",
            *(line for row, under in zip(rows, below, strict=True) for line in (str(row["mutant"]), *under)),
        ]
        return "\n".join(texts) + "\n"
    cells = [names, *(tuple(_cell(row[name]) for name in names) for row in rows)]
    return "\n".join(columns(cells, align=align, width=width, indent=0)) + "\n"


def _cell(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _table(head: Sequence[str], rows: Sequence[Sequence[object]], align: str, width: int) -> str:
    from latchcheck.report.layout import columns

    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    return "".join(f"{line}\n" for line in columns(cells, align=align, width=width, indent=0))
