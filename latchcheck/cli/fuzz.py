"""`latchcheck fuzz`: random runs of the lifecycle model, and the smallest that breaks a property."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from . import wiring
from .errors import complain
from .output import Output

if TYPE_CHECKING:
    from latchcheck.engines.questions import Search
    from latchcheck.engines.stateful import Fuzzed
    from latchcheck.kernel import Property

SCHEMA = "latchcheck/samples/1"
# The numbers of latchcheck.engines.stateful, which --help does not import; a test compares them.
RUNS_MAX, STEPS_MAX = 2000, 24


@click.command(
    "fuzz",
    short_help="Sample runs of the lifecycle model.",
    epilog="Exit code: the first of 3, 1, 2, 4 that applies: 1 violated, 2 bad input or no Hypothesis, "
    "4 nothing found, which proves nothing. A sample never ends in 0, unless nothing applies.",
)
@click.option(
    "--scope", metavar="SCOPE", default="ci", show_default=True, help="ci, deep, wide, or tasks=2,workers=2,..."
)
@click.option(
    "--policy", metavar="POLICY", default="guarded", show_default=True, help="guarded, or SWITCH=VALUE,SWITCH=VALUE."
)
@click.option("--property", "only", metavar="ID", multiple=True, help="Only this property; may be repeated.")
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="The same seed draws the same runs.")
@click.option(
    "--max-runs",
    metavar="N",
    type=click.IntRange(min=1),
    default=RUNS_MAX,
    show_default=True,
    help="Runs to draw in each search.",
)
@click.option(
    "--steps",
    metavar="N",
    type=click.IntRange(min=1),
    default=STEPS_MAX,
    show_default=True,
    help="Steps after which a run is over.",
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Text or JSON."
)
@click.pass_context
def command(  # noqa: PLR0913 - one parameter an option
    context: click.Context,
    /,
    *,
    scope: str,
    policy: str,
    only: tuple[str, ...],
    seed: int,
    max_runs: int,
    steps: int,
    form: str,
) -> None:
    """Draw random runs of the lifecycle model, steered to where few have been, until one breaks a property.

    A run that breaks one is made as small as can be and executed again.
    That none was found proves nothing; `latchcheck explore` searches all.
    """
    from latchcheck.engines.stateful import NeedsHypothesis
    from latchcheck.kernel.exits import Exit, exit_code

    try:
        plan, done = wiring.fuzz_lifecycle(scope, policy, only, seed=seed, runs_max=max_runs, steps_max=steps)
    except NeedsHypothesis as missing:
        complain(str(missing))
        context.exit(Exit.USAGE)
    rows = {one.id: absent(one) for one in plan.absent}
    for search in plan.searches:
        rows |= {
            one.id: row(one, [found for made, found in done if made is search], steps) for one in search.properties
        }
    answers = [rows[name] for name in plan.order]
    code = exit_code([one["verdict"] for one in answers])
    out = Output(None)
    if form == "json":
        searches = [_search(search, found) for search, found in done]
        whole = {"schema": SCHEMA, "versions": _versions(), "source": plan.source, "seed": seed, "runs_max": max_runs}
        whole |= {"steps_max": steps, "searches": searches, "properties": answers, "exit": code}
        out.write(json.dumps(whole, indent=2, ensure_ascii=False) + "\n")
    else:
        out.write(told(answers, [found for _, found in done], seed))
    context.exit(code)


def absent(one: Any) -> dict[str, Any]:
    """A property that nothing was searched for."""
    return {"id": one.id, "keyword": one.keyword, "verdict": one.verdict, "reason": one.reason, "witness": None}


def row(asked: Property, searches: Sequence[Fuzzed], steps_max: int) -> dict[str, Any]:
    """The answer to one property: violated, or inconclusive, whatever was drawn."""
    from latchcheck.report.envelope import plain

    found = next((one for one in searches if one.violated == asked.id), None)
    tried = [one for one in searches if asked.id in one.reached]
    runs, reached = sum(one.runs for one in tried), sum(one.reached[asked.id] for one in tried)
    answer: dict[str, Any] = {
        "id": asked.id,
        "keyword": asked.keyword,
        "verdict": "inconclusive" if found is None else "violated",
        "engine": "stateful",
        "sentence": {"text": asked.sentence.text, "source": asked.sentence.source, "where": asked.sentence.where},
        "clause": None if found is None else found.clause,
        "reason": None,
        "runs": runs,
        "reached": reached,
        "witness": None,
    }
    if found is None or found.counterexample is None:
        answer["reason"] = _reason(asked, runs, reached, steps_max)
        return answer
    answer["found_steps"], answer["shrunk_steps"] = found.found_steps, found.shrunk_steps
    answer["witness"] = {
        "steps": [
            {
                "at_ms": None,
                "party": step.party,
                "action": step.action,
                "args": plain(step.args),
                "changed": {name: [plain(old), plain(new)] for name, (old, new) in step.changed.items()},
            }
            for step in found.counterexample
        ],
        "fixture": None,
        "told": [str(step) for step in found.counterexample],
    }
    return answer


def _reason(asked: Property, runs: int, reached: int, steps_max: int) -> str:
    if asked.expectation == "leads-to":
        return "a sample of runs that end says nothing about what comes in the end; explore does"
    if not runs:
        return "no runs were left for it"
    what = f"{runs} runs of up to {steps_max} steps, no violation: a sample proves nothing"
    return what if reached else f"{what}, and what the property speaks about never happened"


def told(answers: Sequence[dict[str, Any]], searches: Sequence[Fuzzed], seed: int) -> str:
    """The answers in words."""
    lines: list[str] = []
    for one in answers:
        witness = one["witness"]
        if witness is None:
            lines.append(f"{one['verdict']:14}  {one['id']}: {one['reason']}")
            continue
        steps = witness["told"]
        lines.append(f"{one['verdict']:14}  {one['id']}: {one['clause']}")
        lines.append(f"  {len(steps)} steps, found as {one['found_steps']} in run {one['runs']}")
        lines += [f"  {count:>3}  {step}" for count, step in enumerate(steps, 1)]
    runs, steps = sum(one.runs for one in searches), sum(one.steps for one in searches)
    pairs = sum(one.pairs for one in searches)
    lines.append(f"seed {seed}: {runs} runs, {steps} steps, {pairs} pairs of action and situation")
    fired = {name for one in searches for name, count in one.fired.items() if count}
    never = dict.fromkeys(name for one in searches for name in one.fired if name not in fired)
    if never:
        lines.append(f"never happened: {', '.join(never)}")
    return "\n".join(lines) + "\n"


def _search(search: Search, found: Fuzzed) -> dict[str, Any]:
    return {
        "scope": search.scope,
        "runs": found.runs,
        "steps": found.steps,
        "cells": found.cells,
        "pairs": found.pairs,
        "actions": dict(found.fired),
        "reached": dict(found.reached),
    }


def _versions() -> dict[str, Any]:
    from latchcheck.report.envelope import versions

    return dict(versions())
