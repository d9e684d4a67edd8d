"""What the server keeps about the task, and what one judgement of it does.

Everything that ends or removes a record lives in this file, except the worker's own terminal write.
The passes do not know who calls them: a sweep does, and under `sweep_period = "lazy"` every access
(`docs/reference/semantics.md`, section 3, items 13 to 16).
"""

import attrs
import z3

from latchcheck.kernel import Choice, Clause, Real

from .terms import CAUSE, STATUS, Numbers, Term, V, largest


@attrs.frozen
class Record:
    """The record as z3 terms, so that a pass reads one and returns the one it leaves."""

    status: Term
    cause: Term
    ended_at: Term
    gone: Term
    expired_live: Term
    orphaned: Term

    @property
    def working(self) -> Term:
        """There is a record, and it is not terminal."""
        return z3.And(self.status == STATUS["working"], z3.Not(self.gone))


def stored() -> Record:
    """The record as it stands."""
    return Record(V["status"], V["cause"], V["ended_at"], V["gone"], V["expired_live"], z3.BoolVal(False))


@attrs.frozen
class Windows:
    """The server's limits as z3 terms; None where the configuration has none."""

    deadline: Term
    window: Term
    inclusive: bool
    ttl: Term
    anchor: str
    action: str
    keeps_terminal: bool
    expires_running: bool
    order: tuple[str, ...]
    skew: Term

    @classmethod
    def of(cls, numbers: Numbers) -> "Windows":
        """The limits of the configuration that the numbers belong to."""
        config, server = numbers.config, numbers.config.server
        anchor = config.enforced_anchor_effective
        skew = server.clock_skew_ms
        return cls(
            deadline=numbers.real("execution_deadline", server.execution_deadline_ms),
            window=numbers.real("orphan_window", server.orphan_window_ms),
            inclusive=server.orphan_comparison == ">=",
            ttl=numbers.real("enforced_ttl", config.enforced_ttl_ms_effective),
            anchor=anchor,
            action=server.expiry_action,
            keeps_terminal=server.expired_terminal == "keep",
            expires_running=server.expire_running and anchor != "terminal",
            order=server.sweep_order,
            skew=numbers.real("clock_skew", skew) if skew else None,
        )

    # -- choices: how far each reading of a clock is off ------------------------------------------------------

    @property
    def errors(self) -> tuple[Choice, ...]:
        """One clock error a judgement and stamp, anywhere in [-skew, skew]."""
        if self.skew is None:
            return ()
        names = ("error_created", "error_contact", "error_anchor")
        return tuple(Choice(name, Real(), lower=-self.skew, upper=self.skew) for name in names)

    @property
    def errors_bounded(self) -> tuple[Clause, ...]:
        """The guard of an action that picks `errors`."""
        return tuple(
            Clause("a clock is off by at most clock_skew", z3.And(error.term >= -self.skew, error.term <= self.skew))
            for error in self.errors
        )

    def _error(self, name: str) -> Term:
        return z3.RealVal(0) if self.skew is None else z3.Real(name)

    # -- the three passes -------------------------------------------------------------------------------------

    def judge(self, record: Record) -> Record:
        """The record that one sweep leaves: three passes in `sweep_order`, each over what the one before left."""
        passes = {"timeouts": self._timeouts, "orphans": self._orphans, "expiry": self._expiry}
        for name in self.order:
            record = passes[name](record)
        return record

    def _end(self, record: Record, fires: Term, status: str, cause: str) -> Record:
        return attrs.evolve(
            record,
            status=z3.If(fires, STATUS[status], record.status),
            cause=z3.If(fires, CAUSE[cause], record.cause),
            ended_at=z3.If(fires, V["now"], record.ended_at),
        )

    def _timeouts(self, record: Record) -> Record:
        if self.deadline is None:
            return record
        fires = z3.And(record.working, V["now"] + self._error("error_created") > self.deadline)
        return self._end(record, fires, "failed", "timeouts")

    def _orphans(self, record: Record) -> Record:
        if self.window is None:
            return record
        silence = V["now"] - V["last_contact"] + self._error("error_contact")
        fires = z3.And(record.working, silence >= self.window if self.inclusive else silence > self.window)
        return attrs.evolve(self._end(record, fires, "cancelled", "orphans"), orphaned=fires)

    def _expiry(self, record: Record) -> Record:
        if self.ttl is None:
            return record
        age = V["now"] - self.anchored(record) + self._error("error_anchor")
        due = z3.And(z3.Not(record.gone), age >= self.ttl)
        live = z3.And(due, record.working) if self.expires_running else z3.BoolVal(False)
        ended = z3.And(due, z3.Not(record.working))
        if self.action in ("hide", "delete"):
            removed = z3.Or(live, ended)
            ended_record = record
        else:
            status = "failed" if self.action == "fail" else "cancelled"
            ended_record = self._end(record, live, status, "expiry")
            removed = z3.BoolVal(False) if self.keeps_terminal else ended
        return attrs.evolve(
            ended_record,
            gone=z3.Or(record.gone, removed),
            expired_live=z3.Or(record.expired_live, live),
        )

    def anchored(self, record: Record) -> Term:
        """The instant from which the enforced ttl counts."""
        if self.anchor == "creation":
            return z3.RealVal(0)
        if self.anchor == "activity":
            # The terminal write is activity too; while the task works, `ended_at` is still 0.
            return largest([V["last_contact"], record.ended_at])
        if self.anchor == "terminal":
            return record.ended_at
        return z3.If(record.status == STATUS["working"], z3.RealVal(0), record.ended_at)

    # -- from when on a sweep must act ------------------------------------------------------------------------

    def certain(self) -> tuple[tuple[str, Term, Term, bool], ...]:
        """When each pass fires for certain, however the clocks are off.

        For each: its name, when it applies, the instant from which it fires, and whether it fires at that instant
        itself. (A sweep before the terminal write saw another record.)
        """
        record, slack = stored(), z3.RealVal(0) if self.skew is None else self.skew
        found = []
        if self.deadline is not None:
            found.append(("timeouts", record.working, self.deadline + slack, False))
        if self.window is not None:
            found.append(("orphans", record.working, V["last_contact"] + self.window + slack, self.inclusive))
        if self.ttl is not None:
            running = record.working if self.expires_running else z3.BoolVal(False)
            removes = self.action in ("hide", "delete") or not self.keeps_terminal
            ended = record.status != STATUS["working"] if removes else z3.BoolVal(False)
            applies = z3.And(z3.Not(record.gone), z3.Or(running, ended))
            found.append(("expiry", applies, self.anchored(record) + self.ttl + slack, True))
        return tuple(found)

    def limits_while_working(self) -> tuple[tuple[str, Term, bool, bool], ...]:
        """When each pass that can end a working task fires for certain.

        For each: its name, the instant, whether that instant moves with the last contact, and whether the pass fires
        at the instant itself.
        """
        found = []
        for name, _, instant, inclusive in self.certain():
            if name == "expiry" and not self.expires_running:
                continue
            moves = name == "orphans" or (name == "expiry" and self.anchor == "activity")
            found.append((name, instant, moves, inclusive))
        return tuple(found)


def judged(windows: Windows, active: Term, away: Term) -> tuple[Record, dict[str, Term], Term]:
    """One judgement of the stored record: what it leaves, the updates that store it, and whether it did anything.

    `active` says whether the client still follows its schedule, which is what makes a reclaimed orphan a live one;
    `away` whether it was away for its restart gap since the last contact.
    """
    before = stored()
    after = windows.judge(before)
    updates: dict[str, Term] = {
        "status": after.status,
        "cause": after.cause,
        "ended_at": after.ended_at,
        "gone": after.gone,
        "expired_live": after.expired_live,
    }
    if windows.window is not None:
        live = z3.And(after.orphaned, active)
        updates["orphaned_live"] = z3.Or(V["orphaned_live"], live)
        updates["orphaned_away"] = z3.Or(V["orphaned_away"], z3.And(live, away))
    acts = z3.Or(after.status != before.status, after.gone != before.gone)
    return after, updates, acts
