"""The answer of `latchcheck repair` as people read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .layout import columns, wrap
from .values import knob, value_text

WIDTH = 80
PROOFS = {
    "unread": "a condition that is not met reads none of it, so it comes out alike whatever the numbers are",
    "monotone": "as it grows the outcome changes in one direction only, and it is not met at either end",
}


def change_lines(changes: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Each change in a line: the key, what it is now, what it becomes."""
    return [f"{knob(key)}: {value_text(key, now[key])} -> {value_text(key, value)}" for key, value in changes.items()]


def repair_told(answer: Mapping[str, Any]) -> str:
    """The whole answer, ending in a line end."""
    lines = [*wrap(answer["source"], WIDTH), ""]
    violated, repairs = answer["violated"], answer["repairs"]
    if not violated:
        lines.append("Nothing is violated, so there is nothing to repair.")
    else:
        lines += wrap(f"Violated, {len(violated)}: {', '.join(violated)}", WIDTH)
        for one in repairs:
            lines += ["", *_repair(one)]
        lines += ["", *wrap(_end(answer), WIDTH)]
        if answer["obstacle"] is not None:
            lines += ["", *_in_the_way(answer["obstacle"])]
    if answer["file"] is not None:
        lines.append(f"written: {answer['file']}")
    return "\n".join(lines) + "\n"


def _repair(one: Mapping[str, Any]) -> Iterator[str]:
    yield from _titled(f"{one['letter']}) ", change_lines(one["set"], one["before"]))
    rows = [
        (one["id"], one["before"], f"-> {one['after']}") for one in one["verdicts"] if one["before"] != one["after"]
    ]
    yield from columns(rows, align="<<<", width=WIDTH, indent=5)
    others = sum(one["before"] == one["after"] for one in one["verdicts"])
    yield f"     {'the others' if others > 1 else 'the other'}, {others}, as before"


def _titled(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield (mark if number == 0 else " " * len(mark)) + line


def _end(answer: Mapping[str, Any]) -> str:
    repairs, tried = answer["repairs"], answer["tried"]
    knobs = answer["knobs"]
    whose = "any key of the client or the server" if knobs is None else ", ".join(knob(key) for key in knobs)
    if repairs:
        which = "It mends" if len(repairs) == 1 else "Each by itself mends"
        return (
            f"{which} all that is violated, breaks nothing that held, and was verified again. "
            "No part of it can be left out, and no number can be a millisecond nearer."
        )
    proof = answer["obstacle"] and PROOFS.get(answer["obstacle"]["evidence"])
    if proof:
        return f"There is no repair by {whose}, of what is set: {proof}."
    left = "" if tried["all"] else ", and more are left"
    return (
        f"No repair was found. Smallest changes of {whose} were put together, step by step, and generous "
        f"configurations were looked at: {tried['changes']} of them{left}. "
        "Only numbers that are set are moved; that none was found is no proof that there is none."
    )


def _in_the_way(one: Mapping[str, Any]) -> Iterator[str]:
    """What stood in the way, what each property says there, and which fixed number forces it."""
    if one["evidence"] == "tried":
        several = "are not met together at" if len(one["properties"]) > 1 else "is not met at"
        tried = "the one that was tried" if one["tried"] == 1 else f"any of {one['tried']} that were tried"
        yield from wrap(f"In the way: {', '.join(one['properties'])} {several} {tried}.", WIDTH)
    yield from columns(list(one["clauses"].items()), align="<w", width=WIDTH, indent=2)
    for fixed in one["fixed"]:
        key = fixed["key"]
        yield from wrap(
            f"It is forced by {knob(key)}, {value_text(key, fixed['now'])}, which no repair changes: with "
            f"{value_text(key, fixed['met_at'])} instead that was met.",
            WIDTH,
        )
