"""What a store is asked and answers, and why a write to a record is refused; `classify` alone says which refusal."""

from __future__ import annotations

from typing import Any, Final, Protocol

import attrs

from . import statements as sql
from .connection import Result

TERMINAL: Final = ("completed", "failed", "cancelled")
ATTEMPTS_MAX: Final = 1000


@attrs.frozen
class Decided:
    """What a store made of a request: its decision, and what it then read of the record (None: there is none)."""

    decision: str
    status: str | None = None
    version: int | None = None
    task: str | None = None

    @property
    def done(self) -> bool:
        """Whether the store did what was asked, or had done it before."""
        return not self.decision.startswith("BLOCK")


@attrs.frozen
class Windows:
    """The limits of a new task, in ms; what is not said never ends."""

    ttl_ms: int = sql.FOREVER
    deadline_ms: int = sql.FOREVER
    silence_ms: int = sql.FOREVER
    lease_ms: int = sql.FOREVER
    attempts_max: int = ATTEMPTS_MAX


@attrs.frozen
class Started:
    """What the start of an instance did with open tasks.

    `freed` were in the hands of somebody, and are no longer; of all open ones `late` were failed as past their
    deadline and `spent` as out of attempts. What was freed and is not spent can be taken up again.
    """

    freed: int
    late: int
    spent: int

    @property
    def resumed(self) -> int:
        """Those that were under way and that another worker can take up."""
        return self.freed - self.spent


@attrs.frozen
class Row:
    """What a store reads of a record before it explains a refusal."""

    status: str
    version: int
    auth: str
    expires_at: int
    holder: str | None
    attempt: int
    attempts_max: int
    input_key: str | None


@attrs.frozen(kw_only=True)
class Write:
    """A status that somebody wants to store.

    `worker` fences the write by its lease, empty for a principal without one; `expected` is the version that the
    writer has read, None for the stored one; `key` names the question of `input_required`, `kind` a failure.
    """

    task: str
    auth: str
    status: str
    worker: str = ""
    expected: int | None = None
    key: str | None = None
    kind: str | None = None


class Reads(Protocol):
    """What records can be read from."""

    def execute(self, statement: str, **args: Any) -> Result:
        """Run one statement that reads."""
        ...


def read(connection: Reads, task: str) -> Row | None:
    """The record as a connection shows it, or None."""
    rows = connection.execute(sql.READ, task=task).rows
    return Row(*rows[0]) if rows else None


def classify(row: Row | None, now_ms: int, wanted: Write) -> str:  # noqa: PLR0911 - one return a decision
    """Why a write did not apply, in the order in which a reader of the record sees it."""
    if row is None:
        return "BLOCK_MISSING"
    if row.auth != wanted.auth:
        return "BLOCK_AUTH"
    if row.expires_at <= now_ms:
        return "BLOCK_EXPIRED"
    if row.status == wanted.status and row.status in TERMINAL:
        return "IDEMPOTENT_TERMINAL"
    if row.status in TERMINAL:
        return "BLOCK_TERMINAL_REWRITE"
    if wanted.worker and row.holder != wanted.worker:
        return "BLOCK_FENCED"
    if wanted.expected is not None and row.version != wanted.expected:
        return "BLOCK_STALE_VERSION"
    return "APPLY"
