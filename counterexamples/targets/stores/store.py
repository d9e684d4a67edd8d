"""The compare-and-swap store: one admission record a task, an outbox beside it, and one predicate for every write.

Source: "MCP Tasks: The Export That Finished Twice".
Every method is one transaction, is told the instant, and returns what was decided.
"""

from __future__ import annotations

import attrs

from . import statements as sql
from .connection import Connection, again, transaction
from .records import TERMINAL, Decided, Row, Started, Windows, Write, classify, read


class CasStore:
    """A task store on one connection. Raises Lost where the database goes away."""

    def __init__(self, connection: Connection) -> None:
        self.db = connection

    def create_tables(self) -> None:
        """Make the tables where they are not there."""
        for table in sql.TABLES:
            self.db.execute(table)

    def create(
        self,
        now_ms: int,
        task: str,
        auth: str,
        windows: Windows | None = None,
        key: str | None = None,
        digest: str | None = None,
    ) -> Decided:
        """Admit a request: the record and its outbox entry in one transaction, or the task that its key names."""
        return again(lambda: self._create(now_ms, task, auth, windows or Windows(), key, digest))

    def _create(
        self, now_ms: int, task: str, auth: str, windows: Windows, key: str | None, digest: str | None
    ) -> Decided:
        with transaction(self.db):
            made = self._insert(now_ms, task, auth, windows, key, digest)
            if made:
                self.db.execute(sql.OUTBOX, task=task)
                return Decided("ACCEPT_TASK", "working", 1, task)
            return self._prior(auth, key, digest)

    def _insert(self, now_ms: int, task: str, auth: str, windows: Windows, key: str | None, digest: str | None) -> bool:
        ends = {name: _capped(now_ms, getattr(windows, name)) for name in ("ttl_ms", "deadline_ms")}
        args = attrs.asdict(windows) | {"expires_at": ends["ttl_ms"], "deadline_at": ends["deadline_ms"]}
        del args["deadline_ms"]
        result = self.db.execute(sql.INSERT, now=now_ms, task=task, auth=auth, key=key, digest=digest, **args)
        return result.changed == 1

    def _prior(self, auth: str, key: str | None, digest: str | None) -> Decided:
        rows = self.db.execute(sql.PRIOR, auth=auth, key=key).rows
        if not rows:
            return Decided("BLOCK_ID_TAKEN")
        task, stored = rows[0]
        if stored != digest:
            return Decided("BLOCK_IDEMPOTENCY_COLLISION", task=task)
        row = self.row(task)
        return Decided("REPLAY_TASK", row and row.status, row and row.version, task)

    def publish(self) -> None:
        """Move what is in the outbox to the queue, in one transaction."""

        def work() -> None:
            with transaction(self.db):
                self.db.execute(sql.PUBLISH)
                self.db.execute(sql.PUBLISHED)

        again(work)

    def dispatch(self, now_ms: int, task: str, worker: str) -> Decided:
        """Give a worker the message of a task, with a lease, if there is one to give."""
        self.publish()

        def work() -> Decided:
            with transaction(self.db):
                taken = self.db.execute(sql.TAKE, now=now_ms, task=task, worker=worker).changed
                row = self.row(task)
            if row is None:
                return Decided("BLOCK_MISSING")
            return Decided("TAKEN" if taken else "BLOCK_NOT_AVAILABLE", row.status, row.version)

        return again(work)

    def write(self, now_ms: int, wanted: Write) -> Decided:
        """Write a status if the predicate holds; otherwise read the stored fact and say what the race was."""
        return again(lambda: self._write(now_ms, wanted))

    def _write(self, now_ms: int, wanted: Write) -> Decided:
        with transaction(self.db):
            if wanted.expected is None or wanted.kind is not None:
                before = self.row(wanted.task)
                if before is not None and wanted.kind == "transient" and before.attempt < before.attempts_max:
                    return self._retry(now_ms, wanted, before)
                if wanted.kind == "transient":  # no attempt is left
                    wanted = attrs.evolve(wanted, kind="poison")
                if before is not None and wanted.expected is None:
                    wanted = attrs.evolve(wanted, expected=before.version)
            if self._swap(now_ms, wanted):
                if wanted.key is not None:
                    self.db.execute(sql.ASKED, task=wanted.task, key=wanted.key)
                if wanted.status in TERMINAL:
                    self.db.execute(sql.ACKNOWLEDGE, task=wanted.task)
                    self.db.execute(sql.RELEASE, task=wanted.task, worker=wanted.worker)
                return self._told("APPLY", self.row(wanted.task))
            row = self.row(wanted.task)
            decision = classify(row, now_ms, wanted)
            if decision == "APPLY" and self.db.execute(sql.REUSED, task=wanted.task, key=wanted.key).rows:
                decision = "BLOCK_KEY_REUSED"
            elif decision == "APPLY":
                # It could be written now; it could not when it was tried. The writer has to look again.
                decision = "BLOCK_STALE_VERSION"
            return self._told(decision, row)

    def _swap(self, now_ms: int, wanted: Write) -> bool:
        result = self.db.execute(
            sql.SWAP,
            now=now_ms,
            task=wanted.task,
            auth=wanted.auth,
            next=wanted.status,
            terminal=int(wanted.status in TERMINAL),
            expected=-1 if wanted.expected is None else wanted.expected,
            worker=wanted.worker,
            input_key=wanted.key,
            failure=wanted.kind,
        )
        return result.changed == 1

    def _retry(self, now_ms: int, wanted: Write, row: Row) -> Decided:
        """Another attempt: the lease goes back, the message stays."""
        refusal = classify(row, now_ms, wanted)
        if refusal != "APPLY":
            return self._told(refusal, row)
        self.db.execute(sql.RELEASE, task=wanted.task, worker=wanted.worker)
        return self._told("RETRY", row)

    def cancel(self, now_ms: int, task: str, auth: str) -> Decided:
        """Cancel an open task at once; a finished one is acknowledged and left as it is."""

        def work() -> Decided:
            with transaction(self.db):
                changed = self.db.execute(sql.CANCEL, now=now_ms, task=task, auth=auth).changed
                row = self.row(task)
                if changed:
                    self.db.execute(sql.ACKNOWLEDGE, task=task)
            if row is None:
                return Decided("BLOCK_MISSING")
            if row.auth != auth:
                return Decided("BLOCK_AUTH")
            if not changed and row.expires_at <= now_ms:
                return self._told("BLOCK_EXPIRED", row)
            return self._told("CANCELLED" if changed else "ALREADY_TERMINAL", row)

        return again(work)

    def get(self, now_ms: int, task: str, auth: str, *, contact: bool = True, at_least: int = 0) -> Decided:
        """What a principal may read of a task; a client's read is a contact, a worker's is none.

        `at_least` is the newest version that the reader was told of, for stores that read from a copy.
        """

        def work() -> Decided:
            if contact:
                self.db.execute(sql.CONTACT, now=now_ms, task=task, auth=auth)
            row = self.seen(task, at_least)
            if row is None:
                return Decided("BLOCK_MISSING")
            return Decided("BLOCK_AUTH") if row.auth != auth else self._told("RETURN_STATUS", row)

        return again(work)

    def answer(self, now_ms: int, task: str, auth: str, key: str) -> Decided:
        """An answer to a question: consumed if its key is outstanding, ignored otherwise."""

        def work() -> Decided:
            with transaction(self.db):
                changed = self.db.execute(sql.ANSWER, now=now_ms, task=task, auth=auth, key=key).changed
                row = self.row(task)
            if row is None:
                return Decided("BLOCK_MISSING")
            return Decided("BLOCK_AUTH") if row.auth != auth else self._told("HEARD" if changed else "IGNORED", row)

        return again(work)

    def listed(self, auth: str) -> tuple[str, ...]:
        """The tasks of a principal, filtered in the query."""
        return tuple(row[0] for row in self.db.execute(sql.LIST, auth=auth).rows)

    def reap(self, now_ms: int) -> None:
        """One sweep: timeouts, orphans, expiry, and all that belongs to what expired, in one transaction."""

        def work() -> None:
            with transaction(self.db):
                for statement in (sql.TIMEOUTS, sql.SPENT, sql.ORPHANS, sql.EXPIRED):
                    self.db.execute(statement, now=now_ms)
                for statement in sql.SWEPT:
                    self.db.execute(statement)

        again(work)

    def start(self, now_ms: int, *, alone: bool = True) -> Started:
        """What a starting server does: leases of the dead go, what is late or spent fails, the rest is resumed.

        `alone`: no other instance lives, so every lease is one of the dead. That is the triage of "Stateless Protocol,
        Stateful Problem", section 5.2, which speaks of one server: whatever was in flight when it died is triaged.
        Beside instances that live a lease says nothing until it has run out, and only then is it freed here: to free
        the others is to run the work of the living a second time, and to turn down what they finish.
        """

        def work() -> Started:
            with transaction(self.db):
                late = self.db.execute(sql.TIMEOUTS, now=now_ms).changed
                freed = self.db.execute(sql.FREE, now=now_ms, alone=int(alone)).changed
                spent = self.db.execute(sql.SPENT, now=now_ms).changed
                self.db.execute(sql.RESUME)
                self.db.execute(sql.PUBLISHED)
            return Started(freed, late, spent)

        return again(work)

    def act(self, task: str, attempt: str) -> None:
        """The side effect of an attempt: the outside world's own transaction, keyed by what the caller gives."""
        self.db.execute(sql.EFFECT, task=task, attempt=attempt)

    def row(self, task: str) -> Row | None:
        """The record, or None."""
        return read(self.db, task)

    def seen(self, task: str, at_least: int) -> Row | None:
        """The record as a reader is shown it, who was told of that version before."""
        del at_least
        return self.row(task)

    @staticmethod
    def _told(decision: str, row: Row | None) -> Decided:
        return Decided(decision) if row is None else Decided(decision, row.status, row.version)


def _capped(now_ms: int, window_ms: int) -> int:
    return min(now_ms + window_ms, sql.FOREVER)
