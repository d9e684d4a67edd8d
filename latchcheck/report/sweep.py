"""What `latchcheck sweep` tells: one configuration with some of its values varied, a line a combination.

Schema of the JSON: docs/reference/sweep.schema.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from attrs import frozen

from latchcheck.kernel.duration import readable

from .envelope import knob_value, versions
from .layout import Paint, columns, glue, wrap
from .many import Case, Cell, Grid, data, evidence, one_of_them, worst_margins
from .values import knob

SCHEMA = "latchcheck/sweep/1"


@frozen
class Swept:
    """What was asked: the source in words, the keys that are varied, and the values of each combination by key.

    A key is that of the verdicts' configuration, `server.orphan_window_ms`, and its values are plain as there.
    """

    source: str
    keys: tuple[str, ...]
    values: tuple[Mapping[str, object], ...]


def sweep_data(asked: Swept, cases: Sequence[Case], code: int) -> dict[str, Any]:
    """The answer as plain data; a combination that was not reached is not there."""
    several = zip(asked.values, cases, strict=False)
    return {
        "schema": SCHEMA,
        "versions": versions(),
        "source": asked.source,
        "keys": list(asked.keys),
        "asked": len(asked.values),
        "combinations": [
            {"values": {key: knob_value(value) for key, value in values.items()}, **data(case)}
            for values, case in several
        ],
        "exit": code,
    }


def sweep_text(asked: Swept, cases: Sequence[Case], width: int, paint: Paint) -> str:
    """The answer for people, but for its last line."""
    keys, total = tuple(map(knob, asked.keys)), len(asked.values)
    title = f"{total} {'combination' if len(keys) > 1 else 'value'}{'' if total == 1 else 's'} of {', '.join(keys)}"
    lines = [paint(line, "title") for line in wrap(f"{asked.source}: {title}" if asked.source else title, width)]
    names = list(dict.fromkeys(one.id for case in cases for one in case.answers))
    decided = [case for case in cases if case.properties is not None]
    changing = [name for name in names if len({case.verdict(name) for case in decided}) > 1]
    lines += ["", *_table(keys, changing, cases, width, paint)]
    if len(keys) == 1 and changing:
        lines += ["", paint("Where a verdict changes, among these values:", "title")]
        lines += _changes(keys[0], changing, cases, width, paint)
    every = "The same for every value:" if len(decided) == len(cases) else "The same for every value that can be read:"
    lines += _same(every, [name for name in names if name not in changing], decided, width, paint)
    lines += worst_margins(cases, lambda one: _at(keys, one), "of them", width, paint)
    lines += evidence(cases, width, paint)
    only = f"Only the values that are listed were decided, {len(cases)} {_those(cases)}, each as verify decides it; "
    lines += ["", *wrap(f"{only}of what lies between or beyond them nothing is said.", width)]
    return "\n".join([*lines, *one_of_them(cases, "To look at one of them", width), "", ""])


def _table(keys: Sequence[str], changing: Sequence[str], cases: Sequence[Case], width: int, paint: Paint) -> list[str]:
    """A line a combination with the verdicts that are not the same for all; else the values of each key."""
    names = changing or (["verdict"] if any(case.properties is None for case in cases) else [])
    if not names:
        values = [dict.fromkeys(glue(case.names[at]) for case in cases) for at in range(len(keys))]
        rows = [(key, ", ".join(some)) for key, some in zip(keys, values, strict=True)]
        return columns(rows, align="<w", width=width, roles=["label"] * len(rows), paint=paint)
    corner, *labels = columns([keys, *(case.names for case in cases)], align="<" * len(keys), width=width, indent=0)

    def cell(row: int, column: int) -> Cell:
        return Cell(cases[row].verdict(names[column]) if changing else cases[row].word)

    return Grid(corner, labels, names, cell).lines(width, paint)


def _those(cases: Sequence[Case]) -> str:
    return "configuration" if len(cases) == 1 else "configurations"


def _at(keys: Sequence[str], case: Case) -> str:
    return ", ".join(f"{key} = {name}" for key, name in zip(keys, case.names, strict=True))


def _same(title: str, names: Sequence[str], cases: Sequence[Case], width: int, paint: Paint) -> list[str]:
    """The properties whose verdict is the same for all values, by verdict."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(cases[0].verdict(name), []).append(name)
    if not found:
        return []
    rows = [(verdict, ", ".join(some)) for verdict, some in sorted(found.items(), key=_applicable_first)]
    lines = columns(rows, align="<w", width=width, roles=[verdict for verdict, _ in rows], paint=paint)
    return ["", paint(title, "title"), *lines]


def _applicable_first(item: tuple[str, list[str]]) -> tuple[bool, bool]:
    return item[0] == "not-applicable", item[0] != "violated"


def _changes(key: str, names: Sequence[str], cases: Sequence[Case], width: int, paint: Paint) -> list[str]:
    """For each property the stretches of values with one verdict, with the margin at either end."""
    rows = [("property", "verdict", key, "margin")]
    roles = [""]
    for name in names:
        for number, (verdict, some) in enumerate(_stretches(name, cases)):
            ends = [glue(some[0].names[0])] + [glue(some[-1].names[0])] * (len(some) > 1)
            margins = list(dict.fromkeys(_margin(name, case) for case in (some[0], some[-1])))
            rows.append(("" if number else name, verdict, " to ".join(ends), " to ".join(filter(None, margins))))
            roles.append("")
    table = columns(rows, align="<<<w", width=width, roles=roles, paint=paint)
    return [paint(table[0], "label"), *table[1:]]


def _stretches(name: str, cases: Sequence[Case]) -> Iterator[tuple[str, list[Case]]]:
    for verdict, some in groupby(cases, key=lambda case: case.verdict(name)):
        yield verdict, list(some)


def _margin(name: str, case: Case) -> str:
    found = next((one.margin_ms for one in case.answers if one.id == name), None)
    return "" if found is None else readable(found, sign="+")
