"""Outcomes against retention: `result-reaches-client` and `timeout-is-seen`.

An outcome is lost when it is stored at x, removed at or after y, and the first successful poll after x arrives at p
with y <= p. The poll before it, at a, saw nothing (a <= x: at a tie the poll came first), so p lies at most one silence
after a. Where the removal counts from decides y: `creation`: ttl - skew, and never before x; every other anchor moves
with the terminal write: x + ttl - skew.
"""

import attrs

from latchcheck.kernel.duration import told
from latchcheck.model.timing.legs import Legs
from latchcheck.model.timing.schedule import Ms

from .answers import NO_POLLER, Answer, NotApplicable, Outcome, Vacuous
from .bounds import Upper, earliest
from .contacts import complete
from .facts import Facts
from .outcomes import Source, sources
from .retention_reach import apart, harms_after_lost_reply, judged_together, reach_of
from .retention_runs import runs_losing


def result_reaches_client(facts: Facts) -> Outcome:
    """`result-reaches-client`.

    Every terminal outcome is still readable when the first successful poll after it arrives.
    """
    return _retained(facts, sources(facts), "outcome_lost", "no terminal outcome can come about")


def timeout_is_seen(facts: Facts) -> Outcome:
    """`timeout-is-seen`: a task failed by its deadline stays readable until the first successful poll after it."""
    if facts.deadline_ms is None:
        return NotApplicable("no execution deadline: server.execution_deadline is not set")
    timeouts = tuple(source for source in sources(facts) if source.cause == "timeouts")
    return _retained(
        facts, timeouts, "timeout_lost", "the deadline never fails a task: the work, or another limit, ends it before"
    )


def _retained(facts: Facts, found: tuple[Source, ...], harm: str, never: str) -> Outcome:
    legs = facts.legs
    if legs is None:
        return NotApplicable(NO_POLLER)
    if not found:
        return Vacuous(never)
    if not facts.ended_expires:
        return Answer(safe=True, clause="no terminal record is ever removed")
    reaches = [reach_of(facts, legs, _unexpired(facts, source)) for source in found]
    harmful = [source for source in found if _harms(facts, legs, source)]
    worst = max(reaches, key=lambda reach: (reach.at is None, reach.at or 0))
    if not harmful and worst.at is not None and worst.at < 0:
        return Answer(safe=True, clause="no successful poll comes after an outcome: the client has stopped", harm=harm)
    if not harmful and worst.includes(facts.ttl):
        told = "the sweeps or accesses that store an outcome leave it for the next poll, or tell it themselves"
        return Answer(safe=True, clause=told, binding=facts.ttl_knobs, harm=harm)
    return Answer(
        safe=not harmful,
        clause=_clause(facts, worst.at),
        margin_ms=None if worst.at is None else facts.ttl - worst.at,
        binding=facts.ttl_knobs,
        runs=runs_losing(facts, legs, harmful),
        harm=harm,
    )


def _harms(facts: Facts, legs: Legs, source: Source) -> bool:
    """Whether an outcome of the source can be lost, as far as its last contact and its next poll decide."""
    if facts.lazy and source.cause != "worker" and complete(legs):
        return bool(judged_together(facts, legs, source))
    if facts.lazy and source.cause != "worker":
        return harms_after_lost_reply(facts, legs, source)
    reach = reach_of(facts, legs, source)
    if not reach.includes(facts.ttl):
        return False
    if source.cause == "worker" or facts.anchor == "creation" or reach.at is None or facts.period_ms is None:
        return True
    # One sweep stores the outcome and a later one removes it, so their distance is one that the grid has.
    return reach.at - facts.skew_ms >= apart(facts, source, facts.ttl - facts.skew_ms)[0]


def _unexpired(facts: Facts, source: Source) -> Source:
    """The source as it would be if the ttl, which the margin is about, did not itself end running work."""
    if source.cause != "worker" or not facts.running_expires:
        return source
    server = attrs.evolve(facts.config.server, expire_running=False)
    alive = Facts(attrs.evolve(facts.config, server=server)).alive_until()
    return attrs.evolve(source, hi=earliest((Upper(facts.ends[1]), alive)))


def _clause(facts: Facts, worst: Ms | None) -> str:
    what = "the longest time from an outcome to the first successful poll after it"
    if facts.anchor == "creation":
        what = "the latest first poll after an outcome, counted from creation"
    reach = "which has no bound" if worst is None else f"which is {told(worst)}"
    return f"the ttl ({told(facts.ttl)} from {facts.anchor}) is longer than {what}, {reach}"
