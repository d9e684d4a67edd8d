"""A timeout configuration: four records of integers, and where each value came from.

Every duration is an integer count of milliseconds, every factor an exact fraction.
None means absent: what is then assumed is said, key by key, in `keys.py`.
These records hold values that were already checked; `reading` checks them.

Source: docs/reference/semantics.md, sections 1 to 3.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from fractions import Fraction
from typing import Final, Literal

import attrs

SECTIONS: Final = ("client", "server", "network", "workload")


class Unlimited(enum.Enum):
    """An explicit "never": a ttl written as "none" and told as null on the wire, not one left out."""

    UNLIMITED = "none"

    def __repr__(self) -> str:
        return "UNLIMITED"


UNLIMITED: Final = Unlimited.UNLIMITED

Ttl = int | Unlimited | None
HintMode = Literal["floor", "replace", "ceiling", "clamp", "ignore"]
TtlMode = Literal["ignore", "cap-gap", "give-up"]
Anchor = Literal["creation", "terminal", "creation-then-terminal", "activity"]
ExpiryAction = Literal["hide", "delete", "fail", "cancel"]
Pass = Literal["timeouts", "orphans", "expiry"]
Contact = Literal["update", "cancel", "subscription"]


@attrs.frozen(slots=True)
class Origin:
    """Where a value came from: `operator.toml:7`, a preset's id, the option that set it, or the default.

    `over` is what a preset took the place of: the other value in a file, plain as in `flat`, and where it stands.
    """

    kind: Literal["file", "preset", "default", "set", "task"]
    where: str
    over: tuple[object, str] | None = None


@attrs.frozen(slots=True, kw_only=True)
class Client:
    """The poller: when it asks, what it does with the server's hint and ttl, and when it stops.

    Source: docs/reference/semantics.md, section 2.
    """

    initial_delay_ms: int | None = None
    multiplier: Fraction = Fraction(1)
    max_delay_ms: int | None = None
    min_delay_ms: int | None = None
    jitter: tuple[Fraction, Fraction] = (Fraction(1), Fraction(1))
    hint_mode: HintMode = "floor"
    ttl_mode: TtlMode = "ignore"
    request_timeout_ms: int | None = None
    error_initial_delay_ms: int | None = None
    error_multiplier: Fraction = Fraction(1)
    error_max_delay_ms: int | None = None
    max_consecutive_errors: int | None = None
    overall_timeout_ms: int | None = None
    overall_timeout_from: Literal["call", "handle"] = "call"
    restart_gap_ms: int | None = None
    requested_ttl_ms: int | None = None
    retry_horizon_ms: int | None = None
    input_request_timeout_ms: int | None = None
    polls_while_waiting: bool = False
    cancel_on_abandon: bool = False


@attrs.frozen(slots=True, kw_only=True)
class Server:
    """What the server tells (hint, ttl) and what it does (sweeps, expiry, leases, retries, inputs).

    `sweep_period_ms`: None says nothing, so a sweep may come at any moment and none is promised;
    0 is an exact timer; "lazy" judges at each access.

    Source: docs/reference/semantics.md, section 3.
    """

    poll_interval_ms: int | None = None
    advertised_ttl_ms: Ttl = None
    advertised_anchor: Anchor = "creation"
    enforced_ttl_ms: Ttl = None
    enforced_anchor: Anchor | None = None
    expiry_action: ExpiryAction = "delete"
    expired_terminal: Literal["delete", "keep"] = "delete"
    expire_running: bool = True
    expiry_stops_work: bool = False
    honours_requested_ttl: bool = False
    sweep_period_ms: int | Literal["lazy"] | None = None
    sweep_lateness_ms: int = 0
    sweep_order: tuple[Pass, ...] = ("timeouts", "orphans", "expiry")
    orphan_window_ms: int | None = None
    orphan_comparison: Literal[">", ">="] = ">"
    orphan_bound_ms: int | None = None
    contact_includes: tuple[Contact, ...] = ()
    execution_deadline_ms: int | None = None
    abandoned_work_bound_ms: int | None = None
    clock_skew_ms: int = 0
    lease_timeout_ms: int | None = None
    lease_renewal_ms: int | None = None
    lease_sweep_ms: int | None = None
    max_attempts: int | None = None
    retry_initial_delay_ms: int | None = None
    retry_multiplier: Fraction = Fraction(1)
    retry_max_delay_ms: int | None = None
    idempotency_retention_ms: int | None = None
    cancel_marker_retention_ms: int | None = None
    input_window_ms: int | None = None
    input_state_retention_ms: int | None = None


@attrs.frozen(slots=True, kw_only=True)
class Network:
    """How long a message takes each way, and how many polls in a row may fail.

    Source: docs/reference/semantics.md, sections 1 and 2.
    """

    latency_ms: tuple[int, int] = (0, 0)
    max_consecutive_failures: int = 0


@attrs.frozen(slots=True, kw_only=True)
class Workload:
    """How long the work, a human and a stalled process take.

    `execution_ms`: None is undeclared; an upper end of None is unbounded.
    `works_on_after_cancel`: True (never stops), False (stops at once), or a bound in milliseconds;
    ask `is True`, since a bound of 1 equals True.

    Source: docs/reference/semantics.md, section 3.
    """

    execution_ms: tuple[int, int | None] | None = None
    human_answer_ms: tuple[int, int] | None = None
    stall_ms: int = 0
    works_on_after_cancel: bool | int = True


@attrs.frozen(slots=True)
class Config:
    """A whole configuration; `origins` says where each value came from, by flat name (`client.jitter`)."""

    client: Client = Client()
    server: Server = Server()
    network: Network = Network()
    workload: Workload = Workload()
    origins: Mapping[str, Origin] = attrs.field(factory=dict, repr=False, eq=False)

    @property
    def advertised_ttl_ms_effective(self) -> int | None:
        """The ttl that the client is told, in milliseconds; None when it is told of no end.

        A server that honours the requested ttl tells the client's own number back.
        """
        if self.server.honours_requested_ttl and self.client.requested_ttl_ms is not None:
            return self.client.requested_ttl_ms
        return _finite(self.server.advertised_ttl_ms)

    @property
    def enforced_ttl_ms_effective(self) -> int | None:
        """The ttl that acts, in milliseconds; None when nothing expires. Unset, it is the advertised one."""
        if self.server.enforced_ttl_ms is None:
            return self.advertised_ttl_ms_effective
        return _finite(self.server.enforced_ttl_ms)

    @property
    def enforced_anchor_effective(self) -> Anchor:
        """The moment from which the enforced ttl counts. Unset, it is the advertised one."""
        return self.server.enforced_anchor or self.server.advertised_anchor

    def flat(self) -> dict[str, object]:
        """Every value under its flat name, fit for JSON: integers, strings, booleans, lists, None.

        A factor is an integer where it is whole, else its exact decimal or "p/q" as a string.
        An explicit "never" is the string "none", an absent value None.
        """
        return {
            f"{section}.{field.name}": _plain(getattr(getattr(self, section), field.name))
            for section in SECTIONS
            for field in attrs.fields(type(getattr(self, section)))
        }

    def value(self, name: str) -> object:
        """Return the native value of this flat name."""
        section, _, field = name.partition(".")
        return getattr(getattr(self, section), field)

    def origin(self, name: str) -> Origin:
        """Where the value of this flat name came from."""
        return self.origins.get(name, Origin("default", "default"))

    def replace(self, values: Mapping[str, object], origin: Origin | None = None) -> Config:
        """Return the configuration with other values under flat names; native values and those of `flat` both do.

        The values are taken as they are: no cross-check is made, so that a search may pass through.
        A name that no record has is a KeyError.
        """
        changes: dict[str, dict[str, object]] = {}
        for name, value in values.items():
            section, _, field = name.partition(".")
            if section not in SECTIONS or field not in _FIELD_NAMES[section]:
                raise KeyError(name)
            changes.setdefault(section, {})[field] = _native(field, value)
        records = {section: attrs.evolve(getattr(self, section), **fields) for section, fields in changes.items()}
        origins = dict(self.origins)
        if origin is not None:
            origins.update(dict.fromkeys(values, origin))
        return attrs.evolve(self, origins=origins, **records)


_FIELD_NAMES: Final = {
    section: frozenset(field.name for field in attrs.fields(record))
    for section, record in zip(SECTIONS, (Client, Server, Network, Workload), strict=True)
}
_FACTORS: Final = frozenset({"multiplier", "error_multiplier", "retry_multiplier"})


def _finite(ttl: Ttl) -> int | None:
    return ttl if isinstance(ttl, int) else None


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else _exact(value)
    if isinstance(value, Unlimited):
        return value.value
    return value


def _exact(value: Fraction) -> str:
    from latchcheck.kernel.numbers import exact_text  # with the kernel comes the solver, which few readers need

    return exact_text(value)


def _native(field: str, value: object) -> object:
    if field in _FACTORS:
        return _factor(value)
    if field == "jitter" and isinstance(value, (list, tuple)):
        return tuple(_factor(item) for item in value)
    if field in {"advertised_ttl_ms", "enforced_ttl_ms"} and value == UNLIMITED.value:
        return UNLIMITED
    return tuple(value) if isinstance(value, list) else value


def _factor(value: object) -> Fraction:
    if isinstance(value, (int, str, Fraction)):
        return Fraction(value)
    raise TypeError(f"a factor is a whole number, a fraction or a string of one, not {value!r}")
