"""`latchcheck fuzz --target`: the model and a target side by side, and the smallest run on which they diverge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import wiring
from .errors import complain
from .output import Output

if TYPE_CHECKING:
    from latchcheck.kernel.verdict import Verdict

SCHEMA = "latchcheck/lockstep/1"
VERDICTS: dict[str, Verdict] = {
    "diverged": "violated",
    "unsteady": "inconclusive",
    "failed": "inconclusive",
    "interrupted": "inconclusive",
    "nothing-found": "inconclusive",
    "nothing-tried": "vacuous",
}

# What the wiring hands over: the checker does not import counterexamples, so it does not name their types.
Driver = Any
Lockstep = Any


def answer(  # noqa: PLR0913 - one parameter an option
    name: str,
    scope: str | None,
    policy: str | None,
    *,
    seed: int,
    runs_max: int,
    steps_max: int,
    form: str,
    folder: Path | None,
) -> int:
    """Compare a target with the model and tell what came of it; the exit code."""
    from latchcheck.engines.stateful import NeedsHypothesis
    from latchcheck.kernel.exits import Exit, exit_code

    target, lacks = wiring.ready_target(name)
    if lacks:
        complain(f"the target {name} is not ready\n  " + "\n  ".join(lacks))
        return Exit.USAGE
    done: list[tuple[Driver, Lockstep]] = []
    try:
        for one in wiring.run_lockstep(target, scope, policy, seed=seed, runs_max=runs_max, steps_max=steps_max):
            done.append(one)
            if one[1].ended == "interrupted":
                complain("interrupted: what is told was found until then")
    except NeedsHypothesis as missing:
        complain(str(missing))
        return Exit.USAGE
    except KeyboardInterrupt:
        complain("interrupted: what is told was found until then")
    finally:
        getattr(target, "stop", lambda: None)()
    saved, unsaved = _save(done, seed, folder)
    verdicts: list[Verdict] = [VERDICTS[locked.ended] for _, locked in done] or ["inconclusive"]
    code = exit_code(verdicts, usage_error=unsaved)
    out = Output(None)
    if form == "json":
        whole = {"schema": SCHEMA, "versions": _versions(), "target": name, "seed": seed, "runs_max": runs_max}
        whole |= {"steps_max": steps_max, "searches": [_row(locked) for _, locked in done]}
        whole |= {"saved": None if saved is None else str(saved), "exit": code}
        out.write(json.dumps(whole, indent=2, ensure_ascii=False, default=str) + "\n")
    else:
        out.write(out.fitted("".join(_told(locked, name) for _, locked in done)))
        out.write("" if saved is None else f"saved as {saved}\n")
    return code


def _save(done: list[tuple[Driver, Lockstep]], seed: int, folder: Path | None) -> tuple[Path | None, bool]:
    """The file of the run that diverged, and whether it could not be written."""
    if folder is None or not done or done[-1][1].ended != "diverged":
        return None, False
    try:
        path, reason = wiring.save_divergence(*done[-1], seed, folder)
    except OSError as error:
        complain(f"-o {folder}: nothing is saved: {error.strerror or error}")
        return None, True
    if path is None:
        complain(f"-o {folder}: not saved: {reason}")
    return path, False


def _row(one: Lockstep) -> dict[str, Any]:
    """What one search did, as plain data."""
    return {
        "policy": one.policy,
        "scope": one.scope,
        "ended": one.ended,
        "reason": one.reason,
        "runs": one.runs,
        "answers": one.told,
        "events": dict(sorted(one.kinds.items())),
        "found_steps": one.found_steps,
        "run": None if one.ran is None else [_event(step) for step in one.ran.fixture.steps],
        "evidence": None if one.ran is None else [_seen(seen) for seen in one.ran.steps],
    }


def _event(step: Any) -> dict[str, Any]:
    return {"party": step.party, "action": step.action, "args": dict(step.args)}


def _seen(seen: Any) -> dict[str, Any]:
    """One event as it was done, what was answered and then read, and what a correct implementation may show."""
    return {
        "step": seen.step,
        "call": str(seen.call),
        "answer": str(seen.answer),
        "observed": dict(seen.observed),
        "allowed": [dict(one) for one in seen.expected],
    }


def _told(one: Lockstep, name: str) -> str:
    lines = [f"{one.ended:14}  {name}, policy {one.policy}, scope {one.scope}: {one.reason}"]
    if one.ran is not None:
        found = "" if one.found_steps is None else f", found as {one.found_steps}"
        lines.append(f"  {len(one.ran.fixture.steps)} steps{found}")
        lines += [f"  {seen.step:>3}  {seen.call}  ->  {seen.answer}" for seen in one.ran.steps]
    lines.append(f"  {one.runs} runs, {one.told} answers compared")
    return "\n".join(lines) + "\n"


def _versions() -> dict[str, Any]:
    from latchcheck.report.envelope import versions

    return dict(versions())
