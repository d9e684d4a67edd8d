"""What `wording check` compares a file with: the files beside it, or those that are named, for so long."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import click

from . import wiring
from .interrupting import Cut, interruptible
from .wording_asked import TOLD

if TYPE_CHECKING:
    from latchcheck.wording.checking import Checked
    from latchcheck.wording.files import Document
    from latchcheck.wording.neighbours import Beside, Other

SECONDS = 10.0


@attrs.frozen
class Against:
    """The files that were found, and for how long each checked file is compared with them."""

    places: tuple[str, ...] = ()
    documents: tuple[Document, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    seconds: float = 0


def gathered(files: Sequence[str], paths: Sequence[str], seconds: float | None, *, alone: bool) -> Against | None:
    """The files to compare with; None where that is not wanted. Raises UsageError, or WordingError for a file."""
    if alone and (paths or seconds is not None):
        raise click.UsageError("--alone compares with no other file: leave it out, or --against and --seconds")
    if alone:
        return None
    places, documents, left_out = wiring.wording_beside(files, paths)
    return Against(places, tuple(documents), tuple(left_out), SECONDS if seconds is None else seconds)


def beside(document: Document, checked: Sequence[Checked], against: Against) -> tuple[tuple[Checked, ...], Beside, Cut]:
    """The checked readings with what the other files make of them, how far that came, and whether the user ended it."""
    from latchcheck.wording.neighbours import Beside, Meeting

    others = [one for other in against.documents if other.model == document.model for one in _readings(other)]
    left_out = [*against.left_out]
    left_out += [(one.file, f"it is about {one.model}") for one in against.documents if one.model != document.model]
    meeting = Meeting(wiring.wording_model(document), checked, others)
    until = time.monotonic() + against.seconds
    with interruptible(lambda: TOLD) as cut:
        meeting.run(lambda: time.monotonic() < until)
    left_out += meeting.refused.items()
    told = Beside(against.places, tuple(meeting.met), tuple(meeting.unmet), tuple(left_out), against.seconds)
    return meeting.told(), told, cut


def _readings(document: Document) -> list[Other]:
    from latchcheck.wording.neighbours import Other

    return [Other(document.file, f"{document.id}#{one.name}", one) for one in document.readings]
