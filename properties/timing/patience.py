"""The client's patience against the work: `patience-covers-execution`."""

from collections.abc import Callable, Iterator

from latchcheck.kernel import Trace
from latchcheck.kernel.duration import told
from latchcheck.model.config import UNLIMITED, Config
from latchcheck.model.timing.legs import Legs
from latchcheck.model.timing.schedule import Ms
from latchcheck.model.timing.script import Cut, Leg, Script

from .answers import NO_POLLER, Answer, NotApplicable, Outcome, Vacuous
from .bounds import Upper
from .contacts import Contact, contacts, pieces, success
from .facts import Facts

STOPS_BEFORE = "the client's limit ends before its call arrives, so that no task is ever waited for"
NO_LIMIT = 'no limit on the client\'s wait: client.overall_timeout is not set, nor ttl_mode = "give-up" with a ttl'


def _binding(facts: Facts) -> tuple[str, ...]:
    client = facts.config.client
    if client.overall_timeout_ms is not None:
        return ("client.overall_timeout_ms",)
    return ("server.advertised_ttl_ms",)


def client_and_work(config: Config) -> Config:
    """The two parties the property is about: the server tells what it tells, and neither ends nor removes anything."""
    return config.replace(
        {
            "server.orphan_window_ms": None,
            "server.execution_deadline_ms": None,
            "server.enforced_ttl_ms": UNLIMITED,
            "server.sweep_period_ms": None,
            "server.clock_skew_ms": 0,
        }
    )


def patience_covers_execution(facts: Facts) -> Outcome:
    """`patience-covers-execution`.

    A client that waits to its limit sees the end of every execution inside its declared time.
    The end at e is read at most one silence and one reply after the last poll at or before it; the limit must come
    later (at a tie the client stops first).
    """
    if not facts.limited:
        return NotApplicable(NO_LIMIT)
    if not facts.execution_declared:
        return NotApplicable("no declared execution time: workload.execution is not set")
    facts = Facts(client_and_work(facts.config))
    legs = facts.legs
    if legs is None:
        return NotApplicable(NO_POLLER)
    stop, latest = _first_stop(facts), facts.stops()[1]
    if latest is not None and latest < 0:
        return Vacuous(STOPS_BEFORE)
    ends = Upper(facts.ends[1])
    read = _read(facts, legs, ends)
    safe = read is not None and read < stop
    reach = "has no bound" if read is None else f"is {told(read)} after creation"
    waits = f"the client waits ({told(stop)} after creation at least)"
    return Answer(
        safe=safe,
        clause=f"{waits} longer than until the end is read, which {reach}",
        margin_ms=None if read is None else stop - read,
        binding=_binding(facts),
        runs=_runs(facts, legs, ends) if not safe else (),
        harm="gave_up_early",
        config=facts.config,
    )


def _first_stop(facts: Facts) -> Ms:
    """The earliest instant at which the client's limit stops it, for those who know that there is one."""
    stop, _ = facts.stops()
    assert stop is not None
    return stop


def _read(facts: Facts, legs: Legs, ends: Upper) -> Ms | None:
    """The latest instant at which the end of the work is read (None: no bound)."""
    if ends.at is None:
        return None
    last = success(legs, legs.steady)
    read = ends.at
    for piece in pieces(legs, 0 if last is None else max(0, ends.at - last), ends.at):
        if piece.lo > ends.at:
            continue
        if piece.next_ms is None or piece.follows_ms is None:
            return None
        latest = ends.at if piece.hi is None else min(piece.hi, ends.at)
        read = max(read, latest + piece.next_ms + facts.latency[1], latest + piece.follows_ms)
    return read


def _runs(facts: Facts, legs: Legs, ends: Upper) -> Iterator[Callable[[], Trace]]:
    """Runs in which the limit comes first: while the work runs, or while its end is not read yet."""
    stop = _first_stop(facts)
    low, high = facts.latency
    for contact in _late_contacts(facts, legs, stop):
        for a in sorted({contact.hi, max(contact.lo, contact.hi - (high - low)), contact.lo}, reverse=True):
            for failed in range(legs.failures_followed + 1 + legs.failures_can_stop):
                longest = legs.leg(contact.k, failed).hi
                for leaves in (False, True) if legs.schedule.restart_ms and not contact.restart_used else (False,):
                    restart = legs.schedule.restart_ms if leaves else 0
                    if longest is not None and a + longest + restart + high < stop:
                        continue
                    length = stop - a + 1 if longest is None else longest + restart
                    taken = (*contact.legs_to(a), Leg(contact.k, failed, length, away=leaves))
                    cuts = []
                    if ends.at is not None and ends.at < stop:
                        cuts.append(Cut(ends.at, "write_terminal", before=ends.at > a))
                    cuts.append(Cut(stop, "give_up"))
                    yield lambda taken=taken, cuts=tuple(cuts): _execute(facts, legs, taken, cuts, stop)


def _late_contacts(facts: Facts, legs: Legs, stop: Ms) -> list[Contact]:
    last = success(legs, legs.steady)
    step = stop if last is None else last + facts.latency[1]
    end = facts.ends[1]
    top = stop if end is None else min(stop, end)
    found = contacts(legs, max(0, min(top, stop) - step), top)
    return sorted(found, key=lambda contact: len(contact.parts))


def _execute(facts: Facts, legs: Legs, taken: tuple, cuts: tuple[Cut, ...], stop: Ms) -> Trace:
    client = facts.config.client
    call = facts.latency[1] if client.overall_timeout_from == "call" else facts.latency[0]
    script = Script(
        legs=legs,
        taken=taken,
        cuts=cuts,
        until_ms=stop,
        call_latency_ms=call,
        handle_ms=facts.latency[0],
    )
    return script.run(facts.config)
