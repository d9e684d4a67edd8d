"""The theorems about the small systems, one concept each: hints, leases, retries, humans, markers and the like."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from latchcheck.engines.obligations import Proof
from latchcheck.model.config import Config

from . import abandoned, advertised, hints, human, idempotency, leases, marker, retries, shapes, windows

Small = tuple[str, str, str, Callable[[], Iterator[Proof]]]


BOTH = "Both implications of the exact condition, for all numbers: "


def small_theorems() -> Iterator[Small]:
    """Id, property, sentence and proofs of each."""
    yield from _of_clients()
    yield from _of_servers()


def _of_clients() -> Iterator[Small]:
    """Theorems about clients: what they are told, when those who left are found, how often is tried again."""
    yield (
        "told-and-enforced",
        "advertised-ttl-is-enforced",
        BOTH + "who believes the ttl gives up on a live task, or reads one that is gone (told and kept by one anchor).",
        lambda: _each(advertised.proofs(config) for config in _told()),
    )
    yield (
        "hinted-poll-in-time",
        "hint-inside-ttl",
        BOTH + "the first hinted poll comes before the ttl ends.",
        lambda: _each(hints.inside_proofs(config) for config in _inside()),
    )
    yield (
        "hint-kept",
        "hint-honoured",
        BOTH + "no poll is sent sooner than the hint.",
        lambda: _each(hints.honoured_proofs(config) for config in _honoured()),
    )
    yield (
        "orphans-found",
        "orphans-found-in-time",
        BOTH + "an abandoned task is reclaimed within window, skew, period and lateness.",
        lambda: _each(abandoned.orphan_proofs(_left(orphan_window_ms=1, orphan_comparison=one)) for one in (">", ">=")),
    )
    yield (
        "retries-fit",
        "retries-inside-deadline",
        BOTH + "attempts and the delays between them fit inside the deadline.",
        lambda: _each(retries.proofs(shape) for shape in retries.SHAPES),
    )


def _of_servers() -> Iterator[Small]:
    """Theorems about what a server, its workers and its sweeps must do in time."""
    yield (
        "lease-kept",
        "lease-outlives-stall",
        BOTH + "a live worker never loses its lease.",
        lambda: _each(leases.lease_proofs(shape) for shape in leases.LEASE_SHAPES),
    )
    yield (
        "recovery-in-time",
        "recovery-inside-patience",
        BOTH + "after a crash the work is done again before the client stops.",
        lambda: _each(leases.recovery_proofs(shape) for shape in leases.RECOVERY_SHAPES),
    )
    yield (
        "key-remembered",
        "idempotency-outlives-retries",
        BOTH + "a key is remembered for as long as a create may be reissued.",
        lambda: iter(idempotency.proofs()),
    )
    yield (
        "human-heard",
        "input-window-covers-human",
        BOTH + "a human who answers in time meets no limit that has closed.",
        lambda: _each(human.proofs(config) for config in shapes.HUMAN.values()),
    )
    yield (
        "marker-outlives-record",
        "cancel-marker-outlives-record",
        BOTH + "a cancelled task reads cancelled for as long as it can be read.",
        _markers,
    )
    yield (
        "work-stopped",
        "abandoned-work-is-bounded",
        BOTH + "work whose client left is stopped within its bound.",
        lambda: _each(abandoned.work_proofs(config) for config in _working()),
    )
    yield (
        "limit-can-act",
        "every-window-can-fire",
        BOTH + "a pass can end a task beside another that comes later in a sweep.",
        lambda: _each(windows.can_act(config, *pair) for pair, config in shapes.BESIDE.items()),
    )


def _each(groups: Iterable[list[Proof]]) -> Iterator[Proof]:
    for proofs in groups:
        yield from proofs


def _told() -> Iterator[Config]:
    for anchor in ("creation", "terminal", "creation-then-terminal", "activity"):
        for last in (1, None):
            changes: dict[str, object] = {
                "server.advertised_ttl_ms": 1,
                "server.enforced_ttl_ms": 1,
                "server.advertised_anchor": anchor,
                "workload.execution_ms": None if last is None else (0, last),
            }
            yield Config().replace(changes)


def _inside() -> Iterator[Config]:
    for anchor in ("creation", "terminal", "creation-then-terminal", "activity"):
        yield shapes.shape(shapes.SKEW, shapes.hinted("replace"), shapes.kept(anchor))


def _honoured() -> Iterator[Config]:
    jitter: dict[str, object] = {"client.jitter": (Fraction(1, 2), Fraction(3, 2)), "client.min_delay_ms": 1}
    cap = {**shapes.TOLD, "client.ttl_mode": "cap-gap"}
    stop = {"client.max_consecutive_errors": 1}
    yield shapes.shape(jitter, shapes.hinted("ignore"), shapes.TWICE, shapes.BACKOFF, shapes.FROM_CALL)
    yield shapes.shape(jitter, shapes.hinted("ignore"), shapes.TWICE, stop, shapes.FROM_HANDLE)
    yield shapes.shape(jitter, shapes.hinted("ceiling"), shapes.AWAY, cap)
    yield shapes.shape(jitter, shapes.hinted("clamp"), shapes.TWICE, shapes.BACKOFF, shapes.FROM_HANDLE)
    yield shapes.shape(jitter, shapes.hinted("floor"), shapes.TWICE, shapes.BACKOFF, cap)
    yield shapes.shape(jitter, shapes.hinted("replace"), shapes.FROM_CALL)


def _left(**server: object) -> Config:
    keys = {**shapes.GRID, **shapes.SKEW, **{f"server.{name}": value for name, value in server.items()}}
    return Config().replace({**keys, "network.latency_ms": (0, 1)})


def _working() -> Iterator[Config]:
    kept = {"enforced_ttl_ms": 1, "expiry_stops_work": True}
    for server in (
        {"orphan_window_ms": 1},
        {"orphan_window_ms": 1, "orphan_comparison": ">="},
        {"orphan_window_ms": 1, "execution_deadline_ms": 1},
        kept,
        {**kept, "enforced_anchor": "activity"},
    ):
        for on in (False, 5):
            yield _left(**server).replace({"workload.works_on_after_cancel": on})
    unswept: dict[str, object] = {"sweep_period_ms": None, "sweep_lateness_ms": 0}
    yield _left(**unswept).replace({"workload.works_on_after_cancel": 5, "client.cancel_on_abandon": True})


def _markers() -> Iterator[Proof]:
    last: dict[str, object] = {"workload.execution_ms": (0, 1)}
    for period in (5, "lazy"):
        mark: dict[str, object] = {
            "server.cancel_marker_retention_ms": 1,
            "server.clock_skew_ms": 1,
            "server.sweep_period_ms": period,
            "workload.works_on_after_cancel": True,
        }
        yield from marker.from_terminal(Config().replace({**mark, **shapes.kept("terminal"), **last}))
        yield from marker.from_creation(Config().replace({**mark, **shapes.kept("creation"), **last}))
        if period != "lazy":
            yield from marker.restarted(Config().replace({**mark, **shapes.kept("creation-then-terminal")}))
