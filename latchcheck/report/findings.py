"""What was asked and what came out, whichever verb asked: the records that SARIF, JUnit and their like are made from.

A verb turns its answers into `Findings`, and each format reads nothing else.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from attrs import frozen

from latchcheck.kernel.duration import readable
from latchcheck.kernel.telling import PLAIN, Telling
from latchcheck.kernel.verdict import PropertyVerdict, Repair, Report

from .timeline import Row, harm, rows_of
from .values import knob, setting, value_text

if TYPE_CHECKING:
    from latchcheck.engines.judging import Explored
    from latchcheck.kernel.records import Keyword, Sentence
    from latchcheck.kernel.trace import Trace
    from latchcheck.kernel.verdict import Verdict

    from .interchange.dot import Graph

STATES_DRAWN = 150
"""More states than this are no picture any more."""
EXPLAINED = "latchcheck explain {}"


@frozen
class Place:
    """A file that a finding is about, and the line (from 1) where that is known."""

    file: str
    line: int | None = None


@frozen
class Finding:
    """The answer to one property in one place.

    `title` is one line that says what came out, `details` further lines: the harm, the clause, the knobs, the repairs.
    `rows` tells the run in words, `trace` is the run itself, already executed again, `telling` has its words.
    `seconds` is the wall-clock time of the answer.
    """

    id: str
    keyword: Keyword
    sentence: Sentence
    verdict: Verdict
    engine: str
    title: str
    details: tuple[str, ...] = ()
    place: Place | None = None
    margin_ms: int | Fraction | None = None
    trace: Trace | None = None
    rows: tuple[Row, ...] = ()
    telling: Telling = PLAIN
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether a run breaks the property."""
        return self.verdict == "violated"

    @property
    def unsettled(self) -> bool:
        """Whether nothing was shown either way: nothing it speaks about can happen, or a bound ran out."""
        return self.verdict in ("vacuous", "inconclusive")


@frozen
class Caught:
    """A property that notices a missing guard: after how many steps, and whether the guard is the one it is about."""

    property: str
    steps: int
    own: bool


@frozen
class Kill:
    """A mutant, in the words of a policy, and the properties that notice it, the quickest first."""

    mutant: str
    caught: tuple[Caught, ...]


@frozen
class Findings:
    """All answers to one question: `source` tells people what was asked, `command` asks it again.

    `exit` is the exit code that these answers alone would have.
    `assumptions` are the values that nobody stated and the answers rest on, one sentence each.
    A search has its `coverage`, how often each action happened, and where it is small its `graph` of states, in which
    the states at the positions `broken` break a property.
    `kills` says which missing guards its properties notice.
    `settings` are the values that somebody stated, a key as a file spells it, its value, and where it stands.
    """

    verb: str
    source: str
    findings: tuple[Finding, ...]
    exit: int
    command: str
    assumptions: tuple[str, ...] = ()
    coverage: tuple[tuple[str, int], ...] = ()
    graph: Graph | None = None
    broken: frozenset[int] = frozenset()
    kills: tuple[Kill, ...] = ()
    settings: tuple[tuple[str, str, str], ...] = ()


def of_report(report: Report, telling: Telling = PLAIN, *, command: str = "") -> Findings:
    """The answers of `verify` to one configuration."""
    found = tuple(_verified(one, report, telling) for one in report.properties)
    again = command or "latchcheck verify"
    return Findings(
        "verify", report.source, found, report.exit, again, assumptions=report.assumptions, settings=_settings(report)
    )


def _settings(report: Report) -> tuple[tuple[str, str, str], ...]:
    values = report.config.flat()
    stated = [(key, one) for key, one in report.config.origins.items() if one.kind != "default" and key in values]
    return tuple((knob(key), value_text(key, values[key]), one.where or one.kind) for key, one in stated)


def of_explored(
    explored: Explored, telling: Telling = PLAIN, *, command: str = "", kills: tuple[Kill, ...] = ()
) -> Findings:
    """The answers of `explore` to one scope and policy."""
    found = tuple(_answered(one, None, {}, telling) for one in explored.properties)
    coverage = tuple(sorted(explored.actions.items(), key=lambda pair: (-pair[1], pair[0])))
    command = command or "latchcheck explore"
    drawn = _graph(explored)
    broken = frozenset[int]() if drawn is None else _broken(explored, drawn)
    return Findings(
        "explore",
        explored.plan.source,
        found,
        explored.exit,
        command,
        coverage=coverage,
        graph=drawn,
        broken=broken,
        kills=kills,
    )


def _graph(explored: Explored) -> Graph | None:
    """The states of a search that is small enough for a picture."""
    from latchcheck.kernel import ModelError

    from .interchange.dot import graph

    if len(explored.parts) != 1 or not explored.parts[0].found.complete:
        return None
    try:
        return graph(explored.parts[0].search.system, states_max=STATES_DRAWN)
    except ModelError:  # it has a clock, or is larger without symmetry
        return None


def _broken(explored: Explored, drawn: Graph) -> frozenset[int]:
    """The positions of the states in which a property that should always hold does not."""
    from .interchange.dot import Judge

    asked = [one for one in explored.parts[0].search.properties if one.expectation == "always"]
    judges = [Judge(one) for one in asked]
    return frozenset(at for at, state in enumerate(drawn.states) if not all(judge(state) for judge in judges))


def _verified(one: PropertyVerdict, report: Report, telling: Telling) -> Finding:
    return _answered(one, _place(one, report), report.config.flat(), telling)


def _answered(one: PropertyVerdict, place: Place | None, config: Mapping[str, Any], telling: Telling) -> Finding:
    return Finding(
        id=one.id,
        keyword=one.keyword,
        sentence=one.sentence,
        verdict=one.verdict,
        engine=one.engine,
        title=_title(one),
        details=tuple(_details(one, config, telling)),
        place=place,
        margin_ms=one.margin_ms,
        trace=one.witness,
        rows=() if one.witness is None else tuple(rows_of(one.witness, telling)),
        telling=telling,
        seconds=one.cost.seconds,
    )


def _title(one: PropertyVerdict) -> str:
    parts = [f"{one.id}: {one.verdict}"]
    if one.verdict == "holds" and one.scope:
        parts.append(f"within {one.scope}")
    if one.margin_ms is not None:
        parts.append(f"margin {readable(one.margin_ms, sign='+')}")
    if one.verdict != "violated" and one.reason:
        parts.append(one.reason)
    return ", ".join(parts)


def _details(one: PropertyVerdict, config: Mapping[str, Any], telling: Telling) -> Iterable[str]:
    if one.verdict != "violated":
        if one.bound_ms is not None:
            yield f"bound {readable(one.bound_ms)}"
        return
    words = None if one.witness is None else harm(one.witness, telling)
    if words:
        yield f"harm: {words}"
    if one.clause:
        yield f"fails: {spelled(one.clause, config)}"
    if one.reason:
        yield f"and then: {one.reason}"
    if one.binding:
        knobs = ", ".join(setting(key, config[key]) if key in config else knob(key) for key in one.binding)
        yield f"knobs: {knobs}"
    label = "repair" if len(one.repairs) == 1 else "repair (any one is enough)"
    for repair in one.repairs:
        yield f"{label}: {repair_text(repair, config)}"
    if one.fixture:
        yield f"replay: latchcheck replay {shlex.quote(one.fixture)}"


def spelled(text: str, keys: Iterable[str]) -> str:
    """The text with each key as a file spells it."""
    for key in keys:
        if key in text:
            text = text.replace(key, knob(key))
    return text


def repair_text(repair: Repair, config: Mapping[str, Any], part: Callable[[str], str] = str) -> str:
    """A repair in one line: what to set, and what it is now; `part` is applied to what should stay together."""
    parts: list[str] = []
    for key, value in repair.set.items():
        parts.append(part(f"{'and' if parts else 'set'} {setting(key, value)}"))
        if key in config:
            parts.append(part(f"(now {value_text(key, config[key])})"))
    return " ".join(parts) + ("" if repair.verified else part(", not verified"))


def _place(one: PropertyVerdict, report: Report) -> Place | None:
    """The line of the knob that the answer is about, else the first line that a file has for this configuration."""
    origins = report.config.origins
    in_files = [_split(origin.where) for origin in origins.values() if origin.kind == "file" and origin.where]
    for key in one.binding:
        origin = origins.get(key)
        if origin is not None and origin.kind == "file" and origin.where:
            return _split(origin.where)
    return Place(in_files[0].file) if in_files else None


def _split(where: str) -> Place:
    file, colon, line = where.rpartition(":")
    return Place(file, int(line)) if colon and line.isdecimal() else Place(where)
