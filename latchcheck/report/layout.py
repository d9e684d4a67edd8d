"""Columns, wrapping and colour for text that people read."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence

Row = Sequence[str]
Paint = Callable[[str, str], str]
"""Takes a text and a role and gives the text in the colour of the role, or as it is."""

GUTTER = 2
HANGING = 5
WRAPPED_WIDTH_MIN = 16
GLUE = "\N{NO-BREAK SPACE}"
"""Stands for a space within what `wrap` takes for one word."""

_CODES = {
    "violated": "1;31",
    "proved": "32",
    "holds": "32",
    "vacuous": "33",
    "inconclusive": "33",
    "not-applicable": "2",
    "title": "1",
    "label": "2",
}


def painted(text: str, role: str) -> str:
    """The text in the colour of its role; a role without one leaves it as it is."""
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if role in _CODES and text.strip() else text


def unpainted(text: str, _role: str) -> str:
    """The text as it is."""
    return text


def glue(text: str) -> str:
    """The text as one word for `wrap`, unless it is longer than a line."""
    return text.replace(" ", GLUE)


def printable(text: str) -> str:
    """The text with its control characters shown, as a file name may hold them and no terminal shall obey them."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one == GLUE else ascii(one)[1:-1] for one in text)


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most this width; a word that is longer stays whole, so that it can be copied.

    Control characters are shown and not obeyed.
    """
    words = (word if len(word) <= width else word.replace(GLUE, " ") for word in printable(text).split(" "))
    lines = textwrap.wrap(" ".join(words), max(width, 1), break_long_words=False, break_on_hyphens=False)
    return [line.replace(GLUE, " ") for line in lines] or [""]


def hung(lines: Iterable[str], width: int) -> list[str]:
    """The lines, each in several where it is longer than the width: what goes on stands further in than it begins."""
    found: list[str] = []
    for line in lines:
        text = line.lstrip(" ")
        lead = len(line) - len(text)
        if len(line) <= width:
            found.append(line)
            continue
        first, *rest = wrap(text, width - lead - HANGING)
        found += [" " * lead + first, *(" " * (lead + HANGING) + one for one in rest)]
    return found


def columns(
    rows: Sequence[Row],
    *,
    align: str,
    width: int,
    indent: int = 2,
    roles: Sequence[str] = (),
    paint: Paint = unpainted,
) -> list[str]:
    """The rows as aligned columns, one letter of `align` a column: `<` left, `>` right, `w` left and wrapped.

    Wrapped columns share what the others leave of the width, each no more than it needs.
    `roles` gives the role of the first cell of each row.
    """
    widths = _widths(rows, align, width - indent)
    lines: list[str] = []
    for index, row in enumerate(rows):
        cells = [wrap(cell, size) for cell, size in zip(row, widths, strict=True)]
        for height in range(max(len(cell) for cell in cells)):
            parts = [
                _pad(cell[height] if height < len(cell) else "", size, mark)
                for cell, size, mark in zip(cells, widths, align, strict=True)
            ]
            if index < len(roles):
                parts[0] = paint(parts[0], roles[index])
            lines.append((" " * indent + (" " * GUTTER).join(parts)).rstrip())
    return lines


def _pad(text: str, size: int, mark: str) -> str:
    return text.rjust(size) if mark == ">" else text.ljust(size)


def _widths(rows: Sequence[Row], align: str, room: int) -> list[int]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(align))]
    longest_word = [max(len(word) for row in rows for word in row[column].split(" ")) for column in range(len(align))]
    # The narrowest first, so that what it does not need goes to the wider ones.
    wrapped = sorted((column for column, mark in enumerate(align) if mark == "w"), key=lambda column: widths[column])
    left = room - GUTTER * (len(align) - 1) - sum(size for column, size in enumerate(widths) if column not in wrapped)
    for position, column in enumerate(wrapped):
        later = wrapped[position + 1 :]
        spare = left - sum(longest_word[other] for other in later)
        # A word that is longer than its share gets its room, as long as the words of the wider columns keep theirs.
        share = max(min(max(left // (len(later) + 1), longest_word[column]), spare), WRAPPED_WIDTH_MIN)
        widths[column] = min(widths[column], share)
        left -= widths[column]
    return widths
