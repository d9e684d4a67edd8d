"""The answer of `latchcheck region` as people read it: a table of intervals, or a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from latchcheck.kernel.duration import duration, readable

from .layout import columns, wrap
from .values import knob, value_text

WIDTH = 80
MARKS = {"safe": ".", "unsafe": "#", "vacuous": "~", "undecided": "?", "invalid": "x"}
MEANINGS = {
    "safe": "nothing is violated",
    "unsafe": "the condition of a property is not met",
    "vacuous": "a property speaks about nothing that can happen",
    "undecided": "neither proved nor shown by a run",
    "invalid": "the numbers contradict each other",
}
EVERYWHERE = {"unsafe": "violated", "undecided": "undecided", "vacuous": "vacuous"}
BY_MAX = 3
"""So many properties are named beside an interval."""


def region_told(answer: Mapping[str, Any]) -> str:
    """The whole answer, ending in a line end."""
    lines = [*wrap(answer["source"], WIDTH), ""]
    for one in answer["free"]:
        now = "not set now" if one["now"] is None else f"now {value_text(one['key'], one['now'])}"
        ends = f"from {_ms(one['from_ms'])} to {_ms(one['to_ms'])}"
        lines += wrap(f"{knob(one['key'])}, {now}, {ends}:", WIDTH)
    lines.append("")
    lines += _picture(answer) if "rows" in answer else _table(answer)
    return "\n".join(lines) + "\n"


# -- one key --------------------------------------------------------------------------------------------------


def _table(answer: Mapping[str, Any]) -> Iterator[str]:
    properties, moved = answer["properties"], answer["moved"]
    still = [one for one in properties if one["id"] not in moved["properties"]]
    for label in ("unsafe", "undecided", "vacuous"):
        found = [one for one in still if one["intervals"][0]["label"] == label]
        if found:
            names = ", ".join(one["id"] for one in found)
            tried = " that was tried" if any(one["evidence"] == "tried" for one in found) else ""
            yield from wrap(f"Whatever the number, {EVERYWHERE[label]} at every value{tried}: {names}.", WIDTH)
            yield "The table is about the others."
            yield ""
    rows = [(one["label"], _ms(one["from_ms"]), _ms(one["to_ms"]), _by(one["by"])) for one in moved["intervals"]]
    yield from columns([("", "from", "to", "by"), *rows], align="<>>w", width=WIDTH)
    yield ""
    yield from columns(list(_evidence(properties, moved["properties"])), align="<w", width=WIDTH)


def _by(names: Sequence[str]) -> str:
    more = len(names) - BY_MAX
    return ", ".join(names[:BY_MAX]) + (f" and {more} more" if more > 0 else "")


def _evidence(properties: Sequence[Mapping[str, Any]], moved: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What the intervals rest on, each kind of evidence with the properties that have it."""
    kinds: dict[tuple[str, str | None], list[Mapping[str, Any]]] = {}
    for one in properties:
        kinds.setdefault((one["evidence"], one["why"]), []).append(one)
    for (kind, why), found in kinds.items():
        names = ", ".join(one["id"] for one in found if one["id"] in moved)
        alike = sum(one["id"] not in moved for one in found)
        if alike and kind != "unread":
            names += f"{' and ' if names else ''}{alike} that came out alike everywhere"
        tried = max(one["tried"] for one in found)
        yield (
            kind,
            {
                "unread": f"The key is not read, so every value comes out alike: {len(found)} of {len(properties)}.",
                "monotone": f"True of all values between, as {why}: {names}.",
                "every-value": f"Each of the {tried} values was decided: {names}.",
                "tried": f"Up to {tried} values tried; edges are exact to the millisecond; between tried values "
                f"nothing was decided: {names}.",
            }[kind],
        )


def _ms(value: int) -> str:
    return duration(value)


# -- two keys -------------------------------------------------------------------------------------------------


def _picture(answer: Mapping[str, Any]) -> Iterator[str]:
    across, up = answer["free"]
    rows = answer["rows"]
    labels = [readable(one["at_ms"]) for one in rows]
    size = max((len(one) for one in labels), default=0)
    yield f"  {knob(up['key'])}"
    for label, one in zip(reversed(labels), reversed(rows), strict=True):
        yield f"  {label.rjust(size)} |{''.join(MARKS[mark] for mark in one['labels'])}"
    count = len(answer["columns_ms"])
    yield f"  {' ' * size} +{'-' * count}"
    left, right = readable(across["from_ms"]), readable(across["to_ms"])
    yield f"  {' ' * size}  {left}{right.rjust(max(count - len(left), len(right) + 1))}"
    yield f"  {' ' * size}  {knob(across['key'])}"
    yield ""
    used = [label for label in MARKS if any(label in one["labels"] for one in rows)]
    yield from columns([(MARKS[label], MEANINGS[label]) for label in used], align="<w", width=WIDTH)
    yield ""
    names = [name for name, label in answer["still"].items() if label != "safe"]
    if names:
        yield from wrap(f"Not in the picture, since they read neither key and do not hold: {', '.join(names)}", WIDTH)
        yield ""
    yield from wrap(
        f"{answer['tried']} pairs tried; each mark is one. At both ends of each stretch of {MARKS['unsafe']} along a "
        f"row a run of the harm was executed: {answer['executed']} runs. JSON has the edges along each row, exact to "
        "the millisecond; between tried pairs nothing was decided.",
        WIDTH,
    )
