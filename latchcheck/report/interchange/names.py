"""Names of a model as identifiers of another language, each used once."""

from __future__ import annotations

import re
from collections.abc import Iterable

_OTHER = re.compile(r"[^A-Za-z0-9_]+")


class Names:
    """Hands out identifiers of letters, digits and underscores, none twice and none of the reserved ones."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(reserved)

    def new(self, name: str, *, prefix: str = "n_") -> str:
        """An identifier as near to the name as can be; `prefix` leads where the name cannot begin one."""
        plain = _OTHER.sub("_", name).strip("_") or "x"
        # TLA+ takes a leading WF_ or SF_ for fairness.
        if not plain[0].isalpha() or plain.startswith(("WF_", "SF_")):
            plain = prefix + plain
        found, count = plain, 1
        while found in self._taken:
            count += 1
            found = f"{plain}_{count}"
        self._taken.add(found)
        return found

    def inner(self) -> Names:
        """Names for one definition: they avoid those handed out so far, and another definition may use them again."""
        return Names(self._taken)


def one_line(text: str) -> str:
    """Text for a comment: on one line, in ASCII, since old parsers take nothing else."""
    return " ".join(text.split()).encode("ascii", "backslashreplace").decode("ascii")
