"""Live servers: visited, judged by what can be seen, and their timeouts handed on to the timing properties."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .configurations import read_config

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.counterexamples.targets.live import Era, Judged, Record, Unseen
    from latchcheck.model.config import Config


TOOLS_SHOWN_MAX = 20


class UnknownTool(Exception):
    """The server does not list the tool that is to be called; the text says which it has."""


def visit_server(  # noqa: PLR0913 - each is one option of the command line
    url: str,
    *,
    tool: str,
    arguments: Mapping[str, Any],
    era: str | None,
    wait_s: float,
    timeout_s: float,
    ttl_ms: int | None,
    headers: Mapping[str, str],
    other: Mapping[str, str] | None,
    progress: Callable[[str], None],
) -> tuple[Record, tuple[Judged, ...]]:
    """Visit a live server: what was seen, and what each sentence makes of it.

    Where the user ends the visit, it is what was seen by then. Raises TargetError, UnknownTool.
    """
    from latchcheck.counterexamples.targets.live import ERAS, Plan, Visit, Wire, begin, judge

    known: Era | None = next((one for one in ERAS if one == era), None)
    talks = [begin(Wire(url, headers, timeout_s=timeout_s), known)]
    try:
        named = [str(one.get("name")) for one in talks[0].tools()]
        if named and tool not in named:
            raise UnknownTool(f"the server has no tool {tool!r}; it has {', '.join(named[:TOOLS_SHOWN_MAX])}")
        if other is not None:
            talks.append(begin(Wire(url, other, timeout_s=timeout_s), talks[0].offer.era))
        second = talks[1] if other is not None else None
        visit = Visit(talks[0], Plan(tool, arguments, wait_s, ttl_ms, second, progress))
        try:
            record = visit.run()
        except KeyboardInterrupt:
            record = visit.record
            record.interrupted = True
    finally:
        for one in talks:
            one.wire.close()
    return record, judge(record)


def wrong_address(url: str) -> str | None:
    """What is wrong with an address, None where nothing is."""
    from latchcheck.counterexamples.targets.live import bad_url

    return bad_url(url)


def is_unreachable(error: BaseException) -> bool:
    """Whether an exception says that a server could not be asked, answered nonsense, or lacks the tool."""
    from latchcheck.counterexamples.targets.errors import TargetError

    return isinstance(error, (TargetError, UnknownTool))


def unseen_sentences() -> Sequence[Unseen]:
    """The sentences that nobody sees from outside, with the properties of the model that cover them."""
    from latchcheck.counterexamples.targets.live import UNSEEN

    return UNSEEN


def learned_config(
    task: Mapping[str, Any], file: str | None, client: str | None, server: str | None, sets: Sequence[str]
) -> Config:
    """A configuration with the ttl and the poll interval that a task tells. Raises ConfigError."""
    with tempfile.TemporaryDirectory(prefix="latchcheck-") as folder:
        path = Path(folder) / "task.json"
        path.write_text(json.dumps(dict(task)), encoding="utf-8")
        return read_config(file, client=client, server=server, task=str(path), sets=sets)
