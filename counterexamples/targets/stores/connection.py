"""A connection as the stores need it: named arguments, transactions, and a hook before every statement.

The hook is what the kill experiments hold on to: it is called with the text of each statement, BEGIN and COMMIT
included, before the database sees it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

import attrs

T = TypeVar("T")
Hook = Callable[[str], None]
TRIES_MAX = 100
"""A transaction that the database refuses for a conflict is tried again at most this often."""


class Conflict(Exception):
    """The database refused a transaction because of another one; nothing was written, and it may be tried again."""


class Lost(Exception):
    """The database is gone, or was never there; whether the last transaction was committed is not known."""


@attrs.frozen
class Result:
    """The rows of a statement, and how many it changed."""

    rows: tuple[tuple[Any, ...], ...]
    changed: int


class Connection(Protocol):
    """One connection to one database."""

    before: Hook

    def execute(self, statement: str, **args: Any) -> Result:
        """Run one statement with named arguments (`:name`); outside of a transaction it is one of its own."""
        ...

    def begin(self) -> None:
        """Begin a transaction."""
        ...

    def commit(self) -> None:
        """Make it durable."""
        ...

    def rollback(self) -> None:
        """Give it up."""
        ...

    def close(self) -> None:
        """Close it; safe to call twice."""
        ...


def ignore(_statement: str) -> None:
    """A hook that does nothing."""


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """What is done inside is committed as one, or not at all."""
    connection.begin()
    try:
        yield
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def again(work: Callable[[], T]) -> T:
    """Do a transaction, and again, a little later each time, where the database refuses it for a conflict.

    Raises Conflict after TRIES_MAX tries.
    """
    for tried in range(TRIES_MAX - 1):
        try:
            return work()
        except Conflict:
            # Those that collide must not come back at the same moment.
            time.sleep(random.random() * min(tried, 20) / 1000)  # noqa: S311 - a pause, no secret
    return work()
