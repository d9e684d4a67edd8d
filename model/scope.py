"""How large a lifecycle model is: how many of each party, and how often the rare things may happen.

What a scope does not name is absent: no crash, no cancel, no client, one tenant, one task, one worker.
"""

from __future__ import annotations

from typing import Any, Final

import attrs

from latchcheck.naming import instead

from .spelling import SpellingError, assignments

LARGEST: Final = 9


def _size(default: int, meaning: str, least: int = 0) -> Any:
    return attrs.field(
        default=default,
        validator=(attrs.validators.instance_of(int), attrs.validators.ge(least), attrs.validators.le(LARGEST)),
        metadata={"meaning": meaning, "least": least},
    )


@attrs.frozen(kw_only=True)
class Scope:
    """The numbers that bound one model."""

    tasks: int = _size(1, "task records that may be created", least=1)
    workers: int = _size(1, "workers")
    clients: int = _size(0, "clients that call, poll and hold handles")
    tenants: int = _size(1, "principals; client number i belongs to tenant number i modulo this", least=1)
    instances: int = _size(0, "server instances that read and write in two steps where the guard has two")
    lag: int = _size(0, "writes by which a replica that is read from may be behind; 0: every read is of the primary")
    crashes: int = _size(0, "crashes of a worker")
    stalls: int = _size(0, "pauses of a worker that is alive but renews nothing")
    restarts: int = _size(0, "crashes of the server, each followed by a start")
    redeliveries: int = _size(0, "messages that become visible although their delivery is not over")
    cancels: int = _size(0, "cancel requests")
    inputs: int = _size(0, "questions that one task may ask")
    attempts: int = _size(0, "attempts that one task may have; 0: not counted")
    notifications: int = _size(0, "status notifications in flight at a time")
    polls: int = _size(0, "1: clients poll and keep a view")
    reissues: int = _size(0, "calls of a client after its first")
    client_crashes: int = _size(0, "crashes of a client")
    losses: int = _size(0, "create replies lost, answers sent twice")
    deadlines: int = _size(0, "1: execution deadlines may pass")
    silences: int = _size(0, "1: a client may go silent for longer than the orphan window")
    expiries: int = _size(0, "1: ttls may pass")
    spare: int = _size(0, "parties of each kind beyond those that a property speaks about, where it is searched alone")
    unknown_statuses: int = _size(0, "1: a server may report a status that the client does not know")

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Read `ci`, `deep`, `wide` or `tasks=2,workers=2,...`; SpellingError says what to write instead."""
        text = text.strip()
        if "=" not in text:
            if text not in SCOPES:
                meant = f"{instead(text, SCOPES)} or spell it out: tasks=2,workers=2"
                raise SpellingError(f"scope: there is no {text!r}", meant)
            return SCOPES[text]
        given: dict[str, int] = {}
        for name, value in assignments("scope", text, SIZES):
            least = SIZES[name]["least"]
            if not value.isascii() or not value.isdigit() or not least <= int(value) <= LARGEST:
                raise SpellingError(
                    f"scope: {name} cannot be {value!r}", f"write {name}= and a whole number from {least} to {LARGEST}"
                )
            given[name] = int(value)
        return cls(**given)

    @property
    def named(self) -> dict[str, int]:
        """The sizes that are not what absence means."""
        return {field.name: getattr(self, field.name) for field in attrs.fields(Scope)
                if getattr(self, field.name) != field.default}  # fmt: skip

    def at_most(self, **limits: int) -> Scope:
        """This scope with some sizes lowered to a limit; none is raised."""
        return attrs.evolve(self, **{name: min(getattr(self, name), limit) for name, limit in limits.items()})

    def __str__(self) -> str:
        return ",".join(f"{name}={size}" for name, size in self.named.items()) or "tasks=1"

    def __repr__(self) -> str:
        return f"Scope.parse({str(self)!r})"


# The parties of which `spare` builds in more than a property speaks about.
SPARED: Final = ("tasks", "workers", "clients", "tenants", "instances")
SIZES: Final = {field.name: dict(field.metadata) for field in attrs.fields(Scope)}
_CI: Final = Scope(
    tasks=2,
    workers=2,
    clients=2,
    tenants=2,
    instances=2,
    crashes=1,
    stalls=1,
    restarts=1,
    redeliveries=1,
    lag=1,
    cancels=1,
    inputs=2,
    attempts=2,
    notifications=2,
    polls=1,
    reissues=1,
    client_crashes=1,
    losses=1,
    deadlines=1,
    silences=1,
    expiries=1,
    unknown_statuses=1,
)
SCOPES: Final = {
    "ci": _CI,
    # The same parties, and more of what may go wrong.
    "deep": attrs.evolve(
        _CI,
        crashes=2,
        stalls=2,
        redeliveries=2,
        cancels=2,
        restarts=2,
        attempts=3,
        inputs=3,
        lag=2,
        client_crashes=2,
        losses=2,
        reissues=3,
    ),
    # As much may go wrong, and of each party that a property speaks about there is one more.
    "wide": attrs.evolve(_CI, spare=1, tasks=3, workers=3, clients=3, instances=3),
}
