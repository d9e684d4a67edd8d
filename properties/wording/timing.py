"""The words of the timed model: what the record, the client and the reaper do, and the readings of each quantity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import attrs
import z3

from latchcheck.kernel import System
from latchcheck.wording.words import Occurrence, Vocabulary, Word

from ...model.config import Config
from ...model.timing.poller import Poller, active
from ...model.timing.terms import CAUSE, CLIENT, FATE, SEEN, STATUS, Numbers, V, largest

NAME: Final = "timing"


@attrs.frozen(eq=False)
class Bound:
    """What the words are bound to: a configuration, its numbers, and the system made of both."""

    config: Config
    numbers: Numbers
    system: System

    @property
    def poller(self) -> Poller:
        """The client's schedule as terms."""
        return Poller(self.numbers)


def _number(name: str, of: Callable[[Config], Any]) -> Callable[[Bound], Any]:
    """A number of the configuration; a limit that it lacks is beyond every other number."""

    def value(bound: Bound) -> Any:
        found = bound.numbers.real(name, of(bound.config))
        return z3.RealVal(10**15) if found is None else found

    return value


_ENFORCED: Final = _number("enforced_ttl", lambda config: config.enforced_ttl_ms_effective)
_ADVERTISED: Final = _number("advertised_ttl", lambda config: config.advertised_ttl_ms_effective)
_WINDOW: Final = _number("orphan_window", lambda config: config.server.orphan_window_ms)
_DEADLINE: Final = _number("execution_deadline", lambda config: config.server.execution_deadline_ms)


def _hint(bound: Bound) -> Any:
    found = bound.numbers.real("poll_interval", bound.config.server.poll_interval_ms)
    return z3.RealVal(0) if found is None else found


def _skew(bound: Bound) -> Any:
    # Clocks that agree are no number that could be left open: the model then has no error to choose.
    skew = bound.config.server.clock_skew_ms
    return bound.numbers.real("clock_skew", skew) if skew else z3.RealVal(0)


def _terminal(_: Bound) -> Any:
    return V["status"] != STATUS["working"]


def _states() -> list[Word]:
    found = [
        Word(f"the task is {label}", "state", f"the status is `{label}`",
             lambda _, label=label: V["status"] == STATUS[label]) for label in STATUS.values
    ]  # fmt: skip
    causes = {"worker": "the worker ended the task", "timeouts": "the deadline ended the task",
              "orphans": "the task is orphaned", "expiry": "the ttl ended the task"}  # fmt: skip
    found += [
        Word(phrase, "state", f"the terminal status was written by: {cause}",
             lambda _, cause=cause: V["cause"] == CAUSE[cause],
             near=tuple(one for one in causes.values() if one != phrase))
        for cause, phrase in causes.items()
    ]  # fmt: skip
    found += [
        Word("the task is terminal", "state", "its status is completed, failed or cancelled", _terminal),
        Word("the record is gone", "state", "the record is hidden or deleted", lambda _: V["gone"]),
        Word("live work was expired", "state", "the ttl ended or removed a task that was still working",
             lambda _: V["expired_live"]),
        Word("the client follows its schedule", "state", "it has called and not stopped, by a limit or by an answer",
             lambda _: active()),
        Word("the client has read the end", "state", "it has read a terminal status, or that the id is unknown",
             lambda _: V["client"] == CLIENT["done"]),
        Word("the client has stopped", "state", "a limit of its own ended its polling",
             lambda _: V["client"] == CLIENT["stopped"]),
        Word("the last answer was unknown id", "state", "the last tasks/get found no record",
             lambda _: V["seen"] == SEEN["gone"]),
    ]  # fmt: skip
    return found


def _events() -> list[Word]:
    def named(phrase: str, meaning: str, *names: str, near: tuple[str, ...] = ()) -> Word:
        return Word(phrase, "event", meaning, lambda _: Occurrence(names), near=near)

    return [
        named("a poll is sent", "the client sends tasks/get", "poll", near=("a poll arrives",)),
        named("a poll arrives", "tasks/get arrives at the server: a contact", "tasks/get", near=("a poll is sent",)),
        named("the worker finishes", "the worker writes the terminal status", "write_terminal"),
        named("the handle arrives", "the reply to the call arrives: the client knows the taskId", "handle_arrives"),
        named("the client gives up", "a limit of its own ends its polling", "give_up"),
        named("a poll fails", "the client notices that a poll is not answered", "failure_noticed"),
        Word("a poll is sent sooner than the hint", "event", "less than pollIntervalMs after the answer before it, or "
             "after the create reply", lambda b: Occurrence(("poll",), before=V["now"] - V["since"] < _hint(b)),
             near=("a poll is sent",)),
        Word("a poll is sent without a pause", "event", "at the very moment of the answer before it",
             lambda _: Occurrence(("poll",), before=V["now"] == V["since"])),
        named("a sweep acts", "a sweep of the reaper changes the record", "sweep"),
        Word("a poll finds the task working", "event", "tasks/get arrives, is answered, and reads working",
             lambda _: Occurrence(("tasks/get",), before=V["poll_fate"] == FATE["answered"],
                                  after=V["seen"] == SEEN["working"])),
        Word("a poll finds the end", "event", "tasks/get arrives, is answered, and reads a terminal status",
             lambda _: Occurrence(("tasks/get",), before=V["poll_fate"] == FATE["answered"],
                                  after=V["seen"] == SEEN["terminal"])),
        Word("a poll finds nothing", "event", "tasks/get arrives, is answered, and finds no record",
             lambda _: Occurrence(("tasks/get",), before=V["poll_fate"] == FATE["answered"],
                                  after=V["seen"] == SEEN["gone"])),
        Word("the task becomes terminal", "event", "this step ends the task",
             lambda b: Occurrence(before=z3.Not(_terminal(b)), after=_terminal(b))),
        Word("the ttl ends the task", "event", "expiry fails or cancels a task that was working",
             lambda _: Occurrence(before=V["cause"] == CAUSE["none"], after=V["cause"] == CAUSE["expiry"])),
        Word("the task becomes orphaned", "event", "a sweep cancels the task because its client was silent",
             lambda _: Occurrence(before=V["cause"] == CAUSE["none"], after=V["cause"] == CAUSE["orphans"])),
        Word("the record goes", "event", "this step hides or deletes the record",
             lambda _: Occurrence(before=z3.Not(V["gone"]), after=V["gone"])),
        Word("the task was terminal", "event", "just before this step the task was terminal",
             lambda b: Occurrence(before=_terminal(b))),
        Word("the task was working", "event", "just before this step the task was working, its record there",
             lambda b: Occurrence(before=z3.And(z3.Not(_terminal(b)), z3.Not(V["gone"])))),
    ]  # fmt: skip


def _quantities() -> list[Word]:
    def of(phrase: str, meaning: str, build: Callable[[Bound], Any], *near: str) -> Word:
        return Word(phrase, "quantity", meaning, build, "ms", near=near)

    def updated(_: Bound) -> Any:
        return V["now"] - z3.If(V["status"] == STATUS["working"], 0, V["ended_at"])

    return [
        of("the time since createdAt", "now less the instant of creation", lambda _: V["now"],
           "the time since lastUpdatedAt"),
        of("the time since lastUpdatedAt", "now less the terminal write, or creation while the task works", updated,
           "the time since createdAt"),
        of("the time since the last activity", "now less the last contact or the terminal write, whichever is later",
           lambda _: V["now"] - largest([V["last_contact"], V["ended_at"]]), "the time since createdAt"),
        of("the silence", "now less the last contact, as the server sees it", lambda _: V["now"] - V["last_contact"],
           "the pause of the client"),
        of("the pause of the client", "how long the client has waited in its present stage",
           lambda _: V["now"] - V["since"], "the silence"),
        of("the nominal gap", "the delay before the next poll, before jitter and hint", lambda _: V["nominal"],
           "the jittered gap"),
        of("the jittered gap", "the greatest gap before the next poll, jitter, hint and limits included",
           lambda bound: bound.poller.gap()[1], "the nominal gap", "the gap seen by the server"),
        of("the gap seen by the server", "the greatest gap plus what request and reply may take",
           lambda bound: bound.poller.gap()[1] + 2 * bound.poller.latency()[1], "the jittered gap"),
        of("the orphan window", "server.orphan_window", _WINDOW, "the enforced ttl"),
        of("the enforced ttl", "server.enforced_ttl", _ENFORCED, "the advertised ttl",
           "the orphan window"),
        of("the advertised ttl", "server.advertised_ttl", _ADVERTISED, "the enforced ttl"),
        of("the advertised ttl taken for seconds", "a thousand times server.advertised_ttl", lambda b: 1000
           * _ADVERTISED(b), "the advertised ttl"),
        of("the advertised ttl told in seconds", "its number of seconds, taken for milliseconds: a thousandth of it",
           lambda b: _ADVERTISED(b) / 1000, "the advertised ttl"),
        of("the hint", "server.poll_interval, 0 where there is none", _hint, "the nominal gap"),
        of("the latency", "the longest time that a message takes, network.latency[1]", lambda b: b.poller.latency()[1]),
        of("the clock skew", "server.clock_skew", _skew),
        of("the execution deadline", "server.execution_deadline", _DEADLINE),
    ]  # fmt: skip


def vocabulary() -> Vocabulary:
    """Every word about one task, its client, and the reaper, on a clock in milliseconds."""
    return Vocabulary.of(NAME, [*_states(), *_events(), *_quantities()], timed=True)
