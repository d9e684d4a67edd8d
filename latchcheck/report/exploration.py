"""The answers of `explore`: as JSON for programs, and as text for people.

Schema of the JSON form: docs/reference/exploration.schema.json; it changes only with the version in `SCHEMA`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from latchcheck.kernel.telling import PLAIN, Telling
from latchcheck.kernel.verdict import VERDICTS, PropertyVerdict

from .envelope import json_text, steps, versions
from .layout import Paint, columns, glue, painted, unpainted, wrap
from .timeline import timeline

if TYPE_CHECKING:
    from latchcheck.engines.judging import Explored, Part

SCHEMA = "latchcheck/exploration/1"
WIDTH = 80
HEAD = ("verdict", "property", "states", "depth", "within, or why")


def envelope(explored: Explored) -> dict[str, Any]:
    """The answers as plain dictionaries, lists, strings, numbers, booleans and None."""
    plan = explored.plan
    return {
        "schema": SCHEMA,
        "versions": versions(),
        "source": plan.source,
        "scope": dict(plan.scope),
        "policy": dict(plan.policy),
        "symmetry": plan.symmetry,
        "reduction": explored.reduction,
        "complete": explored.complete,
        "states": explored.states,
        "transitions": explored.transitions,
        "depth": explored.depth,
        "actions": explored.actions,
        "never_fired": list(explored.never_fired),
        "searches": [_search(part) for part in explored.parts],
        "properties": [_property(one, explored.part_of(one.id)) for one in explored.properties],
        "exit": explored.exit,
    }


def dump(explored: Explored) -> str:
    """The envelope as JSON text, without a line end."""
    return json_text(envelope(explored), one_line=False)


def _search(part: Part) -> dict[str, Any]:
    found = part.found
    return {
        "properties": [asked.id for asked in part.search.properties],
        "scope": part.search.scope,
        "swapped": list(part.search.swapped),
        "states": found.states,
        "transitions": found.transitions,
        "depth": found.depth,
        "complete": found.complete,
        "stopped": found.stopped,
        "searcher": found.engine,
        "bytes": found.bytes_used,
        "seconds": round(part.seconds, 6),
    }


def _property(one: PropertyVerdict, part: Part | None) -> dict[str, Any]:
    return {
        "id": one.id,
        "keyword": one.keyword,
        "verdict": one.verdict,
        "engine": one.engine,
        "scope": one.scope,
        "states": None if part is None else part.found.states,
        "transitions": None if part is None else part.found.transitions,
        "depth": None if part is None else part.found.depth,
        "reached": None if part is None else part.found.reached.get(one.id, 0),
        "clause": one.clause,
        "reason": one.reason,
        "sentence": {"text": one.sentence.text, "source": one.sentence.source, "where": one.sentence.where},
        "witness": None if one.witness is None else _witness(one, part),
        "cost": {"seconds": round(one.cost.seconds, 6), "rlimit": one.cost.rlimit},
    }


def _witness(one: PropertyVerdict, part: Part | None) -> dict[str, Any]:
    assert one.witness is not None
    return {
        "steps": steps(one.witness),
        "loop": None if part is None else part.found.loops.get(one.id),
        "fixture": None,
    }


def render(explored: Explored, *, width: int = WIDTH, colour: bool = False, telling: Telling = PLAIN) -> str:
    """The whole answer as text, ending in a line end."""
    paint = painted if colour else unpainted
    lines = [*(paint(line, "title") for line in wrap(explored.plan.source, width)), ""]
    lines += _verdicts(explored, width, paint)
    lines += _hints(explored, width)
    for one in explored.properties:
        if one.verdict == "violated":
            lines += ["", *_violation(one, width, paint, telling)]
    lines += ["", *_covered(explored, width)]
    lines += ["", *wrap(_summary(explored), width)]
    return "\n".join(lines) + "\n"


def _verdicts(explored: Explored, width: int, paint: Paint) -> list[str]:
    decided = [one for one in explored.properties if one.verdict != "not-applicable"]
    absent = [one for one in explored.properties if one.verdict == "not-applicable"]
    lines: list[str] = []
    if decided:
        rows = [HEAD, *(_row(one, explored) for one in decided)]
        table = columns(rows, align="<<>>w", width=width, roles=["", *(one.verdict for one in decided)], paint=paint)
        lines += [paint(table[0], "label"), *table[1:]]
    if decided and absent:
        lines.append("")
    if absent:
        cells = [(one.verdict, one.id, one.reason or "") for one in absent]
        lines += columns(cells, align="<<w", width=width, roles=[one.verdict for one in absent], paint=paint)
    return lines


def _row(one: PropertyVerdict, explored: Explored) -> tuple[str, str, str, str, str]:
    part = explored.part_of(one.id)
    states, depth = ("", "") if part is None else (f"{part.found.states:,}", str(part.found.depth))
    after = "" if one.witness is None else f"after {len(one.witness.steps)} {_plural(len(one.witness.steps), 'step')}"
    whole = {**explored.plan.scope} or {"tasks": 1}
    within = "" if one.scope == ",".join(f"{name}={size}" for name, size in whole.items()) else one.scope
    why = "" if one.verdict == "holds" else one.reason  # of what holds it is told below
    return one.verdict, one.id, states, depth, after or why or within or ""


def _hints(explored: Explored, width: int) -> list[str]:
    """What is to be known of properties that hold, one after the other."""
    told = [(one.id, one.reason) for one in explored.properties if one.verdict == "holds" and one.reason]
    return [line for name, reason in told for line in ("", *wrap(f"{name}: {reason}", width))]


def _violation(one: PropertyVerdict, width: int, paint: Paint, telling: Telling) -> list[str]:
    from latchcheck.engines.judging import LONGER

    assert one.witness is not None
    facts = [
        (one.keyword, one.sentence.text),
        ("source", ", ".join(part for part in (one.sentence.source, one.sentence.where) if part)),
        ("fails", one.clause or ""),
        ("the run" if one.reason == LONGER else "and then", one.reason or ""),
        ("within", one.scope or ""),
    ]
    facts = [(label, text) for label, text in facts if text]
    count = len(one.witness.steps)
    kind = "run" if one.reason == LONGER else "shortest run"
    title = f"A {kind} that shows it, {count} {_plural(count, 'event')}, replayed:"
    return [
        paint(f"violated: {one.id}", "violated"),
        *columns(facts, align="<w", width=width, roles=["label"] * len(facts), paint=paint),
        "",
        "  " + paint(title, "title"),
        *timeline(one.witness, telling, width, paint=paint),
    ]


def _covered(explored: Explored, width: int) -> list[str]:
    """What the searches looked at, in numbers, and what never happened in them."""
    parts, planned = explored.parts, len(explored.plan.searches)
    if not planned:
        return ["Nothing was searched."]
    many = planned > 1
    seconds = sum(part.seconds for part in parts)
    kind = "distinct states" if not any(part.search.symmetry for part in parts) else "states up to symmetry"
    kind += " after partial-order reduction" if explored.reduction else ""
    lead = f"{planned} searches, one for each property; together " if many else ""
    text = (
        f"{lead}{glue(f'{explored.states:,} {kind}')}, {glue(f'{explored.transitions:,} transitions')}, "
        f"{glue(('greatest ' if many else '') + f'depth {explored.depth}')}, {glue(f'{seconds:.2f} s')}."
    )
    lines = wrap(text, width)
    if not explored.complete:
        done = sum(part.found.complete for part in parts)
        lines += wrap(
            f"Not all of it was searched: {done} of {planned} {_plural(planned, 'search', 'es')} "
            f"{'is' if done == 1 else 'are'} complete.",
            width,
        )
    if explored.never_fired:
        lines += wrap(f"Never happened: {', '.join(explored.never_fired)}.", width)
    return lines


def _summary(explored: Explored) -> str:
    found: Sequence[PropertyVerdict] = explored.properties
    counts = {verdict: sum(one.verdict == verdict for one in found) for verdict in VERDICTS}
    shown = sorted((verdict for verdict in VERDICTS if counts[verdict]), key=lambda verdict: verdict != "violated")
    parts = ", ".join(glue(f"{counts[verdict]} {verdict}") for verdict in shown)
    total = f"{len(found)} {'property' if len(found) == 1 else 'properties'}"
    return f"{total}: {parts}. {glue(f'Exit code {explored.exit}.')}"


def _plural(count: int, word: str, ending: str = "s") -> str:
    return word if count == 1 else word + ending
