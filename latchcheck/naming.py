"""What to write instead of a name that nobody knows: one search and one form of words, for every kind of name.

It stands above the layers, as names are given to all of them: on the command line, in a configuration, in a fixture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

LISTED_MAX = 12
"""So many names are told where none is alike; of more it is told what lists them, if anything does."""
NEAR_MAX = 3
ALIKE_MIN, APART_MAX = 0.6, 0.1
"""How alike a name must be, and by how much less than the likeliest one, to be offered (1 is the same)."""
LENGTH_MAX = 200
"""What is longer is no name, and would take long to compare."""
PART_LENGTH_MIN = 3
"""What is shorter than this is part of too many names to say anything."""


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The known names that one may stand for, at most three, the likeliest first; none where it is like no other.

    Those that are spelled alike come first, whatever their case and whether with - or _; else those that it is a part
    of, as people remember one word of a name.
    """
    from difflib import SequenceMatcher, get_close_matches  # only when there is something to mend

    if len(name) > LENGTH_MAX:
        return []
    plain = {_plain(one): one for one in reversed(tuple(known))}
    wanted = _plain(name)
    near = get_close_matches(wanted, plain, n=NEAR_MAX, cutoff=ALIKE_MIN)
    if near:
        likeness = [SequenceMatcher(None, one, wanted).ratio() for one in near]
        near = [one for one, ratio in zip(near, likeness, strict=True) if ratio >= likeness[0] - APART_MAX]
    elif len(wanted) >= PART_LENGTH_MIN:
        near = sorted((one for one in plain if wanted in one), key=len)[:NEAR_MAX]
    return [plain[one] for one in near]


def instead(name: str, known: Iterable[str], lists: str | None = None) -> str:
    """What to write instead of a name that is not known; `lists` is the command that names all there are."""
    choices = tuple(dict.fromkeys(known))
    near = nearest(name, choices)
    if near:
        return f"did you mean {alternatives(near)}?"
    if lists is not None and len(choices) > LISTED_MAX:
        return f"`{lists}` names them all"
    return f"there is {', '.join(choices)}" if choices else "there is none"


def alternatives(names: Sequence[str]) -> str:
    """Names to choose from, in quotes: `'a'`, `'a' or 'b'`, `'a', 'b' or 'c'`."""
    *most, last = (f"'{one}'" for one in names)
    return f"{', '.join(most)} or {last}" if most else last


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-")
