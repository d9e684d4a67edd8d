"""The error of packets that cannot be read."""

from __future__ import annotations

from ..spelling import SpellingError


class PacketError(SpellingError):
    """Packets that cannot be read: the file, the line, the place (a JSON pointer), what is wrong, what to write."""

    def __init__(self, file: str, line: int | None, place: str, what: str, instead: str) -> None:
        at = file if line is None else f"{file}:{line}"
        super().__init__(": ".join(part for part in (at, place, what) if part), instead)
        self.file = file
        self.line = line
        self.place = place
