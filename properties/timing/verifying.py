"""From analyses to verdicts: conditions are evaluated, runs are executed, what neither decides is searched."""

from collections.abc import Sequence
from time import perf_counter

import attrs

from latchcheck.kernel import NotAStep, Trace
from latchcheck.kernel.doing import each
from latchcheck.kernel.interrupts import INTERRUPTS, is_interrupt
from latchcheck.kernel.verdict import Cost, PropertyVerdict, Report
from latchcheck.model.config import Config
from latchcheck.model.timing.schedule import RampTooLong

from .analyses import ANALYSES
from .answers import Answer, NotApplicable, Outcome, Vacuous
from .assumptions import assumptions
from .catalogue import CATALOGUE
from .facts import Facts
from .repairs import is_met, repairs_of

ATTEMPTS_MAX = 60
"""How many written runs are tried before the question goes to the exhaustive search."""


def verify(config: Config, only: Sequence[str] | None = None, *, repairs: bool = True) -> Report:
    """Answer the timing properties for a configuration: all of them, or those named in `only`.

    Source: docs/reference/semantics.md, section 4.
    Without `repairs` none is looked for, which changes no verdict.
    Where the user ends it, what is answered by then is told, and the rest is inconclusive.
    Raises KeyError for an id that is in no catalogue.
    """
    asked = list(CATALOGUE) if only is None else [name for name in CATALOGUE if name in set(only)]
    if only is not None and len(asked) != len(set(only)):
        raise KeyError(", ".join(sorted(set(only) - set(CATALOGUE))))
    facts = Facts(config)
    verdicts: dict[str, PropertyVerdict] = {}
    interrupted = False
    try:
        for name in each("verifying", asked, named=str):
            verdicts[name] = answer(name, facts)
        if repairs:
            _repair(config, verdicts)
    except INTERRUPTS as error:
        if not is_interrupt(error):
            raise
        interrupted = True
    told = {name: verdicts.get(name) or _unanswered(name) for name in asked}
    return Report(config, assumptions(config, told), tuple(told.values()), source="", interrupted=interrupted)


def _repair(config: Config, verdicts: dict[str, PropertyVerdict]) -> None:
    """Look for the repairs of what is violated; each is told as soon as it is found.

    What was not asked for must go on holding as well: who asks about one property does not give up the others.
    """
    held = {name for name, one in verdicts.items() if one.verdict in ("proved", "holds", "not-applicable")}
    violated = [name for name, one in verdicts.items() if one.verdict == "violated"]
    if violated:
        facts = Facts(config)
        held |= {name for name in ANALYSES if name not in verdicts and is_met(name, facts)}
    for name in each("repairing", violated, named=str):
        one = verdicts[name]
        verdicts[name] = attrs.evolve(one, repairs=repairs_of(name, config, held, one.margin_ms))


def _unanswered(name: str) -> PropertyVerdict:
    prop = CATALOGUE[name]
    reason = "interrupted before it was answered"
    return PropertyVerdict(prop.id, prop.keyword, "inconclusive", "smt", prop.sentence, reason=reason)


def answer(name: str, facts: Facts) -> PropertyVerdict:
    """The verdict on one property, without repairs."""
    begun = perf_counter()
    try:
        verdict = _verdict(name, facts, ANALYSES[name](facts))
    except RampTooLong as error:
        prop = CATALOGUE[name]
        verdict = PropertyVerdict(prop.id, prop.keyword, "inconclusive", "smt", prop.sentence, reason=str(error))
    return attrs.evolve(verdict, cost=Cost(seconds=round(perf_counter() - begun, 6)))


def _verdict(name: str, facts: Facts, outcome: Outcome) -> PropertyVerdict:
    prop = CATALOGUE[name]
    if isinstance(outcome, NotApplicable):
        return PropertyVerdict(prop.id, prop.keyword, "not-applicable", "smt", prop.sentence, reason=outcome.missing)
    if isinstance(outcome, Vacuous):
        return PropertyVerdict(prop.id, prop.keyword, "vacuous", "smt", prop.sentence, reason=outcome.why)
    base = PropertyVerdict(
        prop.id,
        prop.keyword,
        "proved",
        "smt",
        prop.sentence,
        margin_ms=outcome.margin_ms,
        clause=outcome.clause,
        binding=outcome.binding,
        bound_ms=outcome.bound_ms,
        reason=outcome.reason,
    )
    if outcome.safe:
        return base
    trace = shown(outcome)
    if trace is not None:
        return attrs.evolve(base, verdict="violated", witness=trace)
    return _searched(facts, outcome, base)


def shown(outcome: Answer) -> Trace | None:
    """The first written run that the model allows and that ends in the harm, or None."""
    harm = outcome.harm
    assert harm is not None, "what may be violated names its harm"
    for attempt, run in enumerate(outcome.runs):
        if attempt == ATTEMPTS_MAX:
            return None
        try:
            trace = run()
        except NotAStep:
            continue
        for number, step in enumerate(trace.steps, start=1):
            if harm in step.changed and step.changed[harm][1] is True:
                return attrs.evolve(trace, steps=trace.steps[:number])
    return None


def _searched(facts: Facts, outcome: Answer, base: PropertyVerdict) -> PropertyVerdict:
    """The verdict of the exhaustive search, where the condition is too coarse and no written run shows the harm."""
    from .search import HARMS, search

    if outcome.harm not in HARMS:
        return attrs.evolve(base, verdict="inconclusive", margin_ms=None, reason="no written run shows the harm")
    found = search(facts if outcome.config is None else Facts(outcome.config), outcome.harm)
    if found.trace is not None:
        return attrs.evolve(base, verdict="violated", engine="explicit", witness=found.trace, scope=found.scope)
    if found.complete:
        return attrs.evolve(base, verdict="holds", engine="explicit", margin_ms=None, scope=found.scope)
    reason = f"neither the sufficient condition nor a written run decides, and the search ended early: {found.scope}"
    return attrs.evolve(base, verdict="inconclusive", margin_ms=None, reason=reason)
