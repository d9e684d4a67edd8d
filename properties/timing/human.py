"""A human's answer through every nested limit: `input-window-covers-human`.

The server asks at x, inside the declared execution; the client learns of it with the reply to a poll, at most one
longest leg and a reply later; the human takes as long as declared, and the answer travels.
"""

from collections.abc import Iterator

import attrs

from latchcheck.kernel import System, Trace
from latchcheck.kernel.duration import told
from latchcheck.model.timing.human import human_with, run_human
from latchcheck.model.timing.schedule import Ms

from .answers import Answer, NotApplicable, Outcome
from .facts import Facts


@attrs.frozen
class Wait:
    """The longest parts of one question's life; `told` None where nothing bounds the client's next poll."""

    asked: Ms | None
    told: Ms | None
    reply: Ms
    human: Ms
    travel: Ms
    again: Ms | None

    @classmethod
    def of(cls, facts: Facts, human: Ms) -> "Wait":
        """The wait for a human who takes at most so long."""
        high, legs = facts.latency[1], facts.legs
        # Work of no declared length asks at once: of any later instant nothing is known.
        asked = facts.ends[1] if facts.execution_declared else 0
        if legs is None:
            return cls(asked, 0, 0, human, high, 0)
        if asked is None and not legs.schedule.ceiling_reached:
            return cls(asked, None, high, human, high, None)
        # The gaps grow: only those count that can run while the work may still ask.
        last = max(k for k, start, _ in legs.starts() if asked is None or start <= asked)
        leg = legs.leg(last, legs.failures_followed).hi
        told = None if leg is None else leg + legs.schedule.restart_ms + high
        gap = legs.gap(last + legs.failures_followed + 1).hi
        return cls(asked, told, high, human, high, None if gap is None else gap + high)

    @property
    def given(self) -> Ms | None:
        """From the question to the moment when the human has answered."""
        return None if self.told is None else self.told + self.human

    @property
    def arrived(self) -> Ms | None:
        """From the question to the arrival of the answer."""
        return None if self.given is None else self.given + self.travel

    def silent(self, *, update_counts: bool) -> Ms | None:
        """From the poll that tells of the question to the next contact."""
        answered = self.reply + self.human + self.travel
        if update_counts:
            return answered
        return None if self.again is None else answered + self.again


@attrs.frozen
class Nested:
    """One limit: what must fit into `limit_ms`, and the slack that is left (None: what must fit has no bound)."""

    key: str
    words: str
    takes_ms: Ms | None
    limit_ms: Ms
    skew_ms: Ms = 0
    strict: bool = False
    from_creation: bool = False

    @property
    def margin_ms(self) -> Ms | None:
        """The slack of the limit."""
        return None if self.takes_ms is None else self.limit_ms - self.skew_ms - self.takes_ms

    @property
    def safe(self) -> bool:
        """A strict limit acts only beyond its end, the others at it."""
        margin = self.margin_ms
        return margin is not None and (margin > 0 or (margin == 0 and self.strict))


def input_window_covers_human(facts: Facts) -> Outcome:
    """`input-window-covers-human`: whoever answers inside the declared time is heard, through every limit."""
    declared = facts.config.workload.human_answer_ms
    if declared is None:
        return NotApplicable("no declared time to answer: workload.human_answer is not set")
    wait = Wait.of(facts, declared[1])
    found = sorted(_nested(facts, wait), key=_slack)
    if not found:
        return NotApplicable(
            "no limit on the wait for an answer: neither an input window nor any limit around it is set"
        )
    least, broken = found[0], [one for one in found if not one.safe]
    return Answer(
        safe=not broken,
        clause=" and ".join(_clause(one) for one in (broken or [least])),
        margin_ms=least.margin_ms,
        binding=(least.key,),
        runs=(lambda one=one: _unheard(facts, wait, one) for one in broken),
        harm="unheard",
    )


def _slack(one: Nested) -> tuple[bool, bool, Ms]:
    return one.safe, one.margin_ms is not None, one.margin_ms or 0


def _clause(one: Nested) -> str:
    takes = "which has no bound" if one.takes_ms is None else f"which is {told(one.takes_ms)}"
    longer = "at least as long as" if one.strict else "longer than"
    name = one.key.split(".")[1].removesuffix("_ms")
    limit = told(one.limit_ms) + (f" less {told(one.skew_ms)} of clock skew" if one.skew_ms else "")
    return f"{name} ({limit}) is {longer} {one.words}, {takes}"


def _sum(first: Ms | None, second: Ms | None) -> Ms | None:
    return None if first is None or second is None else first + second


def _nested(facts: Facts, wait: Wait) -> Iterator[Nested]:
    """Every limit that the configuration has around a question."""
    client, server, skew = facts.config.client, facts.config.server, facts.skew_ms
    if client.input_request_timeout_ms is not None:
        words = "the human takes"
        yield Nested("client.input_request_timeout_ms", words, wait.human, client.input_request_timeout_ms)
    words = "from the question to the answer's arrival"
    for name in ("input_window_ms", "input_state_retention_ms"):
        limit = getattr(server, name)
        if limit is not None:
            yield Nested(f"server.{name}", words, wait.arrived, limit)
    yield from _silent(facts, wait)
    at = "in execution" if facts.execution_declared else "at creation"
    words = f"from creation to the answer's arrival, asked {at}"
    arrived = _sum(wait.asked, wait.arrived)
    if facts.deadline_ms is not None:
        key = "server.execution_deadline_ms"
        yield Nested(key, words, arrived, facts.deadline_ms, skew, strict=True, from_creation=True)
    if facts.running_expires and facts.anchor != "activity":
        yield Nested("server.enforced_ttl_ms", words, arrived, facts.ttl, skew, from_creation=True)
    stop, _ = facts.stops()
    if stop is not None:
        key = "client.overall_timeout_ms" if client.overall_timeout_ms is not None else "server.advertised_ttl_ms"
        given = _sum(wait.asked, wait.given)
        yield Nested(key, f"from creation to the answer, asked {at}", given, stop, from_creation=True)


def _silent(facts: Facts, wait: Wait) -> Iterator[Nested]:
    """The limits on silence, where the client does not poll while the human thinks."""
    if facts.config.client.polls_while_waiting:
        return
    counts = "update" in facts.config.server.contact_includes
    silence = wait.silent(update_counts=counts)
    words = "the silence while the human thinks" + ("" if counts else ", up to the next poll after it")
    if facts.window_ms is not None:
        key, strict = "server.orphan_window_ms", not facts.window_inclusive
        yield Nested(key, words, silence, facts.window_ms, facts.skew_ms, strict=strict)
    if facts.running_expires and facts.anchor == "activity":
        yield Nested("server.enforced_ttl_ms", words, silence, facts.ttl, facts.skew_ms)


# -- runs ---------------------------------------------------------------------------------------------------------

_ENDS = {
    "client.input_request_timeout_ms": "input_request_timeout_ends",
    "server.input_window_ms": "input_window_ends",
    "server.input_state_retention_ms": "input_state_retention_ends",
    "server.orphan_window_ms": "orphan_window_ends",
    "server.enforced_ttl_ms": "enforced_ttl_ends",
    "server.execution_deadline_ms": "execution_deadline_ends",
    "client.overall_timeout_ms": "overall_timeout_ends",
    "server.advertised_ttl_ms": "overall_timeout_ends",
}


def _unheard(facts: Facts, wait: Wait, one: Nested) -> Trace:
    """Everything takes as long as it may, and the limit closes as late as it may before the answer is in."""
    far = facts.horizon_ms
    told = far if wait.told is None else wait.told
    again = far if wait.again is None else wait.again
    asked = 0 if not one.from_creation else far if wait.asked is None else wait.asked
    heard = asked + told
    answered = heard + wait.human
    arrived = answered + wait.travel
    events: list = [
        (0, "create", {}),
        (asked, "input_required", {}),
        (heard, "reply_arrives", {"reply_latency": wait.reply}),
        (answered, "answer", {}),
    ]
    by_client = one.key in ("client.input_request_timeout_ms", "client.overall_timeout_ms", "server.advertised_ttl_ms")
    closes = answered if by_client else arrived
    if not by_client:
        events.append((arrived, "tasks/update", {}))
    silent = one.key == "server.orphan_window_ms" or (
        one.key == "server.enforced_ttl_ms" and facts.anchor == "activity"
    )
    if silent and "update" not in facts.config.server.contact_includes:
        closes = arrived + again
        events.append((closes, "tasks/get", {}))
    # The limit closes at the instant of the event that meets it closed, just before it.
    events.insert(len(events) - 1, (closes, _ENDS[one.key], {}))
    return run_human(facts.config, events, _given(facts, wait))


def waiting_system(facts: Facts) -> System:
    """The system in which the runs of `input-window-covers-human` are executed, for a declared time to answer."""
    assert facts.config.workload.human_answer_ms is not None
    return human_with(facts.config, _given(facts, Wait.of(facts, facts.config.workload.human_answer_ms[1])))


def _given(facts: Facts, wait: Wait) -> dict[str, Ms]:
    """The numbers that follow from the client's schedule; what has no bound takes longer than anything else."""
    return {
        "told_within": facts.horizon_ms if wait.told is None else wait.told,
        "reply_within": wait.reply,
        "polls_within": facts.horizon_ms if wait.again is None else wait.again,
        "client_stops": facts.stops()[0] or 0,
    }
