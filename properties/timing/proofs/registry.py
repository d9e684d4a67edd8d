"""Every theorem of the timing properties: what it says, and how it is proved again.

A theorem is a statement for all numbers, over the shapes of configuration that its name or `shapes` lists.
"""

from collections.abc import Callable, Iterator
from functools import partial

import attrs

from latchcheck.engines.obligations import Proof, Theorem
from latchcheck.model.config import Config
from latchcheck.properties.timing.orphan import obeying

from . import cap, orphan, paper, patience, retention, schedule, scripts, shapes, ttl


def theorems() -> tuple[Theorem, ...]:
    """Every theorem, in the order of the catalogue of properties."""
    return (*_orphans(), *_around_orphans(), *_retained(), *_limits(), *_elsewhere())


Prover = Callable[[Config], "Proof | list[Proof]"]


def _over(configs: dict[str, Config], *provers: Prover) -> Callable[[], Iterator[Proof]]:
    """Proofs of each shape, one after the other, each named after the shape."""

    def prove() -> Iterator[Proof]:
        for name, config in configs.items():
            for prover in provers:
                found = prover(config)
                for proof in [found] if isinstance(found, Proof) else found:
                    yield attrs.evolve(proof, statement=f"{name}: {proof.statement}")

    return prove


def _orphans() -> Iterator[Theorem]:
    """The condition of no-live-orphan, and what it is put together from."""
    live = "no-live-orphan"
    yield Theorem(
        "live-orphan-never",
        live,
        "Where at every poll the longest silence is inside the window, or begins too late to be judged before the task "
        "or the wait ends, no live orphan is reachable.",
        _over(shapes.ORPHANS, orphan.never),
    )
    yield Theorem(
        "live-orphan-reached",
        live,
        "Where that fails at some poll, a run from any contact before it reclaims a live task at any instant of the "
        "interval, and every chain of legs leads to such a contact.",
        _over(shapes.ORPHANS, orphan.reached, scripts.contacts_follow),
    )
    yield Theorem(
        "live-orphan-on-a-grid",
        live,
        "On a grid of sweeps some phase puts a sweep at each of those instants.",
        _over(shapes.ORPHANS_ON_GRID, orphan.reached_on_grid),
    )
    yield Theorem(
        "live-orphan-flat",
        live,
        "Delays, gaps and silences never shrink, so a window no shorter than the silence at the ceiling is enough.",
        _over(shapes.FLAT, orphan.flat),
    )
    yield Theorem(
        "silence-always-found",
        live,
        "A silence beyond window, skew, period and lateness is always found on a grid, and one beyond window and skew "
        "by the access that ends it.",
        lambda: iter(paper.beyond_doubt()),
    )
    yield Theorem(
        "paper-readings",
        live,
        "The configurations that refute readings of the source paper's sentence do so in all their runs.",
        _refuting,
    )
    yield Theorem(
        "polls-told-as-one",
        live,
        "Several steady polls told as one end in the state in which they end one by one.",
        _over(shapes.TOLD_AS_ONE, schedule.told_as_one),
    )


def _around_orphans() -> Iterator[Theorem]:
    """The same condition asked of a client that obeys its hint, is away, or caps its gaps."""
    yield Theorem(
        "hint-obeyed",
        "hint-inside-orphan-window",
        "The same two implications for the client that waits exactly the hint.",
        _over(
            {
                "obeying": obeying(
                    shapes.ORPHANS["floor, two failures with backoff, a restart, a limit from the handle"]
                )
            },
            orphan.never,
            orphan.reached,
            scripts.contacts_follow,
        ),
    )
    yield Theorem(
        "away-orphan",
        "restart-inside-orphan-window",
        "The same two implications for a task reclaimed while its client is away for its restart gap.",
        _over(shapes.RESTARTS, partial(orphan.never, away=True), partial(orphan.reached, away=True)),
    )
    yield Theorem(
        "ttl-cap-suffices",
        "ttl-cap-suffices",
        "For clients of any delays that cap their gaps at ttlMs, a window of ttl, both ways of the network, failed "
        "polls with their capped gaps, restart gap and skew is enough.",
        _over(shapes.CAPPED, cap.suffices),
    )
    yield Theorem(
        "ttl-cap-necessary",
        "ttl-cap-suffices",
        "And with a shorter window a client whose delays reach the cap is orphaned, if its work lasts so long.",
        _over(shapes.CAPPED, cap.necessary),
    )


def _refuting() -> Iterator[Proof]:
    yield from paper.never_orphaned(paper.JITTER_BELOW)
    yield from paper.never_orphaned(paper.WORK_ENDS_FIRST)
    yield paper.always_orphaned(paper.EVERY_RUN)


def _retained() -> Iterator[Theorem]:
    """Theorems about what is kept for the client: the outcome, and that of the deadline."""
    yield Theorem(
        "result-kept",
        "result-reaches-client",
        "Where after every contact the next successful poll comes before a removal can, no outcome is lost.",
        _over(shapes.RETENTION, retention.reaches),
    )
    yield Theorem(
        "result-lost",
        "result-reaches-client",
        "After any contact where it need not, a run loses the outcome that is stored just after the contact.",
        _over(shapes.RETENTION, retention.lost),
    )
    yield Theorem(
        "timeout-seen",
        "timeout-is-seen",
        "The same two implications for the outcome that the deadline stores.",
        _over(shapes.DEADLINES, retention.seen, retention.unseen),
    )


def _limits() -> Iterator[Theorem]:
    """Theorems about the limits on the work: the ttl, and the patience of the client."""
    covers = "ttl-covers-execution"
    yield Theorem(
        "live-work-kept",
        covers,
        "Where ttl - skew comes after the end of the work, or after a deadline that fires in the very sweep, no live "
        "work expires.",
        _over(shapes.TTLS, ttl.covered),
    )
    yield Theorem(
        "live-work-expired",
        covers,
        "Where it does not, some run lets live work expire, whatever the client does meanwhile.",
        _over(shapes.TTLS, ttl.expired),
    )
    yield Theorem(
        "pass-dodged",
        covers,
        "A pass that must fire ends the task at limit, skew, period and lateness at the latest; a run attains that.",
        _over(shapes.DODGED, lambda config: [proof for grid in ttl.grids(config) for proof in ttl.dodged(grid)]),
    )
    yield Theorem(
        "live-work-beside-a-deadline",
        covers,
        "Live work expires beside a deadline that comes later in a sweep exactly when it can still be found then.",
        _over(
            {"a deadline after it": shapes.DODGED["ttl, then deadline, then orphans"]},
            lambda config: [p for grid in ttl.grids(config) if grid.name == "timeouts" for p in ttl.swept(grid)],
        ),
    )
    waits = "patience-covers-execution"
    yield Theorem(
        "end-read",
        waits,
        "Where the client's limit comes after the end and the reply to the poll that follows it, no end is missed.",
        _over(shapes.PATIENCE, patience.sees, patience.limits),
    )
    yield Theorem(
        "end-missed",
        waits,
        "Where it does not, a run from that contact has the client stop first.",
        _over(shapes.PATIENCE, patience.misses),
    )


def _elsewhere() -> Iterator[Theorem]:
    from .registry_small import small_theorems

    for name, about, says, prove in small_theorems():
        yield Theorem(name, about, says, prove)
