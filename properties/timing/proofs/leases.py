"""`lease-outlives-stall` and `recovery-inside-patience`: each condition against its system.

Written with L the lease, r the renewal interval, s the stall, e the greatest execution time, S the lease sweep:

- an overlap is reachable exactly when L <= e and, with renewals, L <= r + s;
- a recovery is missed exactly when the client's earliest stop is at or before R + L + S + e, where R is the latest
  renewal that a crash can follow: min(e, floor(e / r) * min(r + s, L)) if r <= L, else 0.
"""

from typing import Any

import z3

from latchcheck.engines.obligations import Proof, prove
from latchcheck.engines.smt import Event, inductive, valid_run
from latchcheck.kernel import Clause
from latchcheck.model.timing.lease import LEASE, NUMBERS, SECOND, WAITER, WORKER, Shape, V, of_shape, stop_at
from latchcheck.model.timing.terms import COUNT_MAX

LEASE_MS, RENEWAL, STALL = NUMBERS["lease_timeout"], NUMBERS["lease_renewal"], NUMBERS["stall"]
SWEEP, LONGEST = NUMBERS["lease_sweep"], NUMBERS["execution_hi"]
LOW, HIGH = NUMBERS["latency_lo"], NUMBERS["latency_hi"]

MOST: Any = z3.Int("renewals_most")
"""floor(execution_hi / lease_renewal)."""
STEP: Any = z3.Real("renewal_step")
"""The longest time from one renewal to the next that a held lease allows."""

SEVERAL = 2
"""So many renewals or more are told as one."""

LEASE_SHAPES = tuple(Shape(renewal, ends) for renewal in ("never", "every", "always") for ends in (True, False))
LIMITS = (("call", False), ("handle", False), (None, True), ("call", True), ("handle", True))
RECOVERY_SHAPES = tuple(
    Shape(renewal, work_ends=True, overall_from=overall, ttl=ttl)
    for renewal in ("never", "every", "always")
    for overall, ttl in LIMITS
)

RUNNING = V["worker"] == WORKER["running"]
HELD = V["lease"] == LEASE["held"]


def sane(shape: Shape) -> list[Any]:
    """What every configuration of a shape has: no negative number, ranges the right way round."""
    known: list[Any] = [number >= 0 for number in NUMBERS.values()]
    known += [NUMBERS["execution_lo"] <= LONGEST, LOW <= HIGH]
    if shape.renewal == "every":
        known.append(RENEWAL + STALL > 0)
    elif shape.renewal == "always":
        known += [RENEWAL == 0, STALL == 0]
    return known


# -- lease-outlives-stall -----------------------------------------------------------------------------------------


def lease_proofs(shape: Shape) -> list[Proof]:
    """Both implications for one shape."""
    system, harm = of_shape(shape), V["overlap"]
    needs = []
    if shape.renewal != "never":
        needs.append(LEASE_MS <= RENEWAL + STALL)
    if shape.work_ends:
        needs.append(LEASE_MS <= LONGEST)
    lost = z3.And(needs)
    invariant = [
        Clause("the lease counts from creation or later", V["renewed"] >= 0),
        Clause("a live worker has its lease", z3.Implies(RUNNING, HELD)),
        Clause("no two run at once", z3.Not(harm)),
    ]
    events = [(LEASE_MS, "lease_expires", {}), (LEASE_MS, "redeliver", {})]
    proofs = [valid_run(system, [*sane(shape), lost], events, harm)]
    if needs:
        proofs.append(inductive(system, [*sane(shape), z3.Not(lost)], invariant, harm))
    return proofs


# -- recovery-inside-patience -------------------------------------------------------------------------------------


def latest_renewal(shape: Shape) -> Any:
    """R: the latest renewal that a crash can follow, over the numbers, MOST and STEP."""
    if shape.renewal == "never":
        return z3.RealVal(0)
    if shape.renewal == "always":
        return LONGEST
    reach = z3.ToReal(MOST) * STEP
    bounded = z3.If(reach < LONGEST, reach, LONGEST)
    always = z3.If(STEP > 0, LONGEST, z3.RealVal(0))
    return z3.If(LEASE_MS < RENEWAL, z3.RealVal(0), z3.If(RENEWAL == 0, always, bounded))


def defined(shape: Shape) -> list[Any]:
    """What MOST and STEP mean."""
    if shape.renewal != "every":
        return []
    step = z3.If(RENEWAL + STALL < LEASE_MS, RENEWAL + STALL, LEASE_MS)
    fits = z3.And(z3.ToReal(MOST) * RENEWAL <= LONGEST, z3.ToReal(MOST + 1) * RENEWAL > LONGEST)
    return [step == STEP, MOST >= 0, MOST < COUNT_MAX, z3.Implies(RENEWAL > 0, fits)]


def earliest_stop(shape: Shape) -> Any:
    """The client stops earliest after a slow call, or a fast handle."""
    return stop_at(shape, LOW if shape.overall_from == "handle" else HIGH)


def recovery_proofs(shape: Shape) -> list[Proof]:
    """Both implications for one shape."""
    done = latest_renewal(shape) + LEASE_MS + SWEEP + LONGEST
    missed = earliest_stop(shape) <= done
    return [_lemmas(shape), _recovered(shape, z3.Not(missed)), _cases(shape, missed), *_missed(shape)]


def _counted(count: Any) -> list[tuple[str, list[Any], Any]]:
    """What is used of the product of a count and an interval, for a count of renewals: (name, from, it follows)."""
    real = z3.ToReal(count)
    return [
        (
            "so many renewals fit",
            [RENEWAL > 0, z3.ToReal(MOST + 1) * RENEWAL > LONGEST, real * RENEWAL <= LONGEST],
            count <= MOST,
        ),
        ("more renewals reach no less far", [STEP >= 0, count <= MOST], real * STEP <= z3.ToReal(MOST) * STEP),
        ("without a step nothing is reached", [STEP == 0], real * STEP == 0),
    ]


def _lemmas(shape: Shape) -> Proof:
    count = z3.Int("count")
    lemmas = _counted(count) if shape.renewal == "every" else []
    stop = earliest_stop(shape)
    latency = z3.Real("latency")
    inside = [latency >= LOW, latency <= HIGH, *sane(shape)]
    return Proof(
        "recovery: lemmas",
        (
            *(prove(name, given, goal) for name, given, goal in lemmas),
            prove("no stop is earlier", inside, stop <= stop_at(shape, latency)),
        ),
    )


def _recovered(shape: Shape, safe: Any) -> Proof:
    """Where the client waits long enough, it never stops before a crashed attempt is done again."""
    known = [*sane(shape), *defined(shape), safe]
    renewed, latest = V["renewed"], latest_renewal(shape)
    invariant = []
    if shape.renewal == "every":
        for more in (1, z3.Int("count")):
            known += [z3.Implies(z3.And(given), goal) for _, given, goal in _counted(V["renewals"] + more)]
        counted = z3.ToReal(V["renewals"])
        invariant = [
            Clause("renewals come at least so far apart", counted * RENEWAL <= renewed),
            Clause("renewals come at most so far apart", renewed <= counted * STEP),
            Clause("a lease that is too short is never renewed", z3.Implies(LEASE_MS < RENEWAL, renewed == 0)),
        ]
    second = V["second"] == SECOND["running"]
    invariant += [
        Clause("the lease counts from creation or later", renewed >= 0),
        Clause("the last renewal is no later than it can be", renewed <= latest),
        Clause("the work ends in time", z3.Implies(RUNNING, V["now"] <= LONGEST)),
        Clause("a lease expires no later than it can", z3.Implies(z3.Not(HELD), V["expired_at"] <= latest + LEASE_MS)),
        Clause(
            "a second attempt is a redelivery", (V["second"] != SECOND["none"]) == (V["lease"] == LEASE["redelivered"])
        ),
        Clause("it begins no later than it can", z3.Implies(second, V["second_from"] <= latest + LEASE_MS + SWEEP)),
        Clause(
            "the client waits no less than it must",
            z3.Implies(V["waiter"] != WAITER["absent"], V["give_up_at"] >= earliest_stop(shape)),
        ),
        Clause("no recovery was missed", z3.Not(V["recovery_missed"])),
    ]
    return inductive(of_shape(shape), known, invariant, V["recovery_missed"])


def _moments(shape: Shape) -> tuple[Any, Any]:
    """The client's earliest stop, not before creation, and the latest renewal."""
    stop = earliest_stop(shape)
    return z3.If(stop > 0, stop, z3.RealVal(0)), latest_renewal(shape)


def _cases(shape: Shape, missed: Any) -> Proof:
    """Whenever the condition fails, a crash at creation shows it or one after the latest renewal, before the stop."""
    stops, latest = _moments(shape)
    after = LEASE_MS + SWEEP + LONGEST
    known = [*sane(shape), *defined(shape), missed]
    if shape.renewal == "every":
        known.append(z3.ToReal(MOST) * STEP >= 0)
    shown = z3.Or(stops <= after, z3.And(latest <= stops, stops <= latest + after))
    nothing = prove(
        "a product of two that are not negative", [*sane(shape), *defined(shape)], z3.ToReal(MOST) * STEP >= 0
    )
    cases = prove("one of the two runs shows it", known, shown)
    return Proof("recovery: cases", (*((nothing,) if shape.renewal == "every" else ()), cases))


def _missed(shape: Shape) -> list[Proof]:
    """The runs that show it: renewals (none, one, several), a crash, and the stop in each of the three phases."""
    stops, latest = _moments(shape)
    zero = z3.RealVal(0)
    prefixes: list[tuple[list[Any], list[Event], Any]] = [([], [], zero)]
    at_latest = [latest <= stops]
    if shape.renewal == "always":
        prefixes.append((at_latest, [], latest))
    if shape.renewal == "every":
        regular = [*at_latest, RENEWAL > 0, RENEWAL <= LEASE_MS]
        prefixes.append(([*regular, MOST == 1], [(latest, "renew_lease", {})], latest))
        several: Event = (0, "renew_leases", {"count": MOST, "until": latest})
        prefixes.append(([*regular, MOST >= SEVERAL], [several], latest))
        # Renewals at no distance: as many as it takes to reach the end of the work in steps of `STEP`.
        some = z3.Int("some")
        reach = [
            *at_latest,
            RENEWAL == 0,
            STEP > 0,
            some >= SEVERAL,
            some < COUNT_MAX,
            z3.ToReal(some) * STEP >= LONGEST,
        ]
        prefixes.append((reach, [(0, "renew_leases", {"count": some, "until": latest})], latest))
    return [
        valid_run(of_shape(shape), [*sane(shape), *defined(shape), *given, *phase], events, V["recovery_missed"])
        for given, renewals, renewed in prefixes
        for phase, events in _phases(shape, renewals, renewed, stops)
    ]


def _phases(shape: Shape, renewals: list[Event], renewed: Any, stops: Any) -> list[tuple[list[Any], list[Event]]]:
    """The stop before the expiry, before the redelivery, and before the end of the second attempt."""
    expires = renewed + LEASE_MS
    redelivered = expires + SWEEP
    create: Event = (0, "create", {"latency": LOW if shape.overall_from == "handle" else HIGH})
    begin = [create, *renewals, (renewed, "crash", {})]
    expiry, redelivery = (expires, "lease_expires", {}), (redelivered, "redeliver", {})
    end = (stops, "give_up", {})
    return [
        ([renewed <= stops, stops <= expires], [*begin, end]),
        ([expires < stops, stops <= redelivered], [*begin, expiry, end]),
        ([redelivered < stops, stops <= redelivered + LONGEST], [*begin, expiry, redelivery, end]),
    ]
