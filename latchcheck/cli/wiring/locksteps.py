"""Lockstep: drawn runs of the lifecycle model done to a target, and what diverges saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from .saving import answered, digest
from .targets import open_target

if TYPE_CHECKING:  # each function imports what it needs, so that --help does not pay for the solver
    from latchcheck.counterexamples import Event, Fixture
    from latchcheck.counterexamples.targets import Target
    from latchcheck.counterexamples.targets.lockstep import Driver, Ended, Lockstep
    from latchcheck.counterexamples.targets.outcomes import Ran
    from latchcheck.counterexamples.targets.protocol import Table
    from latchcheck.engines.stateful_walks import Walked

    _End = tuple[Ended, str, Ran | None]

POLICIES = ("terminal_guard=check-then-set", "terminal_guard=none,expiry_check=off", "version_check=off", "guarded")
"""What a target is asked for where no policy is given: each takes away guards, so that more than is right is asked."""
UNSTEADY = "the same events were answered now as no correct implementation does, now as one"


def scopes_for(table: Table) -> list[str]:
    """What a target can do as scopes: without time first, which leaves room for the races, then with its windows.

    Questions to people are left out: which version a worker holds after an answer is the implementation's to say.
    """
    whole = _scope(table, timed=True)
    return list(dict.fromkeys([_scope(table, timed=False), whole]))


def _scope(table: Table, *, timed: bool) -> str:
    sizes = {"tasks": 1, "workers": min(2, table.workers), "instances": 2 if "cancel" in table.events else 0}
    sizes["cancels"] = int("cancel" in table.events)
    for window, size in (("ttl", "expiries"), ("deadline", "deadlines"), ("silence", "silences")):
        sizes[size] = int(timed and window in table.windows)
    sizes["redeliveries"] = int(timed and "lease" in table.windows)
    return ",".join(f"{name}={size}" for name, size in sizes.items() if size)


def run_lockstep(
    target: Target, scope: str | None, policy: str | None, *, seed: int, runs_max: int, steps_max: int
) -> Iterator[tuple[Driver, Lockstep]]:
    """Draw runs under each policy, do them to the target and compare; ends with the first that does not conform.

    The era is one that the target speaks, unless the policy names another.
    Raises SpellingError, for which `is_bad_input` is true, and NeedsHypothesis.
    """
    from latchcheck.kernel.doing import each

    _kept(target, keeps=True)
    policies = (policy,) if policy is not None else POLICIES
    scopes = [scope] if scope is not None else scopes_for(target.table)
    questions, left = [(size, one) for size in scopes for one in policies], runs_max
    for place, (size, one) in enumerate(each("comparing", questions, named=lambda pair: pair[1])):
        share = left // (len(questions) - place)
        if not share:
            continue
        driver = _driver(target, size, one)
        locked = _locked(driver, seed, share, steps_max)
        left -= locked.runs
        yield driver, locked
        if locked.ended not in ("nothing-found", "nothing-tried"):
            return


def _kept(target: Target, *, keeps: bool) -> None:
    """Whether a product that takes long to start is started once for many runs, or anew for each."""
    getattr(target, "keep", lambda _: None)(keeps)


def _driver(target: Target, scope: str, policy: str) -> Driver:
    from latchcheck.counterexamples.targets.lockstep import Driver
    from latchcheck.model.lifecycle import lifecycle
    from latchcheck.model.policy import Policy
    from latchcheck.model.scope import Scope

    size, switches = Scope.parse(scope), Policy.parse(policy)
    if switches.era not in target.table.eras and "era" not in policy:
        switches = attrs.evolve(switches, era=target.table.eras[0])
    told = _told_to(target.table)
    broken, guarded = (lifecycle(size, one, told) for one in (switches, Policy.parse(f"era={switches.era}")))
    return Driver(target, broken, guarded, switches.changed, switches.era, size.named)


def _told_to(table: Table) -> set[str]:
    """The modules of the model that a target can be told of: with the others most calls could not be made there."""
    from latchcheck.model.lifecycle import MODULES

    untold = set() if table.negotiates else {"capability"}
    untold |= set() if table.keys else {"keys", "key_race", "namespaces"}
    return MODULES.keys() - untold


def _locked(driver: Driver, seed: int, runs_max: int, steps_max: int) -> Lockstep:
    """Draw runs until one diverges, make it smaller, and look at it again."""
    from latchcheck.counterexamples.targets.lockstep import Lockstep
    from latchcheck.engines.stateful_walks import sample_walks, without

    judge = _Judge(driver)
    system = without(driver.broken.system, driver.unusable())
    walked = sample_walks(system, judge.diverges, seed=seed, walks_max=runs_max, steps_max=steps_max)
    ended, reason, ran = judge.failure() or _unfound(walked, judge) or _looked_at_again(walked, judge)
    policy = ",".join(f"{name}={value}" for name, value in driver.policy.items()) or "guarded"
    scope = ",".join(f"{name}={size}" for name, size in driver.scope.items())
    return Lockstep(
        policy, scope, ended, reason, walked.walks, driver.told, dict(driver.kinds), ran, walked.found_steps
    )


@attrs.define
class _Judge:
    """Says of a walk whether it diverges on the target, and keeps what the search is to tell besides.

    `untold` is why the first run that could not be compared could not; `odd` is the last run that diverged.
    """

    driver: Driver
    failed: Ran | None = None
    untold: str | None = None
    odd: Ran | None = None

    def steps(self, walk: Sequence[Any]) -> tuple[Event, ...]:
        """A walk as the target can be asked for it."""
        from latchcheck.counterexamples import Event

        parties = {action.name: action.party for action in self.driver.broken.system.actions}
        return self.driver.possible([Event(None, parties[one.action], one.action, one.args) for one in walk])

    def diverges(self, walk: Sequence[Any]) -> bool:
        """Do the walk to the target. Raises StopWalking where that cannot be driven."""
        from latchcheck.counterexamples.targets.lockstep import DIVERGED
        from latchcheck.engines.stateful_walks import StopWalking

        steps = self.steps(walk)
        if not steps:
            return False
        ran = self.driver.done(steps)
        if ran.outcome == "failed":
            _kept(self.driver.target, keeps=True)  # from a new process: what a busy machine does, it does not do twice
            ran = self.driver.done(steps)
        if ran.outcome == "not-applicable" and self.untold is None:
            self.untold = ran.reason
        if ran.outcome == "failed":
            self.failed = ran
            raise StopWalking
        if ran.outcome in DIVERGED:
            self.odd = ran
        return ran.outcome in DIVERGED

    def failure(self) -> _End | None:
        """How the search ends where the target could not be driven."""
        return None if self.failed is None else ("failed", self.failed.reason, self.failed)


def _unfound(walked: Walked, judge: _Judge) -> _End | None:
    """How a search ends that has found nothing, or nothing that it found again; None where it has."""
    if walked.unsteady:
        return "unsteady", UNSTEADY, judge.odd
    if walked.found is not None:
        return None
    if walked.interrupted:
        return "interrupted", "the user ended it", None
    if not judge.driver.told:
        reason = judge.untold or "its first step cannot be asked for"
        return "nothing-tried", f"no answer was compared: {reason}", None
    return "nothing-found", "no answer differed: a sample proves nothing", None


def _looked_at_again(walked: Walked, judge: _Judge) -> _End:
    """The run that was found, made smaller and done once more, to a target that is started anew."""
    assert walked.found is not None
    driver, steps = judge.driver, judge.steps(walked.found)
    if not walked.interrupted:
        steps = driver.smallest(steps)
    _kept(driver.target, keeps=False)
    steady, ran = driver.steady(steps)
    if ran.outcome == "failed":
        return "failed", ran.reason, ran
    return ("diverged", ran.reason, ran) if steady else ("unsteady", UNSTEADY, ran)


def save_divergence(driver: Driver, locked: Lockstep, seed: int, folder: Path) -> tuple[Path | None, str | None]:
    """Save the run that diverged as a fixture of a property that it breaks in the model; its file, or why none is.

    Raises OSError.
    """
    from latchcheck.counterexamples import write_all

    assert locked.ran is not None
    fixture = _broken_by(driver, locked.ran.fixture.steps, seed)
    if fixture is None:
        return None, "what the target does is no behaviour of the model under that policy, so no property tells of it"
    path = folder / f"{fixture.id}.json"
    write_all({path: fixture})
    return path, None


def _broken_by(driver: Driver, steps: Sequence[Any], seed: int) -> Fixture | None:
    """The fixture of the first property of the catalogue that the run breaks in the model, with its last step."""
    from latchcheck.counterexamples import Case, FoundBy, Stale, made, run, slug
    from latchcheck.model.policy import Policy
    from latchcheck.model.scope import Scope
    from latchcheck.properties.lifecycle.catalogue import RULES, cone, lacks
    from latchcheck.report.envelope import versions

    policy = Policy.parse(",".join(f"{name}={value}" for name, value in driver.policy.items()) or "guarded")
    size = Scope(**driver.scope)
    for rule in RULES:
        inside = cone(rule, size)
        built = inside.build(policy)
        if lacks(rule, built.room.modules):
            continue
        known = {action.name for action in built.system.actions}
        kept = [step for step in steps if step.action in known]
        case = Case(built.system, rule.over(built.room))
        for clause in case.asked.clauses:
            try:
                trace, _ = run(built.system, kept)
                fixture = made(
                    f"{rule.id}/{slug(str(policy))}",
                    case,
                    trace,
                    clause.label,
                    era=policy.era,
                    policy={name: value for name, value in policy.changed.items() if name != "era"},
                    scope=inside.scope.named,
                    found_by=FoundBy("lockstep", seed, versions()),
                )
            except (Stale, ValueError):
                continue
            correct = inside.build(Policy.parse(f"era={policy.era}")).system
            fixture = attrs.evolve(fixture, steps=answered(correct, fixture))
            return attrs.evolve(fixture, id=f"{fixture.id}.{digest(fixture)}")
    return None


def ready_target(name: str) -> tuple[Target, tuple[str, ...]]:
    """A target by its name, and what it lacks. Raises UnknownTarget, for which `is_bad_input` is true."""
    target = open_target(name)
    return target, tuple(target.missing())
