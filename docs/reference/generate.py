"""Writes what is made from data in the reference pages: run it after a change of keys or presets.

In `configuration.md` that is the key table, in `presets.md` the preset files.
What stands above the mark in a page is written by hand and kept. A test compares both with the data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from latchcheck.model.describe import key_rows, preset_rows

HERE = Path(__file__).parent
MADE = "<!-- What follows is made by docs/reference/generate.py: change the data, not this page. -->"

Row = Mapping[str, object]


def configuration_page() -> str:
    """Return the text that configuration.md should have."""
    parts = [_head("configuration.md")]
    rows = key_rows()
    for section in dict.fromkeys(row["section"] for row in rows):
        parts.append(f"## `[{section}]`\n")
        parts += [_key(row) for row in rows if row["section"] == section]
    return "\n".join(parts)


def presets_page() -> str:
    """Return the text that presets.md should have."""
    parts = [_head("presets.md")]
    rows = preset_rows()
    for party in ("client", "server"):
        parts.append(f"## {party.capitalize()}s\n")
        parts += [_preset(row) for row in rows if row["party"] == party]
    return "\n".join(parts)


def _head(page: str) -> str:
    """Return the part of a page that is written by hand, with the mark."""
    return (HERE / page).read_text(encoding="utf-8").split(MADE)[0] + MADE + "\n"


def _key(row: Row) -> str:
    source = str(row["source"])
    lines = [
        f"### `{row['name']}`\n",
        f"{_sentences(row['meaning'])}\n",
        f"- Takes {row['takes']}.",
        f"- Spelled {_code(row['spellings'])}.",
        f"- Default: `{row['default']}`. {row['assumed']}",
        f"- Why: {row['why']}",
        f"- Read by {_code(row['properties'])}.",
        f"- Source: {'[semantics](semantics.md), ' if source.startswith('section') else ''}{source}.",
    ]
    return "\n".join(lines) + "\n"


def _preset(row: Row) -> str:
    excerpt = " Only an excerpt was read." if row["excerpt"] else ""
    lines = [
        f"### `{row['id']}`: {row['name']}\n",
        f"Version: {row['version']}. Wire: {', '.join(_list(row['wire']))}.",
        f"Source: {row['source']}.{excerpt}\n",
        *(f"{note}\n" for note in _list(row["notes"])),
        *_values(row["values"]),
    ]
    whens = row["when"]
    assert isinstance(whens, list)
    for when in whens:
        lines += [f"Where {when['condition']}:\n", *_values(when["values"])]
    lines += _pairs("No value for:", row["none"])
    lines += _pairs("Besides:", row["facts"])
    return "\n".join(lines)


def _values(values: object) -> Iterator[str]:
    assert isinstance(values, dict)
    yield "| key | value | seen in | note |"
    yield "|---|---|---|---|"
    for name, observed in values.items():
        seen = str(observed["seen"]).replace("|", "\\|")
        yield f"| `{name}` | `{_value(observed['value'])}` | {seen} | {observed['note']} |"
    yield ""


def _pairs(title: str, pairs: object) -> list[str]:
    assert isinstance(pairs, dict)
    if not pairs:
        return []
    return [f"{title}\n", *(f"- `{name}`: {text}." for name, text in pairs.items()), ""]


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(value) if isinstance(value, list) else str(value)


def _sentences(text: object) -> str:
    """Put each sentence on a line of its own, so that a change of wording is a readable difference."""
    return re.sub(r"(?<=[a-z0-9)\"][.:]) (?=[A-Z])", "\n", str(text))


def _code(values: object) -> str:
    return ", ".join(f"`{value}`" for value in _list(values))


def _list(values: object) -> list[str]:
    assert isinstance(values, (list, tuple))
    return [str(value) for value in values]


def main() -> None:
    """Write both pages."""
    (HERE / "configuration.md").write_text(configuration_page(), encoding="utf-8")
    (HERE / "presets.md").write_text(presets_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
